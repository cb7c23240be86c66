// SPDX-License-Identifier: Apache-2.0
// Lock-step comparison of npu_core: sequences of commands through the array, as ArrayLockStep compares them, while others go
// through the vector unit, as VectorTraffic does, with the lanes that both share.
//
// The array has to have the values and edges that it has alone. The vector unit may stand still in a cycle in which the
// array takes a cycle of lanes that it wants, and in no other one: without these its edges are those that it has alone.
#pragma once

#include "sim/cosim/lockstep/array_lock_step.hpp"
#include "sim/cosim/lockstep/vector_traffic.hpp"

#include <array>
#include <cstdint>

namespace vernier::cosim {

class CoreLockStep : private Participant {
 public:
  CoreLockStep(ClockedBlock& block, const spec::Datapath& datapath, const RunOptions& options = {});
  /// Random sequences until `vectors` rows of the array have been compared, and what the vector unit stores meanwhile.
  LockStepResult run(int64_t vectors, const VectorProgress::Sink& progress = {});
  /// A sequence of the array with one of the vector unit, which begins in its first cycle, until both are over.
  void run_sequences(std::vector<Work> array, std::vector<Work> vector);

  /// What was found of both units.
  [[nodiscard]] LockStepResult result() const;
  [[nodiscard]] const kernels::TableMemory& tables() const { return array_.tables(); }
  [[nodiscard]] const ArrayCoverage& array_coverage() const { return array_.coverage(); }
  [[nodiscard]] const VectorCoverage& vector_coverage() const { return vector_.coverage(); }
  /// Cycles in which the array has taken the rescale lanes, the table lanes.
  [[nodiscard]] const std::array<int64_t, 2>& array_lane_cycles() const { return array_lane_cycles_; }
  /// Cycles in which the vector unit has stood still for lanes.
  [[nodiscard]] int64_t vector_waits() const { return vector_.waits(); }
  /// Edges of the vector unit, its waits included, from the first handshake of the last sequence to its end.
  [[nodiscard]] int64_t vector_cycles() const { return vector_cycles_; }

 private:
  void offer(bool is_enabled) override;
  Seen see() override;

  spec::Datapath datapath_;
  Random random_;
  VectorTraffic vector_;
  ArrayLockStep array_;
  Port lanes_array_, lanes_wait_;
  Scoreboard own_;  // mismatches of the sharing
  std::array<int64_t, 2> array_lane_cycles_{};
  int64_t vector_cycles_ = 0;
  int64_t exact_cycles_ = 0;  // since the array's lanes could stand still
  bool draws_sequences_ = true, is_enabled_ = true;
};

}  // namespace vernier::cosim
