// SPDX-License-Identifier: Apache-2.0
// Cycles of each kind of instruction against the figures of Ibex's user manual ("Pipeline Details": stall cycles + 1) and of
// decision 0025, and where run() comes back.
#include "tests/unit/sim_riscv/encode.hpp"
#include "tests/unit/sim_riscv/machine.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::tests::rv;

namespace {

struct CyclesCase {
  const char* name;
  uint32_t instruction;
  int64_t cycles;
};

// x5 is 1, x6 is 0, x7 is 0x200.
const CyclesCase kCases[] = {
    {"add", r_type(0, 0, 8, 5, 6), 1},
    {"lui", lui(8, 1), 1},
    {"auipc", auipc(8, 1), 1},
    {"c.li", 0x4405, 1},
    {"fence", kFence, 1},
    {"csrrw", csrrw(8, kMscratch, 5), 1},
    {"csrrci", csr(7, 8, kMscratch, 1), 1},
    {"lw", lw(8, 7, 0), 2},
    {"lbu", load(4, 8, 7, 1), 2},
    {"sw", sw(8, 7, 0), 2},
    {"sb", store(0, 8, 7, 0), 2},
    {"mul", r_type(1, 0, 8, 5, 5), 3},
    {"mulh", r_type(1, 1, 8, 5, 5), 4},
    {"mulhsu", r_type(1, 2, 8, 5, 5), 4},
    {"mulhu", r_type(1, 3, 8, 5, 5), 4},
    {"div", r_type(1, 4, 8, 5, 5), 38},
    {"divu", r_type(1, 5, 8, 5, 5), 38},
    {"rem", r_type(1, 6, 8, 5, 5), 38},
    {"remu", r_type(1, 7, 8, 5, 5), 38},
    {"div by 0", r_type(1, 4, 8, 5, 6), 2},
    {"divu by 0", r_type(1, 5, 8, 5, 6), 2},
    {"rem by 0", r_type(1, 6, 8, 5, 6), 2},
    {"remu by 0", r_type(1, 7, 8, 5, 6), 2},
    {"jal", jal(0, 16), 2},
    {"jalr", jalr(0, 7, 0), 2},
    {"beq not taken", branch(0, 5, 6, 8), 1},
    {"beq taken", branch(0, 5, 5, 8), 3},
    {"bgeu taken to the next", branch(7, 5, 5, 4), 3},
    {"fence.i", kFenceI, 2},
    {"mret", kMret, 3},
    {"wfi", kWfi, 3},
    {"ecall", kEcall, 3},
    {"ebreak", kEbreak, 3},
    {"illegal", 0xFFFFFFFF, 3},
    {"lw not aligned", lw(8, 7, 1), 3},
};

}  // namespace

TEST_CASE("cycles of each kind of instruction") {
  for (const CyclesCase& test : kCases) {
    for (const uint32_t fetch_cycles : {0U, 5U}) {
      CAPTURE(test.name, fetch_cycles);
      Machine machine;
      machine.ram.fetch_cycles = fetch_cycles;
      machine.cpu.set_reg(5, 1);
      machine.cpu.set_reg(7, 0x200);
      machine.execute(test.instruction);
      CHECK(machine.cpu.cycles() == test.cycles + fetch_cycles);
    }
  }
}

TEST_CASE("what memory takes comes on top, of a fault too") {
  Machine machine;
  machine.ram.fetch_cycles = 3;
  machine.ram.data_cycles = 10;
  machine.cpu.set_reg(6, 0x20000);
  const auto cycles_of = [&](uint32_t word, uint32_t pc) {
    const int64_t before = machine.cpu.cycles();
    machine.execute(word, pc);
    return machine.cpu.cycles() - before;
  };
  CHECK(cycles_of(lw(8, 0, 0x200), 0x100) == 3 + 2 + 10);
  CHECK(cycles_of(sw(8, 0, 0x200), 0x100) == 3 + 2 + 10);
  CHECK(cycles_of(lw(8, 6, 0), 0x100) == 3 + 3 + 10);
  CHECK(cycles_of(sw(8, 6, 0), 0x100) == 3 + 3 + 10);
  CHECK(cycles_of(lw(8, 6, 2), 0x100) == 3 + 3);
  CHECK(cycles_of(kNop, 0x102) == 3 + 3 + 1);  // two fetches
  CHECK(cycles_of(0x0001, 0x102) == 3 + 1);
  // A fetch that is not repeated costs its cycles each time.
  machine.put(0x100, {kNop});
  machine.cpu.set_pc(0x100);
  machine.cpu.step();
  const int64_t num_fetches = machine.ram.num_fetches, before = machine.cpu.cycles();
  machine.cpu.set_pc(0x100);
  machine.cpu.step();
  CHECK(machine.cpu.cycles() - before == 4);
  CHECK(machine.ram.num_fetches == num_fetches);
  // A fault of a fetch: nothing but the fetch and the trap.
  machine.cpu.set_pc(0x20000);
  const int64_t before_fault = machine.cpu.cycles();
  machine.cpu.step();
  CHECK(machine.cpu.cycles() - before_fault == 3 + 3);
}

TEST_CASE("an instruction 16 KiB away takes the slot, also where its fetch fails") {
  Machine machine;
  machine.put(0xC100, {kNop});
  machine.put(0x8100, {kNop});
  const auto fetches_at = [&](uint32_t pc) {
    const int64_t before = machine.ram.num_fetches;
    machine.cpu.set_pc(pc);
    machine.cpu.step();
    return machine.ram.num_fetches - before;
  };
  CHECK(fetches_at(0xC100) == 1);
  CHECK(fetches_at(0xC100) == 0);
  CHECK(fetches_at(0x8100) == 1);
  CHECK(fetches_at(0xC100) == 1);
  CHECK(fetches_at(0x10100) == 1);  // outside of memory
  CHECK(fetches_at(0xC100) == 1);
}

TEST_CASE("run() comes back after the step that reaches the cycle, and when asked") {
  Machine machine;
  machine.put(0x100, {lw(8, 0, 0x200), lw(8, 0, 0x200), kNop, kNop, kWfi});
  machine.cpu.set_pc(0x100);
  CHECK(machine.cpu.run(0) == riscv::Stop::Cycle);
  CHECK(machine.cpu.pc() == 0x100);
  int64_t seen_cycle = -1;
  machine.ram.on_access = [&] { seen_cycle = machine.cpu.cycles(); };
  CHECK(machine.cpu.run(3) == riscv::Stop::Cycle);
  CHECK(machine.cpu.pc() == 0x108);
  CHECK(machine.cpu.cycles() == 4);
  CHECK(seen_cycle == 2);  // the access sees the cycle in which its instruction began
  CHECK(machine.cpu.run(100) == riscv::Stop::Waiting);
  CHECK(machine.cpu.cycles() == 4 + 2 + 3);
  Machine asked;
  asked.put(0x100, {kNop, lw(8, 0, 0x200), kNop});
  asked.cpu.set_pc(0x100);
  asked.ram.on_access = [&] { asked.cpu.stop(); };
  CHECK(asked.cpu.run(100) == riscv::Stop::Asked);
  CHECK(asked.cpu.pc() == 0x108);
}
