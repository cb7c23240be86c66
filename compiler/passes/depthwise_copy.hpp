// SPDX-License-Identifier: Apache-2.0
// A depthwise step whose dense map lies in banks that its windows meet again and again: the DMA lays the map out anew, block
// by block, while the array works on the block before.
#pragma once

#include "compiler/passes/lowering.hpp"

namespace vernier::passes {

/// Adds a step of the array, whole or, where that takes fewer cycles, in blocks with copies of its input in front of them.
/// `input`: whose data it reads.
void add_with_input_copy(Lowering& lowering, Step step, ir::TensorId input);

}  // namespace vernier::passes
