// SPDX-License-Identifier: Apache-2.0
#include "sim/riscv/compressed.hpp"

#include "sim/riscv/bit_pattern.hpp"

#include <array>
#include <cstddef>

namespace vernier::riscv {
namespace {

constexpr uint32_t kZero = 0, kReturnAddress = 1, kStackPointer = 2;

// Instructions of 32 bits from their fields (unprivileged 20191213, section 2.3).

constexpr uint32_t r_type(uint32_t funct7, uint32_t funct3, uint32_t rd, uint32_t rs1, uint32_t rs2) {
  return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x33;
}
constexpr uint32_t i_type(uint32_t opcode, uint32_t funct3, uint32_t rd, uint32_t rs1, uint32_t immediate) {
  return immediate << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr uint32_t addi(uint32_t rd, uint32_t rs1, uint32_t immediate) { return i_type(0x13, 0, rd, rs1, immediate); }
constexpr uint32_t lw(uint32_t rd, uint32_t rs1, uint32_t offset) { return i_type(0x03, 2, rd, rs1, offset); }
constexpr uint32_t jalr(uint32_t rd, uint32_t rs1) { return i_type(0x67, 0, rd, rs1, 0); }
constexpr uint32_t sw(uint32_t rs2, uint32_t rs1, uint32_t offset) {
  return bits(offset, 11, 5) << 25 | rs2 << 20 | rs1 << 15 | 2U << 12 | bits(offset, 4, 0) << 7 | 0x23;
}
constexpr uint32_t jal(uint32_t rd, uint32_t offset) {
  return bits(offset, 20, 20) << 31 | bits(offset, 10, 1) << 21 | bits(offset, 11, 11) << 20 | bits(offset, 19, 12) << 12 |
         rd << 7 | 0x6F;
}
constexpr uint32_t branch_against_zero(uint32_t funct3, uint32_t rs1, uint32_t offset) {
  return bits(offset, 12, 12) << 31 | bits(offset, 10, 5) << 25 | rs1 << 15 | funct3 << 12 | bits(offset, 4, 1) << 8 |
         bits(offset, 11, 11) << 7 | 0x63;
}

// Fields of 16-bit instructions; a register of three bits is one of x8 to x15.

constexpr uint32_t rd(uint32_t c) { return bits(c, 11, 7); }  // also rs1
constexpr uint32_t rs2(uint32_t c) { return bits(c, 6, 2); }
constexpr uint32_t low_short(uint32_t c) { return 8 + bits(c, 4, 2); }   // rd' of quadrant 0, rs2' elsewhere
constexpr uint32_t high_short(uint32_t c) { return 8 + bits(c, 9, 7); }  // rs1', also rd' of quadrant 1

/// imm[5] in bit 12, imm[4:0] in bits 6 to 2.
constexpr uint32_t immediate6(uint32_t c) { return sign_extended(bits(c, 12, 12) << 5 | bits(c, 6, 2), 6); }
/// offset[5:3] in bits 12 to 10, offset[2] in bit 6, offset[6] in bit 5.
constexpr uint32_t word_offset(uint32_t c) { return bits(c, 12, 10) << 3 | bits(c, 6, 6) << 2 | bits(c, 5, 5) << 6; }
/// offset[11|4|9:8|10|6|7|3:1|5] in bits 12 to 2.
constexpr uint32_t jump_offset(uint32_t c) {
  const uint32_t offset = bits(c, 12, 12) << 11 | bits(c, 11, 11) << 4 | bits(c, 10, 9) << 8 | bits(c, 8, 8) << 10 |
                          bits(c, 7, 7) << 6 | bits(c, 6, 6) << 7 | bits(c, 5, 3) << 1 | bits(c, 2, 2) << 5;
  return sign_extended(offset, 12);
}
/// offset[8|4:3] in bits 12 to 10, offset[7:6|2:1|5] in bits 6 to 2.
constexpr uint32_t branch_offset(uint32_t c) {
  const uint32_t offset =
      bits(c, 12, 12) << 8 | bits(c, 11, 10) << 3 | bits(c, 6, 5) << 6 | bits(c, 4, 3) << 1 | bits(c, 2, 2) << 5;
  return sign_extended(offset, 9);
}

constexpr uint32_t addi4spn(uint32_t c) {
  return addi(low_short(c), kStackPointer,
              bits(c, 12, 11) << 4 | bits(c, 10, 7) << 6 | bits(c, 6, 6) << 2 | bits(c, 5, 5) << 3);
}
constexpr uint32_t addi16sp(uint32_t c) {
  const uint32_t immediate =
      bits(c, 12, 12) << 9 | bits(c, 6, 6) << 4 | bits(c, 5, 5) << 6 | bits(c, 4, 3) << 7 | bits(c, 2, 2) << 5;
  return addi(kStackPointer, kStackPointer, sign_extended(immediate, 10));
}
constexpr uint32_t lwsp(uint32_t c) {
  return lw(rd(c), kStackPointer, bits(c, 12, 12) << 5 | bits(c, 6, 4) << 2 | bits(c, 3, 2) << 6);
}
constexpr uint32_t swsp(uint32_t c) { return sw(rs2(c), kStackPointer, bits(c, 12, 9) << 2 | bits(c, 8, 7) << 6); }
constexpr uint32_t short_operation(uint32_t c, uint32_t funct7, uint32_t funct3) {
  return r_type(funct7, funct3, high_short(c), high_short(c), low_short(c));
}

struct Row {
  std::string_view name;
  std::string_view pattern;
  uint32_t (*expand)(uint32_t);  // nullptr: reserved
};

// The first row that fits counts: a reserved special case stands before the general one.
// clang-format off
constexpr std::array kRows = std::to_array<Row>({
    // Quadrant 0. Left out: c.fld, c.flw, c.fsd, c.fsw.
    {"",            "000 00000000 --- 00",   nullptr},  // nzuimm = 0; all zeros is defined as illegal
    {"c.addi4spn",  "000 -------- --- 00",   addi4spn},
    {"c.lw",        "010 --- --- -- --- 00", [](uint32_t c) { return lw(low_short(c), high_short(c), word_offset(c)); }},
    {"c.sw",        "110 --- --- -- --- 00", [](uint32_t c) { return sw(low_short(c), high_short(c), word_offset(c)); }},
    // Quadrant 1. c.nop is c.addi of x0. Left out: c.subw, c.addw, and shift amounts from 32 on.
    {"c.addi",      "000 - ----- ----- 01",  [](uint32_t c) { return addi(rd(c), rd(c), immediate6(c)); }},
    {"c.jal",       "001 ----------- 01",    [](uint32_t c) { return jal(kReturnAddress, jump_offset(c)); }},
    {"c.li",        "010 - ----- ----- 01",  [](uint32_t c) { return addi(rd(c), kZero, immediate6(c)); }},
    {"",            "011 0 ----- 00000 01",  nullptr},  // nzimm = 0
    {"c.addi16sp",  "011 - 00010 ----- 01",  addi16sp},
    {"c.lui",       "011 - ----- ----- 01",  [](uint32_t c) { return immediate6(c) << 12 | rd(c) << 7 | 0x37; }},
    {"c.srli",      "100 0 00 --- ----- 01", [](uint32_t c) { return i_type(0x13, 5, high_short(c), high_short(c), rs2(c)); }},
    {"c.srai",      "100 0 01 --- ----- 01", [](uint32_t c) { return i_type(0x13, 5, high_short(c), high_short(c), 0x400 | rs2(c)); }},
    {"c.andi",      "100 - 10 --- ----- 01", [](uint32_t c) { return i_type(0x13, 7, high_short(c), high_short(c), immediate6(c)); }},
    {"c.sub",       "100 0 11 --- 00 --- 01", [](uint32_t c) { return short_operation(c, 0x20, 0); }},
    {"c.xor",       "100 0 11 --- 01 --- 01", [](uint32_t c) { return short_operation(c, 0, 4); }},
    {"c.or",        "100 0 11 --- 10 --- 01", [](uint32_t c) { return short_operation(c, 0, 6); }},
    {"c.and",       "100 0 11 --- 11 --- 01", [](uint32_t c) { return short_operation(c, 0, 7); }},
    {"c.j",         "101 ----------- 01",    [](uint32_t c) { return jal(kZero, jump_offset(c)); }},
    {"c.beqz",      "110 --- --- ----- 01",  [](uint32_t c) { return branch_against_zero(0, high_short(c), branch_offset(c)); }},
    {"c.bnez",      "111 --- --- ----- 01",  [](uint32_t c) { return branch_against_zero(1, high_short(c), branch_offset(c)); }},
    // Quadrant 2. Left out: c.fldsp, c.flwsp, c.fsdsp, c.fswsp, and shift amounts from 32 on.
    {"c.slli",      "000 0 ----- ----- 10",  [](uint32_t c) { return i_type(0x13, 1, rd(c), rd(c), rs2(c)); }},
    {"",            "010 - 00000 ----- 10",  nullptr},  // rd = 0
    {"c.lwsp",      "010 - ----- ----- 10",  lwsp},
    {"",            "100 0 00000 00000 10",  nullptr},  // rs1 = 0
    {"c.jr",        "100 0 ----- 00000 10",  [](uint32_t c) { return jalr(kZero, rd(c)); }},
    {"c.mv",        "100 0 ----- ----- 10",  [](uint32_t c) { return r_type(0, 0, rd(c), kZero, rs2(c)); }},
    {"c.ebreak",    "100 1 00000 00000 10",  [](uint32_t) { return uint32_t{0x00100073}; }},
    {"c.jalr",      "100 1 ----- 00000 10",  [](uint32_t c) { return jalr(kReturnAddress, rd(c)); }},
    {"c.add",       "100 1 ----- ----- 10",  [](uint32_t c) { return r_type(0, 0, rd(c), rd(c), rs2(c)); }},
    {"c.swsp",      "110 ------ ----- 10",   swsp},
});
// clang-format on

constexpr auto kShortPatterns = bit_patterns(kRows);
static_assert(are_of_bits(kShortPatterns, 16));

}  // namespace

std::optional<uint32_t> expand(uint16_t parcel) {
  const Row* row = row_of(parcel, kShortPatterns, kRows);
  if (row == nullptr || row->expand == nullptr) return std::nullopt;
  return row->expand(parcel);
}

std::string_view compressed_mnemonic(uint16_t parcel) {
  const Row* row = row_of(parcel, kShortPatterns, kRows);
  return row == nullptr ? std::string_view() : row->name;
}

}  // namespace vernier::riscv
