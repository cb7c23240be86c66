// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/functions/common_steps.hpp"

#include "compiler/import/quantized/functions/products.hpp"
#include "compiler/import/quantized/functions/requantize.hpp"
#include "compiler/import/quantized/functions/sums.hpp"
#include "compiler/import/quantized/functions/wide.hpp"
#include "compiler/import/quantized/nodes/constants.hpp"
#include "compiler/import/quantized/nodes/quantizer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace vernier::import::quantized {

namespace {

using base::ElementType;
using ir::OpKind;

constexpr int kBits = 29;  // of the numbers, without the sign

/// An operand before it gets the steps.
struct SteppedOperand {
  Value value;
  std::vector<double> reals = {};           // of a constant, else empty
  double addend = 0;                        // what comes to the numbers of the value
  double low = -HUGE_VAL, high = HUGE_VAL;  // what they are limited to then
  [[nodiscard]] bool is_constant() const { return value.kind == Value::Kind::Constant; }
};

double greatest_scale(const Value& value) {
  return *std::max_element(value.format.scales.begin(), value.format.scales.end());
}

/// Integers as numbers in steps of 1.
Value as_numbers(Value value) {
  if (value.format.bits == kBoolBits) refuse("truth values are read as numbers");
  if (value.is_wide()) return value;
  value.format.scales = {1};
  value.format.zero_points = {-source_offset(value.format)};
  value.magnitude = magnitude_of(value.format);
  return value;
}

/// Codes of 8 bits whose function is a line: scale * code + addend, within 2^-22 of the greatest number; the scale is above
/// 0.
std::optional<SteppedOperand> line_of(const Value& found) {
  if (found.kind != Value::Kind::Integers || found.format.bits != 8 || found.format.is_per_axis() || found.reals.empty())
    return std::nullopt;
  const auto real = [&](size_t i) { return static_cast<double>(found.reals[i]); };
  const double scale = (real(255) - real(0)) / 255, addend = real(0) - static_cast<double>(found.format.least()) * scale;
  const double noise = std::max(std::fabs(real(0)), std::fabs(real(255))) * 0x1p-22;
  if (!std::isfinite(scale) || !(scale > 0)) return std::nullopt;
  for (size_t i = 0; i < found.reals.size(); ++i) {
    const double line = real(0) + static_cast<double>(i) * scale;
    if (!(std::fabs(line - real(i)) <= noise)) return std::nullopt;
  }
  SteppedOperand operand{found};
  operand.value.reals.clear();
  operand.value.format.scales = {scale};
  operand.value.format.zero_points = {0};
  operand.value.magnitude = -found.format.least();
  operand.addend = addend;
  return operand;
}

/// Sums, which a Relu or Clip may have limited.
SteppedOperand sums_with_limits(Lowering& lowering, const Node& node, size_t index) {
  const Value found = lowering.value(node, index);
  if (!found.has_function()) return {codes_or_sums(lowering, node, index)};
  Node unlimited = node;
  unlimited.inputs[index] = node.inputs[index] + "/unlimited";
  Value plain = found;
  plain.low = -kInfinity;
  plain.high = kInfinity;
  lowering.define(unlimited.inputs[index], std::move(plain));
  SteppedOperand operand{codes_or_sums(lowering, unlimited, index)};
  operand.low = static_cast<double>(found.low);
  operand.high = static_cast<double>(found.high);
  return operand;
}

/// Codes or sums; the codes of the quantizer after the node where the result is one of the operands: rounding keeps the
/// order of numbers, so that it may come first.
SteppedOperand stepped_operand(Lowering& lowering, const Node& node, size_t index, const std::optional<Quantizer>& after) {
  const Value found = lowering.value(node, index);
  if (!found.is_real) return {as_numbers(found.kind == Value::Kind::Input ? lowering.integer_input(found) : found)};
  if (after && found.kind == Value::Kind::Integers) return {requantize(lowering, found, *after, node.inputs[index])};
  if (found.kind == Value::Kind::Integers && found.is_wide() && found.reals.empty())
    return sums_with_limits(lowering, node, index);
  if (found.kind == Value::Kind::Integers && !found.has_function() && found.format.is_per_axis()) return {found};
  const bool has_codes = found.kind == Value::Kind::Integers && !found.is_wide() && !found.format.is_per_axis() &&
                         settle(lowering, found, node.inputs[index]);
  if (!has_codes) {
    if (std::optional<SteppedOperand> line = line_of(found)) return *std::move(line);
  }
  return {lowering.codes(node, index)};
}

SteppedOperand stepped_number(const Value& value, const std::string& name, const std::optional<Quantizer>& after) {
  SteppedOperand operand{value};
  if (!value.is_real && !value.constant->type.is_float) {  // integers, which float32 may not hold
    operand.reals.assign(value.constant->integers.begin(), value.constant->integers.end());
    return operand;
  }
  const std::vector<float> reals = real_numbers(value);
  for (const float real : reals) {
    if (std::isnan(real)) refuse("the constant '{}' holds a number that is none", name);
    double number = static_cast<double>(real);
    if (after) number = static_cast<double>(real_of(code_of(real, *after), after->format));
    if (!std::isfinite(number)) refuse("the constant '{}' holds {}, allowed are finite numbers", name, number);
    operand.reals.push_back(number);
  }
  return operand;
}

/// The size of the steps. Codes with scales of powers of two of each other are halved until they agree, others as often as
/// the bits allow.
double common_step_of(const std::vector<SteppedOperand>& operands) {
  double reach = 0, constant = 0, largest = 0;
  bool has_sums = false, has_constant = false, has_numbers = false;
  for (const SteppedOperand& operand : operands) {
    for (const double real : operand.reals) constant = std::max(constant, std::fabs(real));
    has_constant = has_constant || operand.is_constant();
    if (operand.is_constant()) continue;
    const double scale = greatest_scale(operand.value);
    reach = std::max(reach, static_cast<double>(operand.value.magnitude) * scale + std::fabs(operand.addend));
    has_constant = has_constant || operand.addend != 0;
    largest = std::max(largest, scale);
    has_sums = has_sums || operand.value.is_wide();
    has_numbers = has_numbers || operand.value.is_real;
  }
  if (!has_numbers) {  // integers are compared as they are
    if (constant >= 0x1p31) refuse("a constant of {:g} stands beside integers, which 32 bits do not hold", constant);
    return 1;
  }
  const int spare = kBits - static_cast<int>(std::floor(std::log2(std::max(reach, constant) / largest))) - 1;
  if (spare < 0 && constant > reach)
    refuse("a constant of {:g} stands beside numbers in steps of {:g}, which 32 bits do not hold: expected a quantizer next",
           constant, largest);
  if (has_sums || has_constant) return std::ldexp(largest, -spare);
  int halvings = 0;
  for (const SteppedOperand& operand : operands) {
    const auto exact = halvings_of(scale_of(operand.value.format) / largest);
    halvings = exact && *exact <= spare ? std::max(halvings, static_cast<int>(*exact)) : spare;
    if (halvings == spare) break;
  }
  return std::ldexp(largest, -halvings);
}

ir::TensorId stepped_constant(Lowering& lowering, const SteppedOperand& operand, const CommonSteps& common) {
  base::Shape shape = operand.value.shape;
  shape.insert(shape.begin(), common.order.size() - shape.size(), 1);
  std::vector<int64_t> steps;
  for (const double real : operand.reals) steps.push_back(std::llround(real / common.step));
  return lowering.graph.add_constant(ElementType::Int32, shape_in_order(shape, common.order),
                                     reordered(steps, shape, common.order));
}

ir::TensorId stepped_codes(Lowering& lowering, const Node& node, const Value& value, const CommonSteps& common) {
  if (value.format.is_per_axis() && value.order.back() != value.format.axis)
    refuse("scales go along dimension {}, expected the channels", value.format.axis);
  const std::vector<int64_t>& zeros = value.format.zero_points;
  if (std::any_of(zeros.begin(), zeros.end(), [&](int64_t zero) { return zero != zeros.front(); }))
    refuse("an operand has several zero points, allowed is one");
  const bool has_zero16 = value.format.bits == 16 && zero_point_of(value.format) != 0;  // which RESCALE does not subtract
  const Value plain = has_zero16 ? wide_value(lowering, value, 0, node.name) : value;
  std::vector<double> factors;
  for (const double scale : plain.format.scales) factors.push_back(scale / common.step);
  const bool is_same = std::all_of(factors.begin(), factors.end(), [](double factor) { return factor == 1; });
  if (is_same && lowering.graph.tensor(plain.tensor).type == ElementType::Int32) return plain.tensor;
  const int64_t zero_point = plain.format.bits == 8 ? zero_point_of(plain.format) : 0;
  return add_rescale(lowering, value, plain.tensor, {ElementType::Int32, zero_point, 0, multipliers_of(plain, factors)},
                     node.name + "_wide");
}

ir::TensorId stepped_value(Lowering& lowering, const Node& node, const SteppedOperand& operand, const CommonSteps& common) {
  const Value value = ordered_value(lowering, node, operand.value, common.order);
  ir::TensorId tensor = stepped_codes(lowering, node, value, common);
  GraphBuilder& graph = lowering.graph;
  const auto with_number = [&](OpKind kind, double number) {
    constexpr double kMost = 0x1p30;
    const base::Shape shape = graph.tensor(tensor).shape;
    const ir::TensorId constant = graph.add_constant(ElementType::Int32, base::Shape(shape.size(), 1),
                                                     {std::llround(std::clamp(number / common.step, -kMost, kMost))});
    tensor = graph.add(kind, {}, {tensor, constant}, {ElementType::Int32, shape, node.name + "_line"}, node.name);
  };
  if (std::llround(operand.addend / common.step) != 0) with_number(OpKind::Add, operand.addend);
  if (operand.low != -HUGE_VAL) with_number(OpKind::Maximum, operand.low);
  if (operand.high != HUGE_VAL) with_number(OpKind::Minimum, operand.high);
  return tensor;
}

}  // namespace

