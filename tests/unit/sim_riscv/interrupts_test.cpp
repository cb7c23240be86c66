// SPDX-License-Identifier: Apache-2.0
// Interrupts and wfi (RISC-V privileged 20211203, sections 3.1.6 to 3.1.9 and 3.3.3).
#include "tests/unit/sim_riscv/encode.hpp"
#include "tests/unit/sim_riscv/machine.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::tests::rv;
using riscv::Step;
using spec::CpuInterrupt;

namespace {

constexpr uint32_t kMieBit = 8;  // of mstatus

/// A CPU at 0x100 with only nops before it.
void set_up(Machine& machine, uint32_t status, uint32_t enabled, uint32_t vector = 0x4000) {
  machine.put(0x100, {kNop, kNop, kNop, kNop, kNop, kNop});
  machine.put(0x4000, {kNop, kNop});
  machine.cpu.set_pc(0x100);
  machine.cpu.set_csr(kMstatus, status);
  machine.cpu.set_csr(kMie, enabled);
  machine.cpu.set_csr(kMtvec, vector);
}

}  // namespace

TEST_CASE("every combination of lines, enables and vectors") {
  for (uint32_t lines = 0; lines < 8; ++lines) {
    for (uint32_t enables = 0; enables < 8; ++enables) {
      for (const uint32_t status : {0U, kMieBit}) {
        for (const uint32_t vector : {0x4000U, 0x4001U}) {
          CAPTURE(lines, enables, status, vector);
          const auto spread = [](uint32_t bits) { return (bits & 1) << 3 | (bits & 2) << 6 | (bits & 4) << 9; };
          Machine machine;
          set_up(machine, status, spread(enables), vector);
          machine.cpu.set_line(CpuInterrupt::Software, (lines & 1) != 0);
          machine.cpu.set_line(CpuInterrupt::Timer, (lines & 2) != 0);
          machine.cpu.set_line(CpuInterrupt::External, (lines & 4) != 0);
          CHECK(machine.cpu.csr(kMip) == spread(lines));
          const uint32_t due = status == 0 ? 0 : lines & enables;
          if (due == 0) {
            CHECK(machine.cpu.step() == Step::Retired);
            CHECK(machine.cpu.pc() == 0x104);
            continue;
          }
          const uint32_t cause = (due & 4) != 0 ? 11 : (due & 1) != 0 ? 3 : 7;
          CHECK(machine.cpu.step() == Step::Interrupted);
          CHECK(machine.cpu.csr(kMcause) == 0x80000000 + cause);
          CHECK(machine.cpu.csr(kMepc) == 0x100U);
          CHECK(machine.cpu.csr(kMtval) == 0U);
          CHECK(machine.cpu.csr(kMstatus) == 0x1880U);
          CHECK(machine.cpu.pc() == (vector == 0x4001 ? 0x4000 + 4 * cause : 0x4000));
          CHECK(machine.cpu.retired() == 0);
          CHECK(machine.cpu.step() != Step::Interrupted);  // the line is still high, MIE is off
        }
      }
    }
  }
}

TEST_CASE("an interrupt is taken right after the instruction that allows it") {
  // By mstatus, by mie, by mret, and by a store that raises the line.
  for (const uint32_t word : {csr(6, 0, kMstatus, 8), csrrs(0, kMie, 5), kMret, sw(0, 0, 0x700)}) {
    CAPTURE(word);
    Machine machine;
    set_up(machine, word == csr(6, 0, kMstatus, 8) || word == kMret ? 0x80 : kMieBit, word == csrrs(0, kMie, 5) ? 0 : 0x80);
    machine.cpu.set_reg(5, 0x80);
    machine.cpu.set_csr(kMepc, 0x104);
    if (word == sw(0, 0, 0x700)) {
      machine.ram.on_access = [&machine] { machine.cpu.set_line(CpuInterrupt::Timer, true); };
    } else {
      machine.cpu.set_line(CpuInterrupt::Timer, true);
    }
    CHECK(machine.execute(word) == Step::Retired);
    CHECK(machine.cpu.step() == Step::Interrupted);
    CHECK(machine.cpu.csr(kMepc) == 0x104U);
    CHECK(machine.cpu.csr(kMcause) == 0x80000007U);
  }
  // And no longer after one that forbids it.
  Machine machine;
  set_up(machine, kMieBit, 0x80);
  CHECK(machine.execute(csr(7, 0, kMstatus, 8)) == Step::Retired);
  machine.cpu.set_line(CpuInterrupt::Timer, true);
  CHECK(machine.cpu.step() == Step::Retired);
}

