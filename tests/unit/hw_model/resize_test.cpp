// SPDX-License-Identifier: Apache-2.0
#include "hw/model/resize.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace vernier {

TEST_CASE("source coordinates of RESIZE are the floor of the scaled output coordinate, kept inside") {
  for (const int32_t numerator : {1, 2, 3, 7, 16}) {
    for (const int32_t denominator : {1, 2, 3, 5, 16 * numerator - 1}) {
      for (int32_t offset = -numerator; offset < 16 * numerator; offset += 3) {
        for (int32_t output = 0; output < 40; ++output) {
          const int32_t size = 9;
          const auto position = model::resize_position(output, numerator, denominator, offset, size);
          const double exact = (output * denominator + offset) / static_cast<double>(numerator);
          const auto whole = static_cast<int32_t>(std::floor(exact));
          CHECK(position.first == std::min(std::max(whole, 0), size - 1));
          CHECK(position.second == std::max(std::min(whole + 1, size - 1), 0));
          CHECK(position.fraction == output * denominator + offset - whole * numerator);
        }
      }
    }
  }
}

TEST_CASE("RESIZE values worked by hand") {
  // Twice the size, half-pixel centres: scale 4/2, offset -1. Output 0 lies at -1/4: floor -1, fraction 3 of 4.
  const auto before = model::resize_position(0, 4, 2, -1, 3);
  CHECK(before.first == 0);
  CHECK(before.second == 0);
  CHECK(before.fraction == 3);
  const auto between = model::resize_position(2, 4, 2, -1, 3);  // 3/4
  CHECK(between.first == 0);
  CHECK(between.second == 1);
  CHECK(model::resize_blend(10, 20, between.fraction, 4) == 10 * 1 + 20 * 3);
  CHECK(model::resize_nearest(between, 4) == 1);
  CHECK(model::resize_nearest({0, 1, 2}, 4) == 1);  // half way
  CHECK(model::resize_nearest({0, 1, 1}, 4) == 0);
  CHECK(model::resize_nearest({0, 1, 1}, 3) == 0);  // 1/3
  CHECK(model::resize_nearest({0, 1, 2}, 3) == 1);
  // The largest result: int16 at two axes of 2048, 2^37.
  const int64_t row = model::resize_blend(-32768, -32768, 1024, 2048);
  CHECK(model::resize_blend(row, row, 5, 2048) == -(int64_t{1} << 37));
}

}  // namespace vernier
