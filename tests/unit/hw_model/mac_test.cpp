// SPDX-License-Identifier: Apache-2.0
#include "hw/model/mac.hpp"

#include "tests/unit/hw_model/exact.hpp"

namespace vernier::model {
namespace {

using namespace vernier::model::tests;

TEST_CASE("mac of every int8 pair and input zero point") {
  // 2^24 triples for each weight zero point. The expected product is not multiplied: it grows by (x - x_zp) with each w.
  for (const int32_t w_zp : {-128, 0, 127}) {
    Differences differences;
    for (int32_t x = -128; x < 128; ++x) {
      for (int32_t x_zp = -128; x_zp < 128; ++x_zp) {
        int64_t expected = 0;
        for (int32_t w = w_zp; w < 128; ++w, expected += x - x_zp) {
          differences.expect(mac(1000, x, x_zp, w, w_zp), 1000 + expected, x, x_zp, w);
        }
        expected = 0;
        for (int32_t w = w_zp; w >= -128; --w, expected -= x - x_zp) {
          differences.expect(mac(-1000, x, x_zp, w, w_zp), expected - 1000, x, x_zp, w);
        }
      }
    }
    CHECK(differences.text() == "none");
  }
}

TEST_CASE("mac by hand, CONV2D of TOSA 1.0") {
  CHECK(mac(0, -128, 127, -128, 127) == 65025);  // (-255) * (-255), the largest product of 9-bit operands
  CHECK(mac(0, -128, 127, 127, -128) == -65025);
  CHECK(mac(5, 3, 3, 100, 0) == 5);                              // a tap that equals the zero point counts nothing
  CHECK(mac(0, -32768, 0, -32768, 0) == 1073741824);             // int16 x int16: 2^15 * 2^15 = 2^30
  CHECK(mac(140737488355327, 1, 0, 1, 0) == -140737488355328);   // 2^47 - 1 + 1 wraps to -2^47
  CHECK(mac(-140737488355328, -1, 0, 1, 0) == 140737488355327);  // and back
}

TEST_CASE("mac of int16 operands against 128-bit arithmetic") {
  Random random;
  INFO("seed " << Random::seed());
  Differences differences;
  for (int i = 0; i < 300000; ++i) {
    const int64_t acc = random.of_bits(48);
    const auto x = static_cast<int32_t>(random.of_bits(16));
    const auto w = static_cast<int32_t>(random.of_bits(16));
    const auto w_zp = static_cast<int32_t>(random.of_bits(8));
    differences.expect(mac(acc, x, 0, w, w_zp), wrapped(Wide{acc} + Wide{x} * (Wide{w} - w_zp), 48), acc, x, w, w_zp);
  }
  CHECK(differences.text() == "none");
}

TEST_CASE("an int32 accumulator is the low half of the 48-bit one") {
  int64_t acc48 = 0;
  int64_t acc32 = 0;  // wrapped at every step, as int32_t accumulators do
  for (int i = 0; i < 200000; ++i) {
    acc48 = mac(acc48, -128, 127, 127 - i % 3, -128);
    acc32 = wrapped(Wide{acc32} - 255 * (255 - i % 3), 32);
    if (i % 1000 == 0) REQUIRE(wrap32(acc48) == acc32);
  }
  CHECK(acc48 < -(int64_t{1} << 33));  // it did wrap on the way
}

TEST_CASE("wrapping to 32 and 48 bits, extension") {
  Random random;
  INFO("seed " << Random::seed());
  Differences differences;
  for (int i = 0; i < 100000; ++i) {
    const int64_t value = random.of_bits(64);
    differences.expect(wrap32(value), wrapped(value, 32), value);
    differences.expect(wrap48(value), wrapped(value, 48), value);
    differences.expect(sign_extend(value, 8), static_cast<int8_t>(value), value);
    differences.expect(sign_extend(value, 64), value, value);
    differences.expect(zero_extend(value, 16), static_cast<uint16_t>(value), value);
  }
  CHECK(differences.text() == "none");
  CHECK(wrap32(2147483648) == INT32_MIN);
  CHECK(wrap48(140737488355328) == -140737488355328);
  CHECK(sign_extend(8, 4) == -8);
  CHECK(zero_extend(-1, 48) == 281474976710655);
  CHECK(fits32(INT32_MAX));
  CHECK_FALSE(fits32(int64_t{INT32_MAX} + 1));
  CHECK(fits32(INT32_MIN));
  CHECK_FALSE(fits32(int64_t{INT32_MIN} - 1));
}

}  // namespace
}  // namespace vernier::model
