// SPDX-License-Identifier: Apache-2.0
// A wrong bit in a memory with parity is found by whoever reads the byte first, and nowhere else.
#include "sim/soc/device.hpp"
#include "tests/unit/sim_soc/machine_fixture.hpp"

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;
using spec::FaultCode;
using units::FaultSite;

namespace {

constexpr uint32_t kParityErrors = static_cast<uint32_t>(spec::MemoryEvent::SramParityErrors);

config::MachineConfig with_parity(bool has_parity) {
  config::MachineConfig config = v256();
  if (has_parity) config.sram_protection = spec::SramProtection::Parity;
  return config;
}

/// The array reads SRAM from byte 0 on, the vector unit what it wrote, a copy that; the output stays in SRAM.
StreamAssembler chain(const config::MachineConfig& config) {
  const int64_t lanes = config.datapath.lanes;
  StreamAssembler stream(config);
  stream.ramp(sram(0), 4 * lanes).ramp(sram(0x8000), lanes * lanes);
  stream.data(sram(0x9000), channel_parameters(lanes, 0, 1 << 30, 40));
  stream.add(pointwise(config, 1, 4, 0, 0x8000, 0x9000, 0x2000), 0, tokens({Queue::VectorUnit}));
  stream.add(vector_add(0x2000, 0x4000, 4 * lanes, 1), tokens({Queue::MacArray}), tokens({Queue::Dma0}));
  stream.add(dma_copy(Queue::Dma0, sram(0x4000), sram(0x6000), 4 * lanes), tokens({Queue::VectorUnit}));
  stream.add(dma_fill(Queue::Dma1, sram(0x10000), 0x8000, 0));  // ends last
  return stream.end().output(sram(0x6000), 4 * lanes);
}

JobResult run_with_flip(const StreamAssembler& made, int64_t cycle, int64_t byte, FaultSite site = FaultSite::Sram) {
  StreamAssembler stream = made;
  Npu npu(stream.package().config);
  JobOptions options;
  options.injection = units::Injection{site, cycle, 0, byte, 3};
  options.events = {spec::number_of(spec::EventSource::Memory, kParityErrors)};
  return npu.run(stream.package(), {}, options);
}

}  // namespace

TEST_CASE("Parity: each unit that reads a wrong byte stops the machine and names the byte") {
  const StreamAssembler stream = chain(with_parity(true));
  Npu npu(with_parity(true));
  StreamAssembler clean_stream = stream;
  const JobResult clean = run(npu, clean_stream);
  require_done(clean);
  CHECK(clean.sram_parity_errors == 0);
  struct Row {
    int64_t cycle, byte;
    int32_t command_idx;  // that reads it
    const char* what;
  };
  const Row rows[] = {{0, 5, 0, "array: feature map"},
                      {0, 0x8003, 0, "array: weights"},
                      {0, 0x9001, 0, "array: parameters"},
                      {clean.commands[0].end_cycle + 1, 0x2010, 1, "vector unit"},
                      {clean.commands[1].end_cycle + 1, 0x4020, 2, "copy"}};
  for (const Row& row : rows) {
    INFO(row.what);
    const JobResult result = run_with_flip(stream, row.cycle, row.byte);
    const Fault fault = require_fault(result, FaultCode::ParityError);
    CHECK(fault.command_idx == row.command_idx);
    CHECK(fault.detail.find(fmt::format("sram:0x{:x}", row.byte)) != std::string::npos);
    CHECK(fault.access == base::Address{base::MemorySpace::Sram, static_cast<uint64_t>(row.byte)});
    CHECK(result.sram_parity_errors == 1);
    CHECK(result.event_counts == std::vector<int64_t>{1});
    CHECK(result.outputs.empty());
  }
}

TEST_CASE("Parity: the words of a command and what the host reads are looked at too") {
  const StreamAssembler stream = chain(with_parity(true));
  const JobResult of_stream = run_with_flip(stream, 0, 2, FaultSite::Command);
  CHECK(require_fault(of_stream, FaultCode::ParityError).command_idx == 0);
  CHECK(require_fault(of_stream, FaultCode::ParityError).access.has_value());
  CHECK(of_stream.event_counts == std::vector<int64_t>{1});
  StreamAssembler clean_stream = stream;
  const JobResult clean = run(clean_stream);
  const JobResult of_output = run_with_flip(stream, clean.commands[2].end_cycle + 1, 0x6007);
  const Fault fault = require_fault(of_output, FaultCode::ParityError);
  CHECK(fault.detail.find("the host reads element 7") != std::string::npos);
  CHECK(of_output.outputs.empty());
}

