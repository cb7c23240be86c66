// SPDX-License-Identifier: Apache-2.0
// TensorFlow's QuantizeV2 on one element: float32 to qint8, quint8, qint16, quint16 or qint32, by a range.
//
// Follows the CPU kernel (tensorflow/core/kernels/quantize_op.cc of TensorFlow 2.21, with oneDNN's own kernels off), not its
// documentation, in each step and in the order of steps; every step is one of float32.hpp unless a comment says otherwise.
// Where the two differ: docs/guides/quantize.md.
#pragma once

#include "hw/model/float32.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace vernier::model {

/// The integers of T, by their bits and sign.
struct QuantizedType {
  int32_t bits = 8;
  bool is_signed = true;

  [[nodiscard]] constexpr int64_t least() const { return is_signed ? -(int64_t{1} << (bits - 1)) : 0; }
  [[nodiscard]] constexpr int64_t greatest() const { return least() + steps(); }
  /// From the least to the greatest.
  [[nodiscard]] constexpr int64_t steps() const { return (int64_t{1} << bits) - 1; }
  bool operator==(const QuantizedType&) const = default;
};

enum class QuantizeMode : uint8_t { MinCombined, MinFirst, Scaled };
enum class QuantizeRounding : uint8_t { HalfAwayFromZero, HalfToEven };  // HalfToEven: Scaled only

/// The attributes of the operator, with its defaults.
struct QuantizeAttributes {
  QuantizedType type;
  QuantizeMode mode = QuantizeMode::MinCombined;
  QuantizeRounding rounding = QuantizeRounding::HalfAwayFromZero;
  bool narrow_range = false;  // without the least code; looked at in Scaled only
  float ensure_minimum_range = 0.01F;
};

/// What the operator works out once for a range, before it looks at an element.
struct Quantizer {
  QuantizeAttributes attributes;
  float min = 0, max = 0;  // as adjusted: the outputs output_min and output_max
  float scale = 0;         // codes per unit
};

/// Whether the operator accepts the range. Equal ends are legal, NaN too.
inline bool is_range_legal(float min, float max) { return !(without_subnormals(max) < without_subnormals(min)); }

/// Zero becomes part of the range, and the range at least as wide as ensure_minimum_range says, in proportion to its larger
/// end and by moving its upper end only. NaN acts as 0.
inline Quantizer make_quantizer(const QuantizeAttributes& attributes, float min, float max) {
  const QuantizedType type = attributes.type;
  min = without_subnormals(min);
  max = without_subnormals(max);
  // std::min and std::max as the kernel calls them: the order of their operands decides what becomes of NaN.
  const float size = std::max(1.0F, std::max(std::fabs(min), std::fabs(max)));
  Quantizer quantizer{attributes, std::min(0.0F, min), 0, 0};
  const float least_max = float_sum(quantizer.min, float_product(size, without_subnormals(attributes.ensure_minimum_range)));
  quantizer.max = std::max(0.0F, std::max(max, least_max));
  if (attributes.mode != QuantizeMode::Scaled) {
    const float width = float_difference(quantizer.max, quantizer.min);
    const bool is_empty = attributes.mode == QuantizeMode::MinFirst && quantizer.max == quantizer.min;
    // The one division in double precision: of a number of steps that binary32 need not have.
    quantizer.scale = is_empty ? 0.0F : rounded_to_float(static_cast<double>(type.steps()) / static_cast<double>(width));
    return quantizer;
  }
  const auto least_code = static_cast<float>(type.least() + (attributes.narrow_range ? 1 : 0));
  const auto greatest_code = static_cast<float>(type.greatest());
  // A side without codes or without a range does not limit the scale.
  constexpr float kNoLimit = std::numeric_limits<float>::max();
  const auto limit = [](float code, float end) {
    return float_product(code, end) > 0 ? float_quotient(code, end) : kNoLimit;
  };
  quantizer.scale = std::min(limit(least_code, quantizer.min), limit(greatest_code, quantizer.max));
  quantizer.min = float_quotient(least_code, quantizer.scale);
  quantizer.max = float_quotient(greatest_code, quantizer.scale);
  return quantizer;
}

/// Whether the range can tell numbers apart: finite ends and a scale that stands for something.
inline bool is_useful(const Quantizer& quantizer) {
  return std::isfinite(quantizer.min) && std::isfinite(quantizer.max) && quantizer.scale > 0 &&
         quantizer.scale < std::numeric_limits<float>::max();
}

/// The code as the whole number that is to be converted to T; NaN, or a number outside T, where that is undefined in
/// TensorFlow.
inline float unconverted_code(const Quantizer& quantizer, float value) {
  const QuantizedType type = quantizer.attributes.type;
  const auto least_code = static_cast<float>(type.least());
  value = without_subnormals(value);
  if (quantizer.attributes.mode == QuantizeMode::MinFirst) {
    const float code_of_min = std::round(float_product(quantizer.min, quantizer.scale));
    const float code =
        float_difference(std::round(float_product(value, quantizer.scale)), float_difference(code_of_min, least_code));
    // The greatest float32 that is an int32, where T is one.
    const float greatest_code = std::min(static_cast<float>(type.greatest()), 0x1p31F - 0x1p7F);
    return std::min(std::max(code, least_code), greatest_code);
  }
  const float inside = std::max(std::min(value, quantizer.max), quantizer.min);
  if (quantizer.attributes.mode == QuantizeMode::Scaled) {
    const float code = float_product(inside, quantizer.scale);
    return quantizer.attributes.rounding == QuantizeRounding::HalfToEven ? std::nearbyint(code) : std::round(code);
  }
  const float above_min = float_product(float_difference(inside, quantizer.min), quantizer.scale);
  // Unsigned: 0.49999997 becomes 1, because the sum rounds to 1.
  if (!type.is_signed) return std::trunc(float_sum(above_min, 0.5F));
  return std::round(float_difference(above_min, -least_code));
}

/// Whether TensorFlow's conversion of the code to T is defined.
inline bool quantize_is_defined(const Quantizer& quantizer, float value) {
  const auto code = static_cast<double>(unconverted_code(quantizer, value));
  const QuantizedType type = quantizer.attributes.type;
  return code >= static_cast<double>(type.least()) && code <= static_cast<double>(type.greatest());
}

/// The code of an element. Where the conversion is undefined in TensorFlow this is what it gives on x86-64: the int32 -2^31,
/// of which T keeps the low bits; TensorFlow's vector code differs from its own scalar code there.
inline int32_t quantize(const Quantizer& quantizer, float value) {
  const auto code = static_cast<double>(unconverted_code(quantizer, value));
  const bool is_int32 = code >= -0x1p31 && code < 0x1p31;
  const int32_t converted = is_int32 ? static_cast<int32_t>(code) : std::numeric_limits<int32_t>::min();
  const QuantizedType type = quantizer.attributes.type;
  const uint64_t low_bits =
      static_cast<uint64_t>(static_cast<int64_t>(converted) - type.least()) & static_cast<uint64_t>(type.steps());
  return static_cast<int32_t>(static_cast<int64_t>(low_bits) + type.least());
}

}  // namespace vernier::model
