// SPDX-License-Identifier: Apache-2.0
// MATMUL, with what is fused behind it, to MAC commands, one a batch: the second operand stands for the weights where it
// lies.
#pragma once

#include "compiler/passes/mac_chain.hpp"

namespace vernier::passes {

/// The chain's result is materialised in `result`.
void lower_matmul(Lowering& lowering, const MacChain& chain, const package::Placement& result);

}  // namespace vernier::passes
