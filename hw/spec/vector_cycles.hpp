// SPDX-License-Identifier: Apache-2.0
// What a step of a vector program takes: slots, and cycles to its result. Asked by the schedule, by the check of a schedule
// and by the timing.
#pragma once

#include "hw/spec/command.hpp"
#include "hw/spec/latency.hpp"
#include "hw/spec/vector_operands.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace vernier::spec {

/// A register takes or gives 32 bits of a lane per cycle: loads and stores of int48 take their slot twice
/// [decision 0002].
inline constexpr int64_t kInt48SlotCycles = 2;

/// Cycles for which a step holds its own slot.
constexpr int64_t slot_cycles(const VectorStep& step, const VectorCommand& command, const Datapath& datapath) {
  switch (step.op) {
    case VectorOp::IntDiv: return kIntDivCycles;
    case VectorOp::ReduceAdd:
    case VectorOp::ReduceMax:
    case VectorOp::ReduceMin:
      return std::countr_zero(static_cast<uint64_t>(datapath.vector_lanes())) * kLaneReductionStepCycles;
    case VectorOp::Load:
    case VectorOp::Store: {
      const auto stream = static_cast<size_t>(step.stream);
      const bool is_wide = stream < command.streams.size() && command.streams[stream].type == base::ElementType::Int48;
      return is_wide ? kInt48SlotCycles : 1;
    }
    default: return 1;
  }
}

/// A slot that a step holds, from `after` cycles after its start.
struct SlotUse {
  VectorSlot slot = VectorSlot::Alu;
  int64_t after = 0, cycles = 1;
};

/// What a step loads goes through the load path before it meets the accumulator in the ALU.
inline std::vector<SlotUse> slot_uses(const VectorStep& step, const VectorCommand& command, const Datapath& datapath) {
  if (is_accumulating_load(step.op)) return {{VectorSlot::Load, 0, 1}, {VectorSlot::Alu, kVectorSlotCycles, 1}};
  return {{slot_of(step.op), 0, slot_cycles(step, command, datapath)}};
}

/// From the start of a step to the first cycle in which another one can read its result; of a store, to its end [from
/// kVectorSlotCycles].
constexpr int64_t latency_of(const VectorStep& step, const VectorCommand& command, const Datapath& datapath) {
  if (is_accumulating_load(step.op)) return 2 * kVectorSlotCycles;
  const VectorSlot slot = slot_of(step.op);
  const int64_t execute = slot == VectorSlot::Mul     ? kRescalePipelineCycles
                          : slot == VectorSlot::Table ? kTablePipelineCycles
                                                      : slot_cycles(step, command, datapath);
  return kVectorSlotCycles - 1 + execute;
}

/// From the start of a step to the cycle in which it reads its registers.
constexpr int64_t read_delay_of(const VectorStep& step) { return is_accumulating_load(step.op) ? kVectorSlotCycles : 0; }

/// Whether a step takes its own result of the vector before without waiting for the register: an accumulation that the ALU
/// executes in one cycle.
constexpr bool forwards_to_itself(const VectorStep& step, const VectorCommand& command, const Datapath& datapath) {
  if (is_accumulating_load(step.op)) return true;
  return slot_of(step.op) == VectorSlot::Alu && slot_cycles(step, command, datapath) == 1;
}

/// Cycles of one vector of each phase, from the start of the first step to the end of the last: of all of a kept position
/// but (vectors of Body - 1) x interval.
inline int64_t length_of(const VectorCommand& command, const Datapath& datapath) {
  int64_t length = 0;
  for (const VectorStep& step : command.steps) {
    length = std::max(length, step.offset + latency_of(step, command, datapath));
  }
  return length;
}

}  // namespace vernier::spec
