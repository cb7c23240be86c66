// SPDX-License-Identifier: Apache-2.0
// QONNX's Quant and BipolarQuant, which quantize and dequantize at once.
// https://github.com/fastmachinelearning/qonnx, docs/qonnx-custom-ops/intquant_op.md and bipolar_quant_op.md.
#include "compiler/import/quantized/functions/requantize.hpp"
#include "compiler/import/quantized/nodes/constants.hpp"
#include "compiler/import/quantized/nodes/int_quantizer.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace vernier::import::quantized {

namespace {

/// A constant of real numbers as codes.
Value quantized_constant(const Value& value, const Quantizer& quantizer) {
  return coded_constant(value, quantizer, [&](float real, size_t index) { return code_of(real, quantizer, index); });
}

}  // namespace

Quantizer quantizer_of(const Lowering& lowering, const Node& node, const base::Shape& shape) {
  if (node.kind == "BipolarQuant") {
    if (node.inputs.size() != 2) refuse("there are {} inputs, expected a value and a scale", node.inputs.size());
    return bipolar_quantizer(scales_of(lowering, node, 1, node.inputs.size(), shape));
  }
  if (node.inputs.size() != 4)
    refuse("there are {} inputs, expected a value, a scale, a zero point and a bit width", node.inputs.size());
  for (const char* name : {"signed", "narrow"}) {
    if (!node.attributes.contains(name)) refuse("attribute {} is missing", name);
  }
  const CodeRange range{bits_of(lowering, node, 3, "the bit width"), flag_of(node, "signed", true),
                        flag_of(node, "narrow", false)};
  const base::Rounding rounding = rounding_of(node, "ROUND");
  const Scales scales = scales_of(lowering, node, 1, 2, shape);
  const Quantizer quantizer = int_quantizer(scales, range, rounding);
  return range.bits == 1 && range.is_signed ? bipolar_quantizer(scales) : quantizer;
}

void lower_quant(Lowering& lowering, const Node& node) {
  const Value value = lowering.value(node, 0);
  const Quantizer quantizer = quantizer_of(lowering, node, value.shape);
  if (value.kind == Value::Kind::Constant) return lowering.define(node, quantized_constant(value, quantizer));
  if (!value.is_real) refuse("'{}' holds integers, expected numbers", node.inputs[0]);
  if (quantizer.format.bits > 16)
    refuse("a computed value is quantized to more than 16 bits, which is allowed for a bias only");
  const auto is_power = [](double scale) { return scale == std::ldexp(1, std::ilogb(scale)); };
  const std::vector<double>& steps = value.format.scales;
  if (quantizer.rounding == base::Rounding::Sign && value.kind == Value::Kind::Integers && value.is_wide() &&
      !std::all_of(steps.begin(), steps.end(), is_power))
    lowering.warnings.push_back(fmt::format(
        "node '{}' ({}): where a sum is exactly 0 its sign is +; in float32 the sign is noise there, because the "
        "scales are no powers of two",
        node.name, node.kind));
  Value result = value.kind == Value::Kind::Input ? lowering.quantized_input(value, quantizer)
                                                  : requantize(lowering, value, quantizer, node.outputs.at(0));
  result.is_real = true;
  lowering.define(node, std::move(result));
}

}  // namespace vernier::import::quantized