base::Shape broadcast_shape(const base::Shape& a, const base::Shape& b) {
  base::Shape shape(std::max(a.size(), b.size()), 1);
  for (const base::Shape* one : {&a, &b}) {
    const size_t offset = shape.size() - one->size();
    for (size_t i = 0; i < one->size(); ++i) {
      int64_t& size = shape[offset + i];
      if (size != 1 && (*one)[i] != 1 && size != (*one)[i])
        refuse("operands of shapes {} and {} do not go together", base::to_string(a), base::to_string(b));
      size = size == 1 ? (*one)[i] : size;
    }
  }
  return shape;
}

Value ordered_value(Lowering& lowering, const Node& node, Value value, const std::vector<int64_t>& order) {
  if (value.shape.size() < order.size()) {
    const ir::TensorId tensor = lowering.in_source_order(value);
    value.shape.insert(value.shape.begin(), order.size() - value.shape.size(), 1);
    value.order = source_order(order.size());
    value.tensor = lowering.graph.add(OpKind::Reshape, {}, {tensor, lowering.graph.add_shape(value.shape)},
                                      {lowering.graph.tensor(tensor).type, value.shape, node.name + "_rank"}, node.name);
  }
  value.tensor = lowering.in_order(value, order);
  value.order = order;
  return value;
}

