// SPDX-License-Identifier: Apache-2.0
// The performance counters: registers, windows, overflow; and every event against the other figures of the same job.
#include "sim/soc/pmu.hpp"

#include "tests/support/event_counts.hpp"
#include "tests/unit/sim_soc/machine_fixture.hpp"
#include "tests/unit/sim_soc/system_fixture.hpp"

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;

namespace {

constexpr uint32_t kArrayBusy = spec::number_of(spec::EventSource::MacArray, spec::kBusyEvent);
constexpr uint32_t kRead = spec::number_of(spec::EventSource::Memory, 0);

/// Units that have done what the test says.
struct CountsOfTest : sc_core::sc_module, EventCountsIf {
  explicit CountsOfTest(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
  [[nodiscard]] int64_t event_count(spec::EventSource source, uint32_t) override {
    return source == spec::EventSource::Memory ? bytes : source == spec::EventSource::MacArray ? busy() : 0;
  }
  void close_counts() override { bytes += 1000; }
  std::function<int64_t()> busy = [] { return 0; };
  int64_t bytes = 0;
  tlm_utils::simple_initiator_socket<CountsOfTest> initiator{"initiator"};
};

/// The counters alone. The array is busy in every cycle of the stream.
struct PmuBench {
  PmuBench() {
    pmu.counts_port(counts);
    pmu.interrupt_o(line);
    counts.initiator.bind(pmu.registers_target);
    counts.busy = [this] { return clock.is_running() ? clock.now() : 0; };
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    pmu.reset();
    settle();
  }
  static void settle() {
    for (int i = 0; i < 3; ++i) sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  void begin() {
    clock.begin();
    pmu.begin_stream();
    settle();
  }
  void run_to(int64_t cycle) const {
    sc_core::sc_start(kit::to_time(cycle - clock.now()), sc_core::SC_RUN_TO_TIME);
    settle();
  }
  uint32_t read(std::string_view name) {
    return access_register(counts.initiator, spec::kPmuRegisters, name, tlm::TLM_READ_COMMAND);
  }
  void write(std::string_view name, uint32_t value) {
    access_register(counts.initiator, spec::kPmuRegisters, name, tlm::TLM_WRITE_COMMAND, value);
    settle();
  }

  kit::SimulationContext context;
  kit::JobClock clock;
  Pmu pmu{"pmu", clock};
  CountsOfTest counts{"counts"};
  sc_core::sc_signal<bool> line{"line"};
};

/// A copy from outside, an addition, a copy to the outside, and something for the array.
StreamAssembler network() {
  StreamAssembler stream(v256());
  stream.ramp(external(0), 0x1000, 0);
  stream.add(dma_copy(Queue::Dma0, external(0), sram(0), 0x1000), 0, tokens({Queue::VectorUnit}));
  stream.add(vector_add(0, 0x4000, 0x1000, 1), tokens({Queue::Dma0}), tokens({Queue::Dma1}));
  stream.add(dma_copy(Queue::Dma1, sram(0x4000), external(0x2000), 0x1000), tokens({Queue::VectorUnit}), 0);
  return stream.end().output(external(0x2000), 0x1000);
}

}  // namespace

TEST_CASE("Performance counters: count, stop, go on, clear") {
  PmuBench bench;
  bench.write("EVENT_0", kArrayBusy);
  bench.write("EVENT_7", kRead);
  bench.begin();
  bench.run_to(10);
  CHECK(bench.read("COUNT_0") == 0);  // nobody said that they count
  bench.write("CONTROL", 1);
  bench.counts.bytes = 64;
  bench.run_to(25);
  CHECK(bench.read("COUNT_0") == 15);
  CHECK(bench.read("COUNT_7") == 64);
  CHECK(bench.read("COUNT_1") == 0);
  CHECK(bench.read("CYCLES_LOW") == 15);
  bench.write("CONTROL", 0);
  bench.counts.bytes = 100;
  bench.run_to(40);
  CHECK(bench.read("COUNT_0") == 15);
  CHECK(bench.read("COUNT_7") == 64);
  bench.write("CONTROL", 1);
  bench.run_to(42);
  CHECK(bench.read("COUNT_0") == 17);
  CHECK(bench.read("COUNT_7") == 64);  // what came while they stood still is lost
  CHECK(bench.read("CYCLES_LOW") == 17);
  bench.write("CONTROL", 3);
  CHECK(bench.read("CONTROL") == 1);
  CHECK(bench.read("COUNT_0") == 0);
  CHECK(bench.read("CYCLES_LOW") == 0);
  bench.run_to(45);
  CHECK(bench.read("COUNT_0") == 3);
  CHECK(bench.read("EVENT_0") == kArrayBusy);
}

TEST_CASE("Performance counters: another event counts from now on, and no event counts nothing") {
  PmuBench bench;
  bench.begin();
  bench.write("CONTROL", 1);
  bench.write("EVENT_2", kArrayBusy);
  bench.run_to(7);
  bench.write("EVENT_2", kRead);  // the count stays
  bench.counts.bytes = 5;
  CHECK(bench.read("COUNT_2") == 12);
  for (const uint32_t nobody : {0x0FFU, 0x100U + 14, 0x302U, 0xFFFF'FFFFU, 0U}) {
    bench.write("EVENT_2", nobody);
    bench.run_to(bench.clock.now() + 10);
    bench.counts.bytes += 3;
    CHECK(bench.read("COUNT_2") == 12);
    CHECK(bench.read("EVENT_2") == nobody);
  }
}

TEST_CASE("Performance counters: an overflow is kept, and interrupts in its cycle where that is enabled") {
  PmuBench bench;
  bench.write("EVENT_3", kArrayBusy);
  bench.write("COUNT_3", 0xFFFF'FFFF - 9);
  bench.write("OVERFLOW_ENABLE", 0xFFFF'FFFF);
  CHECK(bench.read("OVERFLOW_ENABLE") == 0xFF);
  bench.write("CONTROL", 1);
  bench.begin();
  bench.run_to(9);
  CHECK(bench.read("COUNT_3") == 0xFFFF'FFFF);
  CHECK(bench.read("OVERFLOW") == 0);
  CHECK_FALSE(bench.line.read());
  bench.run_to(10);
  CHECK(bench.line.read());
  CHECK(bench.read("OVERFLOW") == 8);
  CHECK(bench.read("COUNT_3") == 0);
  bench.write("OVERFLOW", 0xF7);
  CHECK(bench.line.read());
  bench.write("OVERFLOW", 8);
  CHECK_FALSE(bench.line.read());
  CHECK(bench.read("OVERFLOW") == 0);
  bench.write("OVERFLOW_ENABLE", 0);
  bench.write("COUNT_3", 0xFFFF'FFFF);
  bench.run_to(20);
  CHECK(bench.read("OVERFLOW") == 8);
  CHECK_FALSE(bench.line.read());
}

TEST_CASE("Performance counters: registers that cannot be written, and what is no register") {
  PmuBench bench;
  bench.begin();
  bench.run_to(3);
  bench.write("CYCLES_LOW", 77);
  CHECK(bench.read("CYCLES_LOW") == 0);
  uint32_t value = 0;
  const auto access_at = [&](uint64_t address, unsigned num_bytes) {
    return access(bench.counts.initiator, tlm::TLM_READ_COMMAND, address, value, num_bytes);
  };
  CHECK(access_at(0x0C, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(access_at(0x60, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(access_at(0x04, 2) == tlm::TLM_BURST_ERROR_RESPONSE);
}

TEST_CASE("Performance counters: the first look after the end of a stream closes its counts, once") {
  PmuBench bench;
  bench.write("EVENT_1", kRead);
  bench.write("CONTROL", 1);
  CHECK(bench.read("COUNT_1") == 0);  // no stream has started
  bench.begin();
  bench.run_to(5);
  CHECK(bench.read("COUNT_1") == 0);
  bench.clock.halt();
  CHECK(bench.read("COUNT_1") == 1000);
  CHECK(bench.read("COUNT_1") == 1000);
  CHECK(bench.read("CYCLES_LOW") == 5);
}

TEST_CASE("Performance counters: a sleep is never taken back") {
  SystemFixture machine;
  namespace rv = tests::rv;
  const uint32_t sleep = spec::number_of(spec::EventSource::ControlCpu, static_cast<uint32_t>(spec::CpuEvent::SleepCycles));
  machine.begin({rv::kNop, rv::kNop, rv::kWfi});
  int64_t last = 0;
  for (int64_t cycle = 1; cycle < 40; ++cycle) {
    machine.run_to(cycle);
    const int64_t now = machine.system.cpu.cpu_count(spec::CpuEvent::SleepCycles);
    CHECK(now >= last);
    last = now;
  }
  CHECK(sleep == 0x901);
  // Two instructions of one cycle, and wfi with its own.
  CHECK(last == 39 - 2 - spec::cpu_cycles(spec::CpuActivity::Wait));
}

TEST_CASE("Performance counters: events have numbers of their own") {
  std::vector<uint32_t> numbers;
  for (const spec::PmuEvent& event : spec::kPmuEvents) numbers.push_back(spec::number_of(event));
  std::sort(numbers.begin(), numbers.end());
  CHECK(std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end());
  CHECK(numbers.front() > 0);
}

TEST_CASE("Performance counters: every event is the figure that the job reports") {
  for (const Control control : {Control::Direct, Control::Cpu}) {
    Npu npu(v256(), control);
    StreamAssembler stream = network();
    const int64_t num_seen = tests::check_all_events([&](const JobOptions& options) {
      const JobResult job = run(npu, stream, options);
      require_done(job);
      return job;
    });
    CHECK(num_seen > (control == Control::Cpu ? 18 : 15));
  }
}

TEST_CASE("Performance counters: a job that stops at a fault, or stands still, is counted to its end") {
  StreamAssembler fault(v256()), hang(v256());
  fault.add(dma_copy(Queue::Dma0, external(0), sram(0), 0x1000)).add(vector_add(0x8000, 0x4000, 0x1000, 1)).end();
  hang.add(vector_add(0, 0x4000, 0x1000, 1), tokens({Queue::Dma0}), 0).end();
  for (StreamAssembler* stream : {&fault, &hang}) {
    Npu npu(v256());
    tests::check_all_events([&](const JobOptions& options) {
      const JobResult job = run(npu, *stream, options);
      CHECK_FALSE(job.is_done());
      return job;
    });
  }
}

TEST_CASE("Performance counters: nobody asked, nobody is told") {
  Npu npu(v256());
  StreamAssembler stream = network();
  const JobResult job = run(npu, stream);
  CHECK(job.event_counts.empty());
  CHECK(job.pmu_cycles == 0);
}

TEST_CASE("Performance counters: firmware reaches them, and their interrupt reaches the firmware") {
  SystemFixture machine;
  namespace rv = tests::rv;
  CHECK(spec::cpu_window_base(spec::CpuWindowId::Pmu) == 0x1003'5000);
  // COUNT_0 = -1 of the CPU's instructions, OVERFLOW_ENABLE = 1, the controller's ENABLE = 8, CONTROL = 1; read PENDING
  // later.
  const uint32_t instructions = spec::number_of(spec::EventSource::ControlCpu, 0);
  machine.begin({rv::lui(5, spec::cpu_window_base(spec::CpuWindowId::Pmu) >> 12), rv::lui(6, kInterruptsPage),
                 rv::addi(7, 0, 1), rv::lui(8, 1), rv::addi(8, 8, static_cast<int>(instructions) - 0x1000),
                 rv::sw(8, 5, 0x20), rv::addi(9, 0, -1), rv::sw(9, 5, 0x40), rv::sw(7, 5, 0x08), rv::addi(10, 0, 8),
                 rv::sw(10, 6, 0x04), rv::sw(7, 5, 0x00), rv::lw(11, 5, 0x04), rv::lw(12, 6, 0x00), rv::lw(13, 6, 0x08),
                 rv::jal(0, 0)});
  machine.run_to(200);
  CHECK(machine.reg(11) == 1);  // OVERFLOW
  CHECK(machine.reg(12) == 8);  // PENDING
  CHECK(machine.reg(13) == 3);  // CLAIM
}
