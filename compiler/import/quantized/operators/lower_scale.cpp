// SPDX-License-Identifier: Apache-2.0
// Products with constants that no quantizer has met, and quotients of values and constants: the steps get another size, and
// no integer changes.
#include "compiler/import/quantized/functions/common_steps.hpp"
#include "compiler/import/quantized/functions/requantize.hpp"
#include "compiler/import/quantized/functions/sums.hpp"
#include "compiler/import/quantized/functions/wide.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/nodes/constants.hpp"
#include "compiler/import/quantized/nodes/int_quantizer.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::import::quantized {

namespace {

/// A product of scales; the float32 next to it where it is that but for the rounding of doubles: 0.1 / 9 * 9 is 0.1.
double product_of(double scale, double factor) {
  const double product = scale * factor;
  const auto nearest = static_cast<double>(static_cast<float>(product));
  return std::fabs(product - nearest) < std::fabs(nearest) * 0x1p-45 ? nearest : product;
}

/// Numbers times factors along an axis of which some are below 0 or 0: times their signs. The factors lose them.
Value with_signs(Lowering& lowering, const Node& node, size_t operand, const Value& given, AxisNumbers& factors) {
  Value value = given.is_wide() && given.format.bits == 32 && given.is_real && !given.has_function() &&
                        lowering.value(node, operand).tensor == given.tensor
                    ? codes_or_sums(lowering, node, operand)
                    : wide_value(lowering, given, 0, node.outputs.at(0));
  std::vector<int64_t> signs;
  for (double& factor : factors.numbers) {
    signs.push_back(factor > 0 ? 1 : factor < 0 ? -1 : 0);
    factor = factor == 0 ? 1 : std::fabs(factor);
  }
  GraphBuilder& graph = lowering.graph;
  const base::Shape shape = graph.tensor(value.tensor).shape;
  base::Shape along(shape.size(), 1);
  along[static_cast<size_t>(std::find(value.order.begin(), value.order.end(), factors.axis) - value.order.begin())] =
      std::ssize(signs);
  value.tensor = graph.add(ir::OpKind::Mul, {},
                           {value.tensor, graph.add_constant(base::ElementType::Int32, along, signs),
                            graph.add_scalar(base::ElementType::Int8, 0)},
                           {base::ElementType::Int32, shape, node.outputs.at(0) + "_signed"}, node.name);
  return value;
}

/// Codes that get a scale for each index of an axis, as what a quantizer takes then: int32 where they have 8 bits or a zero
/// point, and with all factors above 0.
Value scalable(Lowering& lowering, const Node& node, size_t operand, Value value, AxisNumbers& factors, bool is_division) {
  const bool has_zero = std::find(factors.numbers.begin(), factors.numbers.end(), 0) != factors.numbers.end();
  const bool has_scales = value.format.is_per_axis() && !value.is_wide();
  if (value.has_function() || has_scales || (is_division && has_zero)) return value;
  const bool has_codes = value.format.bits == 8 || (value.format.bits == 16 && zero_point_of(value.format) != 0);
  if (has_codes) value = wide_value(lowering, value, 0, node.outputs.at(0));
  const bool has_sign = std::any_of(factors.numbers.begin(), factors.numbers.end(),
                                    [&](double factor) { return std::isfinite(factor) && factor <= 0; });
  return has_sign ? with_signs(lowering, node, operand, value, factors) : value;
}

/// The value times factors, or divided by them.
void define_scaled(Lowering& lowering, const Node& node, size_t operand, bool is_division) {
  Value value = lowering.value(node, operand);
  const char* what = is_division ? "the divisor" : "the factor";
  AxisNumbers factors = numbers_of(lowering, node, 1 - operand, what, value.shape);
  const bool is_one = factors.numbers.size() == 1;
  value.layer = node.name;
  if (is_one && (value.format.bits == 8 || !value.reals.empty()) && !value.format.is_per_axis()) {  // a function of codes
    const auto factor = static_cast<float>(factors.numbers.front());
    if (is_division && factor == 0) refuse("the divisor is 0");
    value.reals = reals_of(value);
    for (float& real : value.reals) real = is_division ? real / factor : real * factor;
    return lowering.define(node, std::move(value));
  }
  if (!is_one && value.format.bits == 8 && value.has_function()) {  // a line, or refused
    const CommonSteps common = in_common_steps(lowering, node, {operand});
    value = value_of(common, common.tensors[0], node.name);
  }
  if (!is_one) value = scalable(lowering, node, operand, std::move(value), factors, is_division);
  for (const double factor : factors.numbers) {
    if (!std::isfinite(factor) || !(factor > 0)) refuse("{} is {}, allowed are finite numbers above 0", what, factor);
  }
  Format& format = value.format;
  if (!is_one && (value.has_function() || (format.is_per_axis() && format.axis != factors.axis)))
    refuse("{}s go along axis {}, and not all numbers of an index have the same scale and function", what, factors.axis);
  if (!is_one) {
    format.axis = factors.axis;
    format.scales.resize(factors.numbers.size(), format.scales.front());
    format.zero_points.resize(factors.numbers.size(), format.zero_points.front());
  }
  for (size_t i = 0; i < format.scales.size(); ++i) {
    const double factor = factors.numbers[is_one ? 0 : i];
    format.scales[i] = product_of(format.scales[i], is_division ? 1 / factor : factor);
  }
  const auto first = static_cast<float>(factors.numbers.front());
  value.low = is_division ? value.low / first : value.low * first;
  value.high = is_division ? value.high / first : value.high * first;
  lowering.define(node, std::move(value));
}

}  // namespace

bool lower_scale(Lowering& lowering, const Node& node) {
  if (node.inputs.size() != 2 || lowering.is_constant(node, 0) == lowering.is_constant(node, 1)) return false;
  const size_t operand = lowering.is_constant(node, 0) ? 1 : 0;
  if (lowering.value(node, operand).kind != Value::Kind::Integers) return false;
  if (!lowering.value(node, 1 - operand).constant->type.is_float) return false;
  define_scaled(lowering, node, operand, false);
  return true;
}

void lower_div(Lowering& lowering, const Node& node) {
  if (node.inputs.size() != 2) refuse("there are {} operands, expected 2", node.inputs.size());
  if (!lowering.is_constant(node, 1)) {
    const bool is_constant = lowering.is_constant(node, 0);
    const Value& dividend = lowering.value(node, 0);
    if (!is_constant || base::num_elements(dividend.shape) != 1 ||
        dividend.shape.size() > lowering.value(node, 1).shape.size())
      return lower_quotient(lowering, node);
    const float number = real_numbers(dividend).front();
    return define_function(
        lowering, node, 1, [number](float x) { return number / x; }, true);
  }
  if (lowering.is_constant(node, 0)) refuse("both operands are constants");
  if (lowering.value(node, 0).kind != Value::Kind::Integers) refuse("'{}' is not quantized", node.inputs[0]);
  define_scaled(lowering, node, 0, true);
}

}  // namespace vernier::import::quantized
