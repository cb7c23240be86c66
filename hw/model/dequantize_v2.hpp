// SPDX-License-Identifier: Apache-2.0
// TensorFlow's Dequantize on one element: qint8, quint8, qint16, quint16 or qint32 to float32, by a range.
//
// Follows the CPU kernel (tensorflow/core/kernels/dequantize_op.cc of TensorFlow 2.21, with oneDNN's own kernels off) in
// each step and in the order of steps; every step is one of float32.hpp unless a comment says otherwise. The range is taken
// as it is: unlike QuantizeV2, the operator neither widens nor checks it.
#pragma once

#include "hw/model/quantize_v2.hpp"

namespace vernier::model {

/// What the operator works out once for a range, before it looks at an element.
struct Dequantizer {
  QuantizedType type;
  QuantizeMode mode = QuantizeMode::MinCombined;
  float min = 0;
  float scale = 0;      // units per code
  float real_zero = 0;  // MinFirst: what code 0 stands for
};

/// `narrow_range` counts in Scaled only.
inline Dequantizer make_dequantizer(QuantizedType type, QuantizeMode mode, bool narrow_range, float min, float max) {
  min = without_subnormals(min);
  max = without_subnormals(max);
  Dequantizer dequantizer{type, mode, min, 0, 0};
  const auto least_code = static_cast<float>(type.least()), greatest_code = static_cast<float>(type.greatest());
  const float width = float_difference(max, min);
  switch (mode) {
    case QuantizeMode::MinCombined:
      dequantizer.scale = float_quotient(width, float_difference(greatest_code, least_code));
      break;
    case QuantizeMode::MinFirst: {
      // The one division in double precision.
      dequantizer.scale = rounded_to_float(static_cast<double>(width) / static_cast<double>(type.steps()));
      const float rounded_min =
          max == min ? min : float_product(std::round(float_quotient(min, dequantizer.scale)), dequantizer.scale);
      dequantizer.real_zero = float_difference(rounded_min, float_product(least_code, dequantizer.scale));
      break;
    }
    case QuantizeMode::Scaled: {
      const float by_max = float_quotient(max, greatest_code);
      const auto least_used = static_cast<float>(type.least() + (narrow_range ? 1 : 0));
      dequantizer.scale = type.is_signed ? std::max(float_quotient(min, least_used), by_max) : by_max;
      break;
    }
  }
  return dequantizer;
}

/// Whether the range tells codes apart, in the order of the codes.
inline bool is_useful(const Dequantizer& dequantizer) {
  return std::isfinite(dequantizer.scale) && dequantizer.scale > 0 && std::isfinite(dequantizer.min) &&
         std::isfinite(dequantizer.real_zero);
}

inline float dequantize(const Dequantizer& dequantizer, int32_t code) {
  const auto real_code = static_cast<float>(code);  // of an int32 the nearest, ties to even
  switch (dequantizer.mode) {
    case QuantizeMode::MinCombined: {
      const float from_least = float_sum(real_code, -static_cast<float>(dequantizer.type.least()));
      return float_sum(float_product(from_least, dequantizer.scale), dequantizer.min);
    }
    case QuantizeMode::MinFirst: return float_sum(dequantizer.real_zero, float_product(real_code, dequantizer.scale));
    case QuantizeMode::Scaled: break;
  }
  return float_product(real_code, dequantizer.scale);
}

}  // namespace vernier::model
