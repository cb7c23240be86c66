// SPDX-License-Identifier: Apache-2.0
// Which shifts and multipliers TOSA RESCALE takes ("Precision scaling"). Others are not defined there; the machine computes
// with their low bits.
#pragma once

#include <cstdint>

namespace vernier::spec {

inline constexpr int32_t kMinRescaleShift = 2;   // [TOSA 1.0 RESCALE]
inline constexpr int32_t kMaxRescaleShift = 62;  // [TOSA 1.0 RESCALE]
/// Multipliers have 32 bits, or 16 without scale32, and are not negative.
constexpr int32_t max_rescale_multiplier(bool scale32) { return scale32 ? INT32_MAX : INT16_MAX; }

constexpr bool takes_rescale(int32_t multiplier, int32_t shift, bool scale32) {
  return multiplier >= 0 && multiplier <= max_rescale_multiplier(scale32) && shift >= kMinRescaleShift &&
         shift <= kMaxRescaleShift;
}

}  // namespace vernier::spec
