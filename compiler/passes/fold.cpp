// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/fold.hpp"

#include "compiler/reference/interpreter.hpp"

#include <algorithm>

namespace vernier::passes {
namespace {

bool evaluate(Lowering& lowering, const ir::Operator& op) {
  std::vector<const base::Tensor*> operands;
  for (const ir::TensorId id : op.inputs) operands.push_back(lowering.value(id));
  if (std::find(operands.begin(), operands.end(), nullptr) != operands.end()) return false;
  const auto is_constant = [&](ir::TensorId id) { return lowering.graph.is_constant(id); };
  if (ir::find_computed_parameter(op, is_constant)) ir::verify_values(lowering.graph, op, operands);
  std::vector<base::Tensor> results = reference::evaluate(lowering.graph, op, operands);
  for (size_t i = 0; i < op.outputs.size(); ++i) lowering.set_value(op.outputs[i], std::move(results[i]));
  return true;
}

}  // namespace

std::vector<bool> fold(Lowering& lowering) {
  const ir::Graph& graph = lowering.graph;
  std::vector<bool> runs(graph.operators.size());
  std::vector<bool> is_constant(graph.operators.size());
  for (size_t i = 0; i < graph.operators.size(); ++i) is_constant[i] = evaluate(lowering, graph.operators[i]);

  base::IndexedVector<ir::TensorId, bool> is_needed(graph.tensors.size(), !lowering.is_optimizing());
  for (const ir::TensorId id : graph.outputs) is_needed[id] = true;
  for (size_t i = graph.operators.size(); i-- > 0;) {
    const ir::Operator& op = graph.operators[i];
    runs[i] =
        !is_constant[i] && std::any_of(op.outputs.begin(), op.outputs.end(), [&](ir::TensorId id) { return is_needed[id]; });
    if (!runs[i]) continue;
    for (const ir::TensorId id : op.inputs) is_needed[id] = true;
  }
  for (size_t i = 0; i < graph.operators.size(); ++i) {
    if (runs[i]) continue;
    for (const ir::TensorId id : graph.operators[i].outputs) {
      if (!lowering.is_output(id)) lowering.add_folded(id, is_constant[i] ? "constant" : "unused");
    }
  }
  return runs;
}

}  // namespace vernier::passes
