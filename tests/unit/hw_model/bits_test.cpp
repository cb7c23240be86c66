// SPDX-License-Identifier: Apache-2.0
// Shifts, bits, comparisons and casts of hw/model/elementwise.hpp.
#include "hw/model/elementwise.hpp"
#include "tests/unit/hw_model/exact.hpp"

namespace vernier::model {
namespace {

using namespace vernier::model::tests;
using base::ElementType;

/// The `bits` of x as a number without sign.
Wide unsigned_value(int32_t x, int bits) { return x < 0 ? Wide{x} + power_of_two(bits) : Wide{x}; }

void compare_shifts(Differences& differences, int32_t x, int32_t amount, ElementType type) {
  const int bits = base::info(type).bits;
  const Wide divisor = power_of_two(amount);
  differences.expect(arithmetic_right_shift(x, amount, false), static_cast<int64_t>(floor_divide(x, divisor)), x, amount,
                     bits);
  differences.expect(arithmetic_right_shift(x, amount, true), static_cast<int64_t>(divide_half_up(x, divisor)), x, amount,
                     bits);
  differences.expect(logical_left_shift(x, amount, type), wrapped(Wide{x} * divisor, bits), x, amount, bits);
  differences.expect(logical_right_shift(x, amount, type), wrapped(unsigned_value(x, bits) / divisor, bits), x, amount,
                     bits);
}

TEST_CASE("shifts of every int8 and int16 value by every amount") {
  Differences differences;
  for (int32_t amount = 0; amount < 8; ++amount) {
    for (int32_t x = -128; x < 128; ++x) compare_shifts(differences, x, amount, ElementType::Int8);
  }
  for (int32_t amount = 0; amount < 16; ++amount) {
    for (int32_t x = -32768; x < 32768; ++x) compare_shifts(differences, x, amount, ElementType::Int16);
  }
  CHECK(differences.text() == "none");
}

TEST_CASE("shifts of int32: edges and random values by every amount") {
  Random random;
  INFO("seed " << Random::seed());
  Differences differences;
  for (int32_t amount = 0; amount < 32; ++amount) {
    for (const int32_t x : kEdges32) compare_shifts(differences, x, amount, ElementType::Int32);
    for (int i = 0; i < 5000; ++i) {
      compare_shifts(differences, static_cast<int32_t>(random.of_bits(32)), amount, ElementType::Int32);
    }
  }
  CHECK(differences.text() == "none");
}

TEST_CASE("shifts by hand, ARITHMETIC_RIGHT_SHIFT and LOGICAL_LEFT_SHIFT, LOGICAL_RIGHT_SHIFT of TOSA 1.0") {
  CHECK(arithmetic_right_shift(-5, 1, false) == -3);  // -2.5 down
  CHECK(arithmetic_right_shift(-5, 1, true) == -2);   // half up
  CHECK(arithmetic_right_shift(5, 1, true) == 3);
  CHECK(arithmetic_right_shift(-5, 0, true) == -5);
  CHECK(arithmetic_right_shift(INT32_MAX, 1, true) == 1073741824);  // 2^30 - 1/2: no overflow on the way
  CHECK(arithmetic_right_shift(INT32_MAX, 31, true) == 1);
  CHECK(logical_left_shift(65, 1, ElementType::Int8) == -126);  // 130 wraps into int8
  CHECK(logical_left_shift(65, 1, ElementType::Int16) == 130);
  CHECK(logical_right_shift(-1, 1, ElementType::Int8) == 127);
  CHECK(logical_right_shift(-1, 1, ElementType::Int16) == 32767);
  CHECK(logical_right_shift(-1, 1, ElementType::Int32) == INT32_MAX);
  CHECK(logical_right_shift(-1, 0, ElementType::Int8) == -1);
}

TEST_CASE("shift amounts that TOSA forbids count by their low five bits") {
  CHECK(shift_is_defined(0, ElementType::Int8));
  CHECK(shift_is_defined(7, ElementType::Int8));
  CHECK_FALSE(shift_is_defined(8, ElementType::Int8));
  CHECK(shift_is_defined(15, ElementType::Int16));
  CHECK_FALSE(shift_is_defined(16, ElementType::Int16));
  CHECK(shift_is_defined(31, ElementType::Int32));
  CHECK_FALSE(shift_is_defined(32, ElementType::Int32));
  CHECK_FALSE(shift_is_defined(-1, ElementType::Int32));
  CHECK(logical_left_shift(1, 8, ElementType::Int8) == 0);
  CHECK(logical_right_shift(-128, 9, ElementType::Int8) == 0);
  CHECK(arithmetic_right_shift(-128, 20, false) == -1);
  for (const int32_t x : kEdges32) {
    for (const int32_t amount : kEdges32) {
      const int32_t low_bits = static_cast<int32_t>(static_cast<uint32_t>(amount) % 32);
      CHECK(arithmetic_right_shift(x, amount, true) == arithmetic_right_shift(x, low_bits, true));
      CHECK(logical_left_shift(x, amount, ElementType::Int32) == logical_left_shift(x, low_bits, ElementType::Int32));
      CHECK(logical_right_shift(x, amount, ElementType::Int32) == logical_right_shift(x, low_bits, ElementType::Int32));
      CHECK(mul(x, 3, amount) == mul(x, 3, static_cast<int32_t>(static_cast<uint32_t>(amount) % 64)));
    }
  }
}

/// Bit i of the result is bit (a_i, b_i) of a truth table of four: 00, 01, 10, 11.
int32_t by_truth_table(int32_t a, int32_t b, std::array<int, 4> truth) {
  uint32_t result = 0;
  for (int bit = 0; bit < 32; ++bit) {
    const auto row = static_cast<size_t>(((a >> bit) & 1) * 2 + ((b >> bit) & 1));
    result |= static_cast<uint32_t>(truth[row]) << bit;
  }
  return static_cast<int32_t>(result);
}

void compare_bits(Differences& differences, int32_t a, int32_t b) {
  differences.expect(bitwise_and(a, b), by_truth_table(a, b, {0, 0, 0, 1}), a, b);
  differences.expect(bitwise_or(a, b), by_truth_table(a, b, {0, 1, 1, 1}), a, b);
  differences.expect(bitwise_xor(a, b), by_truth_table(a, b, {0, 1, 1, 0}), a, b);
  differences.expect(bitwise_not(a), by_truth_table(a, b, {1, 1, 0, 0}), a, b);
  const int64_t order = int64_t{a} - b;
  differences.expect(equal(a, b), order == 0 ? 1 : 0, a, b);
  differences.expect(greater(a, b), order > 0 ? 1 : 0, a, b);
  differences.expect(greater_equal(a, b), order >= 0 ? 1 : 0, a, b);
  differences.expect(select(1, a, b), a, a, b);
  differences.expect(select(0, a, b), b, a, b);
}

TEST_CASE("bits and comparisons of every int8 pair, of edges and of random int32 pairs") {
  Random random;
  INFO("seed " << Random::seed());
  Differences differences;
  for (int32_t a = -128; a < 128; ++a) {
    for (int32_t b = -128; b < 128; ++b) compare_bits(differences, a, b);
  }
  for (const int32_t a : kEdges32) {
    for (const int32_t b : kEdges32) compare_bits(differences, a, b);
  }
  for (int i = 0; i < 20000; ++i) {
    compare_bits(differences, static_cast<int32_t>(random.of_bits(32)), static_cast<int32_t>(random.of_bits(32)));
  }
  CHECK(differences.text() == "none");
}

TEST_CASE("booleans") {
  for (const int32_t a : {0, 1}) {
    CHECK(logical_not(a) == 1 - a);
    for (const int32_t b : {0, 1}) {
      CHECK(logical_and(a, b) == a * b);
      CHECK(logical_or(a, b) == (a + b + 1) / 2);
      CHECK(logical_xor(a, b) == (a + b) % 2);
    }
  }
}

TEST_CASE("cast, CAST of TOSA 1.0: narrowing keeps low bits, bool is x != 0") {
  Random random;
  INFO("seed " << Random::seed());
  Differences differences;
  const auto compare = [&](int32_t x) {
    differences.expect(cast(x, ElementType::Int8), static_cast<int8_t>(x), x, 8);
    differences.expect(cast(x, ElementType::Int16), static_cast<int16_t>(x), x, 16);
    differences.expect(cast(x, ElementType::Int32), x, x, 32);
    differences.expect(cast(x, ElementType::Bool), static_cast<bool>(x) ? 1 : 0, x, 1);
  };
  for (int32_t x = -(1 << 17); x < 1 << 17; ++x) compare(x);
  for (int i = 0; i < 100000; ++i) compare(static_cast<int32_t>(random.of_bits(32)));
  for (const int32_t x : kEdges32) compare(x);
  CHECK(differences.text() == "none");
  CHECK(cast(200, ElementType::Int8) == -56);  // not saturated
  CHECK(cast(256, ElementType::Int8) == 0);
  CHECK(cast(256, ElementType::Bool) == 1);
  CHECK(cast(-1, ElementType::Bool) == 1);
}

}  // namespace
}  // namespace vernier::model
