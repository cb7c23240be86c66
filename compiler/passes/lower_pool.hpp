// SPDX-License-Identifier: Apache-2.0
// AVG_POOL2D and MAX_POOL2D on the vector unit. Padding does not count, so the windows at the edges are smaller: a step for
// each region of equal windows, an image at a time. A maximum of a window is the maximum along one axis of the maxima along
// the other one, and so are sums: in two passes, with a map between them, where that takes fewer cycles.
#pragma once

#include "compiler/passes/pool_pass.hpp"

namespace vernier::passes {

std::vector<PoolRegion> pool_regions(int64_t outputs, int64_t inputs, int64_t kernel, int64_t stride, int64_t pad_before);

void lower_pool(Lowering& lowering, ir::OpId id, const package::Placement& result);

}  // namespace vernier::passes
