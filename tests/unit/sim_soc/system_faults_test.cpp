// SPDX-License-Identifier: Apache-2.0
// Faults in the control system: each does what its kind says, once, and no run with one waits for ever.
#include "sim/soc/device.hpp"
#include "tests/unit/sim_soc/machine_fixture.hpp"
#include "tests/unit/sim_soc/system_fixture.hpp"

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;
using spec::InterruptSource;
using units::FaultSite;

namespace {

StreamAssembler adding_network() {
  StreamAssembler stream(v256());
  stream.ramp(external(0), 0x1000);
  stream.add(dma_copy(Queue::Dma0, external(0), sram(0), 0x1000), 0, tokens({Queue::VectorUnit}));
  stream.add(vector_add(0, 0x4000, 0x1000, 1), tokens({Queue::Dma0}), tokens({Queue::Dma1}));
  stream.add(dma_copy(Queue::Dma1, sram(0x4000), external(0x2000), 0x1000), tokens({Queue::VectorUnit}), 0);
  return stream.end().output(external(0x2000), 0x1000);
}

/// Jobs with a fault each, on one machine.
struct FaultBench {
  FaultBench() : package(adding_network().package()), npu(v256(), Control::Cpu), clean(npu.run(package, {})) {
    require_done(clean);
  }
  /// `cycle` counts from the host's doorbell.
  JobResult run_with(FaultSite site, int64_t cycle, int64_t index, std::optional<int> bit = {},
                     int64_t time_out_cycles = 0) {
    JobOptions options;
    options.watchdog_cycles = 20'000;
    options.time_out_cycles = time_out_cycles;
    options.injection = units::Injection{site, clean.control->boot_cycles + cycle, -1, index, bit};
    return npu.run(package, {}, options);
  }
  static std::string failure_of(const JobResult& result) {
    const auto* failure = std::get_if<FirmwareFailure>(&result.status);
    return failure == nullptr ? "" : failure->what;
  }

  package::Package package;
  Npu npu;
  JobResult clean;
};

}  // namespace

TEST_CASE(
    "Interrupt controller: a lost interrupt is low until its line has fallen, a spurious one high until it is claimed") {
  SystemFixture machine;
  InterruptController& controller = machine.system.interrupts;
  const auto read = [&](std::string_view name) {
    uint32_t value = 0;
    sc_core::sc_time delay;
    kit::access(machine.system.bus.interrupts_initiator, tlm::TLM_READ_COMMAND,
                register_offset(spec::kInterruptRegisters, name), std::as_writable_bytes(std::span(&value, 1)), delay);
    return value;
  };
  const auto ring = [&](std::string_view name, uint32_t value) {
    machine.set_mailbox(name, value);
    sc_core::sc_start();
  };
  uint32_t all = 14;
  sc_core::sc_time delay;
  kit::access(machine.system.bus.interrupts_initiator, tlm::TLM_WRITE_COMMAND,
              register_offset(spec::kInterruptRegisters, "ENABLE"), std::as_writable_bytes(std::span(&all, 1)), delay);
  controller.lose(InterruptSource::CpuDoorbell);
  sc_core::sc_start();
  CHECK_FALSE(controller.has_lost());
  ring("CPU_DOORBELL_SET", 1);
  CHECK(controller.has_lost());
  CHECK(read("PENDING") == 0);
  CHECK_FALSE(machine.system.external.read());
  ring("CPU_DOORBELL", 1);
  ring("CPU_DOORBELL_SET", 1);  // the next one comes
  CHECK(read("PENDING") == 4);
  CHECK(machine.system.external.read());
  controller.lose(InterruptSource::CpuDoorbell);  // one that is high is lost at once
  sc_core::sc_start();
  CHECK_FALSE(machine.system.external.read());
  ring("CPU_DOORBELL", 1);

  controller.pretend(InterruptSource::Npu);
  sc_core::sc_start();
  CHECK(controller.has_pretended());
  CHECK(machine.system.external.read());
  CHECK(read("CLAIM") == 1);
  sc_core::sc_start();
  CHECK(read("CLAIM") == 0);
  CHECK_FALSE(machine.system.external.read());
}

