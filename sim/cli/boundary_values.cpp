// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/boundary_values.hpp"

#include "hw/base/error.hpp"
#include "hw/model/quantize_int.hpp"
#include "hw/model/quantize_linear.hpp"

#include <cmath>
#include <cstring>

namespace vernier::cli {

namespace {

using base::UserError;

/// A code as a tensor of the graph stores it. Its low bytes are those of the source's type, whatever its sign.
int64_t stored(int64_t code, const package::BoundaryEnd& end, base::ElementType type) {
  return code - package::code_offset(end, type);
}

/// The scale of element `i` of a tensor of that shape.
package::ChannelScale scale_of(const package::BoundaryEnd& end, const base::Shape& shape, int64_t i) {
  if (end.channels.empty()) return {end.scale, end.zero_point};
  for (size_t dimension = shape.size(); dimension-- > static_cast<size_t>(end.axis) + 1;) i /= shape[dimension];
  return end.channels[static_cast<size_t>(i % shape[static_cast<size_t>(end.axis)])];
}

int64_t code_of(float real, const package::ChannelScale& scale, const package::BoundaryEnd& end, base::ElementType type) {
  if (end.rule) {
    const auto& [rounding, least, greatest] = *end.rule;
    return model::quantize_int(real, scale.scale, scale.zero_point, least, greatest, rounding);
  }
  return model::quantize_linear(real, scale.scale, scale.zero_point, package::least_code(end, type),
                                package::greatest_code(end, type));
}

base::Tensor quantized(const std::string& file, const base::NpyArray& array, const package::BoundaryEnd& end,
                       base::ElementType type) {
  base::Tensor tensor(type, array.shape);
  const std::span<const float> reals = array.as<float>();
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const float real = reals[static_cast<size_t>(i)];
    if (std::isnan(real))
      throw UserError(file, "holds nan at {}, allowed are numbers",
                      base::to_string(base::coordinates_of(tensor.shape(), i)));
    tensor.set(i, stored(code_of(real, scale_of(end, array.shape, i), end, type), end, type));
  }
  return tensor;
}

}  // namespace

std::string codes_dtype(const package::BoundaryEnd& end, base::ElementType type) {
  return fmt::format("{}int{}", end.is_signed ? "" : "u", base::info(type).bits);
}

std::string input_dtypes(const package::BoundaryEnd& end, base::ElementType type) {
  return (end.is_float ? "float32 or " : "") + codes_dtype(end, type);
}

base::Tensor read_end(const std::string& file, const package::BoundaryEnd& end, base::ElementType type,
                      const base::Shape& shape) {
  const base::NpyArray array = base::read_npy_array(file);
  const std::string codes = codes_dtype(end, type);
  const bool has_reals = end.is_float && array.dtype == "float32";
  if ((!has_reals && array.dtype != codes) || array.shape != shape)
    throw UserError(file, "holds {} {}, expected {} {}", array.dtype, base::to_string(array.shape), input_dtypes(end, type),
                    base::to_string(shape));
  if (has_reals) return quantized(file, array, end, type);
  base::Tensor tensor(type, shape);
  std::memcpy(tensor.bytes().data(), array.data.data(), array.data.size());
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.set(i, stored(tensor.at(i), end, type));
  return tensor;
}

base::NpyArray codes_of(const base::Tensor& tensor, const package::BoundaryEnd& end) {
  base::Tensor codes(tensor.type(), tensor.shape());
  for (int64_t i = 0; i < tensor.size(); ++i) codes.set(i, tensor.at(i) + package::code_offset(end, tensor.type()));
  return {codes_dtype(end, tensor.type()), tensor.shape(), {codes.bytes().begin(), codes.bytes().end()}};
}

base::NpyArray reals_of(const base::Tensor& tensor, const package::BoundaryEnd& end) {
  base::NpyArray reals{"float32", tensor.shape(), {}};
  reals.data.resize(static_cast<size_t>(tensor.size()) * sizeof(float));
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const int64_t code = tensor.at(i) + package::code_offset(end, tensor.type());
    const auto [scale, zero_point] = scale_of(end, tensor.shape(), i);
    const float real = model::dequantize_linear(code, scale, zero_point);
    std::memcpy(reals.data.data() + static_cast<size_t>(i) * sizeof(float), &real, sizeof(float));
  }
  return reals;
}

}  // namespace vernier::cli
