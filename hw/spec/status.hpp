// SPDX-License-Identifier: Apache-2.0
// What the machine reports when it stops by itself: the fault code register, with the command's address beside it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace vernier::spec {

/// [decision 0018]
enum class FaultCode : uint8_t {
  None = 0,
  IllegalOpcode,
  ReservedEncoding,
  UnsupportedMode,
  BadLength,
  ZeroCount,
  LimitExceeded,
  AddressOutOfRange,
  UninitialisedRead,
  Hazard,
  TokenOverflow,
  TableSlotEmpty,
  AccumulatorEmpty,
  StreamEnd,
  WriteProtected,
  ParityError,
  BusError,
};

/// How a fault is called, what it means, and who looks for it. RTL of a unit looks for none: it gets commands that passed.
struct FaultKind {
  std::string_view name, meaning, looked_for_by;
};
inline constexpr std::string_view kFoundWhenRead = "command processor, when it reads the command";
inline constexpr std::string_view kFoundWhenStarted = "unit, when it starts the command";
inline constexpr std::string_view kFoundByMemory =
    "memory, when the byte is read; the model looks when the command starts (D-033)";
inline constexpr std::array<FaultKind, 17> kFaults{{
    {"none", "", ""},
    {"illegal opcode", "opcode or queue that does not exist", kFoundWhenRead},
    {"reserved encoding", "a field holds a reserved value", kFoundWhenRead},
    {"unsupported mode", "legal encoding of a mode that this machine does not have", kFoundWhenRead},
    {"bad length", "the length does not fit the opcode, or the stream ends inside a command", kFoundWhenRead},
    {"zero count", "a loop, stripe or run of no elements", kFoundWhenRead},
    {"limit exceeded", "more accumulator rows, steps, registers or streams than there are", kFoundWhenRead},
    {"address out of range", "a byte outside of the region that it names", kFoundWhenStarted},
    {"uninitialised read", "a byte that nobody has written", kFoundWhenStarted},
    {"hazard", "two commands in flight share a byte and one writes it", kFoundWhenStarted},
    {"token overflow", "a semaphore would count past its width", "unit, when it ends the command"},
    {"table slot empty", "a table is used that was not filled, or filled in another format", kFoundWhenStarted},
    {"accumulator empty", "a continued reduction without a first slice", kFoundWhenStarted},
    {"stream end", "the stream ends without END", kFoundWhenRead},
    {"write protected", "a command would write bytes of its region that may only be read", kFoundWhenStarted},
    {"parity error", "a byte read from SRAM does not fit its parity bit", kFoundByMemory},
    {"bus error", "the bus answered a transfer of the DMA with an error", kFoundByMemory},
}};
static_assert(kFaults.size() == static_cast<size_t>(FaultCode::BusError) + 1);
constexpr std::string_view to_string(FaultCode code) { return kFaults[static_cast<size_t>(code)].name; }

}  // namespace vernier::spec
