// SPDX-License-Identifier: Apache-2.0
// One axis of a RESIZE: which inputs an output is made of, and outputs gathered where that repeats.
#pragma once

#include "compiler/passes/lowering.hpp"

#include <vector>

namespace vernier::passes {

/// Outputs `out_begin + i * out_step`, i < out_count: each the sum of weights[k] times input in_begin + i * in_step + k.
struct AxisPhase {
  int64_t out_begin = 0, out_step = 1, out_count = 1;
  int64_t in_begin = 0, in_step = 1;
  std::vector<int64_t> weights;  // one, or two of neighbours
};

/// Axis 0 (rows) or 1 (columns) of a RESIZE: its numerator is what the weights add up to; NEAREST_NEIGHBOR has weights of 1.
/// An axis of one input is a single phase with in_step 0 if the reader can stand still, which a window of the array cannot.
std::vector<AxisPhase> resize_phases(const Lowering& lowering, const ir::Operator& op, size_t axis, bool may_stand_still);

}  // namespace vernier::passes
