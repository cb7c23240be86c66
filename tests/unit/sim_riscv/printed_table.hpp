// SPDX-License-Identifier: Apache-2.0
// What an instruction means, read from the manual a second time: the tables of RV32C as the manual prints them, in its
// notation, and the long instructions by opcode and funct3. Shares nothing with sim/riscv's decoder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace vernier::tests::rv {

/// An instruction by its name and fields; those that it does not have are 0. Of a CSR instruction, `immediate` is the
/// register's number.
struct Meaning {
  std::string name;
  uint32_t rd = 0, rs1 = 0, rs2 = 0;
  uint32_t immediate = 0;
  bool operator==(const Meaning&) const = default;
};

/// nullopt: an illegal instruction.
std::optional<Meaning> meaning_of_short(uint16_t parcel);
std::optional<Meaning> meaning_of_long(uint32_t word);

}  // namespace vernier::tests::rv
