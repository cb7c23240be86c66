// SPDX-License-Identifier: Apache-2.0
#include "hw/base/ratio.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <random>

namespace vernier::base {
namespace {

static_assert(std::is_convertible_v<int64_t, Ratio> && std::is_convertible_v<int, Ratio>);
static_assert(Ratio(2, 250) == Ratio(1, 125) && Ratio(16) == Ratio(32, 2) && Ratio(0, 7) == Ratio());

TEST_CASE("ratio: lowest terms, order, text") {
  const Ratio half(50, 100);
  CHECK(half.numerator() == 1);
  CHECK(half.denominator() == 2);
  CHECK_FALSE(half.is_whole());
  CHECK(Ratio(100, 50).is_whole());
  CHECK(Ratio(1, 3) < Ratio(334, 1000));
  CHECK(Ratio(1, 3) > Ratio(333, 1000));
  CHECK(Ratio(7) > Ratio(27, 4));
  const int64_t most = std::numeric_limits<int64_t>::max();
  CHECK(Ratio(most, most - 1) > Ratio(most - 1, most));
  CHECK(to_string(Ratio(16)) == "16");
  CHECK(to_string(Ratio(3, 375)) == "1/125");
  CHECK_THROWS_AS(Ratio(1, 0), InternalError);
  CHECK_THROWS_AS(Ratio(-1, 2), InternalError);
}

TEST_CASE("ratio: cycles for an amount are the least whole number that suffices") {
  CHECK(ceil_div(0, Ratio(1, 125)) == 0);
  CHECK(ceil_div(1, Ratio(1, 125)) == 125);
  CHECK(ceil_div(15, Ratio(16)) == 1);
  CHECK(ceil_div(17, Ratio(16)) == 2);
  CHECK(ceil_div(10, Ratio(16, 3)) == 2);
  CHECK(ceil_div(11, Ratio(16, 3)) == 3);
  CHECK(ceil_div(std::numeric_limits<int64_t>::max(), Ratio(1, 125)) == kMostQuotient);
  const uint32_t seed = 12;
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 1000; ++i) {
    const int64_t amount = random() % 1'000'000, numerator = 1 + random() % 5000, denominator = 1 + random() % 5000;
    const int64_t cycles = ceil_div(amount, Ratio(numerator, denominator));
    REQUIRE(cycles * numerator >= amount * denominator);
    REQUIRE((cycles - 1) * numerator < amount * denominator);
  }
}

}  // namespace
}  // namespace vernier::base
