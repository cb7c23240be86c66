// SPDX-License-Identifier: Apache-2.0
// The watchdog of the system: when it is due, what puts it off, and what a run says that it ends.
#include "tests/unit/sim_riscv/encode.hpp"
#include "tests/unit/sim_soc/machine_fixture.hpp"
#include "tests/unit/sim_soc/system_fixture.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;
namespace rv = vernier::tests::rv;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

constexpr uint32_t kStuckCycles = 0x00, kSlowCycles = 0x04, kFeed = 0x08, kProgress = 0x0C, kFired = 0x10;

/// The watchdog alone, with progress that a test makes up.
struct WatchdogBench {
  WatchdogBench() {
    driver.initiator.bind(watchdog.registers_target);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    watchdog.reset();
    watchdog.on_progress([this] { return progress; });
    clock.begin();
  }
  void run_to(int64_t cycle) const { sc_core::sc_start(kit::to_time(cycle - clock.now()), sc_core::SC_RUN_TO_TIME); }
  uint32_t read(uint32_t offset) { return driver.read(offset); }
  void write(uint32_t offset, uint32_t value) { driver.write(offset, value); }

  kit::SimulationContext context;
  kit::JobClock clock;
  SystemWatchdog watchdog{"watchdog", clock};
  RegisterDriver driver{"driver"};
  NpuProgress progress;
};

using Due = std::optional<int64_t>;

}  // namespace

TEST_CASE("System watchdog: it is off after reset, and where both limits are 0") {
  WatchdogBench bench;
  CHECK(bench.watchdog.due_cycle() == Due());
  bench.write(kStuckCycles, 100);
  bench.write(kSlowCycles, 1000);
  CHECK(bench.read(kStuckCycles) == 100);
  CHECK(bench.read(kSlowCycles) == 1000);
  CHECK(bench.watchdog.due_cycle() == Due(100));
  bench.write(kStuckCycles, 0);
  CHECK(bench.watchdog.due_cycle() == Due(1000));
  bench.write(kSlowCycles, 0);
  CHECK(bench.watchdog.due_cycle() == Due());
}

TEST_CASE("System watchdog: commands that end put off 'stuck' and not 'slow', FEED puts off both") {
  WatchdogBench bench;
  bench.write(kStuckCycles, 100);
  bench.progress = {1, 30};
  CHECK(bench.watchdog.due_cycle() == Due(130));
  bench.run_to(50);
  bench.write(kFeed, 0);
  CHECK(bench.watchdog.due_cycle() == Due(150));
  bench.progress = {2, 60};
  CHECK(bench.watchdog.due_cycle() == Due(160));
  CHECK(bench.read(kProgress) == 1);
  bench.write(kSlowCycles, 105);
  CHECK(bench.watchdog.due_cycle() == Due(155));
  bench.progress = {5, 61};
  CHECK(bench.watchdog.due_cycle() == Due(155));
  bench.run_to(70);
  bench.write(kFeed, 123);
  CHECK(bench.read(kFeed) == 0);
  CHECK(bench.read(kProgress) == 0);
  CHECK(bench.watchdog.due_cycle() == Due(170));
  bench.progress = {9, 100};
  CHECK(bench.watchdog.due_cycle() == Due(175));
  CHECK(bench.read(kProgress) == 4);
}

