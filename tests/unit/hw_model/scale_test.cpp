// SPDX-License-Identifier: Apache-2.0
// apply_scale_32 and apply_scale_16, the primitives of TOSA 1.0 "Precision scaling".
#include "hw/model/rescale.hpp"
#include "tests/unit/hw_model/exact.hpp"

#include <vector>

namespace vernier::model {
namespace {

using namespace vernier::model::tests;
using spec::Rounding;

/// gemmlowp's SaturatingRoundingDoublingHighMul: a * b / 2^31, half away from zero but for negative ties, truncated.
Wide doubling_high_mul(Wide a, Wide b) {
  const Wide product = a * b;
  return (product + (product >= 0 ? power_of_two(30) : 1 - power_of_two(30))) / power_of_two(31);
}

/// What the four modes mean, by division. Double for shifts above 31 is gemmlowp's two steps, which it exists to copy.
Wide expected_scale(Wide value, Wide multiplier, int shift, Rounding rounding) {
  if (rounding == Rounding::HalfEven) return divide_half_even(value * multiplier, power_of_two(shift));
  if (rounding == Rounding::Double && shift > 31) {
    return divide_half_away(doubling_high_mul(value, multiplier), power_of_two(shift - 31));
  }
  return divide_half_up(value * multiplier, power_of_two(shift));
}

constexpr std::array<Rounding, 4> kModes{Rounding::Single, Rounding::Double, Rounding::Inexact, Rounding::HalfEven};

void compare_32(Differences& differences, int32_t value, int32_t multiplier, int32_t shift) {
  for (const Rounding mode : kModes) {
    differences.expect(apply_scale_32(value, multiplier, shift, mode),
                       wrapped(expected_scale(value, multiplier, shift, mode), 32), value, multiplier, shift, mode);
  }
}

void compare_16(Differences& differences, int64_t value, int32_t multiplier, int32_t shift) {
  for (const Rounding mode : kModes) {
    const Rounding meant = mode == Rounding::Double ? Rounding::Single : mode;
    differences.expect(apply_scale_16(value, multiplier, shift, mode),
                       wrapped(expected_scale(value, multiplier, shift, meant), 32), value, multiplier, shift, mode);
  }
}

TEST_CASE("apply_scale_32 by hand, Precision scaling of TOSA 1.0") {
  struct Case {
    int32_t value, multiplier, shift;
    int32_t single, twice, half_even;
  };
  const std::vector<Case> cases{
      {7, 1 << 30, 30, 7, 7, 7},                                     // "a scaling of 1.0 is 30 ... with multiplier 1 << 30"
      {INT32_MIN, 1 << 30, 32, -536870912, -536870912, -536870912},  // -2^31 / 4
      {5, 1 << 30, 31, 3, 3, 2},      // 2.5: (5 * 2^30 + 2^30) >> 31 = 3; 2 is even; Double does nothing at shift 31
      {-5, 1 << 30, 31, -2, -2, -2},  // -2.5: (-5 * 2^30 + 2^30) >> 31 = -4/2 = -2, up
      {3, 1 << 30, 31, 2, 2, 2},      // 1.5
      {-3, 1 << 30, 31, -1, -1, -2},  // -1.5: up is -1, even is -2
      // 6 * 2^30 / 2^32 = 1.5. Double: (6 * 2^30 + 2^31 + 2^30) >> 32 = 9 * 2^30 / 2^32 = 2.25, so 2.
      {6, 1 << 30, 32, 2, 2, 2},
      // -6 * 2^30 / 2^32 = -1.5. Single: (-6 + 2) / 4 = -1. Double: (-6 + 2 - 1) / 4 = -1.25, floor -2.
      {-6, 1 << 30, 32, -1, -2, -2},
      // 5 * 2^30 / 2^32 = 1.25. Single: (5 + 2) / 4 = 1.75, so 1. Double: (5 + 2 + 1) / 4 = 2: rounded twice.
      {5, 1 << 30, 32, 1, 2, 1},
      // 1 * 2^30 / 2^33 = 0.125. Double: (1 + 4 + 1) / 8 = 0.75, so 0.
      {1, 1 << 30, 33, 0, 0, 0},
      // 3 * 2^30 / 2^33 = 0.375. Double: (3 + 4 + 1) / 8 = 1.
      {3, 1 << 30, 33, 0, 1, 0},
      {2, 1 << 30, 33, 0, 0, 0},               // 0.25
      {4, 1 << 30, 33, 1, 1, 0},               // 0.5
      {12, 1 << 30, 33, 2, 2, 2},              // 1.5
      {-4, 1 << 30, 33, 0, -1, 0},             // -0.5: (-4 + 4) / 8 = 0; Double (-4 + 4 - 1) / 8, floor -1
      {1, 3, 2, 1, 1, 1},                      // 0.75: (3 + 2) >> 2 = 1
      {1, 2, 2, 1, 1, 0},                      // 0.5
      {1, 6, 2, 2, 2, 2},                      // 1.5
      {1, 10, 2, 3, 3, 2},                     // 2.5
      {INT32_MAX, INT32_MAX, 62, 1, 1, 1},     // (2^31 - 1)^2 / 2^62 = 1 - 2^-30 + 2^-62, rounds to 1
      {INT32_MIN, INT32_MAX, 62, -1, -1, -1},  // -1 + 2^-31
  };
  for (const Case& c : cases) {
    CAPTURE(c.value, c.multiplier, c.shift);
    REQUIRE(scale_32_is_defined(c.value, c.multiplier, c.shift) == (c.shift > 2 || c.value < 2));
    CHECK(apply_scale_32(c.value, c.multiplier, c.shift, Rounding::Single) == c.single);
    CHECK(apply_scale_32(c.value, c.multiplier, c.shift, Rounding::Inexact) == c.single);
    CHECK(apply_scale_32(c.value, c.multiplier, c.shift, Rounding::Double) == c.twice);
    CHECK(apply_scale_32(c.value, c.multiplier, c.shift, Rounding::HalfEven) == c.half_even);
  }
}

TEST_CASE("apply_scale_16 multiplies by 16 bits, whatever is above them") {
  CHECK(apply_scale_16(-9, (5 << 16) | (1 << 14), 14, Rounding::Single) == -9);
  CHECK(apply_scale_16(1 << 20, 0xFFFF, 20, Rounding::HalfEven) == -1);
  CHECK(apply_scale_16(1 << 20, INT32_MIN, 20, Rounding::Single) == 0);
}

TEST_CASE("apply_scale_16 by hand, Precision scaling of TOSA 1.0") {
  CHECK(apply_scale_16(-9, 1 << 14, 14, Rounding::Single) == -9);  // "14 for apply_scale_16 with scale 1 << 14"
  // 2^47 - 1 by 2^14 / 2^30 is 2^31 - 2^-16, which rounds to 2^31: REQUIREd not to happen, wraps to -2^31 here.
  CHECK(apply_scale_16(140737488355327, 1 << 14, 30, Rounding::Single) == INT32_MIN);
  CHECK_FALSE(scale_16_is_defined(140737488355327, 1 << 14, 30, Rounding::Single));
  CHECK(apply_scale_16(140737488355327, 1 << 14, 31, Rounding::Single) == 1073741824);  // 2^30 - 2^-17
  CHECK(scale_16_is_defined(140737488355327, 1 << 14, 31, Rounding::Single));
  CHECK(apply_scale_16(-140737488355328, 1 << 14, 30, Rounding::Single) == INT32_MIN);  // exactly -2^31
  CHECK(scale_16_is_defined(-140737488355328, 1 << 14, 30, Rounding::Single));
  CHECK(apply_scale_16(-3, 1 << 14, 15, Rounding::Single) == -1);  // -1.5
  CHECK(apply_scale_16(-3, 1 << 14, 15, Rounding::HalfEven) == -2);
  CHECK(apply_scale_16(5, 1 << 14, 15, Rounding::HalfEven) == 2);  // 2.5
  // 327680 * 2^14 = 5 * 2^30, by 2^32 is 1.25: with two roundings it would be 2 (see above), here it is 1.
  CHECK(apply_scale_16(327680, 1 << 14, 32, Rounding::Double) == 1);
  // The 2^31 - 1/2 that half to even rounds up and out of int32, and its neighbour 2^31 - 3/2 that goes to 2^31 - 2.
  CHECK_FALSE(scale_16_is_defined(4294967295, 1 << 14, 15, Rounding::HalfEven));
  CHECK(apply_scale_16(4294967293, 1 << 14, 15, Rounding::HalfEven) == 2147483646);
  CHECK(apply_scale_16(4294967293, 1 << 14, 15, Rounding::Single) == 2147483647);
}

TEST_CASE("apply_scale_32 of every int16 value, all shifts") {
  Differences differences;
  for (const int32_t multiplier : {0, 1, (1 << 30) + 1, 1431655766, INT32_MAX}) {
    for (int32_t shift = 2; shift <= 62; shift += multiplier == 1431655766 ? 1 : 7) {
      for (int32_t value = -32768; value < 32768; ++value) compare_32(differences, value, multiplier, shift);
    }
  }
  CHECK(differences.text() == "none");
}

TEST_CASE("ties of every kind and their neighbours") {
  Differences differences;
  for (int32_t shift = 2; shift <= 62; ++shift) {
    const int32_t multiplier = shift < 31 ? 1 << (shift - 1) : 1 << 30;  // half a step, or what is nearest to it
    for (int32_t odd = -4001; odd < 4001; ++odd) {
      for (const int32_t value :
           {odd, shift < 33 ? odd : wrap32(int64_t{odd} * (int64_t{1} << (shift < 50 ? shift - 31 : 19)))}) {
        for (int32_t delta = -1; delta <= 1; ++delta) compare_32(differences, value, multiplier + delta, shift);
      }
    }
  }
  CHECK(differences.text() == "none");
}

TEST_CASE("apply_scale_32 and 16 of random operands") {
  Random random;
  INFO("seed " << Random::seed());
  Differences differences;
  for (int i = 0; i < 200000; ++i) {
    const auto shift = static_cast<int32_t>(random.between(2, 62));
    const auto value = static_cast<int32_t>(random.of_bits(32));
    compare_32(differences, value, static_cast<int32_t>(random.between(1 << 30, INT32_MAX)), shift);
    compare_32(differences, value, static_cast<int32_t>(random.between(0, INT32_MAX)) >> random.between(0, 30), shift);
    compare_16(differences, random.of_bits(48), static_cast<int32_t>(random.between(0, INT16_MAX)), shift);
  }
  for (int32_t shift = 2; shift <= 62; ++shift) {
    for (const int32_t value : kEdges32) {
      for (const int32_t multiplier : kEdges32) {
        if (multiplier < 0) continue;
        compare_32(differences, value, multiplier, shift);
        compare_16(differences, wrap48(int64_t{value} * 65536), multiplier & INT16_MAX, shift);
        compare_16(differences, wrap48(int64_t{value} * 65536 + 65535), multiplier & INT16_MAX, shift);
      }
    }
  }
  CHECK(differences.text() == "none");
}

TEST_CASE("the modes differ where they should") {
  Random random;
  INFO("seed " << Random::seed());
  int64_t num_differing = 0;
  for (int i = 0; i < 100000; ++i) {
    const auto value = static_cast<int32_t>(random.of_bits(16));
    const auto multiplier = static_cast<int32_t>(random.between(1 << 30, INT32_MAX));
    const auto shift = static_cast<int32_t>(random.between(2, 31));
    const int32_t single = apply_scale_32(value, multiplier, shift, Rounding::Single);
    REQUIRE(apply_scale_32(value, multiplier, shift, Rounding::Double) == single);
    REQUIRE(apply_scale_32(value, multiplier, shift, Rounding::Inexact) == single);
    const int32_t deep = 32 + shift % 8;
    if (apply_scale_32(value, multiplier, deep, Rounding::Single) !=
        apply_scale_32(value, multiplier, deep, Rounding::Double)) {
      ++num_differing;
    }
  }
  CHECK(num_differing > 1000);
}

TEST_CASE("the REQUIREs of scaling") {
  CHECK(scale_32_is_defined(1, 0, 2));
  CHECK_FALSE(scale_32_is_defined(1, -1, 2));
  CHECK_FALSE(scale_32_is_defined(0, 1, 1));
  CHECK_FALSE(scale_32_is_defined(1, 1, 63));
  CHECK_FALSE(scale_32_is_defined(1, 1, -2));
  CHECK(scale_32_is_defined(1, 1, 62));
  for (int32_t shift = 2; shift <= 31; ++shift) {  // value in [-2^(shift-1), 2^(shift-1))
    const int64_t limit = int64_t{1} << (shift - 1);
    CHECK(scale_32_is_defined(static_cast<int32_t>(limit - 1), INT32_MAX, shift));
    CHECK(scale_32_is_defined(static_cast<int32_t>(-limit), INT32_MAX, shift));
    if (limit < INT32_MAX) CHECK_FALSE(scale_32_is_defined(static_cast<int32_t>(limit), INT32_MAX, shift));
    if (limit < INT32_MAX) CHECK_FALSE(scale_32_is_defined(static_cast<int32_t>(-limit - 1), INT32_MAX, shift));
    for (const Rounding mode : kModes) {  // then the result fits, as the header claims
      const Wide top = expected_scale(limit - 1, INT32_MAX, shift, mode);
      const Wide bottom = expected_scale(-limit, INT32_MAX, shift, mode);
      CHECK((top <= INT32_MAX && bottom >= INT32_MIN));
    }
  }
  CHECK_FALSE(scale_16_is_defined(1, 1, 1, Rounding::Single));
  CHECK_FALSE(scale_16_is_defined(1, -1, 14, Rounding::Single));
  CHECK_FALSE(scale_16_is_defined(1, 32768, 14, Rounding::Single));
  CHECK_FALSE(scale_16_is_defined(int64_t{1} << 47, 1, 62, Rounding::Single));
  CHECK(scale_16_is_defined((int64_t{1} << 47) - 1, 32767, 62, Rounding::Double));
}

TEST_CASE("operands that TOSA forbids still give a number") {  // what UBSan looks at
  int64_t sum = 0;
  for (const int32_t value : kEdges32) {
    for (const int32_t multiplier : kEdges32) {
      for (int32_t shift = -70; shift <= 140; ++shift) {
        for (const Rounding mode : kModes) {
          const int32_t low = apply_scale_32(value, multiplier, shift, mode);
          REQUIRE(low == apply_scale_32(value, multiplier, shift & 63, mode));
          sum += low;
          sum += apply_scale_16(int64_t{value} * 1048576, multiplier, shift, mode);
          sum += scale_16_is_defined(int64_t{value} * 1048576, multiplier, shift, mode) ? 1 : 0;
        }
      }
    }
  }
  CHECK(sum != 0);
  CHECK(apply_scale_32(77, 1, 64, Rounding::HalfEven) == 77);  // shift 0
  CHECK(apply_scale_32(77, 1, 0, Rounding::Single) == 77);
}

}  // namespace
}  // namespace vernier::model
