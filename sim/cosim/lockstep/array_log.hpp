// SPDX-License-Identifier: Apache-2.0
// Sequences of commands that a run of the array has had since the last reset, so that its end can be run once more.
#pragma once

#include "sim/cosim/lockstep/scoreboard.hpp"
#include "sim/cosim/stream/array_streams.hpp"
#include "sim/cosim/stream/port_stalls.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vernier::cosim {

/// Commands that follow each other, with the bytes that they read, and how their ports were served.
struct ReplaySequence {
  ArrayPace pace = ArrayPace::Ideal;
  uint64_t random_state = 1;  // of the generator that draws pauses, and what stands on ports without a beat
  std::vector<ArrayCommand> commands;
  std::vector<std::string> names;  // of the commands, for mismatches; may be empty
  std::optional<int64_t> reset_after_cycles;
  int64_t idle_cycles = 0;  // afterwards
};

/// From a reset on.
struct ArrayReplay {
  kernels::TableMemory tables{};
  std::vector<ReplaySequence> sequences;
  int64_t first_cycle = 0;  // of the block, where the first sequence begins
};

/// The first mismatch of a run.
struct ArrayFault {
  Mismatch mismatch;
  ArrayReplay all;
  size_t command = 0;  // in the last sequence
  /// Where a row of results belongs.
  struct Place {
    int64_t channel_tile = 0, y = 0;
    int64_t row = 0;  // of the command's rows, in the order in which they come
    int lane = -1;    // that differs, or -1
  };
  std::optional<Place> place;
};

/// Keeps the traffic of sequences, without a copy of it until there is a mismatch.
class ArrayLog {
 public:
  /// `begins_anew`: nothing before it matters.
  void begin(ArrayPace pace, uint64_t random_state, std::vector<std::string> names, int64_t cycle, bool begins_anew);
  void add(std::shared_ptr<const ArrayTraffic> command) { running_.commands.push_back(std::move(command)); }
  void drop_after(int64_t cycles) { running_.kept.reset_after_cycles = cycles; }
  void idle(int64_t cycles) { running_.kept.idle_cycles += cycles; }
  /// What ran before is forgotten, but for a sequence that this reset ends.
  void reset();
  [[nodiscard]] ArrayReplay replay(const kernels::TableMemory& tables) const;

 private:
  struct Sequence {
    ReplaySequence kept;  // without commands
    int64_t first_cycle = 0;
    std::vector<std::shared_ptr<const ArrayTraffic>> commands;
  };
  std::vector<Sequence> before_;
  Sequence running_;
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
  void keep(ArrayFault fault) { fault_ = std::move(fault); }
  /// Adds those that are mismatches to the board's, as soon as that is known. The first of them is the first mismatch where
  /// `log` still waits for one.
  void settle(Scoreboard& board, std::optional<ArrayLog>& log, std::optional<ArrayFault>& fault);

 private:
  bool has_other_edges_ = false, has_timely_rows_ = false;
  int64_t count_ = 0;
  std::vector<Mismatch> first_;  // at most kMaxMessages
  std::optional<ArrayFault> fault_;
};

}  // namespace vernier::cosim
