// SPDX-License-Identifier: Apache-2.0
// Of the ways to write a vector command, the one that takes the fewest cycles by the slots of its steps; and whether
// operators had better share a command. The estimate counts slots and words, no bank conflicts: for choosing only.
#pragma once

#include "compiler/cost/alternatives.hpp"
#include "compiler/passes/vector_builder.hpp"

namespace vernier::passes {

struct VectorChoice {
  VectorProgram built;
  VectorVariant variant;
  std::vector<spec::VectorStep> steps;
  int64_t cycles = 0;
  cost::Alternatives alternatives{"microprogram"};
};

/// Nothing when the machine does not take the operators as one command, in whatever way.
std::optional<VectorChoice> choose_vector(Lowering& lowering, const Recompute& recompute, std::span<const ir::OpId> ops);

}  // namespace vernier::passes
