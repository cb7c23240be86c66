// SPDX-License-Identifier: Apache-2.0
// GATHER and SCATTER: rows that the DMA moves by their index lists.
#pragma once

#include "compiler/passes/lowering.hpp"

namespace vernier::passes {

void lower_gather(Lowering& lowering, ir::OpId id);
void lower_scatter(Lowering& lowering, ir::OpId id);

}  // namespace vernier::passes
