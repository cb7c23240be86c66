// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/rtl/rtl_rate.hpp"

#include "sim/flow/run/job_progress.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::flow;

TEST_CASE("A run on RTL says how far it is, how fast it goes and what is left") {
  double now = 1000;
  const RtlRate rate([&] { return now; });
  CHECK(rate.text({0, 5'000'000, 0}) == "0 % of the array's cycles, 0 mismatches");
  now += 4;
  CHECK(rate.text({1'000'000, 5'000'000, 0}) ==
        "20 % of the array's cycles, 250,000 of them per second, about 16 s left, 0 mismatches");
  now += 1;
  CHECK(rate.text({1'000'000, 50'000'000, 1}) ==
        "2 % of the array's cycles, 200,000 of them per second, about 4 min left, 1 mismatch");
  CHECK(rate.text({5'000'000, 5'000'000, 12}) == "100 % of the array's cycles, 1,000,000 of them per second, 12 mismatches");
  CHECK(rate.text({0, 0, 0}) == "100 % of the array's cycles, 0 mismatches");  // no command runs on the array
}

TEST_CASE("The time that is left is told in seconds, then in minutes") {
  CHECK(time_left_text(0.2) == "about 1 s left");
  CHECK(time_left_text(89.4) == "about 90 s left");
  CHECK(time_left_text(90) == "about 2 min left");
  CHECK(time_left_text(3000) == "about 50 min left");
}
