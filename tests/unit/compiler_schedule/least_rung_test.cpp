// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/least_rung.hpp"

#include "compiler/schedule/rungs.hpp"

#include <catch2/catch.hpp>

namespace vernier::schedule {
namespace {

constexpr int64_t kStepBytes = 64, kMostBytes = 1 << 20;

int64_t rungs_below(int64_t rung, int count) {
  for (int i = 0; i < count; ++i) rung = rung_at_most(rung - 1, kStepBytes);
  return rung;
}

TEST_CASE("the least size that is enough is found, and few sizes are asked for") {
  for (int64_t least = kStepBytes; least < 200'000; least = rung_above(least, kStepBytes)) {
    int num_asked = 0;
    const auto is_enough = [&](int64_t bytes) { return ++num_asked, bytes >= least; };
    CAPTURE(least);
    REQUIRE(least_rung(1, kMostBytes, kStepBytes, is_enough) == least);
    REQUIRE(num_asked <= 54);  // of 320 rungs, 16 of them below the one that is found
  }
}

TEST_CASE("a size below some that are too small is found where it is at most 16 rungs less") {
  for (int64_t all = 8192; all < 200'000; all = rung_above(all, kStepBytes)) {
    const int64_t least = rungs_below(all, 16);
    CAPTURE(all, least);
    REQUIRE(least_rung(1, kMostBytes, kStepBytes, [&](int64_t bytes) { return bytes == least || bytes >= all; }) == least);
  }
}

TEST_CASE("the search for the least size asks for nothing below the least that may be enough, and ends where nothing is") {
  const auto above = [](int64_t least, int64_t enough) {
    return least_rung(least, kMostBytes, kStepBytes, [&](int64_t bytes) {
      CHECK(bytes >= least);
      return bytes >= enough;
    });
  };
  CHECK(above(4096, 0) == 4096);
  CHECK(above(4160, 0) == 4224);  // from 4096 on, rungs are 128 apart
  CHECK(above(4160, 4352) == 4352);
  CHECK(above(4160, kMostBytes) == kMostBytes);
  CHECK(above(4032, 4096) == 4096);  // between two sizes that are 64 and 128 apart
  CHECK(above(4032, 4224) == 4224);
  CHECK(least_rung(4096, kMostBytes, kStepBytes, [](int64_t bytes) { return bytes == 4096 || bytes >= 65536; }) == 4096);
  int num_asked = 0;
  CHECK_FALSE(least_rung(64, kMostBytes, kStepBytes, [&](int64_t) { return ++num_asked, false; }));
  CHECK(num_asked == 2);
}

}  // namespace
}  // namespace vernier::schedule
