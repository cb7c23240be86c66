// SPDX-License-Identifier: Apache-2.0
// Bilinear RESIZE on the vector unit, for scales whose weights are more than the MAC array takes.
#pragma once

#include "compiler/passes/lowering.hpp"

namespace vernier::passes {

/// The result is materialised in `result`. Sums of int16 have 48 bits: two commands make their words.
void lower_resize(Lowering& lowering, ir::OpId id, const package::Placement& result);

}  // namespace vernier::passes
