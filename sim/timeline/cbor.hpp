// SPDX-License-Identifier: Apache-2.0
// CBOR (RFC 8949), as far as a writer of FTR needs it: integers, texts, bytes, arrays, maps, tags.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace vernier::timeline {

/// Items in the order in which they are added; whoever begins an array adds as many as it says.
class Cbor {
 public:
  void add_unsigned(uint64_t value) { put_head(kUnsigned, value); }
  void add_integer(int64_t value) {
    if (value >= 0) return put_head(kUnsigned, static_cast<uint64_t>(value));
    put_head(kNegative, static_cast<uint64_t>(-(value + 1)));
  }
  void add_text(std::string_view text) {
    put_head(kText, text.size());
    bytes_ += text;
  }
  /// A byte string that holds other items.
  void add_items(const Cbor& items) {
    put_head(kBytes, items.bytes_.size());
    bytes_ += items.bytes_;
  }
  /// The items themselves.
  void append(const Cbor& items) { bytes_ += items.bytes_; }
  void add_tag(uint64_t tag) { put_head(kTag, tag); }
  void begin_array(size_t size) { put_head(kArray, size); }
  /// An array or a chunk of items whose number is not known yet; end() ends it.
  void begin_array() { bytes_ += static_cast<char>(kArray << 5U | kIndefinite); }
  void end() { bytes_ += static_cast<char>(kBreak); }
  void begin_map(size_t size) { put_head(kMap, size); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  static constexpr unsigned kUnsigned = 0, kNegative = 1, kBytes = 2, kText = 3, kArray = 4, kMap = 5, kTag = 6;
  static constexpr unsigned kIndefinite = 31, kBreak = 0xFF;
  /// The major type and its number, in as few bytes as it takes.
  void put_head(unsigned major, uint64_t value) {
    constexpr unsigned kLargestShort = 23, kOneByte = 24;
    if (value <= kLargestShort) {
      bytes_ += static_cast<char>(major << 5U | static_cast<unsigned>(value));
      return;
    }
    unsigned log_bytes = 0;
    while (log_bytes < 3 && value >> (8U << log_bytes) != 0) ++log_bytes;
    bytes_ += static_cast<char>(major << 5U | (kOneByte + log_bytes));
    for (int shift = (8 << log_bytes) - 8; shift >= 0; shift -= 8) bytes_ += static_cast<char>(value >> shift & 0xFFU);
  }
  std::string bytes_;
};

}  // namespace vernier::timeline
