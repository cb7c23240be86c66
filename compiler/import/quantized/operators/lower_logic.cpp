// SPDX-License-Identifier: Apache-2.0
// Comparisons, which give truth values, what is computed of truth values, and Where, which chooses by them. Codes of 8 bits
// and a number are compared in float32, code by code: a table. Other operands are compared as int32 in steps of one size.
#include "compiler/import/quantized/functions/common_steps.hpp"
#include "compiler/import/quantized/functions/requantize.hpp"
#include "compiler/import/quantized/nodes/constants.hpp"
#include "compiler/import/quantized/nodes/quantizer.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace vernier::import::quantized {

namespace {

using base::ElementType;
using ir::OpKind;

const Format kTruthFormat{kBoolBits, {1}, {0}, 0, false};

Value truth_value(ir::TensorId tensor, base::Shape shape, std::vector<int64_t> order, const std::string& layer) {
  Value value;
  value.kind = Value::Kind::Integers;
  value.shape = std::move(shape);
  value.is_real = false;
  value.format = kTruthFormat;
  value.tensor = tensor;
  value.order = std::move(order);
  value.magnitude = 1;
  value.layer = layer;
  return value;
}

bool compare(const std::string& kind, float a, float b) {
  if (kind == "Greater") return a > b;
  if (kind == "Less") return a < b;
  if (kind == "GreaterOrEqual") return a >= b;
  if (kind == "LessOrEqual") return a <= b;
  return a == b;
}

/// Whether codes of 8 bits are compared with one number; then that is lowered.
bool compare_with_number(Lowering& lowering, const Node& node) {
  if (lowering.is_constant(node, 0) == lowering.is_constant(node, 1)) return false;
  const size_t operand = lowering.is_constant(node, 0) ? 1 : 0;
  const Value &constant = lowering.value(node, 1 - operand), &value = lowering.value(node, operand);
  const bool has_codes =
      value.kind == Value::Kind::Integers && value.is_real && value.format.bits == 8 && !value.format.is_per_axis();
  if (!has_codes || base::num_elements(constant.shape) != 1 || constant.shape.size() > value.shape.size()) return false;
  const float number = real_numbers(constant).front();
  std::vector<int64_t> codes;
  for (const float real : reals_of(value))
    codes.push_back((operand == 0 ? compare(node.kind, real, number) : compare(node.kind, number, real)) ? 1 : 0);
  const std::string& name = node.outputs.at(0);
  Value source = value;
  source.layer = node.name;
  const Value flags = with_codes(lowering, source, Format{8, {1}, {0}, 0, false}, codes, name + "_flags");
  const ir::TensorId tensor = lowering.graph.add(
      OpKind::Cast, {}, {flags.tensor}, {ElementType::Bool, lowering.graph.tensor(flags.tensor).shape, name}, node.name);
  lowering.define(node, truth_value(tensor, value.shape, value.order, node.name));
  return true;
}

/// A truth value that is computed or constant, before it has an order.
const Value& truth_of(const Lowering& lowering, const Node& node, size_t index) {
  const Value& value = lowering.value(node, index);
  const bool is_truth = value.kind == Value::Kind::Constant
                            ? !value.constant->type.is_float && value.constant->type.bits == kBoolBits
                            : value.kind == Value::Kind::Integers && value.format.bits == kBoolBits;
  if (!is_truth) refuse("'{}' is not computed by a comparison, and no constant of BOOL", node.inputs[index]);
  return value;
}

/// The order that computed operands of the whole rank have.
std::vector<int64_t> order_of(const Lowering& lowering, const Node& node, const base::Shape& shape) {
  std::vector<int64_t> order = source_order(shape.size());
  for (size_t i = node.inputs.size(); i-- > 0;) {
    const Value& value = lowering.value(node, i);
    const bool is_whole =
        value.kind == Value::Kind::Integers && value.shape.size() == shape.size() && value.order.size() == shape.size();
    if (is_whole && value.order != source_order(shape.size())) order = value.order;
  }
  return order;
}

ir::TensorId truth_tensor(Lowering& lowering, const Node& node, size_t index, const std::vector<int64_t>& order) {
  const Value& value = truth_of(lowering, node, index);
  if (value.kind == Value::Kind::Constant)
    return constant_codes(lowering, node, index, Quantizer(kTruthFormat), false, order).tensor;
  return ordered_value(lowering, node, value, order).tensor;
}

base::Shape shape_of_all(const Lowering& lowering, const Node& node) {
  base::Shape shape;
  for (size_t i = 0; i < node.inputs.size(); ++i) shape = broadcast_shape(shape, lowering.value(node, i).shape);
  return shape;
}

/// The format that both of the numbers chosen from get without a change, or the quantizer after the node; none else.
std::optional<Quantizer> common_codes(const Lowering& lowering, const Node& node, const base::Shape& shape, bool& is_real) {
  std::optional<Format> format;
  bool is_alike = true;
  is_real = true;
  for (const size_t index : {size_t{1}, size_t{2}}) {
    if (lowering.is_constant(node, index)) continue;
    const Value& value = lowering.value(node, index);
    if (value.kind != Value::Kind::Integers) refuse("'{}' is not quantized", node.inputs[index]);
    is_real = value.is_real;
    is_alike = is_alike && !value.has_function() && !value.format.is_per_axis() && !(value.is_wide() && value.is_real) &&
               (!format || *format == value.format ||
                (!is_real && format->bits == value.format.bits && format->is_unsigned == value.format.is_unsigned));
    format = value.format;
  }
  if (!format) {  // constants alone
    is_real = lowering.value(node, 1).is_real;
    if (!is_real) refuse("both operands are constants of integers, allowed are numbers");
  }
  for (const size_t index : {size_t{1}, size_t{2}}) {
    const Value& value = lowering.value(node, index);
    if (!is_alike || !format || !is_real || value.kind != Value::Kind::Constant) continue;
    for (const float real : real_numbers(value)) is_alike = is_alike && real_of(code_of(real, *format), *format) == real;
  }
  if (is_alike && format) return Quantizer(*format);
  if (!is_real) refuse("operands are integers of several types, expected one type");
  const auto after = quantizer_after(lowering, node.outputs.at(0), shape);
  return after && !after->format.is_per_axis() ? after : std::nullopt;
}

}  // namespace

