// SPDX-License-Identifier: Apache-2.0
// Multipliers of TensorFlow Lite's kernels: values that its own arithmetic gives.
#include "compiler/import/tflite/rounding.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace vernier::import::lite {
namespace {

TEST_CASE("A ratio of scales becomes a multiplier of 31 bits and a shift") {
  const auto is = [](double ratio, int64_t multiplier, int64_t shift) {
    const LiteMultiplier found = lite_multiplier(ratio);
    INFO(ratio);
    CHECK(found.multiplier == multiplier);
    CHECK(found.shift == shift);
  };
  is(0.5, 1 << 30, 31);
  is(0.25, 1 << 30, 32);
  is(1, 1 << 30, 30);
  is(0.75, 1610612736, 31);
  is(0.1, 1717986918, 34);
  is(0.003, 1649267442, 39);
  is(3.999, 2146946777, 29);
  is(0.999999999999, 1 << 30, 30);  // 2^31 is one bit too many
  is(std::ldexp(1.0, -32), 1 << 30, 62);
  is(std::ldexp(1.0, -33), 0, 62);
}

LiteMultiplier mean_multiplier(double ratio, int64_t count) { return lite_multiplier(lite_mean_scale(ratio, count)); }

TEST_CASE("The multiplier of a mean is divided by the count, rounded down") {
  const LiteMultiplier quarter = mean_multiplier(1, 4), third = mean_multiplier(1, 3);
  CHECK(quarter.multiplier == 1 << 30);
  CHECK(quarter.shift == 32);
  CHECK(third.multiplier == 715827882);
  CHECK(third.shift == 31);
  // A tiny ratio leaves no room: 2^-30 over 5 keeps one bit more of the multiplier, and no two.
  const LiteMultiplier tiny = mean_multiplier(std::ldexp(1.0, -30), 5);
  CHECK(tiny.multiplier == (int64_t{1} << 32) / 5);
  CHECK(tiny.shift == 62);
}

TEST_CASE("The kernels' product rounds twice") {
  const LiteScale quarter = lite_scale(0.25), tenth = lite_scale(0.1);
  CHECK(lite_product(1, quarter) == 1);  // a half becomes 1 first, and 1 / 2 becomes 1
  CHECK(lite_product(-1, quarter) == 0);
  CHECK(lite_product(-2, quarter) == -1);
  CHECK(lite_product(100, tenth) == 10);
  CHECK(lite_product(7, lite_scale(4)) == 28);
  CHECK(divided_by_power(-3, 1) == -2);
  CHECK(divided_by_power(5, 0) == 5);
}

TEST_CASE("Multipliers of 16 bits are the upper half of those of 31") {
  const LiteMultiplier found = lite_multiplier16(lite_scale(0.1));
  CHECK(found.multiplier == 26214);
  CHECK(found.shift == 18);
  const LiteMultiplier same = lite_more_bits(found);
  CHECK(same.multiplier == 26214LL << 16);
  CHECK(same.shift == 34);
  CHECK(lite_multiplier16(lite_scale(0.99999999)).multiplier == 0x7FFF);
}

}  // namespace
}  // namespace vernier::import::lite
