// SPDX-License-Identifier: Apache-2.0
// A small typical graph of one operator in one of its modes, with values for its inputs that violate no REQUIRE.
#pragma once

#include "compiler/ir/graph.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace vernier::tests {

/// Types of the operands and of the result. Of CONCAT, whose operands are a list, `operands` has the one type of them all.
struct ModeTypes {
  std::vector<base::ElementType> operands;
  base::ElementType result{};
};
/// "int8 int8 -> int32", as an operator's table has it; InternalError for a word that is no type.
ModeTypes mode_types(std::string_view text);

struct OneOperator {
  ir::Graph graph;                   // not verified
  std::vector<base::Tensor> inputs;  // of the graph
};
/// Feature maps, and what goes with them element by element, are graph inputs; weights, biases, zero points, tables, scales
/// and shapes are constants. RESIZE is bilinear where it widens, RESCALE takes scale32 from the type of its multiplier.
/// `times` as many rows as it has by itself, of what grows with them. InternalError for an operator that ir::Graph has not,
/// and for control flow.
OneOperator one_operator(ir::OpKind kind, const ModeTypes& types, int64_t times = 1);

/// The graph with other types of the operator's operands and result: constants keep their shapes and become zeros.
ir::Graph with_types(ir::Graph graph, const ModeTypes& types);
/// The graph with that operand of the operator an input of the graph.
ir::Graph with_computed(ir::Graph graph, size_t operand);

}  // namespace vernier::tests
