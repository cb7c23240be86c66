// SPDX-License-Identifier: Apache-2.0
// Gather of computed values at constant indices: a SLICE where the indices are in a row, else a GATHER.
#include "compiler/import/quantized/attributes.hpp"
#include "compiler/import/quantized/operators.hpp"

#include <algorithm>

namespace vernier::import::quantized {

namespace {

constexpr int64_t kMostIndices = int64_t{1} << 22;  // that a file may make us allocate

/// The indices, from 0 on.
std::vector<int64_t> indices_of(const Lowering& lowering, const Node& node, int64_t size) {
  const Constant& constant = lowering.constant(node, 1, "the list of indices");
  if (constant.type.is_float || constant.integers.empty()) refuse("'{}' is no list of indices", node.inputs[1]);
  std::vector<int64_t> indices = constant.integers;
  for (int64_t& index : indices) {
    if (index < -size || index >= size) refuse("index {} is outside of {} elements", index, size);
    if (index < 0) index += size;
  }
  return indices;
}

}  // namespace

void lower_gather(Lowering& lowering, const Node& node) {
  Value value = lowering.codes(node, 0);
  const auto axis = static_cast<size_t>(axis_in(int_of(node, "axis", 0), value.shape.size()));
  const std::vector<int64_t> indices = indices_of(lowering, node, value.shape[axis]);
  const auto count = static_cast<int64_t>(indices.size());
  GraphBuilder& graph = lowering.graph;
  const ir::TensorId source = lowering.in_source_order(value);
  const base::ElementType type = graph.tensor(source).type;
  const auto middle = value.shape.begin() + static_cast<std::ptrdiff_t>(axis);
  const int64_t outer = base::num_elements({value.shape.begin(), middle}),
                inner = base::num_elements({middle + 1, value.shape.end()});
  const auto reshaped = [&](ir::TensorId tensor, const base::Shape& shape) {
    if (graph.tensor(tensor).shape == shape) return tensor;
    return graph.add(ir::OpKind::Reshape, {}, {tensor, graph.add_shape(shape)}, {type, shape, node.outputs.at(0)},
                     node.name);
  };
  const ir::TensorId rows = reshaped(source, {outer, value.shape[axis], inner});
  const base::Shape picked{outer, count, inner};
  bool is_run = true;
  for (size_t i = 0; i < indices.size(); ++i) is_run = is_run && indices[i] == indices[0] + static_cast<int64_t>(i);
  if (is_run) {
    value.tensor = graph.add(ir::OpKind::Slice, {}, {rows, graph.add_shape({0, indices[0], 0}), graph.add_shape(picked)},
                             {type, picked, node.outputs.at(0)}, node.name);
  } else {
    if (outer > kMostIndices / count) refuse("{} indices for each of {} rows are too many", count, outer);
    std::vector<int64_t> all;
    for (int64_t i = 0; i < outer; ++i) all.insert(all.end(), indices.begin(), indices.end());
    value.tensor =
        graph.add(ir::OpKind::Gather, {}, {rows, graph.add_constant(base::ElementType::Int32, {outer, count}, all)},
                  {type, picked, node.outputs.at(0)}, node.name);
  }
  base::Shape shape{value.shape.begin(), middle};
  const base::Shape& of_indices = lowering.value(node, 1).shape;
  shape.insert(shape.end(), of_indices.begin(), of_indices.end());
  shape.insert(shape.end(), middle + 1, value.shape.end());
  value.tensor = reshaped(value.tensor, shape);
  value.shape = shape;
  value.order = source_order(shape.size());
  value.layer = node.name;
  lowering.define(node, std::move(value));
}

}  // namespace vernier::import::quantized
