// SPDX-License-Identifier: Apache-2.0
// Variables as plain data flow: what a graph reads of a variable before it writes it is an input, what it leaves is an
// output. The machine knows nothing else of variables; who starts its jobs hands the output of one on to the next.
#pragma once

#include "compiler/ir/graph.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace vernier::passes {

/// Where a variable comes in and goes out.
struct VariableEnds {
  int32_t input = -1;   // its number in graph.inputs; -1: nobody needs the value from before
  int32_t output = -1;  // its number in graph.outputs; -1: nobody writes it
};

struct DataFlow {
  /// Without variables. It has the operators of the original by the same numbers, and its tensors, inputs and outputs; those
  /// of variables follow.
  ir::Graph graph;
  std::vector<VariableEnds> variables;  // by variable of the original
};

/// VARIABLE_READ becomes IDENTITY of the value at that place, VARIABLE_WRITE IDENTITY of its operand. Where regions use
/// variables, COND_IF and WHILE_LOOP get these as further operands and results, and each region as inputs and outputs; one
/// that several operators run in several roles gets a copy for each role. The condition of a WHILE_LOOP that writes a
/// variable has all of these as outputs behind its bool, and the body begins with them: no TOSA graph has that.
DataFlow to_data_flow(const ir::Graph& main);

}  // namespace vernier::passes
