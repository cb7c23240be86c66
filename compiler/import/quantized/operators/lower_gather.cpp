// SPDX-License-Identifier: Apache-2.0
// Gather of computed values at constant indices: a SLICE where the indices are in a row, else a GATHER.
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

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

Value picked(Lowering& lowering, const Node& node, const Value& from, size_t axis, const std::vector<int64_t>& indices) {
  Value value = from;
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
  const base::Shape result{outer, count, inner};
  bool is_run = true;
  for (size_t i = 0; i < indices.size(); ++i) is_run = is_run && indices[i] == indices[0] + static_cast<int64_t>(i);
  if (is_run) {
    value.tensor = graph.add(ir::OpKind::Slice, {}, {rows, graph.add_shape({0, indices[0], 0}), graph.add_shape(result)},
                             {type, result, node.outputs.at(0)}, node.name);
  } else {
    if (outer > kMostIndices / count) refuse("{} indices for each of {} rows are too many", count, outer);
    std::vector<int64_t> all;
    for (int64_t i = 0; i < outer; ++i) all.insert(all.end(), indices.begin(), indices.end());
    value.tensor =
        graph.add(ir::OpKind::Gather, {}, {rows, graph.add_constant(base::ElementType::Int32, {outer, count}, all)},
                  {type, result, node.outputs.at(0)}, node.name);
  }
  value.shape[axis] = count;
  value.tensor = reshaped(value.tensor, value.shape);
  value.order = source_order(value.shape.size());
  value.layer = node.name;
  return value;
}

void lower_gather(Lowering& lowering, const Node& node) {
  Value value = lowering.moved_codes(node, 0);
  const auto axis = static_cast<size_t>(axis_in(int_of(node, "axis", 0), value.shape.size()));
  value = picked(lowering, node, value, axis, indices_of(lowering, node, value.shape[axis]));
  const base::Shape& of_indices = lowering.value(node, 1).shape;
  base::Shape shape = value.shape;
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), of_indices.begin(), of_indices.end());
  if (shape != value.shape) {
    GraphBuilder& graph = lowering.graph;
    value.tensor = graph.add(ir::OpKind::Reshape, {}, {value.tensor, graph.add_shape(shape)},
                             {graph.tensor(value.tensor).type, shape, node.outputs.at(0)}, node.name);
    value.shape = shape;
    value.order = source_order(shape.size());
  }
  lowering.define(node, std::move(value));
}

}  // namespace vernier::import::quantized
