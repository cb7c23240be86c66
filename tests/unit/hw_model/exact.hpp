// SPDX-License-Identifier: Apache-2.0
// What the tests of hw/model measure against: 128-bit division and bit-by-bit arithmetic, none of it taken from hw/model.
#pragma once

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>

namespace vernier::model::tests {

using Wide = __int128;

constexpr Wide power_of_two(int exponent) { return Wide{1} << exponent; }

/// Towards minus infinity. The divisor is positive.
constexpr Wide floor_divide(Wide dividend, Wide divisor) {
  const Wide truncated = dividend / divisor;
  return dividend % divisor < 0 ? truncated - 1 : truncated;
}
/// dividend / divisor, ties towards plus infinity: floor(quotient + 1/2).
constexpr Wide divide_half_up(Wide dividend, Wide divisor) { return floor_divide(2 * dividend + divisor, 2 * divisor); }
/// Ties away from zero.
constexpr Wide divide_half_away(Wide dividend, Wide divisor) {
  return dividend >= 0 ? (2 * dividend + divisor) / (2 * divisor) : -((-2 * dividend + divisor) / (2 * divisor));
}
/// Ties to the even quotient.
constexpr Wide divide_half_even(Wide dividend, Wide divisor) {
  const Wide down = floor_divide(dividend, divisor);
  const Wide twice_rest = 2 * (dividend - down * divisor);
  if (twice_rest != divisor) return twice_rest > divisor ? down + 1 : down;
  return down % 2 == 0 ? down : down + 1;
}
/// The number of `bits` in two's complement that is congruent to value.
constexpr int64_t wrapped(Wide value, int bits) {
  const Wide modulus = power_of_two(bits);
  const Wide rest = value - floor_divide(value, modulus) * modulus;
  return static_cast<int64_t>(rest >= modulus / 2 ? rest - modulus : rest);
}
constexpr Wide clipped(Wide value, Wide low, Wide high) { return value < low ? low : value > high ? high : value; }

/// Differences found in a long loop: their number, and the first with the operands that led to it.
class Differences {
 public:
  template <typename... Operands>
  void expect(int64_t actual, int64_t expected, Operands... operands) {
    if (actual == expected) return;
    if (count_++ == 0) {
      const std::array<int64_t, sizeof...(Operands)> values{static_cast<int64_t>(operands)...};
      first_ = fmt::format("{} instead of {} for ({})", actual, expected, fmt::join(values, ", "));
    }
  }
  [[nodiscard]] std::string text() const { return count_ == 0 ? "none" : fmt::format("{}, first {}", count_, first_); }

 private:
  int64_t count_ = 0;
  std::string first_;
};

/// Random operands; another seed is the runner's option --rng-seed.
class Random {
 public:
  [[nodiscard]] static unsigned seed() { return Catch::rngSeed(); }
  /// Uniform over [low, high].
  int64_t between(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(engine_); }
  /// A signed number of at most `bits`, whose magnitude is spread evenly over the powers of two.
  int64_t of_bits(int bits) {
    const int64_t lowest = INT64_MIN >> (64 - between(1, bits));
    return between(lowest, ~lowest);
  }

 private:
  std::mt19937_64 engine_{seed()};
};

/// The numbers at which int32 arithmetic goes wrong first.
inline constexpr std::array<int32_t, 19> kEdges32{
    INT32_MIN, INT32_MIN + 1, -65537, -65536, -32769, -32768,        -129,     -128, -2, -1, 0, 1,
    2,         127,           128,    32767,  65535,  INT32_MAX - 1, INT32_MAX};

}  // namespace vernier::model::tests
