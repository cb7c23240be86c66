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

TEST_CASE("The multiplier of a mean is divided by the count, rounded down") {
  const LiteMultiplier quarter = lite_mean_multiplier(1, 4), third = lite_mean_multiplier(1, 3);
  CHECK(quarter.multiplier == 1 << 30);
  CHECK(quarter.shift == 32);
  CHECK(third.multiplier == 715827882);
  CHECK(third.shift == 31);
  // A tiny ratio leaves no room: 2^-30 over 5 keeps one bit more of the multiplier, and no two.
  const LiteMultiplier tiny = lite_mean_multiplier(std::ldexp(1.0, -30), 5);
  CHECK(tiny.multiplier == (int64_t{1} << 32) / 5);
  CHECK(tiny.shift == 62);
}

}  // namespace
}  // namespace vernier::import::lite
