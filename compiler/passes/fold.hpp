// SPDX-License-Identifier: Apache-2.0
// Which operators have to run at all.
#pragma once

#include "compiler/passes/lowering.hpp"

namespace vernier::passes {

/// Evaluates operators whose operands are all constant (RESHAPE of weights) with the reference, and drops, when optimizing,
/// those that no output needs. The others, by OpId; dropped results are listed as folded.
std::vector<bool> fold(Lowering& lowering);

}  // namespace vernier::passes
