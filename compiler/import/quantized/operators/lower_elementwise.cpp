// SPDX-License-Identifier: Apache-2.0
// Add, Sub and Mul of two quantized operands. Codes of 8 bits and a single number are a function of codes.
#include "compiler/import/quantized/functions/common_steps.hpp"
#include "compiler/import/quantized/functions/requantize.hpp"
#include "compiler/import/quantized/functions/sum_functions.hpp"
#include "compiler/import/quantized/functions/sums.hpp"
#include "compiler/import/quantized/functions/wide.hpp"
#include "compiler/import/quantized/nodes/constants.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

namespace vernier::import::quantized {

namespace {

using base::ElementType;
using ir::OpKind;

constexpr int kSumBits = 29;  // of an operand of a sum, without the sign

/// Both operands in one order of dimensions, as values of the same rank.
struct Operands {
  Value a, b;
  base::Shape shape;
  std::vector<int64_t> order;
};
template <typename Read>
Operands operands_of(Lowering& lowering, const Node& node, const Read& read) {
  const bool a_is_constant = lowering.is_constant(node, 0), b_is_constant = lowering.is_constant(node, 1);
  if (a_is_constant && b_is_constant) refuse("both operands are constants");
  Operands operands;
  operands.shape = broadcast_shape(lowering.value(node, 0).shape, lowering.value(node, 1).shape);
  const size_t rank = operands.shape.size();
  // Of the orders, the one that has the image as the machine wants it, if any.
  operands.order = source_order(rank);
  std::array<Value, 2> values;
  for (const size_t index : {size_t{1}, size_t{0}}) {
    if (lowering.is_constant(node, index)) continue;
    const Value& value = values.at(index) = read(index);
    if (value.shape.size() == rank && value.order.size() == rank && value.order != source_order(rank))
      operands.order = value.order;
  }
  const auto make = [&](size_t index) {
    if (lowering.is_constant(node, index)) return constant_value(lowering, node, index, operands.order);
    return ordered_value(lowering, node, values.at(index), operands.order);
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

bool is_sum(const Lowering& lowering, const Node& node, size_t index) {
  return !lowering.is_constant(node, index) && lowering.value(node, index).is_wide();
}

/// Of operands of which one or both are sums that no quantizer has followed: both in steps of which the greatest number has
/// 29 bits. The steps of a sum with one scale are halved as often as that allows, so that the sum stays exact.
void lower_sum_of_sums(Lowering& lowering, const Node& node, OpKind kind) {
  const Operands operands = operands_of(lowering, node, [&](size_t index) { return codes_or_sums(lowering, node, index); });
  const auto greatest_scale = [](const Value& value) {
    return *std::max_element(value.format.scales.begin(), value.format.scales.end());
  };
  double step = 0, reach = 0;
  for (const Value* one : {&operands.a, &operands.b}) {
    reach = std::max(reach, static_cast<double>(one->magnitude) * greatest_scale(*one));
    if (one->is_wide() || step == 0) step = greatest_scale(*one);
  }
  step = std::ldexp(step, static_cast<int>(std::floor(std::log2(reach / step))) + 1 - kSumBits);
  const auto operand = [&](const Value& value) {
    if (value.format.is_per_axis() && value.order.back() != value.format.axis)
      refuse("scales go along dimension {}, expected the channels", value.format.axis);
    const Value plain = value.format.bits == 16 ? wide_value(lowering, value, 0, node.name) : value;
    std::vector<double> factors;
    for (const double scale : plain.format.scales) factors.push_back(scale / step);
    const int64_t zero_point = plain.format.bits == 8 ? zero_point_of(plain.format) : 0;
    return add_rescale(lowering, value, plain.tensor, {ElementType::Int32, zero_point, 0, multipliers_of(plain, factors)},
                       node.name + "_wide");
  };
  const ir::TensorId a = operand(operands.a), b = operand(operands.b);
  Value value = operands.a;
  value.tensor = lowering.graph.add(
      kind, {}, {a, b}, {ElementType::Int32, shape_in_order(operands.shape, operands.order), node.outputs.at(0)}, node.name);
  value.shape = operands.shape;
  value.order = operands.order;
  value.format = {32, {step}, {0}, 0, false};
  value.magnitude = int64_t{1} << (kSumBits + 1);
  value.layer = node.name;
  lowering.define(node, std::move(value));
}

/// Whether an operand is a constant that no quantizer has met.
bool has_floats(const Lowering& lowering, const Node& node) {
  const auto is_float = [&](size_t index) {
    return lowering.is_constant(node, index) && lowering.value(node, index).constant->type.is_float;
  };
  return is_float(0) != is_float(1) && lowering.is_constant(node, 0) != lowering.is_constant(node, 1);
}

/// Such a constant is rounded to a step of int32: means that are subtracted from the channels of an image.
void lower_sum_with_floats(Lowering& lowering, const Node& node, OpKind kind) {
  const CommonSteps common = in_common_steps(lowering, node, {0, 1});
  Value value = value_of(common, common.tensors[0], node.name);
  value.tensor =
      lowering.graph.add(kind, {}, {common.tensors[0], common.tensors[1]},
                         {ElementType::Int32, shape_in_order(common.shape, common.order), node.outputs.at(0)}, node.name);
  value.magnitude *= 2;
  lowering.define(node, std::move(value));
}

/// The larger step is halved until it is the smaller one, where the ratio of the two is a power of two: the sum is exact.
/// Else it is halved as often as 29 bits allow: the operand that has it is exact, the other one is within half of the new
/// step, which is 2^-21 of the old one for 8 bits and 2^-13 or less for 16 bits.
void lower_sum(Lowering& lowering, const Node& node, OpKind kind) {
  if (has_floats(lowering, node)) return lower_sum_with_floats(lowering, node, kind);
  if (is_sum(lowering, node, 0) || is_sum(lowering, node, 1)) return lower_sum_of_sums(lowering, node, kind);
  const Operands operands = operands_of(lowering, node, [&](size_t index) { return codes_or_16(lowering, node, index); });
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

/// A constant of one element, quantized or not, and codes of 8 bits: the function that float32 gives, in which a sum between
/// two codes (1 is 127.5 times 2 / 255) is what the source makes of it. Whether it is one; then it is lowered.
template <typename Function>
bool lower_with_number(Lowering& lowering, const Node& node, const Function& function) {
  if (node.inputs.size() != 2 || lowering.is_constant(node, 0) == lowering.is_constant(node, 1)) return false;
  const size_t operand = lowering.is_constant(node, 0) ? 1 : 0;
  const Value& constant = lowering.value(node, 1 - operand);
  Value value = lowering.value(node, operand);
  const bool has_codes = value.kind == Value::Kind::Integers && value.format.bits == 8 && !value.format.is_per_axis();
  if (!has_codes || base::num_elements(constant.shape) != 1 || constant.shape.size() > value.shape.size()) return false;
  const float number = real_numbers(constant).front();
  value.reals = reals_of(value);
  for (float& real : value.reals) real = operand == 0 ? function(real, number) : function(number, real);
  value.layer = node.name;
  lowering.define(node, std::move(value));
  return true;
}

}  // namespace

void lower_add(Lowering& lowering, const Node& node) {
  if (lower_bias(lowering, node) || lower_with_number(lowering, node, std::plus<float>())) return;
  lower_sum(lowering, node, OpKind::Add);
}
void lower_sub(Lowering& lowering, const Node& node) {
  if (!lower_with_number(lowering, node, std::minus<float>())) lower_sum(lowering, node, OpKind::Sub);
}

/// Products of codes less their zero points, in steps of scale * scale: exact where 31 bits hold them. Those of two values
/// of 16 bits with zero points may have 32; they lose their lowest bits, which is 2^-31 of the greatest product.
void lower_mul(Lowering& lowering, const Node& node) {
  if (lower_scale(lowering, node) || lower_with_number(lowering, node, std::multiplies<float>())) return;
  const Operands operands = operands_of(lowering, node, [&](size_t index) { return codes_or_16(lowering, node, index); });
  const ir::TensorId a = wide(lowering, node, operands.a, 1), b = wide(lowering, node, operands.b, 1);
  Value value = operands.a;
  value.magnitude = operands.a.magnitude * operands.b.magnitude;
  int halvings = 0;
  while (value.magnitude >> halvings >= (int64_t{1} << 31) - 1) ++halvings;
  if (halvings > 0) value.magnitude = (value.magnitude >> halvings) + 1;
  const ir::TensorId shift = lowering.graph.add_scalar(ElementType::Int8, halvings);
  value.tensor = lowering.graph.add(OpKind::Mul, {}, {a, b, shift},
                                    {ElementType::Int32, shape_in_order(operands.shape, operands.order), node.outputs.at(0)},
                                    node.name);
  value.shape = operands.shape;
  value.order = operands.order;
  value.format = {32, {std::ldexp(scale_of(operands.a.format) * scale_of(operands.b.format), halvings)}, {0}, 0, false};
  value.layer = node.name;
  lowering.define(node, std::move(value));
}

}  // namespace vernier::import::quantized
