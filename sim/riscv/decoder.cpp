// SPDX-License-Identifier: Apache-2.0
#include "sim/riscv/decoder.hpp"

#include "sim/riscv/bit_pattern.hpp"

#include <array>
#include <cstddef>

namespace vernier::riscv {
namespace {

using spec::CpuActivity;

/// Which fields an instruction has (unprivileged 20191213, section 2.3).
enum class Format : uint8_t {
  None,   // no operands, or reserved fields that are ignored
  R,      // rd, rs1, rs2
  I,      // rd, rs1, immediate of 12 bits; also of csrrw and its kin, whose immediate has no sign
  Shift,  // rd, rs1, immediate of 5 bits
  S,      // rs1, rs2, immediate of 12 bits
  B,      // rs1, rs2, offset of 13 bits
  U,      // rd, immediate of 20 high bits
  J,      // rd, offset of 21 bits
  Csr,    // rd, rs1, number of a CSR
};

struct Encoding {
  std::string_view name;
  std::string_view pattern;
  Format format;
  Op op;
  CpuActivity activity;
};

// clang-format off
constexpr std::array kEncodings = std::to_array<Encoding>({
    // RV32I. Of shifts, bit 25 is not free: shift amounts from 32 on are reserved.
    {"lui",    "------- ----- ----- --- ----- 0110111", Format::U, Op::Add, CpuActivity::Compute},
    {"auipc",  "------- ----- ----- --- ----- 0010111", Format::U, Op::AddToPc, CpuActivity::Compute},
    {"jal",    "------- ----- ----- --- ----- 1101111", Format::J, Op::Jump, CpuActivity::Jump},
    {"jalr",   "------- ----- ----- 000 ----- 1100111", Format::I, Op::JumpRegister, CpuActivity::Jump},
    {"beq",    "------- ----- ----- 000 ----- 1100011", Format::B, Op::BranchEqual, CpuActivity::BranchNotTaken},
    {"bne",    "------- ----- ----- 001 ----- 1100011", Format::B, Op::BranchNotEqual, CpuActivity::BranchNotTaken},
    {"blt",    "------- ----- ----- 100 ----- 1100011", Format::B, Op::BranchLess, CpuActivity::BranchNotTaken},
    {"bge",    "------- ----- ----- 101 ----- 1100011", Format::B, Op::BranchGreaterEqual, CpuActivity::BranchNotTaken},
    {"bltu",   "------- ----- ----- 110 ----- 1100011", Format::B, Op::BranchLessUnsigned, CpuActivity::BranchNotTaken},
    {"bgeu",   "------- ----- ----- 111 ----- 1100011", Format::B, Op::BranchGreaterEqualUnsigned, CpuActivity::BranchNotTaken},
    {"lb",     "------- ----- ----- 000 ----- 0000011", Format::I, Op::LoadByte, CpuActivity::Load},
    {"lh",     "------- ----- ----- 001 ----- 0000011", Format::I, Op::LoadHalf, CpuActivity::Load},
    {"lw",     "------- ----- ----- 010 ----- 0000011", Format::I, Op::LoadWord, CpuActivity::Load},
    {"lbu",    "------- ----- ----- 100 ----- 0000011", Format::I, Op::LoadByteUnsigned, CpuActivity::Load},
    {"lhu",    "------- ----- ----- 101 ----- 0000011", Format::I, Op::LoadHalfUnsigned, CpuActivity::Load},
    {"sb",     "------- ----- ----- 000 ----- 0100011", Format::S, Op::StoreByte, CpuActivity::Store},
    {"sh",     "------- ----- ----- 001 ----- 0100011", Format::S, Op::StoreHalf, CpuActivity::Store},
    {"sw",     "------- ----- ----- 010 ----- 0100011", Format::S, Op::StoreWord, CpuActivity::Store},
    {"addi",   "------- ----- ----- 000 ----- 0010011", Format::I, Op::Add, CpuActivity::Compute},
    {"slti",   "------- ----- ----- 010 ----- 0010011", Format::I, Op::LessThan, CpuActivity::Compute},
    {"sltiu",  "------- ----- ----- 011 ----- 0010011", Format::I, Op::LessThanUnsigned, CpuActivity::Compute},
    {"xori",   "------- ----- ----- 100 ----- 0010011", Format::I, Op::Xor, CpuActivity::Compute},
    {"ori",    "------- ----- ----- 110 ----- 0010011", Format::I, Op::Or, CpuActivity::Compute},
    {"andi",   "------- ----- ----- 111 ----- 0010011", Format::I, Op::And, CpuActivity::Compute},
    {"slli",   "0000000 ----- ----- 001 ----- 0010011", Format::Shift, Op::ShiftLeft, CpuActivity::Compute},
    {"srli",   "0000000 ----- ----- 101 ----- 0010011", Format::Shift, Op::ShiftRight, CpuActivity::Compute},
    {"srai",   "0100000 ----- ----- 101 ----- 0010011", Format::Shift, Op::ShiftRightArithmetic, CpuActivity::Compute},
    {"add",    "0000000 ----- ----- 000 ----- 0110011", Format::R, Op::Add, CpuActivity::Compute},
    {"sub",    "0100000 ----- ----- 000 ----- 0110011", Format::R, Op::Sub, CpuActivity::Compute},
    {"sll",    "0000000 ----- ----- 001 ----- 0110011", Format::R, Op::ShiftLeft, CpuActivity::Compute},
    {"slt",    "0000000 ----- ----- 010 ----- 0110011", Format::R, Op::LessThan, CpuActivity::Compute},
    {"sltu",   "0000000 ----- ----- 011 ----- 0110011", Format::R, Op::LessThanUnsigned, CpuActivity::Compute},
    {"xor",    "0000000 ----- ----- 100 ----- 0110011", Format::R, Op::Xor, CpuActivity::Compute},
    {"srl",    "0000000 ----- ----- 101 ----- 0110011", Format::R, Op::ShiftRight, CpuActivity::Compute},
    {"sra",    "0100000 ----- ----- 101 ----- 0110011", Format::R, Op::ShiftRightArithmetic, CpuActivity::Compute},
    {"or",     "0000000 ----- ----- 110 ----- 0110011", Format::R, Op::Or, CpuActivity::Compute},
    {"and",    "0000000 ----- ----- 111 ----- 0110011", Format::R, Op::And, CpuActivity::Compute},
    {"fence",  "------- ----- ----- 000 ----- 0001111", Format::None, Op::Fence, CpuActivity::Compute},
    {"ecall",  "0000000 00000 00000 000 00000 1110011", Format::None, Op::EnvironmentCall, CpuActivity::Trap},
    {"ebreak", "0000000 00001 00000 000 00000 1110011", Format::None, Op::Breakpoint, CpuActivity::Trap},
    // Zifencei.
    {"fence.i", "------- ----- ----- 001 ----- 0001111", Format::None, Op::FenceI, CpuActivity::FenceI},
    // Zicsr.
    {"csrrw",  "------- ----- ----- 001 ----- 1110011", Format::Csr, Op::CsrWrite, CpuActivity::CsrAccess},
    {"csrrs",  "------- ----- ----- 010 ----- 1110011", Format::Csr, Op::CsrSet, CpuActivity::CsrAccess},
    {"csrrc",  "------- ----- ----- 011 ----- 1110011", Format::Csr, Op::CsrClear, CpuActivity::CsrAccess},
    {"csrrwi", "------- ----- ----- 101 ----- 1110011", Format::Csr, Op::CsrWriteImmediate, CpuActivity::CsrAccess},
    {"csrrsi", "------- ----- ----- 110 ----- 1110011", Format::Csr, Op::CsrSetImmediate, CpuActivity::CsrAccess},
    {"csrrci", "------- ----- ----- 111 ----- 1110011", Format::Csr, Op::CsrClearImmediate, CpuActivity::CsrAccess},
    // RV32M.
    {"mul",    "0000001 ----- ----- 000 ----- 0110011", Format::R, Op::Multiply, CpuActivity::Multiply},
    {"mulh",   "0000001 ----- ----- 001 ----- 0110011", Format::R, Op::MultiplyHigh, CpuActivity::MultiplyHigh},
    {"mulhsu", "0000001 ----- ----- 010 ----- 0110011", Format::R, Op::MultiplyHighSignedUnsigned, CpuActivity::MultiplyHigh},
    {"mulhu",  "0000001 ----- ----- 011 ----- 0110011", Format::R, Op::MultiplyHighUnsigned, CpuActivity::MultiplyHigh},
    {"div",    "0000001 ----- ----- 100 ----- 0110011", Format::R, Op::Divide, CpuActivity::Divide},
    {"divu",   "0000001 ----- ----- 101 ----- 0110011", Format::R, Op::DivideUnsigned, CpuActivity::Divide},
    {"rem",    "0000001 ----- ----- 110 ----- 0110011", Format::R, Op::Remainder, CpuActivity::Divide},
    {"remu",   "0000001 ----- ----- 111 ----- 0110011", Format::R, Op::RemainderUnsigned, CpuActivity::Divide},
    // Machine mode.
    {"mret",   "0011000 00010 00000 000 00000 1110011", Format::None, Op::TrapReturn, CpuActivity::TrapReturn},
    {"wfi",    "0001000 00101 00000 000 00000 1110011", Format::None, Op::Wait, CpuActivity::Wait},
});
// clang-format on

constexpr auto kLongPatterns = bit_patterns(kEncodings);
static_assert(are_of_bits(kLongPatterns, 32));
// No word fits two rows.
static_assert([] {
  for (size_t i = 0; i < kLongPatterns.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (((kLongPatterns[i].match ^ kLongPatterns[j].match) & kLongPatterns[i].mask & kLongPatterns[j].mask) == 0)
        return false;
    }
  }
  return true;
}());

uint32_t immediate_of(uint32_t word, Format format) {
  switch (format) {
    case Format::I: return sign_extended(bits(word, 31, 20), 12);
    case Format::Shift: return bits(word, 24, 20);
    case Format::S: return sign_extended(bits(word, 31, 25) << 5 | bits(word, 11, 7), 12);
    case Format::B: {
      const uint32_t offset =
          bits(word, 31, 31) << 12 | bits(word, 7, 7) << 11 | bits(word, 30, 25) << 5 | bits(word, 11, 8) << 1;
      return sign_extended(offset, 13);
    }
    case Format::U: return word & 0xFFFFF000;
    case Format::J: {
      const uint32_t offset =
          bits(word, 31, 31) << 20 | bits(word, 19, 12) << 12 | bits(word, 20, 20) << 11 | bits(word, 30, 21) << 1;
      return sign_extended(offset, 21);
    }
    case Format::Csr: return bits(word, 31, 20);
    case Format::None:
    case Format::R: break;
  }
  return 0;
}

}  // namespace

Instruction decode(uint32_t word) {
  const Encoding* encoding = row_of(word, kLongPatterns, kEncodings);
  if (encoding == nullptr) return {};
  const Format format = encoding->format;
  Instruction result{.immediate = immediate_of(word, format), .op = encoding->op, .activity = encoding->activity};
  if (format == Format::None) return result;
  if (format != Format::S && format != Format::B) result.rd = static_cast<uint8_t>(bits(word, 11, 7));
  if (format != Format::U && format != Format::J) result.rs1 = static_cast<uint8_t>(bits(word, 19, 15));
  if (format == Format::R || format == Format::S || format == Format::B)
    result.rs2 = static_cast<uint8_t>(bits(word, 24, 20));
  return result;
}

std::string_view mnemonic(uint32_t word) {
  const Encoding* encoding = row_of(word, kLongPatterns, kEncodings);
  return encoding == nullptr ? std::string_view() : encoding->name;
}

}  // namespace vernier::riscv
