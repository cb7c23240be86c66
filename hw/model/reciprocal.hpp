// SPDX-License-Identifier: Apache-2.0
// The division of TOSA 1.0 AVG_POOL2D: by a reciprocal (section "Precision scaling", reciprocal_scale), not exact.
//
// With zero points 0 and |acc| <= 128 n (int8) it is the exact quotient rounded half away from zero: the "+ 1" in the
// multiplier pushes ties outwards. n counts the elements of the window that are not padding.
#pragma once

#include "hw/base/element_type.hpp"
#include "hw/model/rescale.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace vernier::model {

/// About 1 / n = multiplier / 2^shift.
struct ReciprocalScale {
  int32_t multiplier;
  int32_t shift;
};

/// n from 1 to 2^30 (a window has at most 8192 * 8192 = 2^26 elements). TOSA REQUIREs n > 0; 0 gives the scale 0.
constexpr ReciprocalScale reciprocal_scale(uint32_t n) {
  if (n == 0) return {0, 30};
  const int32_t k = 32 - std::countl_zero(n - 1);  // 2^(k-1) < n <= 2^k
  const uint64_t numerator = ((uint64_t{1} << 30) + 1) << k;
  return {wrap32(static_cast<int64_t>(numerator / n)), 30 + k};
}

/// The result of a window: `acc` is the sum of (x - input_zp), `type` is Int8 or Int16.
constexpr int32_t average(int32_t acc, ReciprocalScale scale, int32_t output_zp, base::ElementType type) {
  const int64_t scaled = apply_scale_32(acc, scale.multiplier, scale.shift, spec::Rounding::Single);
  return wrap32(std::clamp<int64_t>(wrap32(scaled + output_zp), base::min_value(type), base::max_value(type)));
}

constexpr int32_t average(int32_t acc, uint32_t n, int32_t output_zp, base::ElementType type) {
  return average(acc, reciprocal_scale(n), output_zp, type);
}

}  // namespace vernier::model
