// SPDX-License-Identifier: Apache-2.0
// Add, Sub and Mul of two quantized operands. What has one operand with a single number is lower_unary.cpp's.
#include "compiler/import/quantized/constants.hpp"
#include "compiler/import/quantized/operators.hpp"
#include "compiler/import/quantized/requantize.hpp"
#include "compiler/import/quantized/wide.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::import::quantized {

namespace {

using base::ElementType;
using ir::OpKind;

constexpr int kSumBits = 29;  // of an operand of a sum, without the sign

/// The shape that two of the same or of other ranks have together, by numpy's rules.
base::Shape broadcast(const base::Shape& a, const base::Shape& b) {
  base::Shape shape(std::max(a.size(), b.size()), 1);
  for (const base::Shape* one : {&a, &b}) {
    const size_t offset = shape.size() - one->size();
    for (size_t i = 0; i < one->size(); ++i) {
      int64_t& size = shape[offset + i];
      if (size != 1 && (*one)[i] != 1 && size != (*one)[i])
        refuse("operands of shapes {} and {} do not go together", base::to_string(a), base::to_string(b));
      size = std::max(size, (*one)[i]);
    }
  }
  return shape;
}

/// The value with its dimensions in that order, after as many of size 1 as its rank lacks.
Value ordered(Lowering& lowering, const Node& node, Value value, const std::vector<int64_t>& order) {
  if (value.shape.size() < order.size()) {
    const ir::TensorId tensor = lowering.in_source_order(value);
    value.shape.insert(value.shape.begin(), order.size() - value.shape.size(), 1);
    value.order = source_order(order.size());
    value.tensor = lowering.graph.add(OpKind::Reshape, {}, {tensor, lowering.graph.add_shape(value.shape)},
                                      {element_type(value.format.bits), value.shape, node.name + "_rank"}, node.name);
  }
  value.tensor = lowering.in_order(value, order);
  value.order = order;
  return value;
}

/// Both operands in one order of dimensions, as values of the same rank.
struct Operands {
  Value a, b;
  base::Shape shape;
  std::vector<int64_t> order;
};
Operands operands_of(Lowering& lowering, const Node& node) {
  const bool a_is_constant = lowering.is_constant(node, 0), b_is_constant = lowering.is_constant(node, 1);
  if (a_is_constant && b_is_constant) refuse("both operands are constants");
  Operands operands;
  operands.shape = broadcast(lowering.value(node, 0).shape, lowering.value(node, 1).shape);
  const size_t rank = operands.shape.size();
  // Of the orders, the one that has the image as the machine wants it, if any.
  operands.order = source_order(rank);
  for (const size_t index : {size_t{1}, size_t{0}}) {
    if (lowering.is_constant(node, index)) continue;
    const Value value = lowering.codes(node, index);
    if (value.shape.size() == rank && value.order.size() == rank && value.order != source_order(rank))
      operands.order = value.order;
  }
  const auto make = [&](size_t index) {
    if (lowering.is_constant(node, index)) return constant_value(lowering, node, index, operands.order);
    return ordered(lowering, node, lowering.codes(node, index), operands.order);
  };
  operands.a = make(0);
  operands.b = make(1);
  return operands;
}

/// int32, without zero point, scaled by the factor.
ir::TensorId wide(Lowering& lowering, const Node& node, const Value& value, double factor) {
  if (value.format.bits == 16 && zero_point_of(value.format) != 0) {  // which RESCALE does not subtract
    const Value centred = wide_value(lowering, value, 0, node.name);
    return factor == 1 ? centred.tensor : wide(lowering, node, centred, factor);
  }
  GraphBuilder& graph = lowering.graph;
  const Multiplier one = multiplier_of(factor);
  const ElementType type = graph.tensor(value.tensor).type;
  const std::vector<ir::TensorId> inputs{
      value.tensor, graph.add_scalar(ElementType::Int32, one.multiplier), graph.add_scalar(ElementType::Int8, one.shift),
      graph.add_scalar(type, zero_point_of(value.format)), graph.add_scalar(ElementType::Int32, 0)};
  return graph.add(OpKind::Rescale, ir::RescaleAttributes{}, inputs,
                   {ElementType::Int32, graph.tensor(value.tensor).shape, node.name + "_wide"}, node.name);
}

/// The larger step is halved until it is the smaller one, where the ratio of the two is a power of two: the sum is exact.
/// Else it is halved as often as 29 bits allow: the operand that has it is exact, the other one is within half of the new
/// step, which is 2^-21 of the old one for 8 bits and 2^-13 or less for 16 bits.
void lower_sum(Lowering& lowering, const Node& node, OpKind kind) {
  const Operands operands = operands_of(lowering, node);
  const double larger = std::max(scale_of(operands.a.format), scale_of(operands.b.format));
  int bits = 0;
  while (std::max(operands.a.magnitude, operands.b.magnitude) >> bits != 0) ++bits;
  int halvings = kSumBits - bits;
  const double smaller = std::min(scale_of(operands.a.format), scale_of(operands.b.format));
  if (const auto exact = halvings_of(smaller / larger); exact && *exact <= halvings) halvings = static_cast<int>(*exact);
  const auto operand = [&](const Value& value) {
    const double factor = scale_of(value.format) / larger;
    return wide(lowering, node, value, std::ldexp(factor, halvings));
  };
  const ir::TensorId a = operand(operands.a), b = operand(operands.b);
  const ir::TensorId sum = lowering.graph.add(
      kind, {}, {a, b}, {ElementType::Int32, shape_in_order(operands.shape, operands.order), node.outputs.at(0)}, node.name);
  Value value = operands.a;
  value.shape = operands.shape;
  value.order = operands.order;
  value.tensor = sum;
  value.format = {32, {std::ldexp(larger, -halvings)}, {0}, 0, false};
  value.magnitude = 0;
  for (const Value* one : {&operands.a, &operands.b}) {
    const double steps = static_cast<double>(one->magnitude) * std::ldexp(scale_of(one->format) / larger, halvings);
    value.magnitude += static_cast<int64_t>(std::ceil(steps));
  }
  value.layer = node.name;
  lowering.define(node, std::move(value));
}

}  // namespace

void lower_add(Lowering& lowering, const Node& node) {
  if (!lower_bias(lowering, node)) lower_sum(lowering, node, OpKind::Add);
}
void lower_sub(Lowering& lowering, const Node& node) { lower_sum(lowering, node, OpKind::Sub); }

/// Exact: products of codes less their zero points, in steps of scale * scale.
void lower_mul(Lowering& lowering, const Node& node) {
  if (lower_scale(lowering, node)) return;
  const Operands operands = operands_of(lowering, node);
  const ir::TensorId a = wide(lowering, node, operands.a, 1), b = wide(lowering, node, operands.b, 1);
  const ir::TensorId shift = lowering.graph.add_scalar(ElementType::Int8, 0);
  Value value = operands.a;
  value.tensor = lowering.graph.add(OpKind::Mul, {}, {a, b, shift},
                                    {ElementType::Int32, shape_in_order(operands.shape, operands.order), node.outputs.at(0)},
                                    node.name);
  value.shape = operands.shape;
  value.order = operands.order;
  value.format = {32, {scale_of(operands.a.format) * scale_of(operands.b.format)}, {0}, 0, false};
  value.magnitude = operands.a.magnitude * operands.b.magnitude;
  value.layer = node.name;
  lowering.define(node, std::move(value));
}

}  // namespace vernier::import::quantized
