// SPDX-License-Identifier: Apache-2.0
// Protobuf's wire format, as far as a writer of small messages needs it (protobuf.dev, "Encoding").
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace vernier::timeline {

/// A message under way: fields in the order in which they are added.
class ProtoMessage {
 public:
  /// Types uint64, uint32, int64, int32, bool and enums; negative numbers take ten bytes.
  void add_varint(uint32_t field, uint64_t value) {
    put_tag(field, kVarint);
    put_varint(value);
  }
  void add_fixed64(uint32_t field, uint64_t value) {
    put_tag(field, kFixed64);
    for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(value >> shift & 0xFFU);
  }
  void add_double(uint32_t field, double value) { add_fixed64(field, std::bit_cast<uint64_t>(value)); }
  /// Types string and bytes.
  void add_text(uint32_t field, std::string_view text) {
    put_tag(field, kLengthDelimited);
    put_varint(text.size());
    bytes_ += text;
  }
  void add_message(uint32_t field, const ProtoMessage& message) { add_text(field, message.bytes_); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  static constexpr uint64_t kVarint = 0, kFixed64 = 1, kLengthDelimited = 2;
  void put_tag(uint32_t field, uint64_t wire_type) { put_varint(uint64_t{field} << 3U | wire_type); }
  void put_varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7U) bytes_ += static_cast<char>((value & 0x7FU) | 0x80U);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

}  // namespace vernier::timeline
