// SPDX-License-Identifier: Apache-2.0
// Packets of GDB's Remote Serial Protocol ("Debugging with GDB", appendix E, "Overview"): $ payload # checksum of two hex
// digits; '}' escapes the next byte. Between packets stand acknowledgements, + and -, and the byte 0x03, an interrupt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace vernier::gdb {

/// A whole packet has at most so many bytes, in either direction; the reply to qSupported tells it as PacketSize.
inline constexpr size_t kMostPacketBytes = 0x4000;

/// Something that came from the debugger.
struct Received {
  enum class Kind : uint8_t {
    Packet,     // `payload`, without escapes
    Damaged,    // its checksum is wrong, or is none
    TooLong,    // the checksum is right, but the packet is longer than kMostPacketBytes
    Interrupt,  // the byte 0x03
    Resend,     // -: the last packet did not arrive
  };
  Kind kind = Kind::Packet;
  std::string payload{};
};

/// Cuts a stream of bytes into packets. Bytes that belong to none are dropped.
class PacketReader {
 public:
  void put(std::string_view bytes);
  /// The next one that is complete.
  std::optional<Received> next();

 private:
  enum class State : uint8_t { Between, Payload, FirstDigit, SecondDigit };
  void put(char byte);

  State state_ = State::Between;
  std::string raw_;  // payload with its escapes, cut off where it is too long
  bool is_too_long_ = false;
  uint8_t sum_ = 0;
  std::optional<uint8_t> high_digit_;
  std::deque<Received> received_;
};

/// The whole packet, with checksum, and with escapes where the payload has bytes that need one.
std::string packet_of(std::string_view payload);

/// Value of a hex digit of either case; nullopt for any other byte.
std::optional<uint8_t> hex_digit(char digit);

}  // namespace vernier::gdb
