// SPDX-License-Identifier: Apache-2.0
// Numbers of a width that C++ has no type for. Everything in hw/model that overflows wraps, modulo two to the power of its
// width, and does so through these functions: never by signed overflow, which is undefined.
#pragma once

#include <cstdint>

namespace vernier::model {

/// The low `bits` (1 to 64) of `value`, read as a two's complement number.
constexpr int64_t sign_extend(int64_t value, int bits) {
  const int unused_bits = 64 - bits;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << unused_bits) >> unused_bits;
}

/// The low `bits` (1 to 63) of `value`, read as an unsigned number.
constexpr int64_t zero_extend(int64_t value, int bits) {
  return static_cast<int64_t>(static_cast<uint64_t>(value) & ((uint64_t{1} << bits) - 1));
}

constexpr int32_t wrap32(int64_t value) { return static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(value))); }
constexpr int64_t wrap48(int64_t value) { return sign_extend(value, 48); }

constexpr int64_t wrapping_add64(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
constexpr int64_t wrapping_mul64(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

constexpr bool fits32(int64_t value) { return value >= INT32_MIN && value <= INT32_MAX; }

}  // namespace vernier::model
