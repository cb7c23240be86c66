// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/rounding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace vernier::import::lite {

namespace {

LiteMultiplier multiplier_of(const LiteScale& scaled) {
  // TOSA wants shifts of 62 at most, and any does for 0.
  return scaled.multiplier == 0 ? LiteMultiplier{} : LiteMultiplier{scaled.multiplier, 31 - scaled.exponent};
}

}  // namespace

LiteScale lite_scale(double ratio) {
  LiteScale result;
  result.multiplier = std::llround(std::ldexp(std::frexp(ratio, &result.exponent), 31));
  if (result.multiplier == int64_t{1} << 31) {
    result.multiplier /= 2;
    ++result.exponent;
  }
  if (result.exponent < -31) return {};
  return result;
}

LiteMultiplier lite_multiplier(double ratio) { return multiplier_of(lite_scale(ratio)); }

LiteMultiplier lite_mean_multiplier(double ratio, int64_t count) {
  LiteScale scaled = lite_scale(ratio);
  const int room = std::countl_zero(static_cast<uint64_t>(count));
  const int shift = std::min({63 - room, 32, 31 + scaled.exponent});
  scaled.multiplier = (scaled.multiplier << shift) / count;
  scaled.exponent -= shift;
  return multiplier_of(scaled);
}

}  // namespace vernier::import::lite
