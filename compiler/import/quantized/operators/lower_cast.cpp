// SPDX-License-Identifier: Apache-2.0
// Cast of computed values: integers become the numbers that they are, in steps of 1, truth values 0 and 1.
#include "compiler/import/quantized/functions/products.hpp"
#include "compiler/import/quantized/functions/requantize.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>

namespace vernier::import::quantized {

namespace {

constexpr int64_t kToFloat = 1, kToUint8 = 2, kToInt8 = 3, kToUint16 = 4, kToInt16 = 5, kToInt32 = 6, kToInt64 = 7,
                  kToBool = 9;  // TensorProto

Value from_bool(Lowering& lowering, const Node& node, const Value& value, int64_t to) {
  const bool is_int32 = to == kToInt32 || to == kToInt64;
  Value result = value;
  result.format = {is_int32 ? 32 : 8, {1}, {0}, 0, false};
  result.is_real = to == kToFloat;
  const base::Shape shape = lowering.graph.tensor(value.tensor).shape;
  result.tensor = lowering.graph.add(ir::OpKind::Cast, {}, {value.tensor},
                                     {element_type(result.format.bits), shape, node.outputs.at(0)}, node.name);
  result.magnitude = 1;
  result.layer = node.name;
  return result;
}

/// Codes of 8 and 16 bits as the integers of the source that they are.
Value to_int32(Lowering& lowering, const Node& node, Value value) {
  value.format.scales = {1};
  value.format.zero_points = {-source_offset(value.format)};
  value.magnitude = std::max(value.format.greatest() - zero_point_of(value.format), int64_t{1} << (value.format.bits - 1));
  if (value.format.bits == 16 && value.format.is_unsigned)
    refuse("'{}' holds uint16, allowed are int8, uint8 and int16", node.inputs[0]);
  value.tensor = widened(lowering, value, node.outputs.at(0));
  value.format = {32, {1}, {0}, 0, false};
  value.layer = node.name;
  return value;
}

int64_t type_number(const Format& format) {
  if (format.bits == 8) return format.is_unsigned ? kToUint8 : kToInt8;
  return format.is_unsigned ? kToUint16 : kToInt16;
}

}  // namespace

void lower_cast(Lowering& lowering, const Node& node) {
  Value value = lowering.value(node, 0);
  const int64_t to = int_of(node, "to", 0);
  if (value.kind == Value::Kind::Constant) refuse("'{}' is a quantized constant, allowed are plain ones", node.inputs[0]);
  const bool is_number = value.is_real;
  if (is_number && to == kToFloat) return lowering.define(node, std::move(value));
  if (is_number) refuse("attribute to is {} of numbers that are computed, allowed is 1 (FLOAT)", to);
  if (value.kind == Value::Kind::Input && lowering.network.inputs[value.input].type.bits > 16) {
    value = lowering.integer_input(value);
  } else if (value.kind == Value::Kind::Input) {
    const NumberType& type = lowering.network.inputs[value.input].type;
    Format format{type.bits <= 8 ? 8 : 16, {1}, {0}, 0, !type.is_signed};
    format.zero_points[0] = -source_offset(format);
    value = lowering.quantized_input(value, format);
  }
  const bool is_bool = value.format.bits == kBoolBits;
  if (is_bool && to == kToBool) return lowering.define(node, std::move(value));
  if (is_bool && (to == kToFloat || to == kToInt32 || to == kToInt64 || to == kToInt8))
    return lowering.define(node, from_bool(lowering, node, value, to));
  if (to == kToFloat) {
    if (value.is_wide() && value.magnitude >= int64_t{1} << 31)
      refuse("'{}' holds any integers of 32 bits, allowed are those of 8 and 16 bits, and indices", node.inputs[0]);
    value.is_real = true;
    if (!value.is_wide()) {
      value.format.scales = {1};
      value.format.zero_points = {-source_offset(value.format)};
      value.magnitude = magnitude_of(value.format);
    }
    return lowering.define(node, std::move(value));
  }
  if (value.is_wide() && (to == kToInt32 || to == kToInt64)) return lowering.define(node, std::move(value));
  if (!is_bool && !value.is_wide() && to == type_number(value.format)) return lowering.define(node, std::move(value));
  if (!is_bool && !value.is_wide() && (to == kToInt32 || to == kToInt64))
    return lowering.define(node, to_int32(lowering, node, std::move(value)));
  refuse("attribute to is {}, allowed of computed integers are 1 (FLOAT), 6 (INT32), 7 (INT64) and their own type", to);
}

}  // namespace vernier::import::quantized
