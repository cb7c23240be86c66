// SPDX-License-Identifier: Apache-2.0
// The timer: its line is low in the cycle before COMPARE and high in COMPARE, and the CPU takes its interrupt then.
#include "tests/unit/sim_soc/system_fixture.hpp"

using namespace vernier;
using namespace vernier::soc;
namespace rv = vernier::tests::rv;

namespace {

constexpr uint32_t kTimeLow = 0x00, kTimeHigh = 0x04, kCompareLow = 0x08, kCompareHigh = 0x0C;

/// The timer alone; its clock begins at once.
struct TimerBench {
  TimerBench() {
    timer.timer_o(line);
    driver.initiator.bind(timer.registers_target);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    timer.reset();
    settle();
    clock.begin();
  }
  static void settle() {
    for (int i = 0; i < 3; ++i) sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  /// All of that cycle included.
  void run_to(int64_t cycle) const {
    sc_core::sc_start(kit::to_time(cycle - clock.now()), sc_core::SC_RUN_TO_TIME);
    settle();
  }
  uint32_t read(uint32_t offset) { return driver.read(offset); }
  void write(uint32_t offset, uint32_t value) {
    driver.write(offset, value);
    settle();
  }
  void compare(uint64_t cycle) {
    write(kCompareHigh, 0xFFFFFFFF);
    write(kCompareLow, static_cast<uint32_t>(cycle));
    write(kCompareHigh, static_cast<uint32_t>(cycle >> 32));
  }

  kit::SimulationContext context;
  kit::JobClock clock;
  Timer timer{"timer", clock};
  sc_core::sc_signal<bool> line{"line"};
  RegisterDriver driver{"driver"};
};

}  // namespace

TEST_CASE("Timer: the line is low in the cycle before COMPARE and high in COMPARE") {
  for (const int64_t cycle : {int64_t{2}, int64_t{3}, int64_t{1000}, int64_t{0xFFFFFFFF}, int64_t{0x1'0000'0005}}) {
    INFO("COMPARE " << cycle);
    TimerBench bench;
    bench.compare(static_cast<uint64_t>(cycle));
    bench.run_to(cycle - 1);
    CHECK_FALSE(bench.line.read());
    CHECK(bench.read(kTimeLow) == static_cast<uint32_t>(cycle - 1));
    CHECK(bench.read(kTimeHigh) == static_cast<uint32_t>((cycle - 1) >> 32));
    bench.run_to(cycle);
    CHECK(bench.line.read());
    CHECK(bench.read(kTimeLow) == static_cast<uint32_t>(cycle));
    CHECK(bench.read(kTimeHigh) == static_cast<uint32_t>(cycle >> 32));
    bench.run_to(cycle + 100);
    CHECK(bench.line.read());
    CHECK_FALSE(sc_core::sc_pending_activity());
  }
}

TEST_CASE("Timer: a write of COMPARE decides anew") {
  TimerBench bench;
  bench.run_to(50);
  bench.compare(50);  // now
  CHECK(bench.line.read());
  bench.compare(51);
  CHECK_FALSE(bench.line.read());
  bench.run_to(51);
  CHECK(bench.line.read());
  bench.compare(10);  // long ago
  CHECK(bench.line.read());
  bench.compare(200);
  bench.run_to(150);
  bench.compare(160);  // earlier than what it waited for
  bench.run_to(159);
  CHECK_FALSE(bench.line.read());
  bench.run_to(160);
  CHECK(bench.line.read());
  bench.compare(300);
  bench.run_to(250);
  bench.compare(400);  // later
  bench.run_to(399);
  CHECK_FALSE(bench.line.read());
  bench.run_to(400);
  CHECK(bench.line.read());
}

TEST_CASE("Timer: after reset nothing is due, TIME is read-only, other accesses are errors") {
  TimerBench bench;
  CHECK_FALSE(bench.line.read());
  CHECK_FALSE(sc_core::sc_pending_activity());
  bench.run_to(20);
  bench.write(kTimeLow, 7);
  CHECK(bench.read(kTimeLow) == 20);
  bench.compare(0x1'2345'6789);
  CHECK(bench.read(kCompareLow) == 0x2345'6789);
  CHECK(bench.read(kCompareHigh) == 1);
  bench.compare(5);
  CHECK(bench.line.read());
  bench.timer.reset();
  TimerBench::settle();
  CHECK_FALSE(bench.line.read());
  CHECK(bench.read(kCompareLow) == 0xFFFFFFFF);
  CHECK(bench.read(kCompareHigh) == 0xFFFFFFFF);
  bench.compare(1000);
  bench.timer.stop();
  CHECK_FALSE(sc_core::sc_pending_activity());
  uint32_t value = 0;
  CHECK(access(bench.driver.initiator, tlm::TLM_READ_COMMAND, 0x10, value) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(access(bench.driver.initiator, tlm::TLM_READ_COMMAND, 0x00, value, 2) == tlm::TLM_BURST_ERROR_RESPONSE);
}

namespace {

/// Sets COMPARE to `cycle`, enables the timer interrupt in mie, and goes on with `last`. The handler, at byte 0x40, puts its
/// cycle into x6 and mcause into x8.
std::vector<uint32_t> timer_program(int32_t cycle, const std::vector<uint32_t>& last) {
  std::vector<uint32_t> program{rv::auipc(5, 0),        rv::addi(5, 5, 0x40), rv::csrrw(0, rv::kMtvec, 5),
                                rv::lui(1, kTimerPage), rv::sw(0, 1, 0x0C),   rv::addi(2, 0, cycle),
                                rv::sw(2, 1, 0x08),     rv::addi(2, 0, 0x80), rv::csrrs(0, rv::kMie, 2)};
  program.insert(program.end(), last.begin(), last.end());
  program.resize(16, rv::kNop);
  program.insert(program.end(),
                 {rv::csrrs(6, rv::kMcycle, 0), rv::csrrs(8, rv::kMcause, 0), rv::csrrw(0, rv::kMie, 0), rv::kWfi});
  return program;
}

}  // namespace

TEST_CASE("Timer: the CPU takes its interrupt before the first instruction that begins in COMPARE or later") {
  int num_late = 0;
  for (int32_t cycle = 40; cycle < 52; ++cycle) {
    SystemFixture machine;
    machine.begin(timer_program(cycle, {rv::csr(6, 0, rv::kMstatus, 8), rv::addi(3, 3, 1), rv::jal(0, -4)}));
    machine.run_to(1000);
    INFO("COMPARE " << cycle);
    CHECK(machine.reg(8) == 0x80000007);
    const int64_t late = int64_t{machine.reg(6)} - spec::cpu_cycles(spec::CpuActivity::Interrupt) - cycle;
    CHECK((late == 0 || late == 1));  // the jump takes two cycles
    num_late += late == 1 ? 1 : 0;
  }
  CHECK(num_late == 4);
}

TEST_CASE("Timer: it wakes a sleeping CPU in COMPARE") {
  SystemFixture machine;
  machine.begin(timer_program(500, {rv::kWfi, rv::csrrs(3, rv::kMcycle, 0), rv::csrrw(0, rv::kMie, 0), rv::kWfi}));
  machine.run_to(499);
  CHECK(machine.system.cpu.state().is_waiting());
  machine.run_to(1000);
  CHECK(machine.reg(3) == 500 + spec::cpu_cycles(spec::CpuActivity::WakeUp));
}
