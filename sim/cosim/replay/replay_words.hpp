// SPDX-License-Identifier: Apache-2.0
// Bytes as hexadecimal words, as replays and $readmemh have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::cosim {

/// Digits of a word of so many bits.
constexpr int64_t hex_digits(int64_t bits) { return (bits + 3) / 4; }
/// Bits, low bytes first, as one word with its most significant digit first.
std::string hex_word(std::span<const std::byte> bytes, int64_t bits);
/// The same of a number of at most 64 bits.
std::string hex_word(uint64_t value, int64_t bits);
/// A word whose bits nobody knows.
std::string unknown_word(int64_t bits);
/// Puts a word of `bits` bits to `bytes`; false when it has other characters or another length, or bits above its width.
bool read_hex_word(std::string_view word, int64_t bits, std::span<std::byte> bytes);

/// Bytes in the order of their addresses, two digits each.
std::string hex_bytes(std::span<const std::byte> bytes);
std::optional<std::vector<std::byte>> read_hex_bytes(std::string_view text);

}  // namespace vernier::cosim
