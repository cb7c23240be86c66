// SPDX-License-Identifier: Apache-2.0
// A step of the array on a copy of its dense map, which the DMA lays out part by part (compiler/cost/input_copy.hpp).
#pragma once

#include "compiler/cost/input_copy.hpp"
#include "compiler/passes/lowering.hpp"

#include <optional>

namespace vernier::passes {

/// What a copy of a layer's input may take; 0: there are none.
int64_t most_copy_bytes(const Lowering& lowering);

/// Whether the command, one image of it, does better on a copy, and on which. `production`: what it puts into the result,
/// whose dimensions the parts need.
std::optional<cost::InputCopy> choose_input_copy(const Lowering& lowering, const spec::MacCommand& command,
                                                 const Production& production);

/// Adds the step in the parts that were chosen, each behind the copies that it needs. `input`: whose data it reads.
void add_with_input_copy(Lowering& lowering, const Step& step, const cost::InputCopy& copy, ir::TensorId input);

}  // namespace vernier::passes
