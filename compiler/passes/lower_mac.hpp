// SPDX-License-Identifier: Apache-2.0
// CONV2D and DEPTHWISE_CONV2D, with what is fused behind them, to MAC commands: one step an image.
#pragma once

#include "compiler/passes/mac_chain.hpp"

namespace vernier::passes {

/// `result` is the placement of the chain's result.
void lower_mac(Lowering& lowering, const MacChain& chain, const package::Placement& result);

}  // namespace vernier::passes
