// SPDX-License-Identifier: Apache-2.0
// Commands to bytes and back, as hw/spec/command_fields.hpp lays them out.
#pragma once

#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"
#include "hw/spec/status.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace vernier::package {

/// Appends one command. InternalError when a value does not fit its field.
void encode(const spec::Command& command, std::vector<std::byte>& stream);

struct Decoded {
  spec::Command command;                          // meaningful only without a fault
  int64_t length_bytes = 0;                       // at least one unit, also when there is a fault
  spec::FaultCode fault = spec::FaultCode::None;  // IllegalOpcode, BadLength, ReservedEncoding
  std::string detail;                             // which field, what it held
};
/// Decodes the command at the start of `bytes` (the rest of the stream). Never throws, never reads past the end.
Decoded decode(std::span<const std::byte> bytes);

/// What a decoded command must fulfil beyond its encoding, given the machine: counts not zero, types and modes that exist,
/// registers and streams in range, accumulator rows within a bank where slices continue, addresses aligned where they must
/// be. None when it is well-formed; `detail` says which field otherwise.
struct Validity {
  spec::FaultCode fault = spec::FaultCode::None;
  std::string detail;
};
Validity check(const spec::Command& command, const spec::Datapath& datapath);

/// One line (a vector program takes more): "mac  q=mac wait=dma0 signal=vec conv 3x3 ...". For people: disasm and faults.
std::string print(const spec::Command& command);
/// The opcode's short name: "dma", "mac", "vec", "end".
std::string_view mnemonic(const spec::Command& command);

}  // namespace vernier::package