TEST_CASE("System watchdog: FIRED tells stuck from slow and stays until reset") {
  using State = spec::WatchdogState;
  for (const auto& [stuck, slow, why] :
       {std::tuple{100U, 0U, State::Stuck}, std::tuple{0U, 100U, State::Slow}, std::tuple{99U, 100U, State::Stuck},
        std::tuple{101U, 100U, State::Slow}, std::tuple{100U, 100U, State::Stuck}}) {
    INFO("limits " << stuck << " and " << slow);
    WatchdogBench bench;
    bench.write(kStuckCycles, stuck);
    bench.write(kSlowCycles, slow);
    CHECK(bench.read(kFired) == 0);
    bench.watchdog.fire();
    CHECK(bench.watchdog.state() == why);
    bench.write(kFeed, 1);
    bench.write(kFired, 0);
    CHECK(bench.read(kFired) == static_cast<uint32_t>(why));
    CHECK(bench.watchdog.due_cycle() == Due());
    bench.watchdog.reset();
    CHECK(bench.read(kFired) == 0);
    CHECK(bench.read(kStuckCycles) == 0);
  }
  WatchdogBench bench;
  uint32_t value = 0;
  CHECK(access(bench.driver.initiator, tlm::TLM_READ_COMMAND, 0x14, value) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(access(bench.driver.initiator, tlm::TLM_READ_COMMAND, 0x00, value, 1) == tlm::TLM_BURST_ERROR_RESPONSE);
}

namespace {

constexpr uint32_t kNpuPage = high_of(0x1000'0000), kRingPage = high_of(spec::cpu_window_base(spec::CpuWindowId::Shared));

StreamAssembler watched_network() {
  StreamAssembler stream(v256());
  stream.ramp(external(0), 0x1000);
  stream.add(dma_copy(Queue::Dma0, external(0), sram(0), 0x1000), 0, tokens({Queue::VectorUnit}));
  stream.add(vector_add(0, 0x4000, 0x1000, 1), tokens({Queue::Dma0}), tokens({Queue::Dma1}));
  stream.add(dma_copy(Queue::Dma1, sram(0x4000), external(0x2000), 0x1000), tokens({Queue::VectorUnit}), 0);
  return stream.end().output(external(0x2000), 0x1000);
}

JobResult run_firmware(const std::vector<uint32_t>& words) {
  const auto bytes = std::as_bytes(std::span(words));
  const FirmwareProgram program{"", {{spec::cpu_window_base(spec::CpuWindowId::Firmware), {bytes.begin(), bytes.end()}}}};
  JobOptions options;
  options.firmware = &program;
  Npu npu(v256(), Control::Cpu);
  return npu.run(watched_network().package(), {}, options);
}

std::string failure_text(const JobResult& result) {
  CHECK_FALSE(result.is_done());
  const auto* failure = std::get_if<FirmwareFailure>(&result.status);
  return failure == nullptr ? describe(result) : failure->what;
}

/// Feeds the watchdog 20 times, every 10 cycles, then switches it off and sleeps.
std::vector<uint32_t> feeding_every_10_cycles(int32_t limit_cycles, int32_t limit) {
  return {rv::lui(1, kWatchdogPage), rv::addi(2, 0, limit_cycles), rv::addi(3, 0, 20),
          rv::sw(0, 1, kFeed),       rv::sw(2, 1, limit),          rv::addi(3, 3, -1),
          rv::branch(1, 3, 0, -12),  rv::sw(0, 1, limit),          rv::kWfi};
}

/// Says that it is ready, starts the job of slot 0, and sleeps, whatever comes.
std::vector<uint32_t> starting_and_sleeping(int32_t stuck_cycles, int32_t slow_cycles) {
  std::vector<uint32_t> words{rv::lui(1, kMailboxPage), rv::addi(2, 0, 1),   rv::sw(2, 1, 0x14),
                              rv::sw(2, 1, 0x0C),       rv::lw(3, 1, 0),     rv::branch(0, 3, 0, -4),
                              rv::lui(4, kRingPage),    rv::lui(5, kNpuPage)};
  for (const auto& [slot, reg] :
       {std::pair{0x40, 0x14}, std::pair{0x44, 0x18}, std::pair{0x48, 0x1C}, std::pair{0x4C, 0x28}}) {
    words.push_back(rv::lw(6, 4, slot));
    words.push_back(rv::sw(6, 5, reg));
  }
  words.insert(words.end(),
               {rv::lui(7, kWatchdogPage), rv::addi(8, 0, stuck_cycles), rv::addi(9, 0, slow_cycles), rv::sw(0, 7, kFeed),
                rv::sw(8, 7, kStuckCycles), rv::sw(9, 7, kSlowCycles), rv::addi(6, 0, 1), rv::sw(6, 5, 0x04), rv::kWfi});
  return words;
}

}  // namespace

TEST_CASE("System watchdog: firmware that does nothing more is stuck, in the cycle of the limit") {
  const std::vector<uint32_t> last{rv::jal(0, 0), rv::kWfi};
  for (const uint32_t instruction : last) {
    // FEED is written in cycle 2.
    const std::string failure = failure_text(run_firmware(
        {rv::lui(1, kWatchdogPage), rv::addi(2, 0, 300), rv::sw(0, 1, kFeed), rv::sw(2, 1, kStuckCycles), instruction}));
    CHECK_THAT(failure,
               StartsWith("the watchdog of the system fired in cycle 302: stuck, for 300 cycles no command has ended"));
    CHECK_THAT(failure, Contains(instruction == rv::kWfi ? "sleeps at 0x10010014" : "runs at 0x10010010"));
  }
}

TEST_CASE("System watchdog: fed in the cycle of its limit it does not fire, fed a cycle later it does") {
  for (const uint32_t limit : {kStuckCycles, kSlowCycles}) {
    INFO("limit at " << limit);
    const auto offset = static_cast<int32_t>(limit);
    CHECK_THAT(failure_text(run_firmware(feeding_every_10_cycles(10, offset))), StartsWith("the firmware did not boot"));
    // FEED is written in cycle 3.
    CHECK_THAT(
        failure_text(run_firmware(feeding_every_10_cycles(9, offset))),
        StartsWith("the watchdog of the system fired in cycle 12: ") && Contains(limit == kStuckCycles ? "stuck" : "slow"));
  }
}

TEST_CASE("System watchdog: while commands end the machine is not stuck, and after the last one it is") {
  StreamAssembler stream = watched_network();
  Npu direct(v256());
  const JobResult expected = run(direct, stream);
  const auto less = static_cast<int32_t>(expected.cycles - 1);
  REQUIRE(less < 2000);
  const JobResult late = run_firmware(starting_and_sleeping(less, 0));
  CHECK_THAT(failure_text(late), Contains("stuck"));
  CHECK(late.num_commands == expected.num_commands);
  CHECK(late.cycles == expected.cycles);
  const JobResult early = run_firmware(starting_and_sleeping(20, 0));
  CHECK_THAT(failure_text(early), Contains("stuck, for 20 cycles"));
  CHECK(early.num_commands < expected.num_commands);
}

TEST_CASE("System watchdog: commands end and the job is too long: slow") {
  StreamAssembler stream = watched_network();
  Npu direct(v256());
  const JobResult expected = run(direct, stream);
  // From FEED to the start: three stores of three cycles, and an addition.
  constexpr int64_t kBeforeStart = 10;
  const int64_t cycles = expected.commands[0].end_cycle + 1, limit = kBeforeStart + cycles;
  REQUIRE(cycles < expected.cycles);
  REQUIRE(limit < 2000);
  const int64_t ended = std::count_if(expected.commands.begin(), expected.commands.end(), [&](const auto& command) {
    return command.end_cycle >= 0 && command.end_cycle <= cycles;
  });
  CHECK(ended > 0);
  CHECK(ended < expected.num_commands);
  const JobResult result = run_firmware(starting_and_sleeping(0, static_cast<int32_t>(limit)));
  CHECK_THAT(failure_text(result),
             Contains(fmt::format("slow, the firmware has not fed it for {} cycles, in which {} command", limit, ended)));
  CHECK(result.cycles == cycles);
}

TEST_CASE("By firmware: a job that is as long as its time-out is in time, one that is longer is ended, and the next runs") {
  StreamAssembler stream = watched_network();
  Npu npu(v256(), Control::Cpu);
  const JobResult expected = run(npu, stream);
  require_done(expected);
  const auto run_with = [&](int64_t time_out_cycles) {
    JobOptions options;
    options.time_out_cycles = time_out_cycles;
    return npu.run(stream.package(), {}, options);
  };
  int64_t too_few = 1, enough = 1 << 16;
  while (enough - too_few > 1) {
    const int64_t middle = (too_few + enough) / 2;
    (run_with(middle).is_done() ? enough : too_few) = middle;
  }
  const JobResult in_time = run_with(enough);
  CHECK(in_time.outputs == expected.outputs);
  CHECK(in_time.cycles == expected.cycles);
  // The firmware sets the timer when it has started the job.
  CHECK(enough > expected.cycles - 500);
  CHECK(enough <= expected.cycles);
  const JobResult ended = run_with(too_few);
  CHECK(std::holds_alternative<Stopped>(ended.status));
  CHECK(ended.outputs.empty());
  REQUIRE(ended.control.has_value());
  CHECK(run_with(100).cycles < 650);
  require_done(run(npu, stream));
}
