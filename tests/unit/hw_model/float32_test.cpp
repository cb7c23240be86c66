// SPDX-License-Identifier: Apache-2.0
// Single precision without subnormals: against hand-worked vectors, and on x86-64 against the processor with FTZ and DAZ
// set.
#include "hw/model/float32.hpp"

#include "tests/support/random.hpp"

#include <catch2/catch.hpp>

#include <bit>
#include <vector>

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

namespace vernier::model {
namespace {

constexpr float kLeast = 0x1p-126F;
constexpr float kFloatInfinity = std::numeric_limits<float>::infinity();

TEST_CASE("float32: what is tiny becomes zero and keeps its sign") {
  CHECK(std::bit_cast<uint32_t>(without_subnormals(0x1p-127F)) == 0);
  CHECK(std::bit_cast<uint32_t>(without_subnormals(-0x1p-149F)) == 0x8000'0000);
  CHECK(without_subnormals(-kLeast) == -kLeast);
  CHECK(float_product(0x1p-63F, 0x1p-63F) == kLeast);
  CHECK(std::bit_cast<uint32_t>(float_product(-0x1p-63F, 0x1p-64F)) == 0x8000'0000);
  CHECK(float_difference(0x1.8p-126F, kLeast) == 0);
  CHECK(float_quotient(kLeast, 2.0F) == 0);
}

TEST_CASE("float32: tiny is told after rounding, as if there were smaller exponents") {
  // 2^-126 - 2^-150 is half-way between two subnormal steps and would round to 2^-126; with 24 bits it stays below.
  CHECK(float_product(0x1.fffffep-1F, kLeast) == 0);
  // 2^-126 (1 - 2^-46) rounds to 2^-126 with 24 bits.
  CHECK(float_product(0x1.000002p0F, 0x1.fffffcp-127F) == kLeast);
}

TEST_CASE("float32: overflow, infinities and NaN as in IEEE 754") {
  CHECK(float_product(0x1p127F, 2.0F) == kFloatInfinity);
  CHECK(float_sum(-std::numeric_limits<float>::max(), -std::numeric_limits<float>::max()) == -kFloatInfinity);
  CHECK(float_quotient(-1.0F, 0.0F) == -kFloatInfinity);
  CHECK(std::isnan(float_product(kFloatInfinity, 0.0F)));
  CHECK(std::isnan(float_quotient(0.0F, 0.0F)));
  CHECK(std::isnan(without_subnormals(std::numeric_limits<float>::quiet_NaN())));
}

TEST_CASE("float32: ties go to even") {
  CHECK(float_sum(0x1p24F, 1.0F) == 0x1p24F);
  CHECK(float_sum(0x1p24F, 3.0F) == 0x1p24F + 4.0F);
}

#ifdef __SSE2__
/// The processor's result of one operation with both flags set; they are put back.
template <typename Operation>
uint32_t by_processor(Operation operation, float a, float b) {
  constexpr uint32_t kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
  const uint32_t before = _mm_getcsr();
  const volatile float first = a, second = b;
  _mm_setcsr(before | kFlushToZero | kDenormalsAreZero);
  const volatile float result = _mm_cvtss_f32(operation(_mm_set_ss(first), _mm_set_ss(second)));
  _mm_setcsr(before);
  return std::bit_cast<uint32_t>(static_cast<float>(result));
}

/// Any bits, or exponents at which the results are near the least normal number.
float operand(vernier::tests::Random& random) {
  const auto bits = static_cast<uint32_t>(random.seed());
  const std::vector<uint32_t> exponents{0, 1, 2, 62, 63, 64, 126, 127, 128, 150, 151, 253, 254, 255};
  return std::bit_cast<float>(random.chance(30) ? bits : (bits & 0x807f'ffffU) | (random.pick(exponents) << 23U));
}

TEST_CASE("float32: x86-64 with FTZ and DAZ computes the same") {
  constexpr uint64_t kSeed = 14;
  CAPTURE(kSeed);
  vernier::tests::Random random(kSeed);
  int64_t num_different = 0;
  // Lambdas, because an intrinsic has no address where it is not inlined.
  const auto mul = [](__m128 a, __m128 b) { return _mm_mul_ss(a, b); };
  const auto div = [](__m128 a, __m128 b) { return _mm_div_ss(a, b); };
  const auto add = [](__m128 a, __m128 b) { return _mm_add_ss(a, b); };
  const auto sub = [](__m128 a, __m128 b) { return _mm_sub_ss(a, b); };
  const auto is_same = [](float ours, uint32_t theirs) {
    return std::bit_cast<uint32_t>(ours) == theirs || (std::isnan(ours) && std::isnan(std::bit_cast<float>(theirs)));
  };
  for (int64_t i = 0; i < 300'000; ++i) {
    const float raw_a = operand(random), raw_b = operand(random);
    const float a = without_subnormals(raw_a), b = without_subnormals(raw_b);
    const bool is_equal = is_same(float_product(a, b), by_processor(mul, raw_a, raw_b)) &&
                          is_same(float_quotient(a, b), by_processor(div, raw_a, raw_b)) &&
                          is_same(float_sum(a, b), by_processor(add, raw_a, raw_b)) &&
                          is_same(float_difference(a, b), by_processor(sub, raw_a, raw_b));
    if (!is_equal && ++num_different == 1) UNSCOPED_INFO(raw_a << " and " << raw_b);
  }
  CHECK(num_different == 0);
}
#endif

}  // namespace
}  // namespace vernier::model