void lower_compare(Lowering& lowering, const Node& node) {
  if (node.inputs.size() != 2) refuse("there are {} operands, expected 2", node.inputs.size());
  if (compare_with_number(lowering, node)) return;
  const CommonSteps common = in_common_steps(lowering, node, {0, 1});
  const bool is_swapped = node.kind.starts_with("Less");
  const OpKind kind = node.kind == "Equal"             ? OpKind::Equal
                      : node.kind.ends_with("OrEqual") ? OpKind::GreaterEqual
                                                       : OpKind::Greater;
  const ir::TensorId tensor =
      lowering.graph.add(kind, {}, {common.tensors[is_swapped ? 1 : 0], common.tensors[is_swapped ? 0 : 1]},
                         {ElementType::Bool, shape_in_order(common.shape, common.order), node.outputs.at(0)}, node.name);
  lowering.define(node, truth_value(tensor, common.shape, common.order, node.name));
}

void lower_logic(Lowering& lowering, const Node& node) {
  const bool is_not = node.kind == "Not";
  if (node.inputs.size() != (is_not ? 1U : 2U))
    refuse("there are {} operands, expected {}", node.inputs.size(), is_not ? 1 : 2);
  const base::Shape shape = shape_of_all(lowering, node);
  const std::vector<int64_t> order = order_of(lowering, node, shape);
  std::vector<ir::TensorId> tensors;
  for (size_t i = 0; i < node.inputs.size(); ++i) tensors.push_back(truth_tensor(lowering, node, i, order));
  const OpKind kind = is_not               ? OpKind::LogicalNot
                      : node.kind == "And" ? OpKind::LogicalAnd
                      : node.kind == "Or"  ? OpKind::LogicalOr
                                           : OpKind::LogicalXor;
  const ir::TensorId tensor = lowering.graph.add(
      kind, {}, tensors, {ElementType::Bool, shape_in_order(shape, order), node.outputs.at(0)}, node.name);
  lowering.define(node, truth_value(tensor, shape, order, node.name));
}

/// The greatest size of an integer of 32 bits that a value may hold.
int64_t greatest_of(const Value& value) {
  int64_t greatest = value.magnitude;
  if (value.kind != Value::Kind::Constant) return greatest;
  for (const int64_t number : value.constant->integers) greatest = std::max(greatest, std::abs(number));
  return greatest;
}

void lower_where(Lowering& lowering, const Node& node) {
  if (node.inputs.size() != 3) refuse("there are {} operands, expected 3", node.inputs.size());
  for (const size_t index : {size_t{1}, size_t{2}}) {
    const Value& value = lowering.value(node, index);
    if (value.kind == Value::Kind::Input && !value.is_real)
      lowering.define(node.inputs[index], lowering.integer_input(value));
  }
  const base::Shape shape = shape_of_all(lowering, node);
  static_cast<void>(truth_of(lowering, node, 0));
  bool is_real = true;
  const std::optional<Quantizer> codes = common_codes(lowering, node, shape, is_real);
  std::vector<ir::TensorId> chosen;
  Value value;
  std::vector<int64_t> order = order_of(lowering, node, shape);
  if (codes) {
    for (const size_t index : {size_t{1}, size_t{2}}) {
      Value one = lowering.value(node, index);
      if (one.kind == Value::Kind::Constant) {
        one = constant_codes(lowering, node, index, *codes, is_real, order);
      } else {
        if (is_real) one = requantize(lowering, one, *codes, fmt::format("{}_part_{}", node.outputs.at(0), index - 1));
        one = ordered_value(lowering, node, one, order);
      }
      chosen.push_back(one.tensor);
      value = one;
    }
    value.format = codes->format;
    value.magnitude = magnitude_of(*codes);
    if (value.is_wide())
      value.magnitude = std::max(greatest_of(lowering.value(node, 1)), greatest_of(lowering.value(node, 2)));
  } else {
    const CommonSteps common = in_common_steps(lowering, node, {1, 2}, Result::OneOfOperands);
    chosen = common.tensors;
    order = common.order;
    value = value_of(common, chosen.front(), node.name);
    if (common.shape.size() < shape.size())
      refuse("the condition has more dimensions than the numbers that are chosen: expected a quantizer next");
  }
  const ir::TensorId condition = truth_tensor(lowering, node, 0, order);
  value.tensor =
      lowering.graph.add(OpKind::Select, {}, {condition, chosen[0], chosen[1]},
                         {element_type(value.format.bits), shape_in_order(shape, order), node.outputs.at(0)}, node.name);
  value.shape = shape;
  value.order = order;
  value.is_real = is_real;
  value.layer = node.name;
  lowering.define(node, std::move(value));
}

}  // namespace vernier::import::quantized
