// SPDX-License-Identifier: Apache-2.0
// A small assembler for tests: instructions of 32 bits from their fields, by their names.
#pragma once

#include <cstdint>

namespace vernier::tests::rv {

constexpr uint32_t r_type(uint32_t funct7, uint32_t funct3, uint32_t rd, uint32_t rs1, uint32_t rs2) {
  return (funct7 << 25) + (rs2 << 20) + (rs1 << 15) + (funct3 << 12) + (rd << 7) + 0b0110011;
}
constexpr uint32_t i_type(uint32_t opcode, uint32_t funct3, uint32_t rd, uint32_t rs1, int32_t immediate) {
  return (static_cast<uint32_t>(immediate) << 20) + (rs1 << 15) + (funct3 << 12) + (rd << 7) + opcode;
}
constexpr uint32_t op_imm(uint32_t funct3, uint32_t rd, uint32_t rs1, int32_t immediate) {
  return i_type(0b0010011, funct3, rd, rs1, immediate);
}
constexpr uint32_t load(uint32_t funct3, uint32_t rd, uint32_t rs1, int32_t offset) {
  return i_type(0b0000011, funct3, rd, rs1, offset);
}
constexpr uint32_t store(uint32_t funct3, uint32_t rs2, uint32_t rs1, int32_t offset) {
  const auto immediate = static_cast<uint32_t>(offset);
  return ((immediate >> 5 & 127) << 25) + (rs2 << 20) + (rs1 << 15) + (funct3 << 12) + ((immediate & 31) << 7) + 0b0100011;
}
constexpr uint32_t branch(uint32_t funct3, uint32_t rs1, uint32_t rs2, int32_t offset) {
  const auto immediate = static_cast<uint32_t>(offset);
  return ((immediate >> 12 & 1) << 31) + ((immediate >> 5 & 63) << 25) + (rs2 << 20) + (rs1 << 15) + (funct3 << 12) +
         ((immediate >> 1 & 15) << 8) + ((immediate >> 11 & 1) << 7) + 0b1100011;
}
constexpr uint32_t jal(uint32_t rd, int32_t offset) {
  const auto immediate = static_cast<uint32_t>(offset);
  return ((immediate >> 20 & 1) << 31) + ((immediate >> 1 & 1023) << 21) + ((immediate >> 11 & 1) << 20) +
         ((immediate >> 12 & 255) << 12) + (rd << 7) + 0b1101111;
}
constexpr uint32_t jalr(uint32_t rd, uint32_t rs1, int32_t offset) { return i_type(0b1100111, 0, rd, rs1, offset); }
constexpr uint32_t addi(uint32_t rd, uint32_t rs1, int32_t immediate) { return op_imm(0, rd, rs1, immediate); }
constexpr uint32_t lui(uint32_t rd, uint32_t high) { return (high << 12) + (rd << 7) + 0b0110111; }
constexpr uint32_t auipc(uint32_t rd, uint32_t high) { return (high << 12) + (rd << 7) + 0b0010111; }
constexpr uint32_t lw(uint32_t rd, uint32_t rs1, int32_t offset) { return load(2, rd, rs1, offset); }
constexpr uint32_t sw(uint32_t rs2, uint32_t rs1, int32_t offset) { return store(2, rs2, rs1, offset); }

/// `operand`: a register, or of forms with an immediate (funct3 from 5 on) a number to 31.
constexpr uint32_t csr(uint32_t funct3, uint32_t rd, uint32_t number, uint32_t operand) {
  return (number << 20) + (operand << 15) + (funct3 << 12) + (rd << 7) + 0b1110011;
}
constexpr uint32_t csrrw(uint32_t rd, uint32_t number, uint32_t rs1) { return csr(1, rd, number, rs1); }
constexpr uint32_t csrrs(uint32_t rd, uint32_t number, uint32_t rs1) { return csr(2, rd, number, rs1); }
constexpr uint32_t csrrc(uint32_t rd, uint32_t number, uint32_t rs1) { return csr(3, rd, number, rs1); }

constexpr uint32_t kNop = addi(0, 0, 0);
constexpr uint32_t kEcall = 0x00000073, kEbreak = 0x00100073, kMret = 0x30200073, kWfi = 0x10500073, kFenceI = 0x0000100F,
                   kFence = 0x0FF0000F;
constexpr uint32_t kMstatus = 0x300, kMisa = 0x301, kMie = 0x304, kMtvec = 0x305, kMcountinhibit = 0x320, kMscratch = 0x340,
                   kMepc = 0x341, kMcause = 0x342, kMtval = 0x343, kMip = 0x344, kMcycle = 0xB00, kMinstret = 0xB02,
                   kMcycleh = 0xB80, kMinstreth = 0xB82, kMhartid = 0xF14;

}  // namespace vernier::tests::rv
