// SPDX-License-Identifier: Apache-2.0
// Lock-step comparison of npu_vector_unit: sequences of commands, each load from a memory of its own, each beat of a store
// compared in its lanes, mask and edge, each load's beat and each command in its edge.
//
// Expected elements come from sim/kernels, beats and their cycles from hw/sequence, a command's cycles from hw/timing; none
// from RTL. Rescale and table lanes are those of hw/model. A sequence runs at a pace of PortStalls: Ideal and Frozen have
// exact edges, the others edges that are not earlier, and not later by more than the cycles in which a port stayed away. A
// missing, an additional or a wrong beat is a mismatch; a block that lost count is reset, and what it owes is missing. Some
// sequences end by a reset in the middle of a command, with or without an edge in it: nothing of it comes out after that.
#pragma once

#include "hw/config/machine_config.hpp"
#include "sim/cosim/golden_lanes.hpp"
#include "sim/cosim/lock_step.hpp"
#include "sim/cosim/port_probe.hpp"
#include "sim/cosim/port_stalls.hpp"
#include "sim/cosim/vector_replay.hpp"
#include "sim/cosim/vector_run.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace vernier::cosim {

class VectorLockStep {
 public:
  VectorLockStep(ClockedBlock& block, const spec::Datapath& datapath, uint64_t seed);
  /// Random sequences at random paces until `vectors` beats of stores have been compared.
  LockStepResult run(int64_t vectors, const VectorProgress::Sink& progress = {});
  /// One sequence of commands; not more than `most_beats` beats of it.
  void run_sequence(std::vector<VectorJob> jobs, ArrayPace pace, int64_t most_beats = INT64_MAX);
  /// One sequence that a reset ends after `cycles`, before its end; stores before it are compared, at most `most_beats`, and
  /// afterwards one of it is one too many.
  void drop_sequence(std::vector<VectorJob> jobs, ArrayPace pace, int64_t cycles, int64_t most_beats = INT64_MAX);
  /// So many cycles without a command, behind a sequence: whatever comes then is too much.
  void idle(int64_t cycles);
  /// Edges that differ are counted, but are no mismatches: for RTL whose pipes have other lengths.
  void relax_cycles() { is_strict_ = false; }
  /// What the tables hold from the next sequence on.
  void set_tables(const kernels::TableMemory& tables) { tables_ = tables; }
  /// Messages about the next sequences begin with it.
  void name_sequence(std::string name) { name_ = std::move(name); }
  /// In so many of 100 cycles of the next sequences somebody else has the lanes. Cycles in which the unit waits for them are
  /// none of its edges: in any other one it has to move.
  void share_lanes(int64_t percent) {
    shared_percent_ = percent;
    lanes_->share(random_, percent);
  }
  /// The first mismatch of a sequence from here on is kept with what shows it again.
  void keep_fault() { keeps_fault_ = true; }
  [[nodiscard]] std::optional<VectorFault> take_fault() { return std::exchange(fault_, std::nullopt); }
  /// Pauses and idle ports are those of a run whose generator had that state.
  void go_on_from(uint64_t random_state) { random_ = Random(random_state); }
  /// In how many cycles so far the unit has waited for lanes.
  [[nodiscard]] int64_t waits() const { return waits_; }

  // For a block that somebody else clocks and resets: npu_core.
  /// A sequence begins. No other one before is_idle().
  void begin(std::vector<VectorJob> jobs, ArrayPace pace);
  /// Whether another sequence may begin. After a beat too many or too few it may not, until a reset.
  [[nodiscard]] bool is_idle() const { return is_over_ && !has_lost_count_; }
  [[nodiscard]] bool has_lost_count() const { return has_lost_count_; }
  void drive(bool is_enabled);
  /// Before an edge, when outputs have settled.
  void see();
  /// After it.
  void finish();
  /// What was in flight is gone.
  void was_reset();
  /// At the end: what should have come long ago is a mismatch.
  void check_overdue();

  /// Called with each element that a store of RTL gives, right or wrong, and where it belongs in the job's memory.
  using StoreSink = std::function<void(int64_t address, std::span<const std::byte> bytes)>;
  void on_store(StoreSink sink) { on_store_ = std::move(sink); }
  /// What was found since the last time.
  [[nodiscard]] LockStepResult take_result();
  [[nodiscard]] const LockStepResult& result() const { return result_; }
  /// What steps there were: operation and phase.
  [[nodiscard]] int64_t bins_hit() const { return static_cast<int64_t>(bins_.size()); }
  [[nodiscard]] static int64_t num_bins() { return int64_t{3} * spec::kNumVectorOps; }

 private:
  void cycle();
  [[nodiscard]] bool waits_for_lanes() const;
  bool take_beats();
  void take_load(VectorRun& running);
  void take_store();
  void compare_elements(VectorRun& running, const sequence::VectorBeat& beat, std::string& what);
  void check_edge(int64_t expected, std::string_view what_for, std::string& what) const;
  bool is_wrong_edge(const std::string& what);
  void finish_beat(const VectorRun& running, const std::string& what, bool is_edge_wrong);
  void end_sequence();
  void lose_count();
  void count_missing();
  void reset();
  void report(const std::string& text);
  void add_groups();
  [[nodiscard]] std::string waiting() const;
  [[nodiscard]] static int group_of(const spec::VectorCommand& command);

  ClockedBlock& block_;
  spec::Datapath datapath_;
  Random random_;
  kernels::TableMemory tables_;
  bool is_guest_;                     // in a block that somebody else clocks
  std::optional<GoldenLanes> lanes_;  // where the block has none
  std::optional<PortProbe> probe_;    // of a block of its own
  Port en_, cmd_valid_, cmd_ready_, cmd_, ld_valid_, ld_ready_, ld_data_, st_valid_, st_ready_, st_data_, st_mask_,
      lanes_wait_;
  PortStalls stalls_;
  LockStepResult result_;
  std::set<int> bins_;

  // The sequence.
  std::vector<std::unique_ptr<VectorRun>> running_;
  size_t num_taken_ = 0;              // commands
  size_t loading_ = 0, storing_ = 0;  // whose beats come next
  int64_t edge_ = 0, beats_left_ = 0;
  int64_t begun_edge_ = 0, handshake_edge_ = 0;  // where the sequence began, and had a handshake last
  std::string name_;
  VectorReplay begun_;  // the sequence that runs, or ran last
  std::optional<VectorFault> fault_;
  bool keeps_fault_ = false;
  int64_t shared_percent_ = 0;
  StoreSink on_store_;
  bool is_strict_ = true;
  int64_t waits_ = 0;
  bool has_edge_ = false;
  bool is_enabled_ = true, has_lost_count_ = false, is_over_ = false, is_load_driven_ = false, is_command_driven_ = false,
       is_held_ = false;
  std::vector<std::byte> held_;
};

}  // namespace vernier::cosim
