// SPDX-License-Identifier: Apache-2.0
// A program for the control CPU: what a loader puts where, and the names of its functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vernier::soc {

/// Bytes that are in the firmware memory or in the RAM when the CPU is released, all in one of the two.
struct FirmwareSegment {
  uint32_t address = 0;
  std::vector<std::byte> bytes;
};

/// A function or a label; size 0 where the file does not say.
struct FirmwareSymbol {
  uint32_t address = 0, size_bytes = 0;
  std::string name;
  bool operator==(const FirmwareSymbol&) const = default;
};

struct FirmwareProgram {
  std::string sha256;  // of the file, or of the image in the program
  std::vector<FirmwareSegment> segments;
  std::vector<FirmwareSymbol> symbols{};  // by address; none where the file has no table of them
};

/// Whether [address, address + num_bytes) lies in the firmware memory or in the RAM.
bool is_firmware_place(uint32_t address, uint64_t num_bytes);

/// The symbol that an address belongs to: the last one at or before it, where the symbol says that it reaches so far or does
/// not say how far; null where there is none.
const FirmwareSymbol* symbol_at(const FirmwareProgram& program, uint32_t address);

/// Reads an executable for RISC-V, 32 bits, little endian (System V ABI, edition 4.1; RISC-V ELF psABI 1.0). Segments lie at
/// their physical addresses, as ROM loaders have it: start-up code copies variables from there. Bytes beyond those in the
/// file are 0. UserError, naming `file`, where `bytes` are none, or where the program does not fit the control CPU: another
/// machine, a segment elsewhere than in the firmware memory and the RAM, or an entry elsewhere than where the CPU starts.
FirmwareProgram parse_firmware_elf(std::span<const std::byte> bytes, const std::string& file);

}  // namespace vernier::soc
