// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0 elementwise operators on one integer or bool element; each function implements the section of its name in
// "Elementwise binary / unary / ternary operators", "Comparison operators", CLAMP and CAST.
//
// Values are signed numbers in an int32_t, bool is 0 or 1. Operators without a type argument are the same for int8, int16
// and int32. Where a REQUIRE of TOSA is violated (*_is_defined) the result is still a definite number: sums, differences and
// products wrap to int32, and shifts use the low 5 bits of their amount (MUL: the low 6), as the machine's 32-bit lanes do.
#pragma once

#include "hw/base/element_type.hpp"
#include "hw/model/wrap.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace vernier::model {

// --- Arithmetic ---
constexpr int32_t add(int32_t a, int32_t b) { return wrap32(int64_t{a} + b); }
constexpr bool add_is_defined(int32_t a, int32_t b) { return fits32(int64_t{a} + b); }
constexpr int32_t sub(int32_t a, int32_t b) { return wrap32(int64_t{a} - b); }
constexpr bool sub_is_defined(int32_t a, int32_t b) { return fits32(int64_t{a} - b); }

/// a * b / 2^shift, ties towards plus infinity; the sum with half of 2^shift never overflows, even for shift 63.
constexpr int64_t shifted_product(int32_t a, int32_t b, int32_t shift) {
  const int64_t exact = int64_t{a} * b;
  const int32_t amount = shift & 63;
  return amount == 0 ? exact : (exact >> amount) + ((exact >> (amount - 1)) & 1);
}
/// MUL: the low 32 bits of the product for shift 0 (also when it overflows: that is valid), else the rounded shift.
constexpr int32_t mul(int32_t a, int32_t b, int32_t shift) { return wrap32(shifted_product(a, b, shift)); }
/// `type` is the inputs': int8 and int16 take no shift.
constexpr bool mul_is_defined(int32_t a, int32_t b, int32_t shift, base::ElementType type) {
  if (shift == 0) return true;
  return type == base::ElementType::Int32 && shift > 0 && shift <= 63 && fits32(shifted_product(a, b, shift));
}

/// Truncates towards zero. By zero it gives -1, and INT32_MIN by -1 gives INT32_MIN (as RISC-V's div).
constexpr int32_t intdiv(int32_t a, int32_t b) { return b == 0 ? -1 : wrap32(int64_t{a} / b); }
constexpr bool intdiv_is_defined(int32_t a, int32_t b) { return b != 0 && !(a == INT32_MIN && b == -1); }

constexpr int32_t maximum(int32_t a, int32_t b) { return std::max(a, b); }
constexpr int32_t minimum(int32_t a, int32_t b) { return std::min(a, b); }

constexpr int32_t abs(int32_t x) { return x < 0 ? wrap32(-int64_t{x}) : x; }
constexpr bool abs_is_defined(int32_t x) { return x != INT32_MIN; }

/// -(x - input_zp) + output_zp before it is made to fit.
constexpr int64_t negate_64(int32_t x, int32_t input_zp, int32_t output_zp) { return -(int64_t{x} - input_zp) + output_zp; }
/// NEGATE saturates int8 and int16 and wraps int32. Zero points other than 0 are legal for int8 only.
constexpr int32_t negate(int32_t x, int32_t input_zp, int32_t output_zp, base::ElementType type) {
  const int64_t value = negate_64(x, input_zp, output_zp);
  return type == base::ElementType::Int32 ? wrap32(value)
                                          : wrap32(std::clamp(value, base::min_value(type), base::max_value(type)));
}
constexpr bool negate_is_defined(int32_t x, int32_t input_zp, int32_t output_zp) {
  return fits32(negate_64(x, input_zp, output_zp));
}

/// Leading zeros of the 32 bits: 32 for 0, 0 for a negative number.
constexpr int32_t clz(int32_t x) { return std::countl_zero(static_cast<uint32_t>(x)); }

/// min(max(x, low), high): `high` where low > high, which TOSA forbids (ERROR_IF). There is no zero point in it.
constexpr int32_t clamp(int32_t x, int32_t low, int32_t high) { return std::min(std::max(x, low), high); }

// --- Shifts ---
/// Whether TOSA allows that amount for values of `type` (all three shifts): 0 to 7, 15 or 31.
constexpr bool shift_is_defined(int32_t amount, base::ElementType type) {
  return amount >= 0 && amount < base::info(type).bits;
}
/// x / 2^amount towards minus infinity; with is_rounded ties, and what is above them, go up.
constexpr int32_t arithmetic_right_shift(int32_t x, int32_t amount, bool is_rounded) {
  const int32_t low_bits = amount & 31;
  const int32_t carry = is_rounded && low_bits > 0 ? (x >> (low_bits - 1)) & 1 : 0;
  return (x >> low_bits) + carry;
}
/// The low bits that `type` has.
constexpr int32_t logical_left_shift(int32_t x, int32_t amount, base::ElementType type) {
  return wrap32(sign_extend(static_cast<int64_t>(static_cast<uint32_t>(x) << (amount & 31)), base::info(type).bits));
}
/// Shifts zeros into a number of `type`'s width; the result is that type's again (for amount 0, x).
constexpr int32_t logical_right_shift(int32_t x, int32_t amount, base::ElementType type) {
  const int bits = base::info(type).bits;
  return wrap32(sign_extend(zero_extend(x, bits) >> (amount & 31), bits));
}

// --- Bits and booleans ---
constexpr int32_t bitwise_and(int32_t a, int32_t b) { return a & b; }
constexpr int32_t bitwise_or(int32_t a, int32_t b) { return a | b; }
constexpr int32_t bitwise_xor(int32_t a, int32_t b) { return a ^ b; }
constexpr int32_t bitwise_not(int32_t x) { return ~x; }
constexpr int32_t logical_and(int32_t a, int32_t b) { return a != 0 && b != 0 ? 1 : 0; }
constexpr int32_t logical_or(int32_t a, int32_t b) { return a != 0 || b != 0 ? 1 : 0; }
constexpr int32_t logical_xor(int32_t a, int32_t b) { return (a != 0) != (b != 0) ? 1 : 0; }
constexpr int32_t logical_not(int32_t x) { return x == 0 ? 1 : 0; }

// --- Comparison and choice ---
constexpr int32_t equal(int32_t a, int32_t b) { return a == b ? 1 : 0; }
constexpr int32_t greater(int32_t a, int32_t b) { return a > b ? 1 : 0; }
constexpr int32_t greater_equal(int32_t a, int32_t b) { return a >= b ? 1 : 0; }
constexpr int32_t select(int32_t condition, int32_t a, int32_t b) { return condition != 0 ? a : b; }

// --- Conversion ---
/// CAST between Bool, Int8, Int16, Int32: to bool it is x != 0, narrowing keeps the low bits, everything else the value.
constexpr int32_t cast(int32_t x, base::ElementType to) {
  if (to == base::ElementType::Bool) return x != 0 ? 1 : 0;
  return wrap32(sign_extend(x, base::info(to).bits));
}

}  // namespace vernier::model