TEST_CASE("Mailbox: of a doorbell the next bits that are set are lost, once") {
  for (const Doorbell doorbell : {Doorbell::Cpu, Doorbell::Host}) {
    SystemFixture machine;
    int num_rings = 0;
    machine.system.mailbox.on_host_doorbell([&] { ++num_rings; });
    machine.system.mailbox.lose(doorbell);
    machine.set_mailbox("CPU_DOORBELL_SET", 1);
    machine.set_mailbox("HOST_DOORBELL_SET", 1);
    CHECK(machine.system.mailbox.has_lost());
    CHECK(machine.mailbox("CPU_DOORBELL") == (doorbell == Doorbell::Cpu ? 0 : 1));
    CHECK(machine.mailbox("HOST_DOORBELL") == (doorbell == Doorbell::Host ? 0 : 1));
    CHECK(num_rings == (doorbell == Doorbell::Host ? 0 : 1));
    machine.set_mailbox("CPU_DOORBELL_SET", 2);
    machine.set_mailbox("HOST_DOORBELL_SET", 2);
    CHECK((machine.mailbox("CPU_DOORBELL") & 2) != 0);
    CHECK((machine.mailbox("HOST_DOORBELL") & 2) != 0);
  }
}

TEST_CASE("System faults: a lost doorbell of the host is a job that waits, one of the firmware an end that is not told") {
  FaultBench bench;
  // The host rings in the cycle in which the firmware has booted, which looks at the ring before it first sleeps.
  const JobResult unneeded = bench.run_with(FaultSite::DoorbellLost, -1, 0);
  CHECK(unneeded.injected.has_value());
  require_done(unneeded);
  const JobResult untold = bench.run_with(FaultSite::DoorbellLost, 10, 1);
  CHECK(untold.injected.has_value());
  CHECK_THAT(FaultBench::failure_of(untold), Catch::StartsWith("the firmware did not end the job"));

  DeviceOptions options;
  options.control = Control::Cpu;
  for (const bool comes_another : {false, true}) {
    Device device(v256(), options);
    JobRequest request;
    request.network = device.load(bench.package);
    device.run_for(5000);  // it sleeps
    request.injection = units::Injection{FaultSite::DoorbellLost, -1, -1, 0, {}};
    const int32_t unheard = device.submit(request);
    device.run_for(1000);
    request.injection.reset();
    const int32_t next = comes_another ? device.submit(request) : unheard;  // its doorbell tells of both
    CHECK(device.run_until_ended(next));
    CHECK(device.failure().empty() == comes_another);
    CHECK(device.job(unheard).outcome == (comes_another ? spec::JobOutcome::Done : spec::JobOutcome::Refused));
  }
}

TEST_CASE("System faults: a wrong HEAD is no ring that is full for ever") {
  FaultBench bench;
  DeviceOptions options;
  options.control = Control::Cpu;
  int num_told = 0;
  for (int bit = 0; bit < 32; ++bit) {
    INFO("bit " << bit);
    Device device(v256(), options);
    JobRequest request;
    request.network = device.load(bench.package);
    // The firmware has counted HEAD up, and rings two cycles later.
    const ControlUse& use = *bench.clean.control;
    const int64_t told_cycle = use.submit_cycles + bench.clean.cycles + use.interrupt_cycles;
    request.injection = units::Injection{FaultSite::SharedMemory, told_cycle - 2, -1, bit / 8, bit % 8};
    REQUIRE(device.run_until_ended(device.submit(request)));
    device.run_for(5000);
    if (!device.failure().empty()) {
      ++num_told;
      continue;
    }
    request.injection.reset();
    const int32_t next = device.submit(request);
    device.run_until_ended(next, 4 << 20);
    INFO(device.failure() << ", cycle " << device.now());
    REQUIRE(device.job(next).has_ended());
    CHECK(device.failure().empty() == (device.job(next).outcome == spec::JobOutcome::Done));
    if (!device.failure().empty()) ++num_told;
  }
  CHECK(num_told > 10);
}

TEST_CASE("System faults: a wrong HEAD before the job is handed over ends the run with a reason") {
  FaultBench bench;
  int num_told = 0;
  for (const int64_t cycle : {-bench.clean.control->boot_cycles, int64_t{-1}}) {
    for (int bit = 0; bit < 32; ++bit) {
      INFO("bit " << bit << ", cycle " << cycle);
      const JobResult result = bench.run_with(FaultSite::SharedMemory, cycle, bit / 8, bit % 8);
      CHECK(result.injected.has_value());
      if (result.is_done()) continue;
      CHECK_THAT(FaultBench::failure_of(result), Catch::StartsWith("HEAD is "));
      ++num_told;
    }
  }
  CHECK(num_told == 64);
}

TEST_CASE("System faults: a fault in the first cycle is the same whatever ran before") {
  FaultBench bench;  // has run a job, whose interrupt's line was high at its end
  const int64_t first = -bench.clean.control->boot_cycles;
  const std::string said = FaultBench::failure_of(bench.run_with(FaultSite::InterruptLost, first + 1, 1));
  CHECK_THAT(said, Catch::StartsWith("the watchdog of the system fired") || Catch::StartsWith("the firmware did not end"));
  for (int run = 0; run < 2; ++run) {
    CHECK(FaultBench::failure_of(bench.run_with(FaultSite::InterruptLost, first, 1)) == said);
    require_done(bench.npu.run(bench.package, {}));
  }
}

