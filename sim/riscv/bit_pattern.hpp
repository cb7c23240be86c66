// SPDX-License-Identifier: Apache-2.0
// Encodings as the manual prints them: bits that are fixed, and dashes for bits that are not.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vernier::riscv {

struct BitPattern {
  uint32_t mask = 0;   // bits that are fixed
  uint32_t match = 0;  // their values
  uint32_t num_bits = 0;
  [[nodiscard]] constexpr bool matches(uint32_t word) const { return (word & mask) == match; }
};

/// `text`: the most significant bit first, '0', '1' or '-' each; spaces only separate.
constexpr BitPattern bit_pattern(std::string_view text) {
  BitPattern pattern;
  for (const char bit : text) {
    if (bit == ' ') continue;
    pattern.mask = pattern.mask << 1 | (bit == '-' ? 0U : 1U);
    pattern.match = pattern.match << 1 | (bit == '1' ? 1U : 0U);
    ++pattern.num_bits;
  }
  return pattern;
}

/// The patterns of a table's rows, from their member `pattern`.
template <typename Row, size_t N>
constexpr std::array<BitPattern, N> bit_patterns(const std::array<Row, N>& rows) {
  std::array<BitPattern, N> patterns;
  for (size_t i = 0; i < N; ++i) patterns[i] = bit_pattern(rows[i].pattern);
  return patterns;
}

/// The row of the first pattern that a word has; nullptr where it has none.
template <typename Row, size_t N>
constexpr const Row* row_of(uint32_t word, const std::array<BitPattern, N>& patterns, const std::array<Row, N>& rows) {
  for (size_t i = 0; i < N; ++i) {
    if (patterns[i].matches(word)) return &rows[i];
  }
  return nullptr;
}

/// Whether all have so many bits.
template <size_t N>
constexpr bool are_of_bits(const std::array<BitPattern, N>& patterns, uint32_t num_bits) {
  return std::ranges::all_of(patterns, [&](const BitPattern& pattern) { return pattern.num_bits == num_bits; });
}

/// Bits `high` down to `low` of `word`, at the bottom.
constexpr uint32_t bits(uint32_t word, uint32_t high, uint32_t low) { return word << (31 - high) >> (31 - high + low); }

/// The lowest `num_bits` (1 to 32) of `value` as a number with a sign.
constexpr uint32_t sign_extended(uint32_t value, uint32_t num_bits) {
  return static_cast<uint32_t>(static_cast<int32_t>(value << (32 - num_bits)) >> (32 - num_bits));
}

}  // namespace vernier::riscv
