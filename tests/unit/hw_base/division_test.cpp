// SPDX-License-Identifier: Apache-2.0
#include "hw/base/division.hpp"

#include <catch2/catch.hpp>

namespace vernier::base {
namespace {

TEST_CASE("division: quotients round as they say, also for negative numbers") {
  CHECK(ceil_div(0, 4) == 0);
  CHECK(ceil_div(8, 4) == 2);
  CHECK(ceil_div(9, 4) == 3);
  CHECK(round_up(0, 16) == 0);
  CHECK(round_up(16, 16) == 16);
  CHECK(round_up(17, 16) == 32);
  for (int64_t a = -20; a <= 20; ++a) {
    for (int64_t b = 1; b <= 7; ++b) {
      CAPTURE(a, b);
      CHECK(floor_div(a, b) * b <= a);
      CHECK((floor_div(a, b) + 1) * b > a);
      CHECK(floor_mod(a, b) == a - b * floor_div(a, b));
      CHECK((floor_mod(a, b) >= 0 && floor_mod(a, b) < b));
    }
  }
}

}  // namespace
}  // namespace vernier::base
