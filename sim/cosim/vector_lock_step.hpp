// SPDX-License-Identifier: Apache-2.0
// Lock-step comparison of npu_vector_unit: sequences of commands, each load from a memory of its own, each beat of a store
// compared in its lanes, mask and edge, each load's beat and each command in its edge.
//
// Expected elements come from sim/kernels, beats and their cycles from hw/sequence, a command's cycles from hw/timing; none
// from RTL. Rescale and table lanes are those of hw/model. A sequence runs at a pace of PortStalls: Ideal and Frozen have
// exact edges, the others edges that are not earlier, and not later by more than the cycles in which a port stayed away. A
// missing, an additional or a wrong beat is a mismatch; a block that lost count is reset, and what it owes is missing.
#pragma once

#include "hw/config/machine_config.hpp"
#include "hw/sequence/vector_beats.hpp"
#include "sim/cosim/golden_lanes.hpp"
#include "sim/cosim/lock_step.hpp"
#include "sim/cosim/port_stalls.hpp"
#include "sim/cosim/vector_vectors.hpp"

#include <memory>
#include <optional>
#include <set>

namespace vernier::cosim {

class VectorLockStep {
 public:
  VectorLockStep(ClockedBlock& block, const spec::Datapath& datapath, uint64_t seed);
  /// Random sequences at random paces until `vectors` beats of stores have been compared.
  LockStepResult run(int64_t vectors, const VectorProgress::Sink& progress = {});
  /// One sequence of commands that write no byte twice; not more than `most_beats` beats of it.
  void run_sequence(std::vector<VectorJob> jobs, ArrayPace pace, int64_t most_beats = INT64_MAX);
  /// Edges that differ are counted, but are no mismatches: for RTL whose pipes have other lengths.
  void relax_cycles() { is_strict_ = false; }
  [[nodiscard]] const LockStepResult& result() const { return result_; }
  /// What steps there were: operation and phase.
  [[nodiscard]] int64_t bins_hit() const { return static_cast<int64_t>(bins_.size()); }
  [[nodiscard]] static int64_t num_bins() { return int64_t{3} * spec::kNumVectorOps; }

 private:
  /// A command of the sequence, and how far its streams have come.
  struct Running {
    Running(VectorJob made, const spec::Datapath& datapath, const kernels::TableMemory& tables);
    VectorJob job;
    std::vector<std::byte> after;  // the memory when it has ended
    sequence::VectorBeats loads, stores;
    std::optional<sequence::VectorBeat> load, store;  // the next ones
    int64_t cycles = 0;                               // from its handshake to the next one's
    int64_t first_cycle = 0;                          // edges from its handshake to that of the schedule's cycle 0
    int64_t taken_edge = -1;
  };
  void cycle();
  void drive();
  void drive_command(const spec::VectorCommand& command);
  void drive_load(const Running& running);
  bool take_beats();
  void take_load(Running& running);
  void take_store();
  void compare_elements(const Running& running, const sequence::VectorBeat& beat, std::string& what);
  void check_edge(int64_t expected, std::string_view what_for, std::string& what) const;
  bool is_wrong_edge(const std::string& what);
  void finish_beat(const Running& running, const std::string& what, bool is_edge_wrong);
  void end_sequence();
  void lose_count();
  void reset();
  void report(std::string text);
  [[nodiscard]] std::string waiting() const;
  [[nodiscard]] static int group_of(const spec::VectorCommand& command);

  ClockedBlock& block_;
  spec::Datapath datapath_;
  Random random_;
  kernels::TableMemory tables_;
  GoldenLanes lanes_;
  Port en_, cmd_valid_, cmd_ready_, cmd_, ld_valid_, ld_ready_, ld_data_, st_valid_, st_ready_, st_data_, st_mask_;
  PortStalls stalls_;
  LockStepResult result_;
  std::set<int> bins_;

  // The sequence.
  std::vector<std::unique_ptr<Running>> running_;
  size_t num_taken_ = 0;              // commands
  size_t loading_ = 0, storing_ = 0;  // whose beats come next
  int64_t edge_ = 0, beats_left_ = 0, last_handshake_ = 0;
  bool is_strict_ = true;
  bool is_enabled_ = true, has_lost_count_ = false, is_over_ = false, is_load_driven_ = false, is_command_driven_ = false,
       is_held_ = false;
  std::vector<std::byte> held_;
};

}  // namespace vernier::cosim
