// SPDX-License-Identifier: Apache-2.0
// The CPU in simulated time: what it reads is of that cycle, an interrupt is taken before the next instruction, and
// accesses take what the table says.
#include "tests/unit/sim_soc/system_fixture.hpp"

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::tests::rv;

namespace {

constexpr uint32_t kPmuCyclesPage = high_of(0x1000'0000);
constexpr int32_t kPmuCyclesLow = 0x30;
constexpr int64_t kComputeCycles = spec::cpu_cycles(spec::CpuActivity::Compute);
constexpr int64_t kLoadCycles = spec::cpu_cycles(spec::CpuActivity::Load);

/// Cycles between two reads of mcycle around one instruction.
int64_t cycles_of(uint32_t page, uint32_t instruction) {
  SystemFixture machine;
  machine.begin({lui(1, page), csrrs(2, kMcycle, 0), instruction, csrrs(3, kMcycle, 0), kWfi});
  machine.run_to(1000);
  REQUIRE(machine.system.cpu.state().is_waiting());
  return int64_t{machine.reg(3)} - machine.reg(2) - spec::cpu_cycles(spec::CpuActivity::CsrAccess);
}

/// A phase of the NPU that takes all that there is of a resource.
class Greedy : public mem::PhaseClient {
 public:
  static constexpr int64_t kCycles = 2000;
  Greedy(SystemFixture& machine, timing::Resource resource) {
    const auto index = static_cast<size_t>(resource);
    const base::Ratio most = timing::capacities_of(machine.config).per_cycle[index];
    timing::Phase phase;
    phase.cycles = phase.busy_cycles = kCycles;
    phase.demand[index] = kCycles * most.numerator() / most.denominator();
    machine.npu.arbiter.start_phase(phase, timing::Priority::Dma, *this);
  }
  void phase_ended(const timing::Ended& ended) override { ended_ = ended; }
  void woken() override {}
  [[nodiscard]] int64_t slowed_cycles() const { return ended_.end - ended_.start - kCycles; }

 private:
  timing::Ended ended_;
};

/// By how many cycles so many accesses delay a phase that takes all of the resource.
int64_t delay_by(timing::Resource resource, uint32_t page, uint32_t instruction, int num_accesses) {
  SystemFixture machine;
  machine.npu_clock.begin();
  std::vector<uint32_t> program{lui(1, page)};
  program.insert(program.end(), static_cast<size_t>(num_accesses), instruction);
  program.push_back(kWfi);
  machine.begin(program);
  const Greedy greedy(machine, resource);
  machine.run_to(2 * Greedy::kCycles);
  REQUIRE(machine.system.cpu.state().is_waiting());
  return greedy.slowed_cycles();
}

}  // namespace

TEST_CASE("Control CPU: a register that it reads has the value of the cycle in which the instruction begins") {
  // The NPU's counter of cycles stands in for all that changes by itself; its clock begins with the CPU's.
  for (const int num_before : {0, 1, 7, 100}) {
    SystemFixture machine;
    std::vector<uint32_t> program{lui(1, kPmuCyclesPage)};
    for (int i = 0; i < num_before; ++i) program.push_back(kNop);
    program.insert(program.end(), {lw(2, 1, kPmuCyclesLow), lw(3, 1, kPmuCyclesLow), kWfi});
    machine.npu_clock.begin();
    machine.begin(program);
    machine.run_to(1000);
    INFO(num_before << " instructions before");
    CHECK(machine.reg(2) == kComputeCycles * (1 + num_before));
    CHECK(machine.reg(3) == machine.reg(2) + kLoadCycles + spec::cpu_access(spec::CpuPlace::NpuRegister).load_cycles);
  }
}

TEST_CASE("Control CPU: a word that the machine writes in a cycle is seen by an access that begins in that cycle") {
  // The CPU polls the mailbox, and notes the cycle in which its poll began.
  constexpr int64_t kWritten = 50, kPollCycles = 1 + 3 + 3;  // csrrs, lw of a system register, branch taken
  for (int32_t delay = 0; delay < kPollCycles; ++delay) {
    SystemFixture machine;
    std::vector<uint32_t> program{lui(1, kMailboxPage)};
    for (int32_t i = 0; i < delay; ++i) program.push_back(kNop);
    program.insert(program.end(), {lw(4, 1, 0x10), csrrs(2, kMcycle, 0), lw(3, 1, 0x10), branch(0, 3, 4, -8), kWfi});
    machine.begin(program);
    machine.later.in(kWritten, [&] { machine.set_mailbox("RING_ADDRESS", 0x80000000); });
    machine.run_to(1000);
    INFO(delay << " instructions before");
    REQUIRE(machine.system.cpu.state().is_waiting());
    CHECK(machine.reg(3) == 0x80000000);
    const int64_t seen = int64_t{machine.reg(2)} + 1;  // the load begins after mcycle is read
    CHECK(seen >= kWritten);
    CHECK(seen < kWritten + kPollCycles);
  }
}

namespace {

/// Interrupts are on; a loop of an addition and a jump counts in x3. The handler, at byte 0x40, puts its cycle into x6, and
/// mcause into x8.
const std::vector<uint32_t> kCountingProgram{auipc(5, 0),
                                             addi(5, 5, 0x40),
                                             csrrw(0, kMtvec, 5),
                                             lui(1, kInterruptsPage),
                                             addi(2, 0, 6),
                                             sw(2, 1, 4),  // enables both sources
                                             lui(2, 1),
                                             addi(2, 2, -2048),
                                             csrrs(0, kMie, 2),
                                             csr(6, 0, kMstatus, 8),
                                             addi(3, 3, 1),
                                             jal(0, -4),
                                             kNop,
                                             kNop,
                                             kNop,
                                             kNop,
                                             csrrs(6, kMcycle, 0),
                                             csrrs(8, kMcause, 0),
                                             csrrw(0, kMie, 0),
                                             kWfi};

/// The line rises in cycle `rung`; nothing else of the machine happens.
int64_t cycles_to_entry(SystemFixture& machine, int64_t rung) {
  machine.run_to(1000);
  INFO("rung in cycle " << rung);
  REQUIRE(machine.reg(3) > 0);
  CHECK(machine.reg(8) == 0x8000000B);
  return int64_t{machine.reg(6)} - spec::cpu_cycles(spec::CpuActivity::Interrupt) - rung;
}

}  // namespace

TEST_CASE("Control CPU: an interrupt is taken before the first instruction that begins in the cycle of its line or later") {
  // Of the two instructions of the loop the jump takes 2 cycles: a ring in its second one waits for its end.
  for (const bool is_by_host : {false, true}) {
    int num_late = 0;
    for (int64_t rung = 40; rung < 52; ++rung) {
      SystemFixture machine;
      machine.begin(kCountingProgram);
      const auto ring = [&] { machine.set_mailbox("CPU_DOORBELL_SET", 1); };
      if (is_by_host) {
        machine.run_to(rung);
        ring();
      } else {
        machine.later.in(rung, ring);
      }
      const int64_t cycles = cycles_to_entry(machine, rung);
      CHECK((cycles == 0 || cycles == 1));
      num_late += cycles == 1 ? 1 : 0;
    }
    CHECK(num_late == 4);
  }
}

TEST_CASE("Control CPU: an interrupt that its own store raises comes before the next instruction") {
  SystemFixture machine;
  std::vector<uint32_t> program(kCountingProgram.begin(), kCountingProgram.begin() + 10);
  program.insert(program.end(), {lui(1, kMailboxPage), sw(2, 1, 4), addi(3, 3, 1), addi(3, 3, 1), jal(0, -8), kNop,
                                 csrrs(7, kMepc, 0), csrrw(0, kMie, 0), kWfi});
  machine.begin(program);
  machine.run_to(1000);
  REQUIRE(machine.system.cpu.state().is_waiting());
  CHECK(machine.reg(7) == spec::cpu_window_base(spec::CpuWindowId::Firmware) + 4 * 12);
  CHECK(machine.reg(3) == 0);
}

TEST_CASE("Control CPU: asleep it makes no event, and it wakes in the cycle of the interrupt") {
  SystemFixture machine;
  machine.begin({lui(1, kInterruptsPage), addi(2, 0, 4), sw(2, 1, 4), lui(2, 1), addi(2, 2, -2048), csrrs(0, kMie, 2), kWfi,
                 csrrs(3, kMcycle, 0), csrrw(0, kMie, 0), kWfi});
  machine.run_to(1'000'000);
  CHECK_FALSE(sc_core::sc_pending_activity());
  CHECK(machine.system.cpu.state().is_waiting());
  CHECK(machine.reg(3) == 0);
  machine.set_mailbox("CPU_DOORBELL_SET", 1);
  machine.run_to(1'001'000);
  CHECK(machine.reg(3) == 1'000'000 + spec::cpu_cycles(spec::CpuActivity::WakeUp));
}

TEST_CASE("Control CPU: accesses take what the table says") {
  const config::MachineConfig config = config::preset_config("v256", "test");
  const int64_t outside = config.external.latency_cycles + 1;
  const auto extra = [](spec::CpuPlace place) { return spec::cpu_access(place).load_cycles; };
  CHECK(cycles_of(kRamPage, lw(4, 1, 0)) == kLoadCycles);
  CHECK(cycles_of(kMailboxPage, lw(4, 1, 0)) == kLoadCycles + extra(spec::CpuPlace::SystemRegister));
  CHECK(cycles_of(kConsolePage, sw(0, 1, 0)) == kLoadCycles + extra(spec::CpuPlace::SystemRegister));
  CHECK(cycles_of(high_of(0x1000'0000), lw(4, 1, 0)) == kLoadCycles + extra(spec::CpuPlace::NpuRegister));
  CHECK(cycles_of(0, lw(4, 1, 0)) == kLoadCycles + extra(spec::CpuPlace::Sram));
  CHECK(cycles_of(high_of(0x8000'0000), lw(4, 1, 0)) == kLoadCycles + extra(spec::CpuPlace::External) + outside);
  CHECK(cycles_of(high_of(0x8000'0000), sw(4, 1, 0)) == kLoadCycles + extra(spec::CpuPlace::External) + outside);
}

TEST_CASE("Control CPU: what it reads and writes is taken from the ports and the bandwidth of the NPU") {
  using timing::Resource;
  constexpr uint32_t kSramPage = 0, kOutsidePage = high_of(0x8000'0000);
  const config::MachineConfig config = config::preset_config("v256", "test");
  const auto words = [&](Resource resource) {  // a cycle, which is a whole number
    return static_cast<int>(timing::capacities_of(config).per_cycle[static_cast<size_t>(resource)].numerator());
  };
  for (const int count : {0, 1, 5}) {
    INFO(count << " accesses");
    CHECK(delay_by(Resource::ExternalRead, kOutsidePage, lw(2, 1, 0), count) == count);
    CHECK(delay_by(Resource::ExternalRead, kSramPage, lw(2, 1, 0), count) == 0);
    CHECK(delay_by(Resource::ExternalRead, kMailboxPage, lw(2, 1, 0), count) == 0);
    CHECK(delay_by(Resource::SramRead, kSramPage, lw(2, 1, 0), count * words(Resource::SramRead)) == count);
    CHECK(delay_by(Resource::SramRead, kSramPage, sw(2, 1, 0), count) == 0);
    CHECK(delay_by(Resource::SramWrite, kSramPage, sw(2, 1, 0), count * words(Resource::SramWrite)) == count);
  }
  // Reads and writes share the bandwidth, unless the memory has one of each.
  const Resource writes = config.external.is_full_duplex ? Resource::ExternalWrite : Resource::ExternalRead;
  CHECK(delay_by(writes, kOutsidePage, sw(2, 1, 0), 3) == 3);
}

TEST_CASE("Control CPU: while no stream runs its accesses take nothing from anybody") {
  SystemFixture machine;
  machine.begin({lui(1, high_of(0x8000'0000)), lw(2, 1, 0), lw(2, 1, 0), kWfi});
  machine.run_to(1000);
  REQUIRE(machine.system.cpu.state().is_waiting());
  machine.npu_clock.begin();
  const Greedy greedy(machine, timing::Resource::ExternalRead);
  sc_core::sc_start(kit::to_time(2 * Greedy::kCycles));
  CHECK(greedy.slowed_cycles() == 0);
}

TEST_CASE("Control CPU: memories hold what it writes, and what it may not reach is an access fault") {
  struct Access {
    uint32_t page, instruction, cause;
  };
  const uint32_t firmware = high_of(spec::cpu_window_base(spec::CpuWindowId::Firmware));
  const std::vector<Access> accesses{{firmware, sw(2, 1, 0x100), 7},         {high_of(0x1000'1000), lw(3, 1, 0), 5},
                                     {high_of(0x1003'7000), lw(3, 1, 0), 5}, {kMailboxPage, load(0, 3, 1, 0), 5},
                                     {kMailboxPage, sw(2, 1, 0x40), 7},      {high_of(0x1000'0000), lw(3, 1, 0x5C), 5},
                                     {high_of(0x0FFF'F000), lw(3, 1, 0), 5}, {high_of(0x8000'0000), jalr(0, 1, 0), 1},
                                     {firmware + 8, lw(3, 1, 0), 5}};
  for (const Access& one : accesses) {
    INFO("page " << one.page << ", instruction " << one.instruction);
    SystemFixture machine;
    machine.begin({auipc(5, 0), addi(5, 5, 0x20), csrrw(0, kMtvec, 5), lui(1, one.page), addi(2, 0, 77), one.instruction,
                   kWfi, kNop, csrrs(8, kMcause, 0), kWfi});
    machine.run_to(2000);
    CHECK(machine.reg(8) == one.cause);
  }
  for (const uint32_t page : {kRamPage, kRamPage + 15, high_of(0x0000'1000), high_of(0x8000'1000), high_of(0xFFFF'F000)}) {
    INFO("page " << page);
    SystemFixture machine;
    machine.begin({lui(1, page), addi(2, 0, -77), sw(2, 1, 0x7FC), load(4, 3, 1, 0x7FD), load(1, 4, 1, 0x7FC), kWfi});
    machine.run_to(2000);
    CHECK(machine.reg(3) == 0xFF);
    CHECK(machine.reg(4) == 0xFFFFFFB3);
  }
}

TEST_CASE("Control CPU: a halted clock ends it wherever it waits, and it begins anew") {
  for (const uint32_t last : {kWfi, jal(0, 0), lw(3, 1, 0)}) {
    SystemFixture machine;
    machine.begin({lui(1, high_of(0x8000'0000)), lw(2, 1, 0), last, jal(0, -4)});
    machine.run_to(60);
    machine.clock.halt();
    machine.system.cpu.nudge();
    sc_core::sc_start();
    machine.system.reset();
    machine.begin({lui(1, kMailboxPage), addi(2, 0, 5), sw(2, 1, 0x14), kWfi});
    machine.run_to(100);
    CHECK(machine.mailbox("FIRMWARE_STATE") == 5);
  }
}

TEST_CASE("Console: lines come with the cycle of their first byte") {
  SystemFixture machine;
  std::vector<std::pair<int64_t, std::string>> lines;
  machine.system.console.on_line([&](int64_t cycle, const std::string& line) { lines.emplace_back(cycle, line); });
  machine.begin({lui(1, kConsolePage), addi(2, 0, 'h'), addi(3, 0, 7), addi(4, 0, '\n'), sw(2, 1, 0), sw(3, 1, 0),
                 sw(4, 1, 0), sw(4, 1, 0), kWfi});
  machine.run_to(100);
  CHECK(lines == std::vector<std::pair<int64_t, std::string>>{{4, "h?"}, {13, ""}});
}
