// SPDX-License-Identifier: Apache-2.0
#include "hw/model/quantize_linear.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using vernier::model::dequantize_linear;
using vernier::model::quantize_linear;

namespace {
constexpr float kInfinity = std::numeric_limits<float>::infinity();
}  // namespace

TEST_CASE("QuantizeLinear rounds to even before it adds the zero point") {
  for (const int64_t zero_point : {-3, 0, 1, 2}) {
    const auto code = [&](float value) { return quantize_linear(value, 0.5F, zero_point, -128, 127) - zero_point; };
    CHECK(code(0.25F) == 0);
    CHECK(code(0.75F) == 2);
    CHECK(code(1.25F) == 2);
    CHECK(code(-0.25F) == 0);
    CHECK(code(-0.75F) == -2);
    CHECK(code(std::nextafter(0.25F, 1.0F)) == 1);
    CHECK(code(std::nextafter(0.75F, 0.0F)) == 1);
  }
}

TEST_CASE("QuantizeLinear saturates, infinities too, and NaN is the least code") {
  for (const auto& [least, greatest, zero_point] : {std::tuple{-128, 127, 5}, {0, 255, 200}, {-32768, 32767, 0}}) {
    CHECK(quantize_linear(1e30F, 0.1F, zero_point, least, greatest) == greatest);
    CHECK(quantize_linear(-1e30F, 0.1F, zero_point, least, greatest) == least);
    CHECK(quantize_linear(kInfinity, 0.1F, zero_point, least, greatest) == greatest);
    CHECK(quantize_linear(-kInfinity, 0.1F, zero_point, least, greatest) == least);
    CHECK(quantize_linear(std::nanf(""), 0.1F, zero_point, least, greatest) == least);
  }
}

TEST_CASE("QuantizeLinear divides in float32 and does not flush subnormals") {
  // 0.35 / 0.1 is 3.5000001 in float32's own numbers: the exact quotient of the two is 3.49999995, which would give 3.
  CHECK(0.35F / 0.1F == 3.5F);
  CHECK(quantize_linear(0.35F, 0.1F, 0, -128, 127) == 4);
  const float tiny = std::numeric_limits<float>::denorm_min();
  CHECK(quantize_linear(3 * tiny, tiny, 0, -128, 127) == 3);
}

TEST_CASE("DequantizeLinear is one product in float32") {
  CHECK(dequantize_linear(130, 0.1F, 122) == 8.0F * 0.1F);
  CHECK(dequantize_linear(-128, 0.1F, 127) == -255.0F * 0.1F);
  for (int64_t code = -128; code < 128; ++code)
    CHECK(quantize_linear(dequantize_linear(code, 0.0117647061F, -7), 0.0117647061F, -7, -128, 127) == code);
}
