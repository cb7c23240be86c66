// SPDX-License-Identifier: Apache-2.0
// QuantizeLinear and DequantizeLinear.
#include "compiler/import/quantized/attributes.hpp"
#include "compiler/import/quantized/constants.hpp"
#include "compiler/import/quantized/operators.hpp"
#include "compiler/import/quantized/quantizer.hpp"
#include "compiler/import/quantized/requantize.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace vernier::import::quantized {

namespace {

constexpr NumberType kDefaultCodes{false, 8, false};  // of QuantizeLinear without a zero point
constexpr int64_t kFloatType = 1;                     // of TensorProto

/// The type of codes by attribute output_dtype, where it names one.
std::optional<NumberType> output_type(const Node& node) {
  switch (int_of(node, "output_dtype", 0)) {  // of TensorProto
    case 2: return NumberType{false, 8, false};
    case 3: return NumberType{false, 8, true};
    case 4: return NumberType{false, 16, false};
    case 5: return NumberType{false, 16, true};
    case 21: return NumberType{false, 4, false};
    case 22: return NumberType{false, 4, true};
    default: return std::nullopt;
  }
}

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

NumberType type_of_codes(const Lowering& lowering, const Node& node) {
  if (lowering.has_input(node, 2)) return lowering.constant(node, 2, "the zero point").type;
  return output_type(node).value_or(kDefaultCodes);
}

Format format_of(const Lowering& lowering, const Node& node, const base::Shape& shape, NumberType type) {
  const Constant& scale = lowering.constant(node, 1, "the scale");
  if (!scale.type.is_float || scale.floats.empty()) refuse("the scale '{}' is not float32", node.inputs[1]);
  const size_t count = scale.floats.size();
  Format format;
  std::vector<int64_t> zeros(count, 0);
  if (lowering.has_input(node, 2)) {
    const Constant& zero = lowering.constant(node, 2, "the zero point");
    if (zero.type.is_float) refuse("the codes are {}, allowed are integers", to_string(zero.type));
    if (zero.integers.size() != count)
      refuse("{} zero points stand beside {} scales, expected as many", zero.integers.size(), count);
    type = zero.type;
    zeros = zero.integers;
  }
  for (const float one : scale.floats) {
    if (!std::isfinite(one) || !(one > 0))
      refuse("the scale '{}' holds {}, allowed are finite numbers above 0", node.inputs[1], one);
  }
  if (const int64_t block = int_of(node, "block_size", 0); block != 0)
    refuse(
        "attribute block_size is {}: {} codes on axis {} of {} share a scale, allowed is one scale for each index of an "
        "axis",
        block, block, int_of(node, "axis", 1), base::to_string(shape));
  if (type.bits > 32) refuse("the codes are {}, allowed are integers of up to 32 bits", to_string(type));
  format.bits = type.bits <= 8 ? 8 : type.bits;
  format.is_unsigned = !type.is_signed;
  format.scales.assign(scale.floats.begin(), scale.floats.end());
  format.zero_points = zeros;
  for (int64_t& zero : format.zero_points) zero += format.is_unsigned ? format.least() : 0;
  if (count > 1) {
    format.axis = axis_in(int_of(node, "axis", 1), shape.size());
    if (shape[static_cast<size_t>(format.axis)] != static_cast<int64_t>(count))
      refuse("{} scales stand beside dimension {} of {}, expected as many", count, format.axis, base::to_string(shape));
  }
  return format;
}

std::optional<Quantizer> quantizer_after(const Lowering& lowering, const std::string& name, const base::Shape& shape) {
  std::optional<Quantizer> quantizer;
  for (const Node& node : lowering.network.nodes) {
    if (std::find(node.inputs.begin(), node.inputs.end(), name) == node.inputs.end()) continue;
    if ((node.kind != "QuantizeLinear" && node.quantizer == nullptr) || node.inputs[0] != name) return std::nullopt;
    const Quantizer one =
        node.quantizer != nullptr ? *node.quantizer : format_of(lowering, node, shape, type_of_codes(lowering, node));
    if (quantizer && *quantizer != one) return std::nullopt;
    quantizer = one;
  }
  return quantizer;
}

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
