// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/model/boundary_values.hpp"

#include "hw/base/error.hpp"
#include "hw/model/quantize_int.hpp"
#include "hw/model/quantize_linear.hpp"
#include "sim/flow/host/host_program.hpp"
#include "sim/flow/model/quantized_input.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace vernier::flow {

namespace {

using base::UserError;

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
  const int64_t least = package::least_code(end, type), greatest = package::greatest_code(end, type);
  // Of int32 codes the float limits are not exact.
  const model::Halves halves = end.rounds_away ? model::Halves::AwayFromZero : model::Halves::ToEven;
  return std::clamp(model::quantize_linear(real, scale.scale, scale.zero_point, least, greatest, halves), least, greatest);
}

std::vector<float> reals_in(const base::NpyArray& array) {
  const std::span<const float> values = array.as<float>();
  return {values.begin(), values.end()};
}

void refuse_nan(const std::string& file, const std::vector<float>& reals, const base::Shape& shape, const char* what) {
  const auto found = std::find_if(reals.begin(), reals.end(), [](float real) { return std::isnan(real); });
  if (found != reals.end())
    throw UserError(file, "{} nan at {}, allowed are numbers", what,
                    base::to_string(base::coordinates_of(shape, found - reals.begin())));
}

base::Tensor quantized(const std::string& file, const base::NpyArray& array, const package::BoundaryEnd& end,
                       base::ElementType type, const base::Shape& shape) {
  std::vector<float> reals = reals_in(array);
  refuse_nan(file, reals, array.shape, "holds");
  if (end.range) return ranged_codes(file, reals, end, type, shape);
  if (!end.steps.empty()) {
    reals = run_steps(end.steps, array.shape, std::move(reals));
    refuse_nan(file, reals, shape, "becomes, by the float operators of the network,");
  }
  base::Tensor tensor(type, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const int64_t code = code_of(reals[static_cast<size_t>(i)], scale_of(end, shape, i), end, type);
    tensor.set(i, package::stored_code(code, end, type));
  }
  return tensor;
}

}  // namespace

std::string codes_dtype(const package::BoundaryEnd& end, base::ElementType type) {
  return fmt::format("{}int{}", end.is_signed ? "" : "u", base::info(type).bits);
}

std::string input_dtypes(const package::BoundaryEnd& end, base::ElementType type) {
  const std::string bits = end.keeps_bits ? fmt::format(" or {}", base::info(type).npy_name) : "";
  return (end.is_float ? "float32 or " : "") + codes_dtype(end, type) + bits;
}

base::Tensor to_end(const std::string& file, const base::NpyArray& array, const package::BoundaryEnd& end,
                    base::ElementType type, const base::Shape& shape) {
  const base::Shape& float_shape = package::source_shape(end, shape);
  if (end.is_float && array.dtype == "float32" && array.shape == float_shape)
    return quantized(file, array, end, type, shape);
  const bool has_bits = end.keeps_bits && array.dtype == base::info(type).npy_name;
  if ((!has_bits && array.dtype != codes_dtype(end, type)) || array.shape != shape) {
    const std::string wanted = end.is_float && float_shape != shape
                                   ? fmt::format("float32 {} or {} {}", base::to_string(float_shape), codes_dtype(end, type),
                                                 base::to_string(shape))
                                   : fmt::format("{} {}", input_dtypes(end, type), base::to_string(shape));
    throw UserError(file, "holds {} {}, expected {}", array.dtype, base::to_string(array.shape), wanted);
  }
  base::Tensor tensor(type, shape);
  std::memcpy(tensor.bytes().data(), array.data.data(), array.data.size());
  if (end.keeps_bits) return tensor;
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.set(i, package::stored_code(tensor.at(i), end, type));
  return tensor;
}

base::Tensor read_end(const std::string& file, const package::BoundaryEnd& end, base::ElementType type,
                      const base::Shape& shape) {
  return to_end(file, base::read_npy_array(file), end, type, shape);
}

base::NpyArray codes_of(const base::Tensor& tensor, const package::BoundaryEnd& end) {
  base::Tensor codes(tensor.type(), tensor.shape());
  for (int64_t i = 0; i < tensor.size(); ++i) codes.set(i, package::source_code(tensor.at(i), end, tensor.type()));
  return {codes_dtype(end, tensor.type()), tensor.shape(), {codes.bytes().begin(), codes.bytes().end()}};
}

HostArray numbers_of_codes(const base::Tensor& tensor, const package::BoundaryEnd& end) {
  std::vector<float> reals(static_cast<size_t>(tensor.size()));
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const auto [scale, zero_point] = scale_of(end, tensor.shape(), i);
    reals[static_cast<size_t>(i)] =
        model::dequantize_linear(package::source_code(tensor.at(i), end, tensor.type()), scale, zero_point);
  }
  return {tensor.shape(), std::move(reals)};
}

base::NpyArray reals_of(const package::BoundaryEnd& end, std::vector<HostArray> given) {
  const HostArray result = run_program(end.steps, std::move(given));
  base::NpyArray array{"float32", result.shape, {}};
  array.data.resize(result.numbers.size() * sizeof(float));
  std::memcpy(array.data.data(), result.numbers.data(), array.data.size());
  return array;
}

}  // namespace vernier::flow
