// SPDX-License-Identifier: Apache-2.0
// XNNPACK's products in float32 as one multiplier, for every sum up to 2^20 in size.
#include "compiler/import/tflite/float32.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace vernier::import::lite {
namespace {

int64_t limited(int64_t steps, int64_t zero_point) { return std::clamp<int64_t>(steps + zero_point, -128, 127); }

/// How many sums get another code from the multiplier than from the product in float32.
int64_t num_different(float ratio, int64_t zero_point, const LiteMultiplier& multiplier) {
  int64_t count = 0;
  for (int64_t sum = -(1 << 20); sum <= 1 << 20; ++sum) {
    const auto by_float = static_cast<int64_t>(std::nearbyint(std::clamp(static_cast<float>(sum) * ratio, -1e9F, 1e9F)));
    const int64_t once = (sum * multiplier.multiplier + (int64_t{1} << (multiplier.shift - 1))) >> multiplier.shift;
    count += limited(by_float, zero_point) != limited(once, zero_point);
  }
  return count;
}

TEST_CASE("A multiplier gives the codes of products in float32") {
  int64_t num_found = 0;
  for (const float ratio : {0.0123F, 0.0456789F, 0.1234567F, 0.0071F, 1.7654321F}) {
    for (const int64_t zero_point : {-128, -3, 90}) {
      INFO(ratio << " " << zero_point);
      const auto found = float32_multiplier(ratio, zero_point);
      if (!found) continue;
      ++num_found;
      CHECK(num_different(ratio, zero_point, *found) == 0);
    }
  }
  CHECK(num_found > 5);
}

TEST_CASE("Where halves go to the even code on both sides there is no multiplier") {
  CHECK_FALSE(float32_multiplier(0.5F, 0).has_value());
  CHECK_FALSE(float32_multiplier(0.37F, 0).has_value());  // 50 and 150 times it are 18.5 and 55.5 in float32
  CHECK(num_different(0.5F, 0, lite_multiplier(0.5)) > 0);
}

TEST_CASE("A ratio with 8 bits after the point has limits") {
  CHECK(fixed8_of(1) == 256);
  CHECK(fixed8_of(-0.1F) == -26);
  CHECK(fixed8_of(1.0F / 256) == 1);
  CHECK_FALSE(fixed8_of(1.0F / 257).has_value());
  CHECK_FALSE(fixed8_of(128.5F).has_value());
  CHECK(fixed8_product(3, 128) == 2);  // halves up
  CHECK(fixed8_product(-3, 128) == -1);
}

}  // namespace
}  // namespace vernier::import::lite
