// SPDX-License-Identifier: Apache-2.0
// The arithmetic half of hw/model/elementwise.hpp.
#include "hw/model/elementwise.hpp"
#include "tests/unit/hw_model/exact.hpp"

namespace vernier::model {
namespace {

using namespace vernier::model::tests;
using base::ElementType;

constexpr bool in_int32(Wide value) { return value >= INT32_MIN && value <= INT32_MAX; }

void compare_pair(Differences& differences, int32_t a, int32_t b) {
  differences.expect(add(a, b), wrapped(Wide{a} + b, 32), a, b, '+');
  differences.expect(add_is_defined(a, b) ? 1 : 0, in_int32(Wide{a} + b) ? 1 : 0, a, b, '+');
  differences.expect(sub(a, b), wrapped(Wide{a} - b, 32), a, b, '-');
  differences.expect(sub_is_defined(a, b) ? 1 : 0, in_int32(Wide{a} - b) ? 1 : 0, a, b, '-');
  differences.expect(mul(a, b, 0), wrapped(Wide{a} * b, 32), a, b, '*');
  differences.expect(maximum(a, b), a > b ? a : b, a, b, 'M');
  differences.expect(minimum(a, b), a > b ? b : a, a, b, 'm');
  differences.expect(intdiv_is_defined(a, b) ? 1 : 0, b != 0 && in_int32(Wide{a} / b) ? 1 : 0, a, b, '/');
  if (b == 0) return;
  const Wide quotient = intdiv(a, b);  // of a, towards zero: |a - q b| < |b|, and a rest of a's sign
  const Wide rest = Wide{a} - quotient * b;
  const Wide size = b < 0 ? -Wide{b} : Wide{b};
  if (intdiv_is_defined(a, b) && !(rest < size && -rest < size && (rest == 0 || (rest < 0) == (a < 0)))) {
    differences.expect(static_cast<int64_t>(quotient), 0, a, b, '/');
  }
}

TEST_CASE("arithmetic on every int8 pair") {
  Differences differences;
  for (int32_t a = -128; a < 128; ++a) {
    for (int32_t b = -128; b < 128; ++b) compare_pair(differences, a, b);
  }
  CHECK(differences.text() == "none");
}

TEST_CASE("arithmetic on int32: edges and random pairs") {
  Random random;
  INFO("seed " << Random::seed());
  Differences differences;
  for (const int32_t a : kEdges32) {
    for (const int32_t b : kEdges32) compare_pair(differences, a, b);
  }
  for (int i = 0; i < 200000; ++i) {
    compare_pair(differences, static_cast<int32_t>(random.of_bits(32)), static_cast<int32_t>(random.of_bits(32)));
  }
  CHECK(differences.text() == "none");
}

TEST_CASE("products of int16: every value with the edges") {
  Differences differences;
  for (int32_t a = -32768; a < 32768; ++a) {
    int64_t expected = -32768 * int64_t{a};
    for (const int32_t b : {-32768, -32767, -1, 0, 1, 255, 32767}) {
      expected = 0;  // b * a as a sum of shifted a's, the sign bit of b counting negative
      for (int bit = 0; bit < 16; ++bit) {
        if (((b >> bit) & 1) != 0) expected += (bit == 15 ? -1 : 1) * int64_t{a} * (int64_t{1} << bit);
      }
      differences.expect(mul(a, b, 0), expected, a, b);
    }
  }
  CHECK(differences.text() == "none");
}

TEST_CASE("mul with a shift, MUL of TOSA 1.0") {
  CHECK(mul(3, 5, 1) == 8);                           // 7.5 goes up
  CHECK(mul(-3, 5, 1) == -7);                         // -7.5 goes up
  CHECK(mul(65536, 65536, 0) == 0);                   // 2^32: the low 32 bits, a valid result
  CHECK(mul(65536, 65536, 2) == 1073741824);          // 2^30
  CHECK(mul(INT32_MIN, INT32_MIN, 63) == 1);          // 2^62 / 2^63 = 0.5: up, although 2^62 + 2^62 is no int64
  CHECK(mul(INT32_MIN, INT32_MIN, 31) == INT32_MIN);  // 2^31 wraps
  CHECK_FALSE(mul_is_defined(INT32_MIN, INT32_MIN, 31, ElementType::Int32));
  CHECK(mul_is_defined(INT32_MIN, INT32_MIN, 32, ElementType::Int32));
  CHECK(mul_is_defined(INT32_MIN, INT32_MIN, 0, ElementType::Int32));
  CHECK_FALSE(mul_is_defined(1, 1, 64, ElementType::Int32));
  CHECK_FALSE(mul_is_defined(1, 1, -1, ElementType::Int32));
  CHECK_FALSE(mul_is_defined(1, 1, 1, ElementType::Int16));
  CHECK_FALSE(mul_is_defined(1, 1, 1, ElementType::Int8));
  CHECK(mul_is_defined(-128, -128, 0, ElementType::Int8));

  Random random;
  INFO("seed " << Random::seed());
  Differences differences;
  for (int i = 0; i < 300000; ++i) {
    const auto a = static_cast<int32_t>(random.of_bits(32));
    const auto b = static_cast<int32_t>(random.of_bits(32));
    const auto shift = static_cast<int32_t>(random.between(1, 63));
    const Wide expected = divide_half_up(Wide{a} * b, power_of_two(shift));
    differences.expect(mul(a, b, shift), wrapped(expected, 32), a, b, shift);
    differences.expect(mul_is_defined(a, b, shift, ElementType::Int32) ? 1 : 0, in_int32(expected) ? 1 : 0, a, b, shift);
  }
  CHECK(differences.text() == "none");
}

TEST_CASE("intdiv, abs and clz by hand") {
  CHECK(intdiv(7, -2) == -3);  // INTDIV truncates towards zero
  CHECK(intdiv(-7, 2) == -3);
  CHECK(intdiv(5, 0) == -1);  // unpredictable in TOSA, RISC-V's answers here
  CHECK(intdiv(INT32_MIN, 0) == -1);
  CHECK(intdiv(INT32_MIN, -1) == INT32_MIN);
  CHECK(abs(-7) == 7);
  CHECK(abs(7) == 7);
  CHECK(abs(INT32_MIN) == INT32_MIN);
  CHECK_FALSE(abs_is_defined(INT32_MIN));
  CHECK(abs_is_defined(INT32_MIN + 1));
  CHECK(abs(INT32_MIN + 1) == INT32_MAX);
  CHECK(clz(0) == 32);
  CHECK(clz(-1) == 0);
  for (int bit = 0; bit < 31; ++bit) {
    CHECK(clz(1 << bit) == 31 - bit);
    CHECK(clz((1 << bit) | (1 << bit) / 3) == 31 - bit);
  }
}

TEST_CASE("negate of every int8 value and zero points, NEGATE of TOSA 1.0") {
  Differences differences;
  for (int32_t x = -128; x < 128; ++x) {
    for (int32_t input_zp = -128; input_zp < 128; ++input_zp) {
      for (int32_t output_zp = -128; output_zp < 128; output_zp += 5) {
        const auto expected = static_cast<int64_t>(clipped(Wide{input_zp} + output_zp - x, -128, 127));
        differences.expect(negate(x, input_zp, output_zp, ElementType::Int8), expected, x, input_zp, output_zp);
      }
    }
  }
  for (int32_t x = -32768; x < 32768; ++x) {
    differences.expect(negate(x, 0, 0, ElementType::Int16), x == -32768 ? 32767 : -x, x);
  }
  CHECK(differences.text() == "none");
  CHECK(negate(-128, 0, 0, ElementType::Int8) == 127);              // saturates
  CHECK(negate(INT32_MIN, 0, 0, ElementType::Int32) == INT32_MIN);  // wraps: unpredictable in TOSA
  CHECK_FALSE(negate_is_defined(INT32_MIN, 0, 0));
  CHECK(negate(INT32_MAX, 0, 0, ElementType::Int32) == -INT32_MAX);
  CHECK(negate_is_defined(INT32_MAX, 0, 0));
}

TEST_CASE("clamp of every int8 triple") {
  Differences differences;
  for (int32_t low = -128; low < 128; ++low) {
    for (int32_t high = low; high < 128; ++high) {
      for (int32_t x = -128; x < 128; ++x)
        differences.expect(clamp(x, low, high), x < low ? low : x > high ? high : x, x, low, high);
    }
  }
  CHECK(differences.text() == "none");
  CHECK(clamp(0, 5, -5) == -5);  // an ERROR_IF that a caller let through
  CHECK(clamp(INT32_MIN, -1, 1) == -1);
  CHECK(clamp(INT32_MAX, -1, 1) == 1);
}

}  // namespace
}  // namespace vernier::model
