// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE_CONV2D and bilinear RESIZE on the MAC array: each is a convolution of its own for every phase of the result, the
// rows and columns a stride apart, written with that pitch. No zero is ever inserted or multiplied.
#pragma once

#include "compiler/passes/mac_chain.hpp"

namespace vernier::passes {

/// Whether a bilinear RESIZE has weights that the array takes (int8).
bool fits_phases(const Lowering& lowering, const ir::Operator& resize);

/// The chain's result is materialised in `result`.
void lower_phases(Lowering& lowering, const MacChain& chain, const package::Placement& result);

}  // namespace vernier::passes
