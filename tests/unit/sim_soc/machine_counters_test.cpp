// SPDX-License-Identifier: Apache-2.0
// The performance counters over several streams of one machine: a counter that nobody clears has the sum of them.
#include "sim/soc/machine.hpp"
#include "sim/soc/register_block.hpp"
#include "tests/unit/sim_soc/machine_fixture.hpp"

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;

TEST_CASE("Performance counters: of two streams they have the sum") {
  StreamAssembler assembler(v256());
  assembler.ramp(external(0), 0x1000);
  assembler.add(dma_copy(Queue::Dma0, external(0), sram(0), 0x1000), 0, tokens({Queue::VectorUnit}));
  assembler.add(vector_add(0, 0x4000, 0x1000, 1), tokens({Queue::Dma0}));
  const package::Package package = assembler.end().package();
  Machine machine(v256(), std::make_unique<units::KernelDatapath>(v256()), Control::Direct);
  machine.power_on();
  const JobOptions options;
  const JobMemory memory{&machine.top.sram_region, &machine.top.external_region};
  load_image(memory, package);
  const std::vector<uint32_t> events{spec::number_of(spec::EventSource::Commands, 0),
                                     spec::number_of(spec::EventSource::Memory, 0),
                                     spec::number_of(spec::EventSource::VectorUnit, spec::kBusyEvent)};
  machine.choose_events(events);
  int64_t num_commands = 0, bytes = 0, busy_cycles = 0, cycles = 0;
  for (uint32_t number = 1; number <= 3; ++number) {
    MachineJob job{number, &package, &options, 100'000, memory};
    machine.on_start([&](uint32_t) { return &job; });
    machine.start_directly({number, package.stream_address, static_cast<int64_t>(package.stream.size()),
                            machine.top.sram_region.extent(), machine.top.external_region.extent(), 100'000});
    REQUIRE(machine.run_stream());
    require_done(*job.result);
    num_commands += job.result->num_commands;
    bytes += job.result->traffic.sram_read_bytes;
    busy_cycles += job.result->units.value("vector_unit/busy_cycles");
    cycles += job.result->cycles;
    JobResult counted;
    machine.read_events(counted, events.size());
    INFO("stream " << number);
    CHECK(counted.event_counts == std::vector<int64_t>{num_commands, bytes, busy_cycles});
    CHECK(counted.pmu_cycles == cycles);
  }
}
