// SPDX-License-Identifier: Apache-2.0
// ARGMAX on the vector unit, in one command: the value and the distance from the end stand in one number, whose maximum is
// the greatest value and, among equals, the first.
#pragma once

#include "compiler/passes/lowering.hpp"

namespace vernier::passes {

/// UserError where the axis has more than 65536 elements.
void lower_argmax(Lowering& lowering, ir::OpId id);

}  // namespace vernier::passes
