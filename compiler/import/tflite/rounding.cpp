// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/rounding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace vernier::import::lite {

namespace {

/// multiplier * 2^(exponent - 31) with a multiplier of 31 bits.
struct Scaled {
  int64_t multiplier = 0;
  int exponent = 0;
};

Scaled scaled_of(double ratio) {
  Scaled result;
  result.multiplier = std::llround(std::ldexp(std::frexp(ratio, &result.exponent), 31));
  if (result.multiplier == int64_t{1} << 31) {
    result.multiplier /= 2;
    ++result.exponent;
  }
  if (result.exponent < -31) return {};
  return result;
}

LiteMultiplier multiplier_of(const Scaled& scaled) {
  // TOSA wants shifts of 62 at most, and any does for 0.
  return scaled.multiplier == 0 ? LiteMultiplier{} : LiteMultiplier{scaled.multiplier, 31 - scaled.exponent};
}

}  // namespace

LiteMultiplier lite_multiplier(double ratio) { return multiplier_of(scaled_of(ratio)); }

LiteMultiplier lite_mean_multiplier(double ratio, int64_t count) {
  Scaled scaled = scaled_of(ratio);
  const int room = std::countl_zero(static_cast<uint64_t>(count));
  const int shift = std::min({63 - room, 32, 31 + scaled.exponent});
  scaled.multiplier = (scaled.multiplier << shift) / count;
  scaled.exponent -= shift;
  return multiplier_of(scaled);
}

}  // namespace vernier::import::lite
