// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/nodes/int_quantizer.hpp"

#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/nodes/constants.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace vernier::import::quantized {

namespace {

constexpr int64_t kMostQuantizerBits = 32;

/// The only dimension of a parameter that is not 1, as one of the value's: shapes are aligned at their ends, as numpy does.
int64_t axis_of(const base::Shape& parameter, const base::Shape& shape, std::string_view what) {
  int64_t axis = 0, found = 0;
  if (parameter.size() > shape.size())
    refuse("{} has shape {}, which has more dimensions than {}", what, base::to_string(parameter), base::to_string(shape));
  const size_t offset = shape.size() - parameter.size();
  for (size_t i = 0; i < parameter.size(); ++i) {
    if (parameter[i] == 1) continue;
    ++found;
    axis = static_cast<int64_t>(offset + i);
    if (parameter[i] != shape[offset + i]) found = 2;
  }
  if (found > 1)
    refuse("{} has shape {} for {}, allowed are one number and one for each index of an axis", what,
           base::to_string(parameter), base::to_string(shape));
  return axis;
}

}  // namespace

AxisNumbers numbers_of(const Lowering& lowering, const Node& node, size_t index, std::string_view what,
                       const base::Shape& shape) {
  static_cast<void>(lowering.constant(node, index, what));
  const Value& value = lowering.value(node, index);
  const std::vector<float> reals = real_numbers(value);
  if (reals.empty()) refuse("{} is empty", what);
  return {{reals.begin(), reals.end()}, axis_of(value.shape, shape, what)};
}

Scales scales_of(const Lowering& lowering, const Node& node, size_t scale, size_t zero_point, const base::Shape& shape) {
  const AxisNumbers steps = numbers_of(lowering, node, scale, "the scale", shape);
  AxisNumbers zeros{{0}, 0};
  if (zero_point < node.inputs.size()) zeros = numbers_of(lowering, node, zero_point, "the zero point", shape);
  const bool has_two_axes = steps.numbers.size() > 1 && zeros.numbers.size() > 1 && steps.axis != zeros.axis;
  if (has_two_axes) refuse("scales go along axis {} and zero points along axis {}", steps.axis, zeros.axis);
  Scales result;
  result.axis = steps.numbers.size() > 1 ? steps.axis : zeros.axis;
  const size_t count = std::max(steps.numbers.size(), zeros.numbers.size());
  for (size_t i = 0; i < count; ++i) {
    const double step = steps.numbers[steps.numbers.size() > 1 ? i : 0],
                 zero = zeros.numbers[zeros.numbers.size() > 1 ? i : 0];
    if (!std::isfinite(step) || !(step > 0)) refuse("the scale is {}, allowed are finite numbers above 0", step);
    if (!(std::fabs(zero) < 0x1p31) || zero != std::nearbyint(zero))
      refuse("the zero point is {}, allowed are whole numbers: no integer stands for 0", zero);
    result.scales.push_back(step);
    result.zero_points.push_back(static_cast<int64_t>(zero));
  }
  const auto is_alike = [](const auto& list) {
    return std::all_of(list.begin(), list.end(), [&](const auto& one) { return one == list.front(); });
  };
  if (is_alike(result.scales) && is_alike(result.zero_points)) {
    result.scales.resize(1);
    result.zero_points.resize(1);
  }
  return result;
}

int64_t bits_of(const Lowering& lowering, const Node& node, size_t index, std::string_view what) {
  static_cast<void>(lowering.constant(node, index, what));
  const std::vector<float> reals = real_numbers(lowering.value(node, index));
  if (reals.size() != 1) refuse("{} has {} elements, expected one", what, reals.size());
  const float bits = reals.front();
  if (!(bits >= 1) || bits > kMostQuantizerBits || bits != std::nearbyint(bits))
    refuse("{} is {}, allowed are whole numbers from 1 to {}", what, bits, kMostQuantizerBits);
  return static_cast<int64_t>(bits);
}

base::Rounding rounding_of(const Node& node, std::string_view otherwise) {
  const std::string name = string_of(node, "rounding_mode", std::string(otherwise));
  std::string lower = name;
  std::transform(name.begin(), name.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower == "round") return base::Rounding::HalfEven;
  const auto rounding = base::rounding_of(lower);
  if (!rounding || *rounding == base::Rounding::Sign || *rounding == base::Rounding::TiesUp)
    refuse("attribute rounding_mode is '{}', allowed are ROUND HALF_EVEN CEIL FLOOR UP DOWN HALF_UP HALF_DOWN", name);
  return *rounding;
}

bool flag_of(const Node& node, std::string_view name, bool otherwise) {
  const int64_t flag = int_of(node, std::string(name), otherwise ? 1 : 0);
  if (flag != 0 && flag != 1) refuse("attribute {} is {}, allowed are 0 and 1", name, flag);
  return flag == 1;
}

Quantizer int_quantizer(const Scales& scales, const CodeRange& range, base::Rounding rounding) {
  const auto [bits, is_signed, is_narrow] = range;
  const int64_t full = int64_t{1} << bits;
  const int64_t lowest = is_signed ? -full / 2 : 0, highest = lowest + full - 1;
  for (const int64_t zero : scales.zero_points) {
    if (zero < lowest || zero > highest) refuse("the zero point is {}, allowed are {} to {}", zero, lowest, highest);
  }
  Format format;
  format.bits = bits <= 8 ? 8 : bits <= 16 ? 16 : 32;
  if (!is_signed && bits == kMostQuantizerBits) refuse("unsigned codes have {} bits, allowed are up to 31", bits);
  // Codes of 9 to 15 bits lie in int16 as they are, which has no zero point.
  format.is_unsigned = !is_signed && (bits <= 8 || bits == 16);
  format.axis = scales.axis;
  format.scales = scales.scales;
  format.zero_points = scales.zero_points;
  const int64_t offset = source_offset(format);
  for (int64_t& zero : format.zero_points) zero -= offset;
  Quantizer quantizer(format);
  // Narrow codes lack the least one where they are signed, else the greatest.
  quantizer.least = lowest + (is_signed && is_narrow ? 1 : 0) - offset;
  quantizer.greatest = highest - (!is_signed && is_narrow ? 1 : 0) - offset;
  quantizer.rounding = rounding;
  quantizer.adds_zero_point_first = true;
  return quantizer;
}

Quantizer bipolar_quantizer(const Scales& scales) {
  Quantizer quantizer(Format{8, scales.scales, scales.zero_points, scales.axis, false});
  quantizer.least = -1;
  quantizer.greatest = 1;
  quantizer.rounding = base::Rounding::Sign;
  quantizer.adds_zero_point_first = true;
  return quantizer;
}

}  // namespace vernier::import::quantized
