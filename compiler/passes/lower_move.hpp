// SPDX-License-Identifier: Apache-2.0
// Operators that put elements elsewhere: TRANSPOSE, CONCAT, PAD, REVERSE, TILE, RESIZE to the nearest neighbour. Each is a
// few boxes of the result, copied or filled by the DMA.
#pragma once

#include "compiler/passes/lowering.hpp"

namespace vernier::passes {

bool is_move(const ir::Operator& op);
void lower_move(Lowering& lowering, ir::OpId id);

}  // namespace vernier::passes
