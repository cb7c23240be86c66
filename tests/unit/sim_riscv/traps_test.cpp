// SPDX-License-Identifier: Apache-2.0
// Exceptions: cause, value, address, and that the instruction has changed nothing (RISC-V privileged 20211203, section 3.1).
#include "tests/unit/sim_riscv/encode.hpp"
#include "tests/unit/sim_riscv/machine.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::tests::rv;
using riscv::Step;

namespace {

struct TrapCase {
  const char* name;
  uint32_t instruction;
  uint32_t pc;
  uint32_t cause, value;
};

// x5 = 0x1001, x6 = 0x20000, which is outside of memory.
const TrapCase kTraps[] = {
    {"ecall", kEcall, 0x100, 11, 0},
    {"ebreak", kEbreak, 0x100, 3, 0x100},
    {"c.ebreak", 0x9002, 0x106, 3, 0x106},
    {"all zeros", 0x0000, 0x100, 2, 0},
    {"all ones", 0xFFFFFFFF, 0x100, 2, 0xFFFFFFFF},
    {"longer than 32 bits", 0x0000001F, 0x100, 2, 0x0000001F},
    {"sret", 0x10200073, 0x100, 2, 0x10200073},
    {"uret", 0x00200073, 0x100, 2, 0x00200073},
    {"sfence.vma", 0x12000073, 0x100, 2, 0x12000073},
    {"dret", 0x7B200073, 0x100, 2, 0x7B200073},
    {"mret with a register", 0x302000F3, 0x100, 2, 0x302000F3},
    {"shift by 32", 0x02029393, 0x100, 2, 0x02029393},
    {"flw", 0x0002A007, 0x100, 2, 0x0002A007},
    {"amoadd.w", 0x0062A3AF, 0x100, 2, 0x0062A3AF},
    {"rdtime", csrrs(7, 0xC01, 0), 0x100, 2, csrrs(7, 0xC01, 0)},
    {"write to mhartid", csrrw(0, kMhartid, 0), 0x100, 2, csrrw(0, kMhartid, 0)},
    {"illegal at a multiple of 2", 0xFFFFFFFF, 0x102, 2, 0xFFFFFFFF},
    {"lh", load(1, 7, 5, 0), 0x100, 4, 0x1001},
    {"lhu", load(5, 7, 5, 2), 0x100, 4, 0x1003},
    {"lw", load(2, 7, 5, 1), 0x100, 4, 0x1002},
    {"lw", load(2, 7, 5, -2), 0x100, 4, 0xFFF},
    {"sh", store(1, 7, 5, 0), 0x100, 6, 0x1001},
    {"sw", store(2, 7, 5, 1), 0x100, 6, 0x1002},
    {"lb outside", load(0, 7, 6, 0), 0x100, 5, 0x20000},
    {"lw outside", load(2, 7, 6, 4), 0x100, 5, 0x20004},
    {"sb outside", store(0, 7, 6, -1), 0x100, 7, 0x1FFFF},
    {"sw outside", store(2, 7, 6, 0), 0x100, 7, 0x20000},
    {"lw outside, not aligned", load(2, 7, 6, 2), 0x100, 4, 0x20002},
    {"c.lw outside", 0x4310, 0x100, 5, 0x20000},  // c.lw x12, 0(x14)
};

}  // namespace

TEST_CASE("a table of exceptions") {
  for (const TrapCase& test : kTraps) {
    for (const bool is_enabled : {false, true}) {
      CAPTURE(test.name, is_enabled);
      Machine machine;
      machine.cpu.set_reg(5, 0x1001);
      machine.cpu.set_reg(6, 0x20000);
      machine.cpu.set_reg(14, 0x20000);
      machine.cpu.set_reg(7, 0x77);
      machine.cpu.set_csr(kMtvec, 0x4001);  // vectored: exceptions go to the base all the same
      machine.cpu.set_csr(kMstatus, is_enabled ? 8 : 0x80);
      CHECK(machine.execute(test.instruction, test.pc) == Step::Trapped);
      CHECK(machine.cpu.csr(kMcause) == test.cause);
      CHECK(machine.cpu.csr(kMtval) == test.value);
      CHECK(machine.cpu.csr(kMepc) == test.pc);
      CHECK(machine.cpu.csr(kMstatus) == (is_enabled ? 0x1880U : 0x1800U));
      CHECK(machine.cpu.pc() == 0x4000);
      CHECK(machine.cpu.reg(7) == 0x77);
      CHECK(machine.cpu.reg(12) == 0);
      CHECK(machine.cpu.retired() == 0);
      CHECK(machine.cpu.cycles() == 3);
      // The bus saw no access that is not aligned.
      const bool is_access_fault = test.cause == 5 || test.cause == 7;
      CHECK(machine.ram.num_loads + machine.ram.num_stores == (is_access_fault ? 1 : 0));
    }
  }
}

