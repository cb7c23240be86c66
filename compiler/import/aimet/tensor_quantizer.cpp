// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/aimet/tensor_quantizer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace vernier::import::aimet {

using quantized::Format;
using quantized::Quantizer;

namespace {

/// False after a finding.
bool has_allowed_bits(const Encoding& encoding, const std::string& value, const NetworkFacts& facts, const Place& place) {
  const auto refuse = [&](const std::string& text) {
    place.add(Severity::Unsupported, encoding.line, text);
    return false;
  };
  if (const auto refusal = refusal_of(encoding)) return refuse(*refusal);
  if (encoding.bits > 16 && encoding.bits != 32)
    return refuse(fmt::format("has {} bits, allowed are up to 16, and 32 for a bias", encoding.bits));
  if (encoding.bits == 32 && !facts.is_bias(value) && !facts.is_shift(value))
    return refuse("has 32 bits, which is allowed for a bias only");
  return true;
}

/// The dimension that the channels go along; nothing after a finding.
std::optional<int64_t> axis_of(const Encoding& encoding, const std::string& value, const NetworkFacts& facts,
                               const Place& place) {
  if (!encoding.is_per_channel()) return 0;
  const size_t count = encoding.channels.size();
  if (!facts.is_constant(value)) {
    place.error(encoding.line, fmt::format("is an activation with {} encodings, allowed is one", count));
    return std::nullopt;
  }
  const base::Shape& shape = facts.network().constants.at(value).shape;
  const auto rank = static_cast<int64_t>(shape.size());
  int64_t axis = encoding.axis.value_or(facts.channel_axis(value));
  if (axis < -rank || axis >= rank) {
    place.error(encoding.line, fmt::format("axis is {}, the tensor has shape {}", axis, base::to_string(shape)));
    return std::nullopt;
  }
  if (axis < 0) axis += rank;
  const int64_t channels = shape[static_cast<size_t>(axis)];
  if (channels == static_cast<int64_t>(count)) return axis;
  place.error(encoding.line,
              fmt::format("{} encodings for {} {}", count, channels,
                          axis == facts.channel_axis(value) ? "output channels" : fmt::format("indices of axis {}", axis)));
  return std::nullopt;
}

bool is_strict(const Encoding& encoding, const Grid& grid) {
  return symmetry_of(encoding, grid) == Symmetry::StrictSymmetric;
}

/// What is subtracted from AIMET's q to make the code of the source.
int64_t shift_of(const Encoding& encoding, const Grid& grid) {
  const int64_t half = num_codes(encoding.bits) / 2;
  if (encoding.bits > 8 && encoding.bits < 16) return -grid.offset;
  if (is_strict(encoding, grid) && (encoding.is_signed || encoding.bits == 16)) return half - 1;
  return encoding.is_signed ? half : 0;
}

}  // namespace

std::optional<Quantizer> quantizer_of(const Encoding& encoding, const std::string& value, const NetworkFacts& facts,
                                      const Place& place) {
  if (!has_allowed_bits(encoding, value, facts, place)) return std::nullopt;
  const std::optional<int64_t> axis = axis_of(encoding, value, facts, place);
  if (!axis) return std::nullopt;
  const Grid& first = encoding.channels.front();
  for (const Grid& grid : encoding.channels) {
    if (is_strict(encoding, grid) == is_strict(encoding, first)) continue;
    place.add(Severity::Unsupported, encoding.line, "some channels are strict symmetric and others are not");
    return std::nullopt;
  }
  Format format;
  format.bits = encoding.bits <= 8 ? 8 : encoding.bits <= 16 ? 16 : 32;
  format.axis = *axis;
  format.is_unsigned = shift_of(encoding, first) == 0 && (encoding.bits <= 8 || encoding.bits == 16);
  const int64_t shift = format.is_unsigned ? -format.least() : shift_of(encoding, first);
  format.scales.clear();
  format.zero_points.clear();
  for (const Grid& grid : encoding.channels) {
    format.scales.push_back(grid.scale);
    format.zero_points.push_back(-grid.offset - shift);
  }
  Quantizer quantizer(format);
  quantizer.least = -shift;
  quantizer.greatest = last_code(encoding, first) - shift;
  quantizer.rounding = base::Rounding::TiesUp;
  return quantizer;
}

}  // namespace vernier::import::aimet
