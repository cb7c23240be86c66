// SPDX-License-Identifier: Apache-2.0
// QuantizeLinear and DequantizeLinear.
#include "compiler/import/quantized/functions/requantize.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/nodes/constants.hpp"
#include "compiler/import/quantized/nodes/quantizer.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace vernier::import::quantized {

namespace {

constexpr int64_t kFloatType = 1;  // of TensorProto

/// A constant in float32 as integers.
void quantize_constant(Lowering& lowering, const Node& node, const Value& value, const Quantizer& quantizer) {
  const Format& format = quantizer.format;
  auto codes = std::make_shared<Constant>();
  codes->type = {false, quantizer.greatest - quantizer.least < 16 ? 4 : format.bits, !format.is_unsigned};
  codes->shape = value.shape;
  codes->integers.resize(value.constant->floats.size());
  const int64_t offset = format.is_unsigned ? -format.least() : 0;
  for_each_on_axis(value.shape, format.axis, [&](size_t i, size_t at) {
    codes->integers[i] = code_of(value.constant->floats[i], quantizer, format.is_per_axis() ? at : 0) + offset;
  });
  Value result;
  result.shape = value.shape;
  result.constant = std::move(codes);
  result.is_real = false;
  lowering.define(node, result);
}

void check_data_format(const Format& format) {
  if (format.bits > 16) refuse("codes have {} bits, allowed for what is computed are 8 and 16", format.bits);
}

/// Codes of 4 bits are those of 8 bits that are small enough.
Quantizer quantizer_of_codes(const Lowering& lowering, const Node& node, const Format& format) {
  Quantizer quantizer(format);
  // onnxruntime's kernel of this one adds the zero point before it rounds, which ties tell.
  quantizer.adds_zero_point_first = node.source_kind.ends_with("QLinearMul");
  const NumberType type = type_of_codes(lowering, node);
  if (type.bits >= 8) return quantizer;
  const int64_t least = type.is_signed ? -(int64_t{1} << (type.bits - 1)) : 0;
  quantizer.least = least - source_offset(format);
  quantizer.greatest = quantizer.least + (int64_t{1} << type.bits) - 1;
  return quantizer;
}

/// Sums as the integers that they are: codes of 32 bits, of the same step.
Value integers_of(const Value& value, const Format& format, const std::string& name) {
  const bool is_sum =
      value.kind == Value::Kind::Integers && value.is_wide() && !value.has_function() && value.magnitude < int64_t{1} << 31;
  const auto& scales = value.format.scales;
  const bool is_same = is_sum && zero_point_of(format) == 0 && !format.is_unsigned &&
                       std::all_of(scales.begin(), scales.end(), [&](double scale) { return scale == scale_of(format); });
  if (!is_same) refuse("'{}' becomes codes of 32 bits, allowed for what is computed are 8 and 16", name);
  Value result = value;
  result.is_real = false;
  return result;
}

}  // namespace

void lower_quantize(Lowering& lowering, const Node& node) {
  const Value value = lowering.value(node, 0);
  if (const int64_t precision = int_of(node, "precision", 0); precision != 0 && precision != kFloatType)
    refuse("attribute precision is {}, allowed are 0 and 1 (FLOAT)", precision);
  if (const int64_t type = int_of(node, "output_dtype", 0); type != 0 && output_type(node) != type_of_codes(lowering, node))
    refuse(
        "attribute output_dtype is {}, expected the number of an integer type of up to 16 bits, which the zero point has "
        "too",
        type);
  const Format format = format_of(lowering, node, value.shape, type_of_codes(lowering, node));
  if (value.kind == Value::Kind::Constant) {
    if (!value.constant->type.is_float) refuse("'{}' holds integers, expected float32", node.inputs[0]);
    return quantize_constant(lowering, node, value, quantizer_of_codes(lowering, node, format));
  }
  if (format.bits == 32) return lowering.define(node, integers_of(value, format, node.inputs[0]));
  check_data_format(format);
  const Quantizer quantizer = quantizer_of_codes(lowering, node, format);
  const std::string& name = node.outputs.at(0);
  Value result;
  if (value.kind == Value::Kind::Input) {
    result = lowering.quantized_input(value, format);
    // Fewer bits than eight: the host gives eight, which are limited here. A code of the source is one of the few.
    if (quantizer.least > format.least() || quantizer.greatest < format.greatest())
      result = with_tensor(result, quantizer,
                           add_clamp(lowering, result, result.tensor, quantizer.least, quantizer.greatest, name));
  } else {
    if (format.is_per_axis()) refuse("a computed value has {} scales, allowed is one", format.scales.size());
    result = requantize(lowering, value, quantizer, name);
  }
  result.is_real = false;
  lowering.define(node, std::move(result));
}

void lower_dequantize(Lowering& lowering, const Node& node) {
  Value value = lowering.value(node, 0);
  if (value.is_real) refuse("'{}' is no result of QuantizeLinear and no integer", node.inputs[0]);
  if (const int64_t type = int_of(node, "output_dtype", 0); type != 0 && type != kFloatType)
    refuse("attribute output_dtype is {}, allowed are 0 and 1 (FLOAT)", type);
  const bool is_constant = value.kind == Value::Kind::Constant;
  const NumberType input_type = value.kind == Value::Kind::Input ? lowering.network.inputs[value.input].type
                                : is_constant                    ? value.constant->type
                                              : NumberType{false, value.format.bits, !value.format.is_unsigned};
  if (is_constant && lowering.has_input(node, 2) && lowering.constant(node, 2, "the zero point").type != input_type)
    refuse("'{}' is {}, the zero point {}: expected one type", node.inputs[0], to_string(input_type),
           to_string(lowering.constant(node, 2, "the zero point").type));
  const Format format = format_of(lowering, node, value.shape, input_type);
  if (value.kind == Value::Kind::Input) {
    check_data_format(format);
    value = lowering.quantized_input(value, format);
  } else if (!is_constant) {
    check_data_format(format);
    if (format.bits != value.format.bits || format.is_unsigned != value.format.is_unsigned)
      refuse("'{}' has codes of another type than the zero point", node.inputs[0]);
    value.magnitude = magnitude_of(format);
  }
  value.format = format;
  value.is_real = true;
  lowering.define(node, std::move(value));
}

}  // namespace vernier::import::quantized
