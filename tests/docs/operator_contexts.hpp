// SPDX-License-Identifier: Apache-2.0
// Which units of the machine run an operator, found by lowering graphs with it.
#pragma once

#include "tests/support/one_operator.hpp"

#include <string>

namespace vernier::tests {

/// Names of units, "array, DMA"; "none" where no command works for the operator, "-" where there is no such graph.
struct OperatorUnits {
  bool is_accepted = false;  // alone
  std::string alone, among_others, after_convolution;
};

/// The units in a graph of the operator alone, between two others, and after a convolution; on v256, optimised.
OperatorUnits units_of(const OneOperator& one);
/// Whether the machine takes the graph.
bool is_lowered(const ir::Graph& graph);

}  // namespace vernier::tests
