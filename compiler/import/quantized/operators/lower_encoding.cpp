// SPDX-License-Identifier: Apache-2.0
// A quantizer that an encodings file puts on a value: the value is quantized and dequantized at once, as QONNX's Quant does.
#include "compiler/import/quantized/functions/requantize.hpp"
#include "compiler/import/quantized/mistakes.hpp"
#include "compiler/import/quantized/nodes/constants.hpp"
#include "compiler/import/quantized/operators/operators.hpp"
#include "hw/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

namespace vernier::import::quantized {

namespace {

/// Codes of 32 bits are more than float32 counts, in which AIMET would move them to multiples of 256
/// (golden/quant/README.md, aimet, 8): they are rounded in double instead.
int64_t bias_code(float real, const Quantizer& quantizer, size_t index) {
  const Format& format = quantizer.format;
  const double steps = static_cast<double>(real) / format.scales[index] + static_cast<double>(format.zero_points[index]);
  return static_cast<int64_t>(
      std::clamp(std::floor(steps + 0.5), static_cast<double>(quantizer.least), static_cast<double>(quantizer.greatest)));
}

Value encoded_constant(const Value& value, const Quantizer& quantizer) {
  return coded_constant(value, quantizer, [&](float real, size_t index) {
    return quantizer.format.bits > 16 ? bias_code(real, quantizer, index) : code_of(real, quantizer, index);
  });
}

}  // namespace

void lower_encoding(Lowering& lowering, const Node& node) {
  if (node.quantizer == nullptr) refuse("{}", kNotSupported);
  const Quantizer& quantizer = *node.quantizer;
  const Value value = lowering.value(node, 0);
  if (value.kind == Value::Kind::Constant) {
    if (!value.constant->type.is_float)
      refuse("'{}' holds integers, which have no encoding: expected float32", node.inputs.at(0));
    return lowering.define(node, encoded_constant(value, quantizer));
  }
  if (!value.is_real) refuse("'{}' holds integers, which have no encoding: expected float32", node.inputs.at(0));
  Value result = value.kind == Value::Kind::Input ? lowering.quantized_input(value, quantizer)
                                                  : requantize(lowering, value, quantizer, node.outputs.at(0));
  result.is_real = true;
  lowering.define(node, std::move(result));
}

}  // namespace vernier::import::quantized
