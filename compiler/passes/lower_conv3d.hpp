// SPDX-License-Identifier: Apache-2.0
// CONV3D on the array, a CONV2D for each output plane. The input planes that it takes in are stacked by the DMA, so that a
// pixel of the stack has the channels of all of them; a kernel of one plane needs no stack.
#pragma once

#include "compiler/passes/mac_chain.hpp"

namespace vernier::passes {

void lower_conv3d(Lowering& lowering, const MacChain& chain, const package::Placement& result);

}  // namespace vernier::passes
