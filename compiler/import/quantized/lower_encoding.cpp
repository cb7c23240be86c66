// SPDX-License-Identifier: Apache-2.0
// A quantizer that an encodings file puts on a value: the value is quantized and dequantized at once, as QONNX's Quant does.
#include "compiler/import/quantized/constants.hpp"
#include "compiler/import/quantized/operators.hpp"
#include "compiler/import/quantized/requantize.hpp"
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
  const Format& format = quantizer.format;
  const std::vector<float> reals = real_numbers(value);
  auto codes = std::make_shared<Constant>();
  codes->type = {false, format.bits, !format.is_unsigned};
  codes->shape = value.shape;
  codes->integers.resize(reals.size());
  for_each_on_axis(value.shape, format.is_per_axis() ? format.axis : 0, [&](size_t i, size_t at) {
    const size_t index = format.is_per_axis() ? at : 0;
    const int64_t code = format.bits > 16 ? bias_code(reals[i], quantizer, index) : code_of(reals[i], quantizer, index);
    codes->integers[i] = code + source_offset(format);
  });
  Value result;
  result.shape = value.shape;
  result.format = format;
  result.constant = std::move(codes);
  return result;
}

}  // namespace

void lower_encoding(Lowering& lowering, const Node& node) {
  if (node.quantizer == nullptr) refuse("is not supported, supported are {}", supported_operators());
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
