// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/replay/replay_words.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace vernier::cosim {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

int digit_of(char character) {
  const size_t digit = kDigits.find(character);
  return digit == std::string_view::npos ? -1 : static_cast<int>(digit);
}

}  // namespace

std::string hex_word(std::span<const std::byte> bytes, int64_t bits) {
  std::string word(static_cast<size_t>(hex_digits(bits)), '0');
  for (size_t i = 0; i < word.size(); ++i) {
    const auto byte = std::to_integer<unsigned>(bytes[i / 2]);
    word[word.size() - 1 - i] = kDigits[(i % 2 == 0 ? byte : byte >> 4) & 15U];
  }
  return word;
}

std::string hex_word(uint64_t value, int64_t bits) {
  std::array<std::byte, sizeof value> bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);
  return hex_word(bytes, bits);
}

std::string unknown_word(int64_t bits) { return std::string(static_cast<size_t>(hex_digits(bits)), 'x'); }

bool read_hex_word(std::string_view word, int64_t bits, std::span<std::byte> bytes) {
  if (static_cast<int64_t>(word.size()) != hex_digits(bits)) return false;
  std::ranges::fill(bytes, std::byte{0});
  for (size_t i = 0; i < word.size(); ++i) {
    const int digit = digit_of(word[word.size() - 1 - i]);
    if (digit < 0) return false;
    bytes[i / 2] |= static_cast<std::byte>(i % 2 == 0 ? digit : digit << 4);
  }
  const int64_t spare = bits % 8;
  return spare == 0 || (std::to_integer<unsigned>(bytes[static_cast<size_t>(bits / 8)]) >> spare) == 0;
}

std::string hex_bytes(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15U];
  }
  return text;
}

std::optional<std::vector<std::byte>> read_hex_bytes(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<std::byte> bytes(text.size() / 2);
  for (size_t i = 0; i < bytes.size(); ++i) {
    const int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes[i] = static_cast<std::byte>(16 * high + low);
  }
  return bytes;
}

}  // namespace vernier::cosim
