// SPDX-License-Identifier: Apache-2.0
// Which control and status registers there are, what a write does to each, and the counters (RISC-V privileged 20211203,
// chapters 2 and 3).
#include "tests/unit/sim_riscv/encode.hpp"
#include "tests/unit/sim_riscv/machine.hpp"

#include <catch2/catch.hpp>

#include <map>

using namespace vernier;
using namespace vernier::tests::rv;
using riscv::Step;

namespace {

struct Bits {
  uint32_t reset, after_ones, after_zeros;
};

/// Every register that exists, beside the counters that run.
std::map<uint32_t, Bits> registers() {
  std::map<uint32_t, Bits> result{
      {0x300, {0x1800, 0x1888, 0x1800}},
      {0x301, {0x40001104, 0x40001104, 0x40001104}},
      {0x304, {0, 0x888, 0}},
      {0x305, {0, 0xFFFFFFFD, 0}},
      {0x310, {0, 0, 0}},
      {0x320, {0, 5, 0}},
      {0x340, {0, 0xFFFFFFFF, 0}},
      {0x341, {0, 0xFFFFFFFE, 0}},
      {0x342, {0, 0xFFFFFFFF, 0}},
      {0x343, {0, 0xFFFFFFFF, 0}},
      {0x344, {0, 0, 0}},
  };
  for (uint32_t i = 3; i < 32; ++i) {
    for (const uint32_t base : {0x320U, 0xB00U, 0xB80U}) result[base + i] = {0, 0, 0};
  }
  return result;
}

const std::map<uint32_t, uint32_t> kReadOnly{{0xF11, 0}, {0xF12, 0}, {0xF13, 0}, {0xF14, 0}, {0xF15, 0}};

bool is_illegal(Machine& machine, uint32_t word) {
  machine.cpu.set_csr(kMtvec, 0x8000);
  const Step step = machine.execute(word);
  if (step == Step::Retired) return false;
  return step == Step::Trapped && machine.cpu.csr(kMcause) == 2U && machine.cpu.csr(kMtval) == word &&
         machine.cpu.pc() == 0x8000;
}

}  // namespace

TEST_CASE("all 4,096 numbers of registers: reset, writable bits, illegal ones") {
  const std::map<uint32_t, Bits> expected = registers();
  for (uint32_t number = 0; number < 0x1000; ++number) {
    CAPTURE(number);
    Machine machine;
    machine.cpu.set_reg(5, 0xFFFFFFFF);
    machine.cpu.set_reg(7, 0x77);
    const bool is_counter = number == 0xB00 || number == 0xB02 || number == 0xB80 || number == 0xB82;
    if (const auto found = expected.find(number); found != expected.end()) {
      CHECK(machine.execute(csrrw(7, number, 5)) == Step::Retired);
      CHECK(machine.cpu.reg(7) == found->second.reset);
      CHECK(machine.execute(csrrw(7, number, 0)) == Step::Retired);
      CHECK(machine.cpu.reg(7) == found->second.after_ones);
      CHECK(machine.cpu.csr(number) == found->second.after_zeros);
    } else if (const auto constant = kReadOnly.find(number); constant != kReadOnly.end()) {
      CHECK(machine.execute(csrrs(7, number, 0)) == Step::Retired);
      CHECK(machine.cpu.reg(7) == constant->second);
      // Every form that writes, even where nothing would change.
      for (const uint32_t word : {csrrw(7, number, 0), csrrs(7, number, 6), csrrc(7, number, 6), csr(5, 7, number, 0),
                                  csr(6, 7, number, 1), csr(7, 7, number, 1)}) {
        CHECK(is_illegal(machine, word));
      }
      CHECK(machine.execute(csr(7, 7, number, 0)) == Step::Retired);
      CHECK_FALSE(machine.cpu.set_csr(number, 1));
    } else if (!is_counter) {
      CHECK(is_illegal(machine, csrrs(7, number, 0)));
      CHECK(is_illegal(machine, csrrw(0, number, 5)));
      CHECK(machine.cpu.reg(7) == 0x77);
      CHECK_FALSE(machine.cpu.csr(number));
      CHECK_FALSE(machine.cpu.set_csr(number, 1));
    }
  }
}

TEST_CASE("the six forms of access") {
  Machine machine;
  machine.cpu.set_reg(5, 0x0FF0);
  const auto next = [&](uint32_t word) {
    REQUIRE(machine.execute(word) == Step::Retired);
    return std::pair(machine.cpu.reg(7), machine.cpu.csr(kMscratch).value());
  };
  machine.cpu.set_csr(kMscratch, 0xF0F0);
  CHECK(next(csrrw(7, kMscratch, 5)) == std::pair(0xF0F0U, 0x0FF0U));
  machine.cpu.set_csr(kMscratch, 0xF0F0);
  CHECK(next(csrrs(7, kMscratch, 5)) == std::pair(0xF0F0U, 0xFFF0U));
  machine.cpu.set_csr(kMscratch, 0xF0F0);
  CHECK(next(csrrc(7, kMscratch, 5)) == std::pair(0xF0F0U, 0xF000U));
  CHECK(next(csr(5, 7, kMscratch, 31)) == std::pair(0xF000U, 31U));
  CHECK(next(csr(6, 7, kMscratch, 0b10000)) == std::pair(31U, 31U));
  CHECK(next(csr(7, 7, kMscratch, 0b00011)) == std::pair(31U, 28U));
  CHECK(next(csr(6, 7, kMscratch, 0)) == std::pair(28U, 28U));
  // One register is source and result.
  machine.cpu.set_reg(5, 99);
  machine.execute(csrrw(5, kMscratch, 5));
  CHECK(machine.cpu.reg(5) == 28);
  CHECK(machine.cpu.csr(kMscratch) == 99U);
}

