// SPDX-License-Identifier: Apache-2.0
// What follows from the steps of a vector program: the registers that one reads, whether positions are taken in pairs. Asked
// by the validity check, the timing and the kernels.
#pragma once

#include "hw/spec/command.hpp"

namespace vernier::spec {

/// The operand fields that name a register which is read; an accumulating load reads its dst.
struct OperandsRead {
  bool a = true, b = false, c = false, dst = false;
};

constexpr OperandsRead operands_read(const VectorStep& step) {
  switch (step.op) {
    case VectorOp::Load: return {false, false, false};
    case VectorOp::LoadAdd:
    case VectorOp::LoadMaximum:
    case VectorOp::LoadMinimum: return {false, false, false, true};
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

/// Whether the Body of a program takes two positions of its innermost reduced loop at a time (VectorCommand, "Pairs").
inline bool reduces_in_pairs(const VectorCommand& command) {
  if (command.kept_loops == kNumVectorLoops && !command.lanes_reduced) return false;
  bool has_body = false;
  for (const VectorStep& step : command.steps) {
    if (step.phase != VectorPhase::Body) continue;
    if (!is_accumulating_load(step.op)) return false;
    has_body = true;
  }
  return has_body;
}

}  // namespace vernier::spec
