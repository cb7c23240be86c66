// SPDX-License-Identifier: Apache-2.0
// QONNX's Quant (IntQuant) and BipolarQuant on one element, in the order of float32 steps of its reference implementation
// (qonnx 1.0.0, src/qonnx/custom_op/general/quant.py): one division, the zero point added before rounding. The number of a
// code is quantize_linear.hpp's. TiesUp is AIMET's quantizer (aimet-onnx 2.42.0).
#pragma once

#include "hw/base/rounding.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace vernier::model {

/// A number rounded by a mode. HalfUp is floor(|x| + 0.5) in float32, so that the float just below 0.5 becomes 1, as it does
/// in QONNX.
inline float rounded(float value, base::Rounding rounding) {
  const float size = std::fabs(value);
  switch (rounding) {
    case base::Rounding::HalfEven: return std::nearbyint(value);
    case base::Rounding::Ceil: return std::ceil(value);
    case base::Rounding::Floor: return std::floor(value);
    case base::Rounding::Up: return std::copysign(std::ceil(size), value);
    case base::Rounding::Down: return std::trunc(value);
    case base::Rounding::HalfUp: return std::copysign(std::floor(size + 0.5F), value);
    case base::Rounding::HalfDown: return std::copysign(std::ceil(size - 0.5F), value);
    case base::Rounding::TiesUp: return std::floor(value) + (value - std::floor(value) >= 0.5F ? 1.0F : 0.0F);
    case base::Rounding::Sign: break;
  }
  return value >= 0 ? 1.0F : -1.0F;
}

/// The code of a number, within [least, greatest]. NaN becomes the least code. TiesUp counts codes from the least one, as
/// AIMET does: float32(float32(value / scale) - offset), where code 0 of that grid is `least`.
inline int64_t quantize_int(float value, float scale, int64_t zero_point, int64_t least, int64_t greatest,
                            base::Rounding rounding) {
  if (rounding == base::Rounding::TiesUp && least != 0)
    return quantize_int(value, scale, zero_point - least, 0, greatest - least, rounding) + least;
  const float steps = value / scale + static_cast<float>(zero_point);
  const auto low = static_cast<float>(least), high = static_cast<float>(greatest);
  // The limits are integers, and every mode keeps integers and order: the limit may come first. Only Sign has none.
  const float inside = rounding == base::Rounding::Sign ? steps : steps > low ? std::min(steps, high) : low;
  return std::clamp(static_cast<int64_t>(rounded(inside, rounding)), least, greatest);
}

}  // namespace vernier::model
