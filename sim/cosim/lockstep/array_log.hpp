// SPDX-License-Identifier: Apache-2.0
// Sequences of commands that a run of the array has had since the last reset, so that its end can be run once more.
#pragma once

#include "sim/cosim/lockstep/scoreboard.hpp"
#include "sim/cosim/lockstep/sequence.hpp"
#include "sim/cosim/stream/array_streams.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace vernier::cosim {

/// Keeps the traffic of sequences, without a copy of it until there is a mismatch.
class ArrayLog {
 public:
  /// A sequence begins, whose works come by add(). `begins_anew`: nothing before it matters.
  void begin(Sequence without_works, int64_t cycle, bool begins_anew);
  void add(std::shared_ptr<const ArrayTraffic> command) { running_.commands.push_back(std::move(command)); }
  void drop_after(int64_t cycles) { running_.kept.reset_after_cycles = cycles; }
  void idle(int64_t cycles) { running_.kept.idle_cycles += cycles; }
  /// What ran before is forgotten, but for a sequence that this reset ends.
  void reset();
  [[nodiscard]] CommandReplay replay(const kernels::TableMemory& tables) const;

 private:
  struct Logged {
    Sequence kept;  // without works
    int64_t first_cycle = 0;
    std::vector<std::shared_ptr<const ArrayTraffic>> commands;
  };
  std::vector<Logged> before_;
  Logged running_;
};

/// What stall_o says and hw/spec does not, of RTL whose edges may differ. It comes from the RTL's depth where an edge
/// differs too; it is a mismatch of RTL that has given rows, each at its edge.
class ArrayDoubts {
 public:
  void see_other_edge() { has_other_edges_ = true; }
  void see_timely_row() { has_timely_rows_ = true; }
  void add(Mismatch mismatch);
  /// Whether what shows it again is wanted of the next one.
  [[nodiscard]] bool wants_fault() const { return !has_other_edges_ && count_ == 0; }
  void keep(CommandFault fault) { fault_ = std::move(fault); }
  /// Adds those that are mismatches to the board's, as soon as that is known. The first of them is the first mismatch where
  /// `log` still waits for one.
  void settle(Scoreboard& board, std::optional<ArrayLog>& log, std::optional<CommandFault>& fault);

 private:
  bool has_other_edges_ = false, has_timely_rows_ = false;
  int64_t count_ = 0;
  std::vector<Mismatch> first_;  // at most kMaxMessages
  std::optional<CommandFault> fault_;
};

}  // namespace vernier::cosim
