// SPDX-License-Identifier: Apache-2.0
// Multiplication and division of RV32M on bit patterns (unprivileged 20191213, chapter 7). None of them traps.
#pragma once

#include <cstdint>

namespace vernier::riscv {

/// The upper 32 bits of the product of two numbers with a sign.
constexpr uint32_t multiply_high(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>(static_cast<uint64_t>(int64_t{static_cast<int32_t>(a)} * static_cast<int32_t>(b)) >> 32);
}
/// `a` has a sign, `b` has none.
constexpr uint32_t multiply_high_signed_unsigned(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>(static_cast<uint64_t>(int64_t{static_cast<int32_t>(a)} * int64_t{b}) >> 32);
}
constexpr uint32_t multiply_high_unsigned(uint32_t a, uint32_t b) { return static_cast<uint32_t>(uint64_t{a} * b >> 32); }

/// Rounded towards 0. By 0: all ones. The one overflow, -2^31 by -1: -2^31 (table 7.1, as for all four).
constexpr uint32_t divide(uint32_t a, uint32_t b) {
  if (b == 0) return 0xFFFF'FFFF;
  if (b == 0xFFFF'FFFF) return 0 - a;
  return static_cast<uint32_t>(static_cast<int32_t>(a) / static_cast<int32_t>(b));
}
constexpr uint32_t divide_unsigned(uint32_t a, uint32_t b) { return b == 0 ? 0xFFFF'FFFF : a / b; }
/// Has the sign of `a`. By 0: `a`. Of the overflow: 0.
constexpr uint32_t remainder(uint32_t a, uint32_t b) {
  if (b == 0) return a;
  if (b == 0xFFFF'FFFF) return 0;
  return static_cast<uint32_t>(static_cast<int32_t>(a) % static_cast<int32_t>(b));
}
constexpr uint32_t remainder_unsigned(uint32_t a, uint32_t b) { return b == 0 ? a : a % b; }

}  // namespace vernier::riscv
