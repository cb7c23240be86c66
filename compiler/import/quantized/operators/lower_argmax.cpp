// SPDX-License-Identifier: Apache-2.0
// ArgMax and ArgMin: the index of the greatest or least number along an axis, as int32. Codes of 8 and 16 bits go to ARGMAX,
// which takes the first of several; ArgMin reads them with all bits inverted, which turns their order around, and the last
// of several is the first one of the axis reversed. Of sums: the least or greatest index of those that equal the extreme.
#include "compiler/import/quantized/functions/common_steps.hpp"
#include "compiler/import/quantized/functions/products.hpp"
#include "compiler/import/quantized/functions/requantize.hpp"
#include "compiler/import/quantized/functions/sums.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace vernier::import::quantized {

namespace {

using base::ElementType;
using ir::OpKind;

struct Search {
  bool is_min = false, takes_last = false;
  int64_t axis = 0;   // of the source's shape
  int64_t place = 0;  // of the tensor
  int64_t size = 0;   // of that dimension
};

/// Codes that have the order of a function's results: the number of smaller results, as int8. A table of 8-bit codes.
Value ranked(Lowering& lowering, const Node& node, const Value& value) {
  std::vector<float> reals = reals_of(value);
  for (float& real : reals) real = std::isnan(real) ? -kInfinity : real;
  const std::set<float> distinct(reals.begin(), reals.end());
  std::vector<int64_t> codes;
  for (const float real : reals)
    codes.push_back(std::distance(distinct.begin(), distinct.find(real)) + value.format.least());
  return with_codes(lowering, value, Format{8, {1}, {0}, 0, false}, codes, node.inputs[0] + "_ranks");
}

/// What ARGMAX or a search among sums reads: numbers that are compared with each other have one scale.
Value compared(Lowering& lowering, const Node& node, int64_t axis) {
  const Value found = lowering.value(node, 0);
  if (found.kind != Value::Kind::Integers) return lowering.codes(node, 0);
  if (found.has_function() && found.format.bits == 8 && !found.format.is_per_axis()) return ranked(lowering, node, found);
  if (found.is_wide()) {
    if (!found.is_real) return found;
    const bool is_alike = !found.format.is_per_axis() || found.format.axis != axis;
    if (is_alike && !found.has_function()) return codes_or_sums(lowering, node, 0);
    const CommonSteps common = in_common_steps(lowering, node, {0});
    return value_of(common, common.tensors.front(), node.name);
  }
  if (found.has_function()) return lowering.codes(node, 0);
  if (found.format.is_per_axis() && found.format.axis == axis)
    refuse("'{}' has a scale for each index of axis {}, along which numbers are compared", node.inputs[0], axis);
  return found;
}

ir::TensorId index_of_codes(Lowering& lowering, const Node& node, ir::TensorId tensor, const Search& search) {
  GraphBuilder& graph = lowering.graph;
  const ElementType type = graph.tensor(tensor).type;
  base::Shape shape = graph.tensor(tensor).shape;
  const std::string& name = node.outputs.at(0);
  if (search.is_min) tensor = graph.add(OpKind::BitwiseNot, {}, {tensor}, {type, shape, name + "_inverted"}, node.name);
  const ir::AxisAttributes along{search.place};
  if (search.takes_last) tensor = graph.add(OpKind::Reverse, along, {tensor}, {type, shape, name + "_reversed"}, node.name);
  shape.erase(shape.begin() + search.place);
  tensor = graph.add(OpKind::ArgMax, along, {tensor}, {ElementType::Int32, shape, name}, node.name);
  if (!search.takes_last) return tensor;
  const ir::TensorId last = graph.add_constant(ElementType::Int32, base::Shape(shape.size(), 1), {search.size - 1});
  return graph.add(OpKind::Sub, {}, {last, tensor}, {ElementType::Int32, shape, name + "_last"}, node.name);
}

ir::TensorId index_of_sums(Lowering& lowering, const Node& node, ir::TensorId tensor, const Search& search) {
  GraphBuilder& graph = lowering.graph;
  const base::Shape shape = graph.tensor(tensor).shape;
  base::Shape one = shape, along(shape.size(), 1);
  one[static_cast<size_t>(search.place)] = 1;
  along[static_cast<size_t>(search.place)] = search.size;
  const std::string& name = node.outputs.at(0);
  const ir::AxisAttributes axis{search.place};
  const ir::TensorId extreme = graph.add(search.is_min ? OpKind::ReduceMin : OpKind::ReduceMax, axis, {tensor},
                                         {ElementType::Int32, one, name + "_extreme"}, node.name);
  const ir::TensorId is_it =
      graph.add(OpKind::Equal, {}, {tensor, extreme}, {ElementType::Bool, shape, name + "_equal"}, node.name);
  const ir::TensorId indices = graph.add_constant(ElementType::Int32, along, source_order(static_cast<size_t>(search.size)));
  const ir::TensorId none =
      graph.add_constant(ElementType::Int32, base::Shape(shape.size(), 1), {search.takes_last ? -1 : search.size});
  const ir::TensorId candidates =
      graph.add(OpKind::Select, {}, {is_it, indices, none}, {ElementType::Int32, shape, name + "_candidates"}, node.name);
  const ir::TensorId found = graph.add(search.takes_last ? OpKind::ReduceMax : OpKind::ReduceMin, axis, {candidates},
                                       {ElementType::Int32, one, name + "_index"}, node.name);
  one.erase(one.begin() + search.place);
  return graph.add(OpKind::Reshape, {}, {found, graph.add_shape(one)}, {ElementType::Int32, one, name}, node.name);
}

}  // namespace

void lower_argmax(Lowering& lowering, const Node& node) {
  const size_t rank = lowering.value(node, 0).shape.size();
  if (rank == 0) refuse("an input of rank 0, expected an axis");
  Search search{node.kind == "ArgMin", int_of(node, "select_last_index", 0) != 0, 0, 0, 0};
  search.axis = axis_in(int_of(node, "axis", 0), rank);
  Value value = compared(lowering, node, search.axis);
  const auto dimension = static_cast<size_t>(search.axis);
  search.size = value.shape[dimension];
  search.place = std::find(value.order.begin(), value.order.end(), search.axis) - value.order.begin();
  std::vector<int64_t> order = value.order;
  order.erase(order.begin() + search.place);
  for (int64_t& one : order) one -= one > search.axis ? 1 : 0;
  base::Shape shape = value.shape;
  shape.erase(shape.begin() + search.axis);
  ir::TensorId tensor = value.is_wide() ? index_of_sums(lowering, node, value.tensor, search)
                                        : index_of_codes(lowering, node, value.tensor, search);
  Value indices = sums_value(tensor, shape, order, {1}, 0, search.size, node.name);
  indices.is_real = false;
  if (int_of(node, "keepdims", 1) != 0) {
    indices.tensor = lowering.in_source_order(indices);
    indices.shape.insert(indices.shape.begin() + search.axis, 1);
    indices.order = source_order(rank);
    indices.tensor = lowering.graph.add(OpKind::Reshape, {}, {indices.tensor, lowering.graph.add_shape(indices.shape)},
                                        {ElementType::Int32, indices.shape, node.outputs[0] + "_kept"}, node.name);
  }
  lowering.define(node, std::move(indices));
}

}  // namespace vernier::import::quantized
