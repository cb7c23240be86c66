// SPDX-License-Identifier: Apache-2.0
// Bilinear RESIZE on the vector unit, for scales whose weights are more than the MAC array takes.
#pragma once

#include "compiler/passes/lowering.hpp"

namespace vernier::passes {

/// The result is materialised in `result`. UserError for int16, whose sums have 48 bits.
void lower_resize(Lowering& lowering, ir::OpId id, const package::Placement& result);

}  // namespace vernier::passes
