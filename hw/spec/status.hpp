// SPDX-License-Identifier: Apache-2.0
// What the machine reports when it stops by itself: the fault code register, with the command's address beside it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace vernier::spec {

enum class FaultCode : uint8_t {
  None = 0,
  IllegalOpcode,      // opcode or queue that does not exist
  ReservedEncoding,   // a field holds a reserved value
  UnsupportedMode,    // legal encoding of a mode that this machine does not have
  BadLength,          // the command's length does not fit its opcode, or the stream ends inside a command
  ZeroCount,          // a loop, stripe or run of no elements
  LimitExceeded,      // more accumulator rows, steps, registers or streams than there are
  AddressOutOfRange,  // a byte outside the memory that it names
  UninitialisedRead,  // a byte that nobody has written
  Hazard,             // two commands in flight share a byte and one writes it
  TokenOverflow,      // a semaphore would count past its width
  TableSlotEmpty,     // a table is used that was not filled, or filled in another format
  AccumulatorEmpty,   // a continued reduction without a first slice
  StreamEnd,          // the stream ends without END
};

inline constexpr std::array<std::string_view, 14> kFaultNames{
    "none",           "illegal opcode",   "reserved encoding",    "unsupported mode",   "bad length",
    "zero count",     "limit exceeded",   "address out of range", "uninitialised read", "hazard",
    "token overflow", "table slot empty", "accumulator empty",    "stream end"};
static_assert(kFaultNames.size() == static_cast<size_t>(FaultCode::StreamEnd) + 1);
constexpr std::string_view to_string(FaultCode code) { return kFaultNames[static_cast<size_t>(code)]; }

}  // namespace vernier::spec
