// SPDX-License-Identifier: Apache-2.0
// Steps and streams of small vector programs.
#pragma once

#include "hw/base/error.hpp"
#include "hw/spec/vector_cycles.hpp"
#include "hw/spec/vector_schedule.hpp"
#include "hw/timing/unit_timing.hpp"
#include "tests/unit/hw_timing/machines.hpp"

#include <array>

namespace vernier::timing {

using base::ElementType;
using spec::VectorOp;
using spec::VectorPhase;

inline constexpr int64_t kSlot = spec::kVectorSlotCycles;
inline constexpr int64_t kRescaleStep = spec::kVectorSlotCycles - 1 + spec::kRescalePipelineCycles;
inline constexpr int64_t kTableStep = spec::kVectorSlotCycles - 1 + spec::kTablePipelineCycles;

inline spec::VectorStep step(VectorOp op, int64_t dst, int64_t a = 0, int64_t b = 0, VectorPhase phase = VectorPhase::Body) {
  spec::VectorStep result;
  result.op = op;
  result.dst = dst;
  result.a = a;
  result.b = b;
  result.phase = phase;
  result.b_is_immediate = op == VectorOp::Rescale;
  return result;
}
inline spec::VectorStep on_stream(VectorOp op, int64_t stream, int64_t reg, VectorPhase phase = VectorPhase::Body) {
  spec::VectorStep result = step(op, reg, reg, 0, phase);
  result.stream = stream;
  return result;
}
inline const spec::VectorStep kMoveInit = [] {
  spec::VectorStep move = step(VectorOp::Move, 1, 0, 0, VectorPhase::Init);
  move.b_is_immediate = true;
  return move;
}();
inline void schedule(spec::VectorCommand& command, const config::MachineConfig& config) {
  VERNIER_CHECK(spec::schedule(command, config.datapath), "no schedule");
}
inline spec::VectorStream stream(int64_t base, ElementType type, std::array<int64_t, spec::kNumVectorLoops> strides) {
  return {base, type, false, base::stored_bytes(type), strides};
}

}  // namespace vernier::timing