TEST_CASE("fetches outside of memory") {
  Machine machine;
  machine.cpu.set_csr(kMtvec, 0x4000);
  machine.cpu.set_pc(0x20000);
  CHECK(machine.cpu.step() == Step::Trapped);
  CHECK(machine.cpu.csr(kMcause) == 1U);
  CHECK(machine.cpu.csr(kMtval) == 0x20000U);
  CHECK(machine.cpu.csr(kMepc) == 0x20000U);
  // The second half of an instruction: mtval is the half that is not there, mepc the instruction.
  machine.ram.bytes[0xFFFE] = 0x13;
  machine.cpu.set_pc(0xFFFE);
  CHECK(machine.cpu.step() == Step::Trapped);
  CHECK(machine.cpu.csr(kMcause) == 1U);
  CHECK(machine.cpu.csr(kMtval) == 0x10000U);
  CHECK(machine.cpu.csr(kMepc) == 0xFFFEU);
  // Two bytes are enough for an instruction of two.
  machine.ram.bytes[0xFFFE] = 0x01;
  machine.cpu.set_pc(0xFFFE);
  CHECK(machine.cpu.step() == Step::Retired);
  CHECK(machine.cpu.pc() == 0x10000);
  CHECK(machine.cpu.step() == Step::Trapped);
  CHECK(machine.cpu.csr(kMepc) == 0x10000U);
}

TEST_CASE("a jump to where nothing is traps at its target") {
  Machine machine;
  machine.cpu.set_csr(kMtvec, 0x4000);
  CHECK(machine.execute(jal(1, 0x20000)) == Step::Retired);
  CHECK(machine.cpu.reg(1) == 0x104);
  CHECK(machine.cpu.step() == Step::Trapped);
  CHECK(machine.cpu.csr(kMepc) == 0x20100U);
  CHECK(machine.cpu.csr(kMcause) == 1U);
}

TEST_CASE("mret goes back, with MIE as it was") {
  Machine machine;
  for (const uint32_t status : {0U, 0x80U}) {
    machine.cpu.set_csr(kMstatus, status);
    machine.cpu.set_csr(kMepc, 0x203);
    CHECK(machine.execute(kMret) == Step::Retired);
    CHECK(machine.cpu.pc() == 0x202);
    CHECK(machine.cpu.csr(kMstatus) == (status == 0 ? 0x1880U : 0x1888U));
  }
}

TEST_CASE("a trap in a handler keeps only the second one's state") {
  Machine machine;
  machine.cpu.set_csr(kMtvec, 0x4000);
  machine.cpu.set_csr(kMstatus, 8);
  machine.put(0x4000, {kEcall});
  machine.execute(kEbreak);
  CHECK(machine.cpu.csr(kMstatus) == 0x1880U);
  CHECK(machine.cpu.step() == Step::Trapped);
  CHECK(machine.cpu.csr(kMepc) == 0x4000U);
  CHECK(machine.cpu.csr(kMcause) == 11U);
  CHECK(machine.cpu.csr(kMtval) == 0U);
  CHECK(machine.cpu.csr(kMstatus) == 0x1800U);
}

TEST_CASE("hints are instructions without effect") {
  // c.nop 1; c.li x0, 1; c.lui x0, 1; c.srli64 x8; c.srai64 x8; c.slli64 x1; c.slli x0, 1; c.mv x0, x1; c.add x0, x1;
  // c.addi x1, 0; lui x0, 1; add x0, x5, x6; slti x0, x0, 2; fence with empty sets.
  for (const uint32_t word : {0x0005U, 0x4005U, 0x6005U, 0x8001U, 0x8401U, 0x0082U, 0x0006U, 0x8006U, 0x9006U, 0x0081U,
                              lui(0, 1), r_type(0, 0, 0, 5, 6), op_imm(2, 0, 0, 2), 0x0000000FU, 0x8330000FU, 0xFFFF8F8FU}) {
    CAPTURE(word);
    Machine machine;
    for (uint32_t i = 1; i < 32; ++i) machine.cpu.set_reg(i, i * 0x01010101);
    CHECK(machine.execute(word) == Step::Retired);
    for (uint32_t i = 0; i < 32; ++i) CHECK(machine.cpu.reg(i) == i * 0x01010101);
  }
}