TEST_CASE("an interrupt before each instruction of a program changes nothing of its result") {
  // Sums 1 to 5 into memory at 0x800, with a call, a multiplication and a short instruction.
  const std::vector<uint32_t> program{
      addi(10, 0, 5),        // 0x100
      addi(11, 0, 0),        // 0x104
      jal(1, 24),            // 0x108: to 0x120
      addi(10, 10, -1),      // 0x10C
      branch(1, 10, 0, -8),  // 0x110: to 0x108
      sw(11, 0, 0x7FC),      // 0x114
      lw(12, 0, 0x7FC),      // 0x118
      jal(0, 0),             // 0x11C: for ever
      r_type(0, 0, 11, 11, 10),
      r_type(1, 0, 13, 11, 10),
      (0x8082U << 16) | 0x0001U,  // 0x128: c.nop; ret
  };
  // The handler counts in x31, which the program does not use, clears the line by a store, and returns.
  const std::vector<uint32_t> handler{addi(31, 31, 1), sw(0, 0, 0x700), kMret};
  const auto prepare = [&](Machine& machine) {
    machine.put(0x100, program);
    machine.put(0x4000, handler);
    machine.cpu.set_pc(0x100);
    machine.cpu.set_csr(kMtvec, 0x4000);
    machine.cpu.set_csr(kMie, 0x800);
    machine.cpu.set_csr(kMstatus, kMieBit);
  };
  Machine plain;
  prepare(plain);
  std::vector<uint32_t> places;  // of each instruction, in order
  while (plain.cpu.pc() != 0x11C) {
    places.push_back(plain.cpu.pc());
    REQUIRE(plain.cpu.step() == Step::Retired);
  }
  CHECK(plain.word(0x7FC) == 15);
  REQUIRE(places.size() > 30);
  for (size_t n = 0; n < places.size(); ++n) {
    CAPTURE(n, places[n]);
    Machine machine;
    prepare(machine);
    bool is_high = false;
    machine.ram.on_access = [&] {
      if (is_high) machine.cpu.set_line(CpuInterrupt::External, false);
      is_high = false;
    };
    for (size_t i = 0; i < n; ++i) machine.cpu.step();
    machine.cpu.set_line(CpuInterrupt::External, true);
    is_high = true;
    REQUIRE(machine.cpu.step() == Step::Interrupted);
    CHECK(machine.cpu.csr(kMepc) == places[n]);
    while (machine.cpu.pc() != 0x11C) REQUIRE(machine.cpu.step() == Step::Retired);
    CHECK(machine.cpu.reg(31) == 1);
    CHECK(machine.cpu.retired() == plain.cpu.retired() + 3);
    CHECK(machine.cpu.cycles() == plain.cpu.cycles() + 3 + 1 + 2 + 3);  // entry, addi, sw, mret
    for (uint32_t reg = 0; reg < 31; ++reg) CHECK(machine.cpu.reg(reg) == plain.cpu.reg(reg));
    CHECK(machine.word(0x7FC) == 15);
  }
}

TEST_CASE("wfi sleeps until an enabled interrupt is pending, whatever MIE is") {
  for (const uint32_t status : {0U, kMieBit}) {
    CAPTURE(status);
    Machine machine;
    set_up(machine, status, 0x88);
    CHECK(machine.execute(kWfi) == Step::Retired);
    CHECK(machine.cpu.is_waiting());
    CHECK(machine.cpu.cycles() == 3);
    CHECK(machine.cpu.step() == Step::Waiting);
    CHECK(machine.cpu.cycles() == 3);
    CHECK(machine.cpu.run(100) == riscv::Stop::Waiting);
    machine.cpu.pass_cycles(50);
    machine.cpu.set_line(CpuInterrupt::External, true);  // not enabled
    CHECK(machine.cpu.step() == Step::Waiting);
    machine.cpu.set_line(CpuInterrupt::Software, true);
    CHECK_FALSE(machine.cpu.is_waiting());
    CHECK(machine.cpu.step() == (status == 0 ? Step::Retired : Step::Interrupted));
    CHECK(machine.cpu.pc() == (status == 0 ? 0x108U : 0x4000U));
    if (status != 0) CHECK(machine.cpu.csr(kMepc) == 0x104U);
    CHECK(machine.cpu.cycles() == 3 + 50 + 2 + (status == 0 ? 1 : 3));
    CHECK(machine.cpu.csr(kMcycle) == static_cast<uint32_t>(machine.cpu.cycles()));
    CHECK(machine.cpu.retired() == (status == 0 ? 2 : 1));
    // Awake, even when the line falls.
    machine.cpu.set_line(CpuInterrupt::Software, false);
    CHECK(machine.cpu.step() == Step::Retired);
  }
}

TEST_CASE("wfi with an interrupt pending does not sleep") {
  Machine machine;
  set_up(machine, 0, 0x80);
  machine.cpu.set_line(CpuInterrupt::Timer, true);
  CHECK(machine.execute(kWfi) == Step::Retired);
  CHECK_FALSE(machine.cpu.is_waiting());
  CHECK(machine.cpu.step() == Step::Retired);
  CHECK(machine.cpu.pc() == 0x108);
}

TEST_CASE("reset ends a sleep") {
  Machine machine;
  machine.execute(kWfi);
  REQUIRE(machine.cpu.is_waiting());
  machine.put(0, {kNop});
  machine.cpu.reset(0);
  CHECK(machine.cpu.step() == Step::Retired);
}

TEST_CASE("an interrupt that a debugger allows is taken before the next instruction") {
  // By mstatus or by mie, whichever is written last, while the line is high.
  for (const bool is_status_last : {false, true}) {
    CAPTURE(is_status_last);
    Machine machine;
    set_up(machine, is_status_last ? 0 : kMieBit, is_status_last ? 0x80 : 0);
    machine.cpu.set_line(CpuInterrupt::Timer, true);
    CHECK(machine.cpu.step() == Step::Retired);
    REQUIRE((is_status_last ? machine.cpu.set_csr(kMstatus, kMieBit) : machine.cpu.set_csr(kMie, 0x80)));
    CHECK(machine.cpu.step() == Step::Interrupted);
    CHECK(machine.cpu.csr(kMepc) == 0x104U);
  }
}
