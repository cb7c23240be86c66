// SPDX-License-Identifier: Apache-2.0
#include "hw/model/reciprocal.hpp"

#include "tests/unit/hw_model/exact.hpp"

namespace vernier::model {
namespace {

using namespace vernier::model::tests;
using base::ElementType;

TEST_CASE("reciprocal_scale by hand, Precision scaling of TOSA 1.0") {
  // k = 32 - clz(n - 1); multiplier = (2^30 + 1) * 2^k / n, towards zero; shift = 30 + k.
  CHECK(reciprocal_scale(1).multiplier == 1073741825);  // clz(0) = 32, k = 0
  CHECK(reciprocal_scale(1).shift == 30);
  CHECK(reciprocal_scale(2).multiplier == 1073741825);  // k = 1
  CHECK(reciprocal_scale(2).shift == 31);
  CHECK(reciprocal_scale(3).multiplier == 1431655766);  // k = 2: 4294967300 / 3 = 1431655766.67
  CHECK(reciprocal_scale(3).shift == 32);
  CHECK(reciprocal_scale(4).multiplier == 1073741825);
  CHECK(reciprocal_scale(4).shift == 32);
  CHECK(reciprocal_scale(125).multiplier == 1099511628);  // k = 7: 137438953600 / 125 = 1099511628.8
  CHECK(reciprocal_scale(125).shift == 37);
  CHECK(reciprocal_scale(1U << 30).multiplier == 1073741825);
  CHECK(reciprocal_scale(1U << 30).shift == 60);
}

TEST_CASE("reciprocal_scale of large windows stays normalised and below 1 / n by less than a step") {
  Differences differences;
  Random random;
  INFO("seed " << Random::seed());
  const auto compare = [&](uint32_t n) {
    int k = 0;
    while (power_of_two(k) < n) ++k;
    const ReciprocalScale scale = reciprocal_scale(n);
    const auto expected = static_cast<int64_t>((power_of_two(30) + 1) * power_of_two(k) / n);
    differences.expect(scale.multiplier, expected, n);
    differences.expect(scale.shift, 30 + k, n);
    if (expected < int64_t{1} << 30 || expected > INT32_MAX) differences.expect(expected, 0, n);
  };
  for (uint32_t n = 1; n <= 1000000; ++n) compare(n);
  for (int i = 0; i < 100000; ++i) compare(static_cast<uint32_t>(random.between(1, 1 << 30)));
  for (int k = 1; k < 30; ++k) {
    compare((1U << k) - 1);
    compare((1U << k) + 1);
  }
  CHECK(differences.text() == "none");
}

TEST_CASE("average of int8 is the quotient, half away from zero, for every sum of up to 256 elements") {
  Differences differences;
  for (int32_t n = 1; n <= 256; ++n) {
    const ReciprocalScale scale = reciprocal_scale(static_cast<uint32_t>(n));
    for (int32_t acc = -128 * n; acc <= 127 * n; ++acc) {
      differences.expect(average(acc, scale, 0, ElementType::Int8), acc >= 0 ? (acc + n / 2) / n : (acc - n / 2) / n, acc,
                         n);
    }
  }
  CHECK(differences.text() == "none");
}

TEST_CASE("average for n to 4096 at each result's ties and ends") {
  Differences differences;
  for (int32_t n = 1; n <= 4096; ++n) {
    const ReciprocalScale scale = reciprocal_scale(static_cast<uint32_t>(n));
    for (int32_t quotient = -128; quotient <= 127; ++quotient) {
      for (const int32_t rest : {0, (n - 1) / 2, n / 2, n / 2 + 1, n - 1}) {
        const int32_t acc = quotient * n + rest;
        const Wide expected = clipped(divide_half_away(acc, n), -128, 127);
        differences.expect(average(acc, scale, 0, ElementType::Int8), static_cast<int64_t>(expected), acc, n);
      }
    }
  }
  CHECK(differences.text() == "none");
}

TEST_CASE("average with zero points and of int16") {
  // Sum of four (x - input_zp): 4 * (127 + 128) = 1020 -> 255, + output_zp -128 = 127.
  CHECK(average(1020, 4U, -128, ElementType::Int8) == 127);
  CHECK(average(1020, 4U, 0, ElementType::Int8) == 127);  // 255 saturates
  CHECK(average(-1020, 4U, 0, ElementType::Int8) == -128);
  CHECK(average(2, 4U, 10, ElementType::Int8) == 11);   // 0.5 up
  CHECK(average(-2, 4U, 10, ElementType::Int8) == 9);   // -0.5 away from zero
  CHECK(average(-1, 4U, 10, ElementType::Int8) == 10);  // -0.25
  CHECK(average(32767 * 9, 9U, 0, ElementType::Int16) == 32767);
  CHECK(average(-32768 * 9, 9U, 0, ElementType::Int16) == -32768);
  CHECK(average(40000 * 3, 3U, 0, ElementType::Int16) == 32767);

  Random random;
  INFO("seed " << Random::seed());
  Differences differences;
  for (int i = 0; i < 500000; ++i) {
    const auto n = static_cast<int32_t>(random.between(1, 4096));
    const auto acc = static_cast<int32_t>(random.between(-32768 * int64_t{n}, 32767 * int64_t{n}));
    const Wide expected = clipped(divide_half_away(acc, n), -32768, 32767);
    differences.expect(average(acc, static_cast<uint32_t>(n), 0, ElementType::Int16), static_cast<int64_t>(expected), acc,
                       n);
  }
  CHECK(differences.text() == "none");
}

TEST_CASE("a window without elements is defined in C++") {  // TOSA REQUIREs n > 0
  CHECK(average(INT32_MAX, 0U, 3, ElementType::Int8) == 3);
  CHECK(average(INT32_MAX, 0xFFFFFFFFU, INT32_MAX, ElementType::Int8) <= 127);
}

}  // namespace
}  // namespace vernier::model
