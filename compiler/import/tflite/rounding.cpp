// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/rounding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace vernier::import::lite {

int64_t doubling_high(int64_t a, int64_t b) {
  // Bounds of sums have more than 32 bits; a product of theirs is far beyond the codes, whatever it is exactly.
  constexpr int64_t kMost = (int64_t{1} << 32) - 1;
  return (std::clamp(a, -kMost, kMost) * b + (int64_t{1} << 30)) >> 31;
}

int64_t divided_by_power(int64_t a, int power) {
  const int64_t half = power == 0 ? 0 : int64_t{1} << (power - 1);
  return a >= 0 ? (a + half) >> power : -((-a + half) >> power);
}

int64_t lite_product(int64_t value, const LiteScale& scale) {
  // Beyond 33 bits it is no value of a kernel, and the product below would not fit 64 bits.
  constexpr int64_t kMost = (int64_t{1} << 32) - 1;
  const int shift = std::clamp(scale.exponent, 0, 32);
  const int64_t shifted = std::clamp(value, -(kMost >> shift) - 1, (kMost >> shift) + 1) * (int64_t{1} << shift);
  return divided_by_power(doubling_high(shifted, scale.multiplier), std::max(-scale.exponent, 0));
}

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

LiteMultiplier lite_multiplier(const LiteScale& scale) {
  // TOSA wants shifts of 62 at most, and any does for 0.
  return scale.multiplier == 0 ? LiteMultiplier{} : LiteMultiplier{scale.multiplier, 31 - scale.exponent};
}

LiteMultiplier lite_multiplier16(const LiteScale& scale) {
  if (scale.multiplier == 0) return {};
  constexpr int64_t kGreatest = 0x7FFF;
  return {std::min((scale.multiplier + (int64_t{1} << 15)) >> 16, kGreatest), 15 - scale.exponent};
}

LiteScale lite_mean_scale(double ratio, int64_t count) {
  LiteScale scaled = lite_scale(ratio);
  const int room = std::countl_zero(static_cast<uint64_t>(count));
  const int shift = std::min({63 - room, 32, 31 + scaled.exponent});
  return {(scaled.multiplier << shift) / count, scaled.exponent - shift};
}

}  // namespace vernier::import::lite