TEST_CASE("Parity: a byte that is written before it is read is no error, and without parity nothing is") {
  const StreamAssembler stream = chain(with_parity(true));
  require_done(run_with_flip(stream, 0, 0x2010));
  require_done(run_with_flip(stream, 0, 0xF000));
  StreamAssembler clean_stream = chain(with_parity(false));
  const JobResult clean = run(clean_stream);
  const JobResult unnoticed = run_with_flip(chain(with_parity(false)), 0, 0x4);
  require_done(unnoticed);
  CHECK(unnoticed.injected.has_value());
  CHECK(unnoticed.outputs != clean.outputs);
  CHECK(unnoticed.event_counts == std::vector<int64_t>{0});
}

TEST_CASE("Parity: takes no cycle") {
  StreamAssembler with = chain(with_parity(true)), without = chain(with_parity(false));
  const JobResult first = run(with), second = run(without);
  CHECK(first.cycles == second.cycles);
  CHECK(first.units == second.units);
  CHECK(first.outputs == second.outputs);
}

TEST_CASE("Parity: the control CPU takes an access fault for a wrong byte of its RAM, and the next machine is sound") {
  StreamAssembler stream = chain(with_parity(true));
  Npu npu(with_parity(true), Control::Cpu);
  const JobResult clean = npu.run(stream.package(), {});
  require_done(clean);
  const int64_t size_bytes = spec::cpu_window(spec::CpuWindowId::Ram).size_bytes;
  int num_found = 0;
  for (int64_t i = 0; i < 200; ++i) {
    const int64_t byte = i % 2 == 0 ? i * 2 : size_bytes - 2 * i;  // variables, and the stack
    JobOptions options;
    options.injection = units::Injection{FaultSite::Ram, clean.control->boot_cycles + 1 + i, -1, byte, 2};
    const JobResult result = npu.run(stream.package(), {}, options);
    REQUIRE(result.injected.has_value());
    if (result.is_done()) continue;  // nobody read it
    ++num_found;
    const auto* failure = std::get_if<FirmwareFailure>(&result.status);
    REQUIRE(failure != nullptr);
    CHECK(failure->what.find("it reports a failure, cause 0x5") != std::string::npos);  // load access fault
  }
  CHECK(num_found > 3);
  CHECK(npu.run(stream.package(), {}).outputs == clean.outputs);
}

TEST_CASE("Parity: a device goes on with the next job, in whose memory nothing is wrong any more") {
  for (const Control control : {Control::Direct, Control::Cpu}) {
    DeviceOptions options;
    options.control = control;
    Device device(with_parity(true), options);
    StreamAssembler stream = chain(with_parity(true));
    const int32_t network = device.load(stream.package());
    const auto run_one = [&](std::optional<units::Injection> injection) {
      JobRequest request;
      request.network = network;
      request.injection = injection;
      const int32_t job = device.submit(std::move(request));
      REQUIRE(device.run_until_ended(job));
      return device.take(job);
    };
    const DeviceJob clean = run_one({});
    REQUIRE(clean.outcome == spec::JobOutcome::Done);
    const DeviceJob faulty = run_one(units::Injection{FaultSite::Sram, 0, -1, 5, 3});
    CHECK(faulty.outcome == spec::JobOutcome::Fault);
    require_fault(*faulty.result, FaultCode::ParityError);
    const DeviceJob unreadable = run_one(units::Injection{FaultSite::Sram, clean.result->cycles - 10, -1, 0x6007, 3});
    CHECK(unreadable.outcome == spec::JobOutcome::Fault);
    require_fault(*unreadable.result, FaultCode::ParityError);
    const DeviceJob next = run_one({});
    CHECK(next.outcome == spec::JobOutcome::Done);
    CHECK(next.result->outputs == clean.result->outputs);
  }
}
