// SPDX-License-Identifier: Apache-2.0
// Vector commands of a network on RTL: each on npu_vector_unit from idle, with memories that never keep it waiting, and its
// rescale and table steps on the units' own RTL.
//
// Each is compared by itself, so that what differs has one name: the vector unit's lanes are those of hw/model here, and the
// units get the operands that the kernels have. Where a unit differs, the command goes on with what that gave.
#pragma once

#include "sim/cosim/lockstep/vector_lock_step.hpp"
#include "sim/cosim/memory/stream_source.hpp"
#include "sim/cosim/memory/vector_memory.hpp"
#include "sim/cosim/network/lane_units.hpp"
#include "sim/cosim/network/rtl_wave.hpp"
#include "sim/cosim/replay/replay.hpp"
#include "sim/cosim/replay/sampled_command.hpp"
#include "sim/units/datapath.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace vernier::cosim {

struct RtlVectorUnitOptions {
  RunOptions run{};            // seed, cycles, fault
  LaneUnits* lanes = nullptr;  // rescale and table steps run there too; without, they are the kernels'
  StreamSource streams = StreamSource::Ideal;
  RtlWave* wave = nullptr;  // each command that it wants is drawn there as it runs; all else is in no wave
};

class RtlVectorUnit {
 public:
  /// What the lock-step counted of a command, and what its rescale and table steps gave.
  struct Outcome {
    LockStepResult found;
    std::optional<FirstFault> fault;  // the first one of all commands, once
    int64_t memory_cycles = 0;        // with a memory: VectorMemory::cycles()
  };

  /// A block npu_vector_unit of the datapath's lanes.
  RtlVectorUnit(std::unique_ptr<RtlBlock> unit, const spec::Datapath& datapath, const RtlVectorUnitOptions& options = {});
  /// Behind its ports; null: ideal memories.
  [[nodiscard]] const VectorMemory* memory() const { return memory_.get(); }
  void close_wave() { block_.rtl().close_wave(); }
  /// Which steps have run.
  [[nodiscard]] const VectorCoverage& coverage() const { return lock_step_.coverage(); }
  /// The block's cycle in which the next command begins.
  [[nodiscard]] int64_t cycle() const { return block_.cycle(); }
  void count_from(int64_t cycle) { block_.count_from(cycle); }

  /// Adds what the command writes by RTL; bytes that RTL owes keep what they were. `name` begins each message. Hang when the
  /// RTL stands still: unfinished() is what was found until then.
  Outcome run(const spec::VectorCommand& command, const units::CommandOperands& operands, std::string_view name,
              kernels::WriteSet& writes);
  [[nodiscard]] Outcome unfinished();

 private:
  void run_lane_steps(const spec::VectorCommand& command, std::string_view name, std::span<const std::byte> sram,
                      const kernels::TableMemory& tables);
  void take_found();
  void run_work(Sequence sequence, int32_t command_idx);
  ClockedBlock block_;
  spec::Datapath datapath_;
  std::unique_ptr<VectorMemory> memory_;
  VectorLockStep lock_step_;
  LaneUnits* lanes_;
  RtlWave* wave_;
  Outcome outcome_;           // of the command that runs
  kernels::WriteSet stored_;  // what the kernels write, with what the units gave
};

}  // namespace vernier::cosim
