// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/functions/wide.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace vernier::import::quantized {

using base::ElementType;
using ir::OpKind;

int64_t spare_bits(int64_t magnitude) { return std::max<int64_t>(29 - std::bit_width(static_cast<uint64_t>(magnitude)), 0); }

Value narrowed_sums(Lowering& lowering, const Value& value, const std::string& name) {
  if (lowering.graph.tensor(value.tensor).type != ElementType::Int48) return value;
  int64_t halvings = 0;
  while (value.magnitude >> halvings >= int64_t{1} << 31) ++halvings;
  Value result = value;
  result.tensor = add_rescale(lowering, value, value.tensor, {ElementType::Int32, 0, 0, {{int64_t{1} << 14, 14 + halvings}}},
                              name + "_int32");
  for (double& scale : result.format.scales) scale = std::ldexp(scale, static_cast<int>(halvings));
  if (halvings > 0) result.magnitude = (value.magnitude >> halvings) + 1;
  return result;
}

Value wide_value(Lowering& lowering, const Value& value, int64_t bits, const std::string& name) {
  if (value.magnitude >= int64_t{1} << (31 - bits))
    refuse("numbers of up to {} steps with {} bits more are more than 32 bits hold", value.magnitude, bits);
  Value result = narrowed_sums(lowering, value, name);
  GraphBuilder& graph = lowering.graph;
  const ElementType type = graph.tensor(result.tensor).type;
  const base::Shape shape = graph.tensor(result.tensor).shape;
  const auto combined = [&](OpKind kind, int64_t operand, const char* what) {
    const ir::TensorId constant = graph.add_constant(ElementType::Int32, base::Shape(shape.size(), 1), {operand});
    result.tensor = graph.add(kind, {}, {result.tensor, constant}, {ElementType::Int32, shape, name + what}, value.layer);
  };
  if (type == ElementType::Int32) {
    if (bits > 0) combined(OpKind::LogicalLeftShift, bits, "_wide");
  } else {
    const bool has_zero_point = type == ElementType::Int8;
    const int64_t zero_point = zero_point_of(value.format);
    result.tensor = add_rescale(lowering, value, result.tensor,
                                {ElementType::Int32, has_zero_point ? zero_point : 0, 0, {{int64_t{1} << 30, 30 - bits}}},
                                name + "_wide");
    if (!has_zero_point && zero_point != 0) combined(OpKind::Sub, zero_point * (int64_t{1} << bits), "_centred");
  }
  result.format.bits = 32;
  result.format.is_unsigned = false;
  for (double& scale : result.format.scales) scale = std::ldexp(scale, -static_cast<int>(bits));
  std::fill(result.format.zero_points.begin(), result.format.zero_points.end(), 0);
  result.magnitude <<= bits;
  return result;
}

}  // namespace vernier::import::quantized
