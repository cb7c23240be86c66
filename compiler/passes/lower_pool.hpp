// SPDX-License-Identifier: Apache-2.0
// AVG_POOL2D and MAX_POOL2D on the vector unit. Padding does not count, so the windows at the edges are smaller: a step for
// each region of equal windows, an image at a time.
#pragma once

#include "compiler/passes/lowering.hpp"

#include <vector>

namespace vernier::passes {

/// Neighbouring outputs of one dimension whose windows have equal valid sizes, evenly spaced.
struct PoolRegion {
  int64_t out_begin = 0, out_count = 1;
  int64_t in_begin = 0;   // first valid input of the first window
  int64_t in_stride = 0;  // from window to window
  int64_t valid = 1;      // inputs of a window that are not padding
};
std::vector<PoolRegion> pool_regions(int64_t outputs, int64_t inputs, int64_t kernel, int64_t stride, int64_t pad_before);

/// 1 / n as the machine multiplies by it: TOSA 1.0, "Precision scaling", reciprocal_scale.
struct Reciprocal {
  int64_t multiplier = 0, shift = 0;
};
Reciprocal reciprocal_scale(int64_t n);

void lower_pool(Lowering& lowering, ir::OpId id, const package::Placement& result);

}  // namespace vernier::passes
