// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/sim_riscv/random_program.hpp"

#include "tests/unit/sim_riscv/encode.hpp"
#include "tests/unit/sim_riscv/printed_table.hpp"

namespace vernier::tests::rv {

std::vector<uint16_t> RandomProgram::code() {
  halves_.clear();
  while (halves_.size() < (kCodeEnd - kCode) / 2) append_instruction();
  halves_.resize((kCodeEnd - kCode) / 2);
  return halves_;
}

std::array<uint32_t, 32> RandomProgram::registers() {
  std::array<uint32_t, 32> registers{};
  for (uint32_t i = 1; i < 32; ++i) {
    registers[i] = is_base(i) ? kData + 0x800 + 4 * random_.below(0x400) : random_.operand();
  }
  return registers;
}

uint32_t RandomProgram::target() {
  for (;;) {
    const uint32_t reg = random_.below(32);
    if (!is_base(reg)) return reg;
  }
}

void RandomProgram::append(uint32_t word) {
  halves_.push_back(static_cast<uint16_t>(word));
  if ((word & 3) == 3) halves_.push_back(static_cast<uint16_t>(word >> 16));
}

void RandomProgram::append_instruction() {
  const uint32_t kind = random_.below(100), funct3 = random_.below(8);
  const uint32_t rd = target(), rs1 = random_.below(32), rs2 = random_.below(32);
  const auto immediate = static_cast<int32_t>(random_.below(4096)) - 2048;
  if (kind < 15) {
    const bool has_alternative = funct3 == 0 || funct3 == 5;
    return append(r_type(has_alternative && random_.chance(50) ? 32 : 0, funct3, rd, rs1, rs2));
  }
  if (kind < 30) return append(r_type(1, funct3, rd, rs1, rs2));
  if (kind < 45) {
    if (funct3 == 1) return append(op_imm(funct3, rd, rs1, immediate & 31));
    if (funct3 == 5) return append(op_imm(funct3, rd, rs1, (immediate & 31) | (random_.chance(50) ? 0x400 : 0)));
    return append(op_imm(funct3, rd, rs1, immediate));
  }
  if (kind < 50) return append(random_.chance(50) ? lui(rd, random_.below(1 << 20)) : auipc(rd, random_.below(1 << 20)));
  if (kind < 65) return append_memory_access();
  if (kind < 75) return append_jump();
  if (kind < 95) return append_short();
  if (kind < 98) return append_csr_access();
  const uint32_t rare = random_.below(6);
  if (rare < 4) return append(std::array{kFence, kFenceI, kEcall, kEbreak}[rare]);
  append(rare == 4 ? random_.instruction_like() : random_.word());
}

void RandomProgram::append_memory_access() {
  static constexpr std::array<uint32_t, 5> kLoads{0, 1, 2, 4, 5};
  const bool is_load = random_.chance(60);
  const uint32_t funct3 = is_load ? random_.pick(kLoads) : random_.below(3);
  auto offset = static_cast<int32_t>(random_.below(4096)) - 2048;
  if (!random_.chance(5)) offset &= -(1 << (funct3 & 3));  // else it may be misaligned
  const uint32_t rs1 = random_.chance(95) ? base() : random_.below(32);
  append(is_load ? load(funct3, target(), rs1, offset) : store(funct3, random_.below(32), rs1, offset));
}

void RandomProgram::append_jump() {
  static constexpr std::array<uint32_t, 6> kBranches{0, 1, 4, 5, 6, 7};
  // More forwards than backwards, or the program would be one loop.
  const int32_t offset =
      random_.chance(80) ? 4 + 2 * static_cast<int32_t>(random_.below(24)) : -2 * static_cast<int32_t>(random_.below(40));
  if (random_.chance(70)) return append(branch(random_.pick(kBranches), random_.below(32), random_.below(32), offset));
  if (random_.chance(50)) return append(jal(target(), offset));
  append(auipc(1, 0));
  append(jalr(target(), 1, offset + 4 + static_cast<int32_t>(random_.below(2))));
}

/// Any legal one that keeps the bases; jumps by a register, which seldom holds the address of code, are rare.
void RandomProgram::append_short() {
  for (;;) {
    const auto parcel = static_cast<uint16_t>(random_.word());
    if ((parcel & 3) == 3) continue;
    const auto meaning = meaning_of_short(parcel);
    if (!meaning) continue;
    const bool has_far_target = meaning->name == "jalr" || meaning->name == "jal" || meaning->name == "ebreak";
    if (has_far_target && !random_.chance(3)) continue;
    const bool is_far_access = (meaning->name == "lw" || meaning->name == "sw") && !is_base(meaning->rs1);
    if (is_base(meaning->rd) || (is_far_access && !random_.chance(5))) continue;
    return append(parcel);
  }
}

void RandomProgram::append_csr_access() {
  static constexpr std::array<uint32_t, 6> kForms{1, 2, 3, 5, 6, 7};
  append(csr(random_.pick(kForms), target(), random_.pick(std::array{kMscratch, kMcause, kMtval}), random_.below(32)));
}

}  // namespace vernier::tests::rv
