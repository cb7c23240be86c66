// SPDX-License-Identifier: Apache-2.0
// Pow with a constant exponent or a constant base: a function of one number.
#include "compiler/import/quantized/functions/float_functions.hpp"
#include "compiler/import/quantized/functions/requantize.hpp"
#include "compiler/import/quantized/nodes/constants.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::import::quantized {

void define_function(Lowering& lowering, const Node& node, size_t operand, const std::function<float(float)>& function,
                     bool has_jumps) {
  Value value = lowering.value(node, operand);
  const std::string& name = node.inputs[operand];
  if (value.kind != Value::Kind::Integers) refuse("'{}' is not quantized", name);
  if (value.is_wide()) refuse("'{}' is not quantized, allowed are codes of 8 and 16 bits", name);
  if (value.format.is_per_axis()) refuse("'{}' has a scale for each index of an axis, expected one scale", name);
  value.reals = reals_of(value);
  for (float& real : value.reals) {
    real = function(std::clamp(real, value.low, value.high));
    if (std::isnan(real) && value.format.bits == 16) real = -kInfinity;  // as it is quantized; tables need an order
  }
  value.has_jumps = value.has_jumps || has_jumps;
  value.low = -kInfinity;
  value.high = kInfinity;
  value.layer = node.name;
  lowering.define(node, std::move(value));
}

void lower_pow(Lowering& lowering, const Node& node) {
  if (node.inputs.size() != 2) refuse("there are {} operands, expected 2", node.inputs.size());
  if (lowering.is_constant(node, 0) == lowering.is_constant(node, 1))
    refuse("base and exponent are computed, allowed is one that is, and a constant");
  const size_t operand = lowering.is_constant(node, 0) ? 1 : 0;
  const Value& constant = lowering.value(node, 1 - operand);
  const std::vector<float> numbers = real_numbers(constant);
  if (numbers.size() != 1 || constant.shape.size() > lowering.value(node, operand).shape.size())
    refuse("the constant '{}' has shape {}, allowed is one number", node.inputs[1 - operand],
           base::to_string(constant.shape));
  const float number = numbers.front();
  define_function(
      lowering, node, operand, [=](float x) { return operand == 0 ? model::power(x, number) : model::power(number, x); },
      true);
}

}  // namespace vernier::import::quantized
