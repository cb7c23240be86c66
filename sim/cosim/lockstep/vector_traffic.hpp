// SPDX-License-Identifier: Apache-2.0
// What goes through the ports of a vector unit that a bench clocks: sequences of commands, each load from a memory of its
// own, each beat of a store compared in its lanes, mask and edge, each load's beat and each command in its edge.
//
// Expected elements come from sim/kernels, beats and their cycles from hw/sequence, a command's cycles from hw/timing; none
// from RTL. A sequence runs at a pace of PortStalls: Ideal and Frozen have exact edges, the others edges that are not
// earlier, and not later by more than the cycles in which a port stayed away. Cycles in which the unit waits for lanes are
// none of its edges: in any other one it has to move. A missing, an additional or a wrong beat is a mismatch; after a beat
// too many or too few nothing more is compared until a reset, and what is owed is missing.
#pragma once

#include "sim/cosim/block/held_ports.hpp"
#include "sim/cosim/lockstep/bench.hpp"
#include "sim/cosim/lockstep/sequence.hpp"
#include "sim/cosim/stimulus/vector_coverage.hpp"
#include "sim/cosim/stream/golden_lanes.hpp"
#include "sim/cosim/stream/port_stalls.hpp"
#include "sim/cosim/stream/vector_run.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vernier::cosim {

class VectorTraffic : public Participant {
 public:
  /// A block npu_vector_unit, or one that has it in it. Joins no bench by itself.
  VectorTraffic(ClockedBlock& block, const spec::Datapath& datapath, const RunOptions& options = {});
  /// A sequence begins. No other one before is_idle().
  void begin(Sequence sequence);
  /// Whether another sequence may begin.
  [[nodiscard]] bool is_idle() const { return is_over_ && !has_lost_count_; }
  [[nodiscard]] bool has_lost_count() const { return has_lost_count_; }
  void offer(bool is_enabled) override;
  void settled() override;
  Seen see() override;
  void clocked() override;
  /// What was in flight is gone; what should have come long before is a mismatch.
  void was_reset() override;
  [[nodiscard]] std::string waiting() const override;
  [[nodiscard]] int64_t patience_cycles() const override;
  /// The same at the end of a run.
  void check_overdue();

  /// The first mismatch with what shows it again, once.
  [[nodiscard]] std::optional<CommandFault> take_fault() { return std::exchange(fault_, std::nullopt); }
  /// What was found since the last time.
  [[nodiscard]] LockStepResult take_result() { return board_.take(); }
  [[nodiscard]] const LockStepResult& result() const { return board_.result(); }
  /// In how many cycles so far the unit has waited for lanes.
  [[nodiscard]] int64_t waits() const { return waits_; }
  [[nodiscard]] const VectorCoverage& coverage() const { return coverage_; }

 protected:
  /// A mismatch after which nothing can be compared until a reset.
  void lose_count(Mismatch mismatch);
  /// Commands that were taken and have stores to come.
  [[nodiscard]] int64_t num_unfinished() const { return static_cast<int64_t>(num_taken_ - std::min(storing_, num_taken_)); }

  ClockedBlock& block_;
  spec::Datapath datapath_;
  Random random_;
  kernels::TableMemory tables_;
  PortStalls stalls_;
  Scoreboard board_;
  std::optional<GoldenLanes> lanes_;  // where the block has none
  VectorCoverage coverage_;
  CommandReplay begun_;  // the sequence that runs, or ran last, without its works
  int64_t beats_left_ = 0, shared_percent_ = 0;

 private:
  void keep_fault(const Mismatch& mismatch);
  bool take_beats();
  [[nodiscard]] bool is_store_lost() const;
  void skip_done();
  void take_load(VectorRun& running);
  void take_store();
  /// The first lane that differs; the others are said after it.
  std::optional<Mismatch> compare_elements(VectorRun& running, const sequence::VectorBeat& beat);
  [[nodiscard]] std::string away_from(int64_t expected_edge, std::string_view what_for) const;
  /// Whether what is wrong with an edge is a mismatch; it is counted in any case.
  bool is_wrong_edge(const std::string& what);
  void finish_beat(const VectorRun& running, std::optional<Mismatch> mismatch, bool is_edge_wrong);
  void end_sequence();
  void count_missing();
  [[nodiscard]] std::string owed() const;
  [[nodiscard]] static int group_of(const spec::VectorCommand& command);

  Port cmd_valid_, cmd_ready_, cmd_, ld_valid_, ld_ready_, ld_data_, st_valid_, st_ready_, st_data_, st_mask_, lanes_wait_;
  std::string name_, cmd_name_;  // of the sequence, or empty; of the ports of commands
  ResultSink on_store_;
  std::optional<CommandFault> fault_;
  bool keeps_fault_, is_strict_;
  int64_t waits_ = 0;

  // The sequence that runs, or ran last.
  std::vector<std::unique_ptr<VectorRun>> running_;
  size_t num_taken_ = 0;              // commands
  size_t loading_ = 0, storing_ = 0;  // whose beats come next
  int64_t edge_ = 0;
  int64_t begun_edge_ = 0, handshake_edge_ = 0;  // where the sequence began, and had a handshake last
  bool is_enabled_ = true, has_edge_ = false, has_lost_count_ = false, is_over_ = true;
  bool is_load_driven_ = false, is_command_driven_ = false;
  HeldPorts held_;  // a store's beat
};

}  // namespace vernier::cosim
