// SPDX-License-Identifier: Apache-2.0
// Graphs whose shapes are left open (-1) as a file may leave them, and what has to come back.
#pragma once

#include "compiler/ir/graph.hpp"

#include <memory>

namespace vernier::tests {

/// Everything open that may be: first dimensions of inputs, all of results (but the first of SLICE, which may choose among
/// the batch), the first value of each RESHAPE's operand.
inline ir::Graph with_open_shapes(ir::Graph graph) {
  for (const ir::TensorId id : graph.inputs) {
    base::Shape& shape = graph.tensors[id].shape;
    if (!shape.empty()) shape.front() = -1;
  }
  for (ir::Operator& op : graph.operators) {
    base::Shape& result = graph.tensors[op.outputs[0]].shape;
    for (size_t i = op.kind == ir::OpKind::Slice ? 1 : 0; i < result.size(); ++i) result[i] = -1;
    if (op.kind != ir::OpKind::Reshape || graph.tensor(op.inputs[1]).constant->size() == 0) continue;
    base::Tensor shape = *graph.tensor(op.inputs[1]).constant;
    shape.set(0, -1);
    ir::TensorInfo opened{"opened " + graph.tensor(op.outputs[0]).name, shape.type(), shape.shape(),
                          std::make_shared<const base::Tensor>(shape)};
    op.inputs[1] = static_cast<ir::TensorId>(graph.tensors.size());
    graph.tensors.push_back(std::move(opened));
  }
  return graph;
}

/// The name of the first result whose shape does not come back when it was left open; "" when all do.
inline std::string shape_that_does_not_follow(const ir::Graph& graph) {
  ir::OpenShapes known;
  for (const ir::TensorId id : graph.inputs) known.input_shapes.push_back(graph.tensor(id).shape);
  ir::Graph completed = with_open_shapes(graph);
  ir::complete_shapes(completed, "open", ir::kLevelNone, known);
  ir::verify(completed, "completed", ir::kLevelNone);
  for (size_t i = 0; i < graph.operators.size(); ++i) {
    const ir::TensorInfo& result = graph.tensor(graph.operators[i].outputs[0]);
    if (completed.tensor(completed.operators[i].outputs[0]).shape != result.shape) return result.name;
  }
  return "";
}

}  // namespace vernier::tests
