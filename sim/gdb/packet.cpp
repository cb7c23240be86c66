// SPDX-License-Identifier: Apache-2.0
#include "sim/gdb/packet.hpp"

#include <fmt/format.h>

#include <utility>

namespace vernier::gdb {

namespace {

constexpr char kEscape = '}', kInterrupt = '\x03';
constexpr uint8_t kEscapeBit = 0x20;

/// An escape at the end escapes nothing and is dropped.
std::string without_escapes(std::string_view raw) {
  std::string payload;
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != kEscape) {
      payload += raw[i];
    } else if (++i < raw.size()) {
      payload += static_cast<char>(static_cast<uint8_t>(raw[i]) ^ kEscapeBit);
    }
  }
  return payload;
}

}  // namespace

std::optional<uint8_t> hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return static_cast<uint8_t>(digit - '0');
  if (digit >= 'a' && digit <= 'f') return static_cast<uint8_t>(digit - 'a' + 10);
  if (digit >= 'A' && digit <= 'F') return static_cast<uint8_t>(digit - 'A' + 10);
  return std::nullopt;
}

void PacketReader::put(std::string_view bytes) {
  for (const char byte : bytes) put(byte);
}

/// A '$' in a packet begins the packet anew: the end of the one before was lost.
void PacketReader::put(char byte) {
  if (byte == '$') {
    state_ = State::Payload;
    raw_.clear();
    is_too_long_ = false;
    sum_ = 0;
    return;
  }
  switch (state_) {
    case State::Between:
      if (byte == kInterrupt) received_.push_back({Received::Kind::Interrupt});
      if (byte == '-') received_.push_back({Received::Kind::Resend});
      return;
    case State::Payload:
      if (byte == '#') {
        state_ = State::FirstDigit;
        return;
      }
      sum_ = static_cast<uint8_t>(sum_ + static_cast<uint8_t>(byte));
      is_too_long_ = is_too_long_ || raw_.size() == kMostPacketBytes;
      if (!is_too_long_) raw_ += byte;
      return;
    case State::FirstDigit:
      high_digit_ = hex_digit(byte);
      state_ = State::SecondDigit;
      return;
    case State::SecondDigit: {
      const std::optional<uint8_t> low_digit = hex_digit(byte);
      const bool is_right = high_digit_ && low_digit && (*high_digit_ << 4 | *low_digit) == sum_;
      state_ = State::Between;
      if (!is_right) return received_.push_back({Received::Kind::Damaged});
      if (is_too_long_) return received_.push_back({Received::Kind::TooLong});
      received_.push_back({Received::Kind::Packet, without_escapes(raw_)});
    }
  }
}

std::optional<Received> PacketReader::next() {
  if (received_.empty()) return std::nullopt;
  Received first = std::move(received_.front());
  received_.pop_front();
  return first;
}

std::string packet_of(std::string_view payload) {
  std::string packet = "$";
  uint8_t sum = 0;
  const auto put = [&](char byte) {
    packet += byte;
    sum = static_cast<uint8_t>(sum + static_cast<uint8_t>(byte));
  };
  for (const char byte : payload) {
    // '*' would begin a run in a reply.
    const bool is_escaped = byte == '$' || byte == '#' || byte == kEscape || byte == '*';
    if (is_escaped) put(kEscape);
    put(is_escaped ? static_cast<char>(static_cast<uint8_t>(byte) ^ kEscapeBit) : byte);
  }
  return packet + fmt::format("#{:02x}", sum);
}

}  // namespace vernier::gdb
