// SPDX-License-Identifier: Apache-2.0
// Dequantize: vectors worked by hand from the steps of the kernel; those of TensorFlow itself are in
// tests/e2e/quantize_test.py.
#include "hw/model/dequantize_v2.hpp"

#include "tests/unit/hw_model/quantized_values.hpp"

#include <catch2/catch.hpp>

#include <vector>

namespace vernier::model {
namespace {

using tests::kInfinity, tests::kNan;
using tests::kQint16, tests::kQint32, tests::kQint8, tests::kQuint16, tests::kQuint8;
constexpr QuantizeMode kMinCombined = QuantizeMode::MinCombined, kMinFirst = QuantizeMode::MinFirst,
                       kScaled = QuantizeMode::Scaled;

float value(QuantizedType type, QuantizeMode mode, float min, float max, int32_t code, bool narrow = false) {
  return dequantize(make_dequantizer(type, mode, narrow, min, max), code);
}

TEST_CASE("Dequantize: a range of a unit per code gives the codes") {
  for (const QuantizedType type : {kQint8, kQuint8, kQint16, kQuint16}) {
    const auto min = static_cast<float>(type.least()), max = static_cast<float>(type.greatest());
    for (const QuantizeMode mode : {kMinCombined, kMinFirst, kScaled}) {
      for (const int64_t code : {type.least(), type.least() + 1, int64_t{0}, int64_t{1}, type.greatest()})
        CHECK(value(type, mode, min, max, static_cast<int32_t>(code)) == static_cast<float>(code));
    }
  }
}

TEST_CASE("Dequantize: the ends of the range") {
  CHECK(value(kQuint8, kMinCombined, -2, 6, 0) == -2);
  CHECK(value(kQint8, kMinCombined, -2, 6, -128) == -2);
  CHECK(value(kQint8, kScaled, -1, 1, -128) == -1.00787401F);  // 128 / 127
  CHECK(value(kQint8, kScaled, -2, 1, -128) == -2);
  CHECK(value(kQint8, kScaled, -2, 1, -127, true) == -2);
  CHECK(value(kQuint8, kScaled, -100, 1, 255) == 1);  // the negative part of an unsigned range counts for nothing
  CHECK(value(kQint32, kMinCombined, -1, 1, std::numeric_limits<int32_t>::min()) == -1);
  CHECK(value(kQint32, kMinCombined, -1, 1, std::numeric_limits<int32_t>::max()) == 1);  // as a float32 it is 2^31
}

TEST_CASE("Dequantize MIN_FIRST: the least end is moved to a whole number of steps") {
  // Steps of 1: -0.25 becomes 0, -0.5 becomes -1.
  CHECK(value(kQuint8, kMinFirst, -0.25F, 254.75F, 0) == 0);
  CHECK(value(kQuint8, kMinFirst, -0.5F, 254.5F, 0) == -1);
  CHECK(value(kQint8, kMinFirst, 5, 5, 77) == 5);  // an empty range is its one value
}

TEST_CASE("Dequantize: every step is rounded to float32, the product before the sum") {
  CHECK(value(kQuint8, kMinCombined, -0.42F, 0.84F, 65) == -0x1.94c7f8p-4F);  // a fused multiply-add gives another last bit
  CHECK(std::fmaf(65, (0.84F + 0.42F) / 255, -0.42F) != -0x1.94c7f8p-4F);
}

TEST_CASE("Dequantize: the range is taken as it is") {
  CHECK(value(kQint8, kMinCombined, 3, 1, -128) == 3);
  CHECK(value(kQint8, kMinCombined, 3, 1, 127) == 1);
  CHECK_FALSE(is_useful(make_dequantizer(kQint8, kMinCombined, false, 3, 1)));
  CHECK_FALSE(is_useful(make_dequantizer(kQint8, kScaled, false, 0, 0)));
  CHECK_FALSE(is_useful(make_dequantizer(kQuint8, kMinFirst, false, -3e38F, 3e38F)));
  CHECK(is_useful(make_dequantizer(kQint8, kScaled, false, -1, 1)));
  // std::max(a, NaN) is a.
  CHECK(value(kQint8, kScaled, -1, kNan, 127) == 0.9921875F);
  CHECK(std::isnan(value(kQint8, kScaled, kNan, 1, 127)));
  CHECK(std::isnan(value(kQint8, kMinCombined, -kInfinity, kInfinity, 0)));
}

TEST_CASE("Dequantize: subnormal ends and results are zero") {
  CHECK(value(kQint8, kMinCombined, -0x1p-128F, 0x1p-128F, 127) == 0);
  CHECK(value(kQuint16, kScaled, 0, 0x1p-120F, 1) == 0);
  CHECK(std::isnan(value(kQuint8, kMinFirst, 0, 0x1p-126F, 255)));  // a step of 0: 0 / 0
}

}  // namespace
}  // namespace vernier::model
