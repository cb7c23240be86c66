// SPDX-License-Identifier: Apache-2.0
// CONCAT in place: operands that are made for it alone are written where they belong in the result, so that nothing is left
// to copy for them. Steps say then that they make parts of the result.
#pragma once

#include "compiler/passes/layouts.hpp"

namespace vernier::passes {

/// Makes the results of CONCATs, and has Lowering put the operands there, before anything is lowered.
void place_concat_parts(Lowering& lowering, const std::vector<Group>& groups, const Recompute& recompute,
                        const Layouts& layouts);

}  // namespace vernier::passes
