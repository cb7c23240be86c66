// SPDX-License-Identifier: Apache-2.0
// Gather of computed values at constant indices: a SLICE where the indices are in a row, else a GATHER. Computed indices are
// int32, and those below 0 count from the end.
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/nodes/constants.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>

namespace vernier::import::quantized {

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

namespace {

/// Numbers of a dequantized constant at constant indices.
void gather_constant(Lowering& lowering, const Node& node, size_t axis) {
  Value value = lowering.value(node, 0);
  const int64_t size = value.shape[axis];
  const std::vector<int64_t> indices = indices_of(lowering, node, size);
  const base::Shape& of_indices = lowering.value(node, 1).shape;
  Format& format = value.format;
  const auto along = static_cast<int64_t>(axis);
  if (format.is_per_axis() && format.axis == along) {
    if (of_indices.size() != 1)
      refuse("'{}' has a scale for each index of axis {}, of which indices of shape {} are picked, allowed are lists",
             node.inputs[0], axis, base::to_string(of_indices));
    const Format from = format;
    format.scales.clear();
    format.zero_points.clear();
    for (const int64_t index : indices) {
      format.scales.push_back(from.scales[static_cast<size_t>(index)]);
      format.zero_points.push_back(from.zero_points[static_cast<size_t>(index)]);
    }
  } else if (format.is_per_axis() && format.axis > along) {
    format.axis += std::ssize(of_indices) - 1;
  }
  auto chosen = std::make_shared<Constant>(*value.constant);
  chosen->integers.clear();
  const auto middle = value.shape.begin() + along;
  const int64_t outer = base::num_elements({value.shape.begin(), middle}),
                inner = base::num_elements({middle + 1, value.shape.end()});
  if (std::ssize(indices) > kMostIndices / std::max<int64_t>(outer * inner, 1)) refuse("too many indices");
  for (int64_t i = 0; i < outer; ++i) {
    for (const int64_t index : indices) {
      const auto first = value.constant->integers.begin() + (i * size + index) * inner;
      chosen->integers.insert(chosen->integers.end(), first, first + inner);
    }
  }
  chosen->shape.assign(value.shape.begin(), middle);
  chosen->shape.insert(chosen->shape.end(), of_indices.begin(), of_indices.end());
  chosen->shape.insert(chosen->shape.end(), middle + 1, value.shape.end());
  value.shape = chosen->shape;
  value.constant = std::move(chosen);
  lowering.define(node, std::move(value));
}

/// The indices as one row, each from 0 on.
ir::TensorId computed_indices(Lowering& lowering, const Node& node, int64_t size) {
  const Value& found = lowering.value(node, 1);
  const Value value = found.kind == Value::Kind::Input && !found.is_real ? lowering.integer_input(found) : found;
  const bool is_integer = value.kind == Value::Kind::Integers && value.is_wide() && !value.is_real;
  if (!is_integer) refuse("the indices '{}' are computed, allowed are integers of 32 bits", node.inputs[1]);
  GraphBuilder& graph = lowering.graph;
  const int64_t count = base::num_elements(value.shape);
  const auto add = [&](ir::OpKind kind, std::vector<ir::TensorId> inputs, base::ElementType type, const char* what) {
    return graph.add(kind, {}, std::move(inputs), {type, {1, count}, node.outputs.at(0) + what}, node.name);
  };
  const ir::TensorId indices = add(ir::OpKind::Reshape, {lowering.in_source_order(value), graph.add_shape({1, count})},
                                   base::ElementType::Int32, "_indices");
  const auto number = [&](int64_t one) { return graph.add_constant(base::ElementType::Int32, {1, 1}, {one}); };
  const ir::TensorId is_negative = add(ir::OpKind::Greater, {number(0), indices}, base::ElementType::Bool, "_is_negative");
  const ir::TensorId from_end = add(ir::OpKind::Add, {indices, number(size)}, base::ElementType::Int32, "_from_end");
  return add(ir::OpKind::Select, {is_negative, from_end, indices}, base::ElementType::Int32, "_from_0");
}

/// Of codes, or of a dequantized constant (an embedding).
void gather_at_computed(Lowering& lowering, const Node& node, size_t axis) {
  Value value = lowering.is_constant(node, 0)
                    ? constant_value(lowering, node, 0, source_order(lowering.value(node, 0).shape.size()))
                    : lowering.moved_codes(node, 0);
  GraphBuilder& graph = lowering.graph;
  const base::Shape of_indices = lowering.value(node, 1).shape;
  const int64_t size = value.shape[axis], count = base::num_elements(of_indices);
  const auto middle = value.shape.begin() + static_cast<std::ptrdiff_t>(axis);
  const int64_t outer = base::num_elements({value.shape.begin(), middle}),
                inner = base::num_elements({middle + 1, value.shape.end()});
  const ir::TensorId source = lowering.in_source_order(value);
  const base::ElementType type = graph.tensor(source).type;
  const auto reshaped = [&](ir::TensorId tensor, const base::Shape& shape, const char* what) {
    if (graph.tensor(tensor).shape == shape) return tensor;
    return graph.add(ir::OpKind::Reshape, {}, {tensor, graph.add_shape(shape)}, {type, shape, node.outputs.at(0) + what},
                     node.name);
  };
  ir::TensorId indices = computed_indices(lowering, node, size);
  if (outer > 1)
    indices = graph.add(ir::OpKind::Tile, {}, {indices, graph.add_shape({outer, 1})},
                        {base::ElementType::Int32, {outer, count}, node.outputs.at(0) + "_all"}, node.name);
  base::Shape shape{value.shape.begin(), middle};
  shape.insert(shape.end(), of_indices.begin(), of_indices.end());
  shape.insert(shape.end(), middle + 1, value.shape.end());
  const ir::TensorId rows = graph.add(ir::OpKind::Gather, {}, {reshaped(source, {outer, size, inner}, "_rows"), indices},
                                      {type, {outer, count, inner}, node.outputs.at(0)}, node.name);
  value.tensor = reshaped(rows, shape, "_shaped");
  value.shape = shape;
  value.order = source_order(shape.size());
  value.layer = node.name;
  lowering.define(node, std::move(value));
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
  const auto given_axis = static_cast<size_t>(axis_in(int_of(node, "axis", 0), lowering.value(node, 0).shape.size()));
  if (!lowering.is_constant(node, 1)) return gather_at_computed(lowering, node, given_axis);
  if (lowering.is_constant(node, 0)) return gather_constant(lowering, node, given_axis);
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
