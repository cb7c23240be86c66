// SPDX-License-Identifier: Apache-2.0
#include "hw/model/quantize_int.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <vector>

using namespace vernier;
using base::Rounding;

TEST_CASE("each mode rounds as QONNX's table says") {  // qonnx tests/custom_op/test_runding_mode.py
  struct Row {
    Rounding rounding;
    std::vector<int64_t> expected;
  };
  const std::vector<float> numbers{5.5F, 2.5F, 1.6F, 1.1F, 1.0F, -1.0F, -1.1F, -1.6F, -2.5F, -5.5F};
  const std::vector<Row> rows{
      {Rounding::HalfEven, {6, 2, 2, 1, 1, -1, -1, -2, -2, -6}}, {Rounding::Ceil, {6, 3, 2, 2, 1, -1, -1, -1, -2, -5}},
      {Rounding::Floor, {5, 2, 1, 1, 1, -1, -2, -2, -3, -6}},    {Rounding::Up, {6, 3, 2, 2, 1, -1, -2, -2, -3, -6}},
      {Rounding::Down, {5, 2, 1, 1, 1, -1, -1, -1, -2, -5}},     {Rounding::HalfUp, {6, 3, 2, 1, 1, -1, -1, -2, -3, -6}},
      {Rounding::HalfDown, {5, 2, 2, 1, 1, -1, -1, -2, -2, -5}}, {Rounding::Sign, {1, 1, 1, 1, 1, -1, -1, -1, -1, -1}},
      {Rounding::TiesUp, {6, 3, 2, 1, 1, -1, -1, -2, -2, -5}}};
  for (const Row& row : rows) {
    INFO(base::to_string(row.rounding));
    CHECK(base::rounding_of(base::to_string(row.rounding)) == row.rounding);
    std::vector<int64_t> found;
    for (const float number : numbers) found.push_back(static_cast<int64_t>(model::rounded(number, row.rounding)));
    CHECK(found == row.expected);
  }
  CHECK(!base::rounding_of("stochastic"));
}

TEST_CASE("the zero point is added before rounding, and limits hold") {
  CHECK(model::quantize_int(0.5F, 1, 3, -8, 7, Rounding::HalfEven) == 4);  // 3.5; QuantizeLinear gives 0 + 3
  CHECK(model::quantize_int(-3.5F, 1, 3, -8, 7, Rounding::Up) == -1);      // -0.5
  CHECK(model::quantize_int(100, 0.5F, 0, -7, 7, Rounding::Floor) == 7);
  CHECK(model::quantize_int(-100, 0.5F, 0, -7, 7, Rounding::Floor) == -7);
  CHECK(model::quantize_int(std::numeric_limits<float>::infinity(), 1, 0, 0, 15, Rounding::Ceil) == 15);
  CHECK(model::quantize_int(std::numeric_limits<float>::quiet_NaN(), 1, 0, 0, 15, Rounding::Ceil) == 0);
  CHECK(model::quantize_int(0, 1, 0, -1, 1, Rounding::Sign) == 1);
  CHECK(model::quantize_int(-0.1F, 1, 0, -1, 1, Rounding::Sign) == -1);
  // In float32 the number below 0.5 plus 0.5 is 1.
  CHECK(model::quantize_int(0.49999997F, 1, 0, -8, 7, Rounding::HalfUp) == 1);
  CHECK(model::quantize_int(0.49999997F, 1, 0, -8, 7, Rounding::HalfDown) == 0);
}

TEST_CASE("ties go up on the grid that begins at the least code") {
  const auto code = [](float number, int64_t least) {
    return model::quantize_int(number, 1, 0, least, least + 15, Rounding::TiesUp);
  };
  CHECK(code(2.5F, 0) == 3);
  CHECK(code(-2.5F, -8) == -2);
  CHECK(code(-100, -8) == -8);
  CHECK(code(100, -8) == 7);
  CHECK(code(0.49999997F, 0) == 0);
  CHECK(code(0.49999997F, -8) == 1);  // plus 8 it is 8.5 in float32
}
