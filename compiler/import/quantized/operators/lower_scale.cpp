// SPDX-License-Identifier: Apache-2.0
// Products with constants that no quantizer has met, and quotients of values and constants: the steps get another size, and
// no integer changes.
#include "compiler/import/quantized/functions/requantize.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
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

/// The value times factors, or divided by them.
void define_scaled(Lowering& lowering, const Node& node, size_t operand, bool is_division) {
  Value value = lowering.value(node, operand);
  const char* what = is_division ? "the divisor" : "the factor";
  const AxisNumbers factors = numbers_of(lowering, node, 1 - operand, what, value.shape);
  const bool is_one = factors.numbers.size() == 1;
  value.layer = node.name;
  if (is_one && (value.format.bits == 8 || !value.reals.empty()) && !value.format.is_per_axis()) {  // a function of codes
    const auto factor = static_cast<float>(factors.numbers.front());
    if (is_division && factor == 0) refuse("the divisor is 0");
    value.reals = reals_of(value);
    for (float& real : value.reals) real = is_division ? real / factor : real * factor;
    return lowering.define(node, std::move(value));
  }
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
  if (node.inputs.size() != 2 || !lowering.is_constant(node, 1) || lowering.is_constant(node, 0))
    refuse("the divisor is computed, allowed are constants, and what is a function of the same 8-bit codes as the number");
  if (lowering.value(node, 0).kind != Value::Kind::Integers) refuse("'{}' is not quantized", node.inputs[0]);
  define_scaled(lowering, node, 0, true);
}

}  // namespace vernier::import::quantized
