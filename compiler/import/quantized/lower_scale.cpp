// SPDX-License-Identifier: Apache-2.0
// Products with constants that no quantizer has met: the steps get another size, and no integer changes.
#include "compiler/import/quantized/attributes.hpp"
#include "compiler/import/quantized/int_quantizer.hpp"
#include "compiler/import/quantized/operators.hpp"
#include "compiler/import/quantized/requantize.hpp"

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

}  // namespace

bool lower_scale(Lowering& lowering, const Node& node) {
  if (node.inputs.size() != 2 || lowering.is_constant(node, 0) == lowering.is_constant(node, 1)) return false;
  const size_t operand = lowering.is_constant(node, 0) ? 1 : 0;
  const Value& constant = lowering.value(node, 1 - operand);
  Value value = lowering.value(node, operand);
  if (value.kind != Value::Kind::Integers || !constant.constant->type.is_float) return false;
  const AxisNumbers factors = numbers_of(lowering, node, 1 - operand, "the factor", value.shape);
  const bool is_one = factors.numbers.size() == 1;
  value.layer = node.name;
  if (is_one && (value.format.bits == 8 || !value.reals.empty()) && !value.format.is_per_axis()) {  // a function of codes
    value.reals = reals_of(value);
    for (float& real : value.reals) real *= static_cast<float>(factors.numbers.front());
    lowering.define(node, std::move(value));
    return true;
  }
  for (const double factor : factors.numbers) {
    if (!std::isfinite(factor) || !(factor > 0)) refuse("the factor is {}, allowed are finite numbers above 0", factor);
  }
  Format& format = value.format;
  if (!is_one && (value.has_function() || (format.is_per_axis() && format.axis != factors.axis)))
    refuse("factors go along axis {}, and not all numbers of an index have the same scale and function", factors.axis);
  if (!is_one) {
    format.axis = factors.axis;
    format.scales.resize(factors.numbers.size(), format.scales.front());
    format.zero_points.resize(factors.numbers.size(), format.zero_points.front());
  }
  for (size_t i = 0; i < format.scales.size(); ++i)
    format.scales[i] = product_of(format.scales[i], factors.numbers[is_one ? 0 : i]);
  value.low *= static_cast<float>(factors.numbers.front());
  value.high *= static_cast<float>(factors.numbers.front());
  lowering.define(node, std::move(value));
  return true;
}

}  // namespace vernier::import::quantized
