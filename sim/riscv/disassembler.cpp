// SPDX-License-Identifier: Apache-2.0
#include "sim/riscv/disassembler.hpp"

#include "hw/spec/control_cpu.hpp"
#include "sim/riscv/compressed.hpp"
#include "sim/riscv/decoder.hpp"

#include <fmt/format.h>

#include <array>

namespace vernier::riscv {
namespace {

std::string csr_name(uint32_t number) {
  for (const spec::CpuCsr& csr : spec::kCpuCsrs) {
    if (number < csr.first || number > csr.last) continue;
    return csr.first == csr.last ? std::string(csr.name) : fmt::format("{}{}", csr.name, number - csr.first + 3);
  }
  return fmt::format("0x{:x}", number);
}

bool has_register_form(uint32_t word) { return (word & 0x7F) == 0b0110011; }

/// The operands of an instruction; with a space in front where there are any.
std::string operands(uint32_t word, const Instruction& i, uint32_t pc) {
  const std::string_view d = register_name(i.rd), a = register_name(i.rs1), c = register_name(i.rs2);
  const auto immediate = static_cast<int32_t>(i.immediate);
  switch (i.op) {
    case Op::Illegal:
    case Op::Fence:
    case Op::FenceI:
    case Op::EnvironmentCall:
    case Op::Breakpoint:
    case Op::TrapReturn:
    case Op::Wait: return "";
    case Op::Jump: return fmt::format(" {}, 0x{:08x}", d, pc + i.immediate);
    case Op::JumpRegister: return fmt::format(" {}, {}({})", d, immediate, a);
    case Op::BranchEqual:
    case Op::BranchNotEqual:
    case Op::BranchLess:
    case Op::BranchGreaterEqual:
    case Op::BranchLessUnsigned:
    case Op::BranchGreaterEqualUnsigned: return fmt::format(" {}, {}, 0x{:08x}", a, c, pc + i.immediate);
    case Op::LoadByte:
    case Op::LoadHalf:
    case Op::LoadWord:
    case Op::LoadByteUnsigned:
    case Op::LoadHalfUnsigned: return fmt::format(" {}, {}({})", d, immediate, a);
    case Op::StoreByte:
    case Op::StoreHalf:
    case Op::StoreWord: return fmt::format(" {}, {}({})", c, immediate, a);
    case Op::CsrWrite:
    case Op::CsrSet:
    case Op::CsrClear: return fmt::format(" {}, {}, {}", d, csr_name(i.immediate), a);
    case Op::CsrWriteImmediate:
    case Op::CsrSetImmediate:
    case Op::CsrClearImmediate: return fmt::format(" {}, {}, {}", d, csr_name(i.immediate), i.rs1);
    default: break;
  }
  const std::string_view name = mnemonic(word);
  if (name == "lui" || name == "auipc") return fmt::format(" {}, 0x{:x}", d, i.immediate >> 12);
  if (has_register_form(word)) return fmt::format(" {}, {}, {}", d, a, c);
  return fmt::format(" {}, {}, {}", d, a, immediate);
}

}  // namespace

std::string_view register_name(uint32_t number) {
  constexpr std::array<std::string_view, 32> kNames{"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
                                                    "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                                    "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
  return kNames.at(number);
}

std::string disassemble(uint32_t word, uint32_t pc) {
  if (is_compressed(word)) word = expand(static_cast<uint16_t>(word)).value_or(0);
  const std::string_view name = mnemonic(word);
  if (name.empty()) return "illegal";
  return std::string(name) + operands(word, decode(word), pc);
}

}  // namespace vernier::riscv
