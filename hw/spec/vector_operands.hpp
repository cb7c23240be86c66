// SPDX-License-Identifier: Apache-2.0
// Which registers a step of a vector program reads: asked by the validity check, the timing and the kernels.
#pragma once

#include "hw/spec/command.hpp"

namespace vernier::spec {

/// The operand fields that name a register which is read.
struct OperandsRead {
  bool a = true, b = false, c = false;
};

constexpr OperandsRead operands_read(const VectorStep& step) {
  switch (step.op) {
    case VectorOp::Load: return {false, false, false};
    case VectorOp::Move: return {!step.b_is_immediate, false, false};
    case VectorOp::Store:
    case VectorOp::Clamp:
    case VectorOp::Abs:
    case VectorOp::Negate:
    case VectorOp::Not:
    case VectorOp::Clz:
    case VectorOp::Wrap:
    case VectorOp::Table:
    case VectorOp::ReduceAdd:
    case VectorOp::ReduceMax:
    case VectorOp::ReduceMin: return {true, false, false};
    case VectorOp::Select: return {true, !step.b_is_immediate, true};
    case VectorOp::Rescale: return {true, !step.b_is_immediate, step.c_is_shift};
    default: return {true, !step.b_is_immediate, false};
  }
}

}  // namespace vernier::spec