TEST_CASE("mcycle and minstret count, and are read as they were at the start of the reading instruction") {
  Machine machine;
  machine.put(0x100, {kNop, jal(0, 4), csrrs(7, kMcycle, 0), csrrs(8, kMinstret, 0), csrrs(9, kMcycle, 0)});
  machine.cpu.set_pc(0x100);
  for (int i = 0; i < 5; ++i) machine.cpu.step();
  CHECK(machine.cpu.reg(7) == 3);
  CHECK(machine.cpu.reg(8) == 3);
  CHECK(machine.cpu.reg(9) == 5);
  CHECK(machine.cpu.cycles() == 6);
  CHECK(machine.cpu.retired() == 5);
  machine.cpu.pass_cycles(1000);
  CHECK(machine.cpu.csr(kMcycle) == 1006U);
}

TEST_CASE("the next instruction reads a counter as it was written, with a carry into the high half") {
  Machine machine;
  machine.cpu.set_reg(5, 0xFFFFFFFF);
  for (const uint32_t number : {kMcycle, kMinstret}) {
    const uint32_t high = number + 0x80;
    machine.put(0x100,
                {csrrw(0, high, 0), csrrw(0, number, 5), csrrs(7, number, 0), csrrs(8, number, 0), csrrs(9, high, 0)});
    machine.cpu.set_pc(0x100);
    for (int i = 0; i < 5; ++i) REQUIRE(machine.cpu.step() == Step::Retired);
    CHECK(machine.cpu.reg(7) == 0xFFFFFFFF);
    CHECK(machine.cpu.reg(8) == 0);
    CHECK(machine.cpu.reg(9) == 1);
    machine.put(0x100, {csrrw(0, high, 5), csrrs(7, high, 0), csrrs(8, number, 0)});
    machine.cpu.set_pc(0x100);
    for (int i = 0; i < 3; ++i) REQUIRE(machine.cpu.step() == Step::Retired);
    CHECK(machine.cpu.reg(7) == 0xFFFFFFFF);
    CHECK(machine.cpu.reg(8) < 10);  // the low half went on
  }
}

TEST_CASE("mcountinhibit stops each counter by itself") {
  Machine machine;
  machine.put(0x100, {kNop, csr(5, 0, kMcountinhibit, 1), kNop, kNop, csrrs(7, kMcycle, 0), csrrs(8, kMinstret, 0),
                      csr(5, 0, kMcountinhibit, 4), kNop, csrrs(9, kMcycle, 0), csrrs(10, kMinstret, 0),
                      csr(5, 0, kMcountinhibit, 0), csrrs(11, kMinstret, 0)});
  machine.cpu.set_pc(0x100);
  for (int i = 0; i < 12; ++i) REQUIRE(machine.cpu.step() == Step::Retired);
  CHECK(machine.cpu.reg(7) == 2);  // nop, and the write itself
  CHECK(machine.cpu.reg(8) == 5);
  CHECK(machine.cpu.reg(9) == 3);   // goes on after the second write
  CHECK(machine.cpu.reg(10) == 7);  // stands since then
  CHECK(machine.cpu.reg(11) == 7);
  // A counter that stands is written all the same.
  machine.cpu.set_csr(kMcountinhibit, 5);
  machine.cpu.set_csr(kMcycle, 40);
  machine.execute(kNop);
  CHECK(machine.cpu.csr(kMcycle) == 40U);
  machine.cpu.set_csr(kMcountinhibit, 0);
  machine.execute(kNop);
  CHECK(machine.cpu.csr(kMcycle) == 41U);
}

TEST_CASE("reset") {
  Machine machine;
  machine.cpu.set_line(spec::CpuInterrupt::Timer, true);
  machine.cpu.set_reg(5, 1);
  machine.cpu.set_csr(kMscratch, 1);
  machine.cpu.set_csr(kMie, 0x888);
  machine.cpu.set_csr(kMcycle, 1000);
  machine.cpu.reset(0x40);
  CHECK(machine.cpu.pc() == 0x40);
  CHECK(machine.cpu.reg(5) == 0);
  CHECK(machine.cpu.csr(kMscratch) == 0U);
  CHECK(machine.cpu.csr(kMie) == 0U);
  CHECK(machine.cpu.csr(kMstatus) == 0x1800U);
  CHECK(machine.cpu.csr(kMcycle) == 0U);
  CHECK(machine.cpu.cycles() == 0);
  CHECK(machine.cpu.csr(kMip) == 0x80U);  // the line is still high
  CHECK_THROWS(machine.cpu.reset(1));
}