std::optional<Value> as_line(const Value& value) {
  std::optional<SteppedOperand> line = line_of(value);
  if (!line) return std::nullopt;
  Format& format = line->value.format;
  const double zero_point = -line->addend / scale_of(format), whole = std::nearbyint(zero_point);
  const bool is_code = whole >= static_cast<double>(format.least()) && whole <= static_cast<double>(format.greatest());
  if (!is_code || std::fabs(zero_point - whole) > 0x1p-12) return std::nullopt;
  format.zero_points = {static_cast<int64_t>(whole)};
  line->value.magnitude = magnitude_of(format);
  return std::move(line->value);
}

CommonSteps in_common_steps(Lowering& lowering, const Node& node, const std::vector<size_t>& operands, Result result) {
  CommonSteps common;
  for (const size_t index : operands) common.shape = broadcast_shape(common.shape, lowering.value(node, index).shape);
  std::optional<Quantizer> after;
  if (result == Result::OneOfOperands) after = quantizer_after(lowering, node.outputs.at(0), common.shape);
  if (after && after->format.is_per_axis()) after = std::nullopt;
  std::vector<SteppedOperand> read;
  common.order = source_order(common.shape.size());
  bool is_all_constant = true;
  for (const size_t index : operands) {
    const Value& found = lowering.value(node, index);
    if (found.kind == Value::Kind::Constant) {
      read.push_back(stepped_number(found, node.inputs[index], after));
      continue;
    }
    is_all_constant = false;
    read.push_back(stepped_operand(lowering, node, index, after));
    const Value& value = read.back().value;
    // Of the orders, the one that has the image as the machine wants it, if any.
    if (value.shape.size() == common.order.size() && value.order.size() == common.order.size() &&
        value.order != source_order(value.shape.size()))
      common.order = value.order;
  }
  for (const SteppedOperand& operand : read) {
    const Format& format = operand.value.format;
    if (operand.is_constant() || !format.is_per_axis() || common.order.back() == format.axis) continue;
    if (operand.value.shape.size() != common.shape.size())
      refuse("an operand has a scale for each index of an axis, and fewer dimensions than another one");
    common.order = source_order(common.shape.size());  // RESCALE has its scales along the last dimension
    std::erase(common.order, format.axis);
    common.order.push_back(format.axis);
  }
  if (is_all_constant) refuse("all operands are constants, allowed is one computed value at least");
  common.step = after ? scale_of(after->format) : common_step_of(read);
  for (const SteppedOperand& operand : read) {
    common.tensors.push_back(operand.is_constant() ? stepped_constant(lowering, operand, common)
                                                   : stepped_value(lowering, node, operand, common));
    for (const double real : operand.reals)
      common.magnitude = std::max(common.magnitude, int64_t{std::abs(std::llround(real / common.step))});
    if (!operand.is_constant()) {
      const double reach =
          static_cast<double>(operand.value.magnitude) * greatest_scale(operand.value) + std::fabs(operand.addend);
      const double steps = reach / common.step;
      common.magnitude = std::max(common.magnitude, static_cast<int64_t>(std::ceil(steps)));
    }
  }
  return common;
}

Value value_of(const CommonSteps& common, ir::TensorId tensor, const std::string& layer) {
  return sums_value(tensor, common.shape, common.order, {common.step}, 0, common.magnitude, layer);
}

}  // namespace vernier::import::quantized
