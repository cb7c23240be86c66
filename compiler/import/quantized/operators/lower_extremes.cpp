// SPDX-License-Identifier: Apache-2.0
// Max and Min of values and constants. With one number that is constant it is a Clip.
#include "compiler/import/quantized/functions/common_steps.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <numeric>

namespace vernier::import::quantized {

std::optional<Node> as_clip(const Lowering& lowering, const Node& node) {
  const bool is_max = node.kind == "Max";
  if ((!is_max && node.kind != "Min") || node.inputs.size() != 2) return std::nullopt;
  if (!lowering.has_input(node, 0) || !lowering.has_input(node, 1)) return std::nullopt;
  if (lowering.is_constant(node, 0) == lowering.is_constant(node, 1)) return std::nullopt;
  const size_t limit = lowering.is_constant(node, 0) ? 0 : 1;
  const Value &value = lowering.value(node, 1 - limit), &constant = lowering.value(node, limit);
  if (base::num_elements(constant.shape) != 1 || constant.shape.size() > value.shape.size()) return std::nullopt;
  Node clip = node;
  clip.kind = "Clip";
  clip.source_kind = node.kind;
  clip.inputs = {node.inputs[1 - limit], is_max ? node.inputs[limit] : "", is_max ? "" : node.inputs[limit]};
  return clip;
}

void lower_extreme(Lowering& lowering, const Node& node) {
  if (node.inputs.empty()) refuse("there is no operand, needed is one");
  if (node.inputs.size() == 1) return lower_identity(lowering, node);
  std::vector<size_t> operands(node.inputs.size());
  std::iota(operands.begin(), operands.end(), 0);
  const CommonSteps common = in_common_steps(lowering, node, operands, Result::OneOfOperands);
  const ir::OpKind kind = node.kind == "Max" ? ir::OpKind::Maximum : ir::OpKind::Minimum;
  GraphBuilder& graph = lowering.graph;
  ir::TensorId result = common.tensors.front();
  for (size_t i = 1; i < common.tensors.size(); ++i) {
    const base::Shape shape = broadcast_shape(graph.tensor(result).shape, graph.tensor(common.tensors[i]).shape);
    result =
        graph.add(kind, {}, {result, common.tensors[i]}, {base::ElementType::Int32, shape, node.outputs.at(0)}, node.name);
  }
  lowering.define(node, value_of(common, result, node.name));
}

}  // namespace vernier::import::quantized
