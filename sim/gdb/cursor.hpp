// SPDX-License-Identifier: Apache-2.0
// Reads the arguments of a packet from the left. Whatever it does not find, it says so and reads nothing.
#pragma once

#include "sim/gdb/packet.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vernier::gdb {

class Cursor {
 public:
  explicit Cursor(std::string_view text) : left_(text) {}

  [[nodiscard]] bool is_at_end() const { return left_.empty(); }
  [[nodiscard]] std::string_view left() const { return left_; }
  bool take(std::string_view text) {
    if (!left_.starts_with(text)) return false;
    left_.remove_prefix(text.size());
    return true;
  }
  /// A number in hex digits, as many as there are; nullopt where there is none, or where it does not fit 32 bits.
  std::optional<uint32_t> number() {
    uint64_t value = 0;
    size_t num_digits = 0;
    for (; num_digits < left_.size(); ++num_digits) {
      const std::optional<uint8_t> digit = hex_digit(left_[num_digits]);
      if (!digit) break;
      value = value << 4 | *digit;
      if (value > UINT32_MAX) return std::nullopt;
    }
    if (num_digits == 0) return std::nullopt;
    left_.remove_prefix(num_digits);
    return static_cast<uint32_t>(value);
  }
  /// So many bytes of two hex digits each.
  std::optional<std::string> bytes(size_t num_bytes) {
    if (left_.size() / 2 < num_bytes) return std::nullopt;
    std::string result;
    for (size_t i = 0; i < num_bytes; ++i) {
      const std::optional<uint8_t> high = hex_digit(left_[2 * i]), low = hex_digit(left_[2 * i + 1]);
      if (!high || !low) return std::nullopt;
      result += static_cast<char>(*high << 4 | *low);
    }
    left_.remove_prefix(2 * num_bytes);
    return result;
  }
  /// The value of a register: 4 bytes of it, the lowest first.
  std::optional<uint32_t> register_value() {
    const std::optional<std::string> four = bytes(4);
    if (!four) return std::nullopt;
    uint32_t value = 0;
    for (size_t i = 4; i-- > 0;) value = value << 8 | static_cast<uint8_t>((*four)[i]);
    return value;
  }
  /// The text up to `end`, which is taken too, or all that is left.
  std::string_view until(char end) {
    const std::string_view text = left_.substr(0, left_.find(end));
    left_.remove_prefix(std::min(left_.size(), text.size() + 1));
    return text;
  }

 private:
  std::string_view left_;
};

}  // namespace vernier::gdb
