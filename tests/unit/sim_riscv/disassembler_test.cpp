// SPDX-License-Identifier: Apache-2.0
#include "sim/riscv/disassembler.hpp"

#include "sim/riscv/decoder.hpp"
#include "tests/unit/sim_riscv/encode.hpp"
#include "tests/unit/sim_riscv/machine.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::tests::rv;
using riscv::disassemble;

TEST_CASE("disassembler: each form has its operands in the manual's order") {
  struct Form {
    uint32_t word;
    const char* text;
  };
  for (const Form& one : {Form{addi(2, 2, -64), "addi sp, sp, -64"},
                          Form{r_type(0, 0, 10, 11, 12), "add a0, a1, a2"},
                          Form{r_type(0x20, 0, 31, 8, 1), "sub t6, s0, ra"},
                          Form{r_type(1, 4, 5, 6, 7), "div t0, t1, t2"},
                          Form{op_imm(5, 15, 15, 0x400 + 3), "srai a5, a5, 3"},
                          Form{lui(5, 0x10030), "lui t0, 0x10030"},
                          Form{auipc(2, 0xFFFFF), "auipc sp, 0xfffff"},
                          Form{lw(14, 15, 8), "lw a4, 8(a5)"},
                          Form{load(4, 14, 2, -1), "lbu a4, -1(sp)"},
                          Form{sw(14, 15, -4), "sw a4, -4(a5)"},
                          Form{branch(1, 10, 0, -8), "bne a0, zero, 0x10010008"},
                          Form{jal(1, 0x100), "jal ra, 0x10010110"},
                          Form{jalr(0, 1, 0), "jalr zero, 0(ra)"},
                          Form{csrrw(0, kMtvec, 5), "csrrw zero, mtvec, t0"},
                          Form{csr(6, 0, kMstatus, 8), "csrrsi zero, mstatus, 8"},
                          Form{csrrs(10, 0xB04, 0), "csrrs a0, mhpmcounter4, zero"},
                          Form{csrrs(10, 0x7C0, 0), "csrrs a0, 0x7c0, zero"},
                          Form{kWfi, "wfi"},
                          Form{kMret, "mret"},
                          Form{kEcall, "ecall"},
                          Form{kFenceI, "fence.i"},
                          Form{0xFFFFFFFF, "illegal"},
                          Form{0x0000, "illegal"},
                          Form{0x1141, "addi sp, sp, -16"},
                          Form{0x8082, "jalr zero, 0(ra)"},
                          Form{0x4501, "addi a0, zero, 0"},
                          Form{0xC606, "sw ra, 12(sp)"},
                          Form{0x4398, "lw a4, 0(a5)"},
                          Form{0xBFFD, "jal zero, 0x1001000e"}}) {
    CHECK(disassemble(one.word, 0x10010010) == one.text);
  }
}

TEST_CASE("CPU: an observer is told each instruction, trap and interrupt with the cycle in which it began") {
  Machine machine;
  std::vector<riscv::Executed> seen;
  machine.put(0, {addi(5, 0, 0x40), csrrw(0, kMtvec, 5), lw(6, 0, 0x80), sw(6, 0, 0x84), branch(0, 0, 0, 8), kNop, kEcall});
  machine.put(0x40, {addi(1, 0, -2), jalr(0, 1, 0)});
  machine.put(0x80, {0x1234});
  machine.cpu.observe([&](const riscv::Executed& one) { seen.push_back(one); });
  for (int i = 0; i < 9; ++i) machine.cpu.step();
  using Kind = riscv::Executed::Kind;
  struct Expected {
    Kind kind;
    int64_t cycle;
    uint32_t pc, rd, value, cause;
  };
  // addi 1, csrrw 1, lw 2, sw 2, taken branch 3, trap 3, addi 1, jalr 2, then the fetch that fails.
  const std::vector<Expected> expected{{Kind::Retired, 0, 0, 5, 0x40, 0},
                                       {Kind::Retired, 1, 4, 0, 0, 0},
                                       {Kind::Retired, 2, 8, 6, 0x1234, 0},
                                       {Kind::Retired, 4, 12, 0, 0, 0},
                                       {Kind::Retired, 6, 16, 0, 0, 0},
                                       {Kind::Trapped, 9, 24, 0, 0, 11},
                                       {Kind::Retired, 12, 0x40, 1, 0xFFFFFFFE, 0},
                                       {Kind::Retired, 13, 0x44, 0, 0, 0},
                                       {Kind::NotFetched, 15, 0xFFFFFFFE, 0, 0, 1}};
  REQUIRE(seen.size() == expected.size());
  for (size_t i = 0; i < seen.size(); ++i) {
    INFO("instruction " << i);
    CHECK((seen[i].kind == expected[i].kind && seen[i].cycle == expected[i].cycle && seen[i].pc == expected[i].pc));
    CHECK((seen[i].rd == expected[i].rd && seen[i].value == expected[i].value && seen[i].cause == expected[i].cause));
  }
  CHECK((seen[2].word == lw(6, 0, 0x80) && seen[2].num_bytes == 4));
}

TEST_CASE("CPU: an observer is told an interrupt before the instruction that it comes before, and sleep is no instruction") {
  Machine machine;
  std::vector<riscv::Executed> seen;
  machine.put(0, {addi(5, 0, 0x40), csrrw(0, kMtvec, 5), addi(6, 0, 0x80), csrrs(0, kMie, 6), csr(6, 0, kMstatus, 8), kWfi});
  machine.put(0x40, {0x00010001});  // two compressed instructions without effect
  machine.cpu.observe([&](const riscv::Executed& one) { seen.push_back(one); });
  while (machine.cpu.step() != riscv::Step::Waiting) {
  }
  CHECK(seen.size() == 6);
  machine.cpu.pass_cycles(100);
  machine.cpu.set_line(spec::CpuInterrupt::Timer, true);
  const int64_t woken = machine.cpu.cycles() + spec::cpu_cycles(spec::CpuActivity::WakeUp);
  machine.cpu.step();
  machine.cpu.step();
  REQUIRE(seen.size() == 8);
  CHECK((seen[6].kind == riscv::Executed::Kind::Interruption && seen[6].cycle == woken && seen[6].pc == 24));
  CHECK((seen[6].cause == 7 && seen[6].num_bytes == 0));
  CHECK((seen[7].word == 1 && seen[7].num_bytes == 2 && seen[7].rd == 0));
  machine.cpu.observe({});
  machine.cpu.step();
  CHECK(seen.size() == 8);
}