TEST_CASE("System faults: a lost interrupt of the NPU is told when the time of the job is over, or ends in the watchdog") {
  FaultBench bench;
  const auto lost = [&](int64_t time_out_cycles) {
    return bench.run_with(FaultSite::InterruptLost, 10, static_cast<int64_t>(InterruptSource::Npu), {}, time_out_cycles);
  };
  const JobResult recovered = lost(20'000);
  require_done(recovered);
  CHECK(recovered.injected.has_value());
  CHECK(recovered.outputs == bench.clean.outputs);
  CHECK(recovered.cycles == bench.clean.cycles);
  CHECK(recovered.control->interrupt_cycles > 10'000);
  CHECK(FaultBench::failure_of(lost(0)).find("the watchdog of the system fired") == 0);
}

TEST_CASE("System faults: a spurious interrupt in any cycle of a job costs cycles of the firmware alone") {
  FaultBench bench;
  const ControlUse& use = *bench.clean.control;
  const int64_t end = use.submit_cycles + bench.clean.cycles + use.interrupt_cycles;
  for (const InterruptSource source : {InterruptSource::Npu, InterruptSource::CpuDoorbell}) {
    for (int64_t cycle = 0; cycle < end; cycle += 7) {
      INFO("cycle " << cycle);
      const JobResult result = bench.run_with(FaultSite::InterruptSpurious, cycle, static_cast<int64_t>(source));
      require_done(result);
      CHECK(result.outputs == bench.clean.outputs);
      CHECK(result.cycles == bench.clean.cycles);
    }
  }
}

TEST_CASE("System faults: a bus error is a trap of the firmware, of a copy a fault of the NPU with its command") {
  FaultBench bench;
  const JobResult trapped = bench.run_with(FaultSite::BusAccess, 40, 0);
  CHECK(trapped.injected.has_value());
  CHECK(FaultBench::failure_of(trapped).find("it reports a failure, cause 0x") != std::string::npos);
  JobOptions options;
  for (const int64_t number : {0, 1}) {
    options.injection = units::Injection{FaultSite::Dma, 0, -1, number, {}};
    const JobResult result = bench.npu.run(bench.package, {}, options);
    const Fault fault = require_fault(result, spec::FaultCode::BusError);
    CHECK(fault.command_idx == (number == 0 ? 0 : 2));
    CHECK((fault.access && fault.access->space == base::MemorySpace::External));
    CHECK(result.injected.has_value());
  }
  options.injection->index = 2;  // there are two
  const JobResult none = bench.npu.run(bench.package, {}, options);
  require_done(none);
  CHECK_FALSE(none.injected.has_value());
}

TEST_CASE("System faults: a bit of any register and of used memory, in any cycle, ends in a result or in a reason") {
  FaultBench bench;
  const ControlUse& use = *bench.clean.control;
  std::mt19937 random(7);
  int num_right = 0, num_told = 0;
  for (int i = 0; i < 200; ++i) {
    const int64_t cycle = random() % static_cast<uint64_t>(use.submit_cycles + bench.clean.cycles + use.interrupt_cycles);
    const std::array<std::pair<FaultSite, int64_t>, 4> places{
        {{FaultSite::NpuRegister, random() % spec::kRegisters.size()},
         {FaultSite::CpuRegister, 1 + random() % 31},
         {FaultSite::Ram, spec::cpu_window(spec::CpuWindowId::Ram).size_bytes - 1 - random() % 300},
         {FaultSite::SharedMemory, random() % 0x140}}};
    const auto& [site, index] = places[static_cast<size_t>(i) % places.size()];
    const int bit = static_cast<int>(random() % (site == FaultSite::Ram || site == FaultSite::SharedMemory ? 8 : 32));
    INFO("site " << static_cast<int>(site) << ", index " << index << ", bit " << bit << ", cycle " << cycle);
    const JobResult result = bench.run_with(site, cycle, index, bit, 50'000);
    CHECK(result.injected.has_value());
    if (!result.is_done()) ++num_told;
    if (result.is_done() && result.outputs == bench.clean.outputs) ++num_right;
  }
  CHECK(num_right > 50);
  CHECK(num_told > 5);
  const JobResult next = bench.npu.run(bench.package, {});
  CHECK(next.outputs == bench.clean.outputs);
  CHECK(next.control->job_overhead_cycles() == use.job_overhead_cycles());
}
