// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/value.hpp"

#include "hw/model/quantize_int.hpp"
#include "hw/model/quantize_linear.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace vernier::import::quantized {

int64_t magnitude_of(const Quantizer& quantizer) {
  int64_t magnitude = 0;
  for (const int64_t zero : quantizer.format.zero_points)
    magnitude = std::max({magnitude, std::abs(zero - quantizer.least), std::abs(quantizer.greatest - zero)});
  return magnitude;
}

int64_t source_offset(const Format& format) { return format.is_unsigned ? -format.least() : 0; }

int64_t code_of(float real, const Quantizer& quantizer, size_t index) {
  const auto& [format, least, greatest, rounding, adds_zero_point_first] = quantizer;
  const auto scale = static_cast<float>(format.scales[index]);
  const int64_t zero_point = format.zero_points[index];
  if (!adds_zero_point_first && rounding != base::Rounding::TiesUp)
    return model::quantize_linear(real, scale, zero_point, least, greatest);
  const int64_t offset = source_offset(format);  // modes that depend on the sign mean that of the source's code
  return model::quantize_int(real, scale, zero_point + offset, least + offset, greatest + offset, rounding) - offset;
}

float real_of(int64_t code, const Format& format, size_t index) {
  return model::dequantize_linear(code, static_cast<float>(format.scales[index]), format.zero_points[index]);
}

Value permuted(Value value, const std::vector<int64_t>& perm) {
  const auto place = [&](int64_t dimension) { return std::find(perm.begin(), perm.end(), dimension) - perm.begin(); };
  for (int64_t& dimension : value.order) {
    if (dimension >= 0) dimension = place(dimension);
  }
  if (value.format.is_per_axis()) value.format.axis = place(value.format.axis);
  base::Shape shape;
  for (const int64_t dimension : perm) shape.push_back(value.shape[static_cast<size_t>(dimension)]);
  value.shape = shape;
  return value;
}

std::vector<int64_t> source_order(size_t rank) {
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::string to_string(const NumberType& type) {
  if (!type.is_float && type.bits == kBoolBits) return "bool";
  return type.is_float ? "float32" : fmt::format("{}int{}", type.is_signed ? "" : "u", type.bits);
}

}  // namespace vernier::import::quantized
