// SPDX-License-Identifier: Apache-2.0
// Many jobs, good and bad ones in any order: none is lost, and none changes another.
#include "hw/base/memory_use.hpp"
#include "sim/soc/device.hpp"
#include "sim/soc/firmware_image.hpp"
#include "tests/unit/sim_riscv/random_words.hpp"
#include "tests/unit/sim_soc/flow_network.hpp"
#ifdef VERNIER_UNICORN
#include "tests/unit/sim_soc/firmware_lockstep.hpp"
#endif

#include <cstdlib>
#include <iostream>
#include <random>

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;

namespace {

constexpr int64_t kElements = 256;

/// Adds a number to its input; `num_copies` more copies make it longer.
package::Package summing(int64_t addend, int64_t num_copies) {
  StreamAssembler stream(v256());
  stream.add(dma_copy(Queue::Dma0, external(0), sram(0), kElements), 0, tokens({Queue::VectorUnit}));
  stream.layer("addition").add(vector_add(0, 0x400, kElements, addend), tokens({Queue::Dma0}), tokens({Queue::Dma1}));
  for (int64_t i = 0; i <= num_copies; ++i)
    stream.add(dma_copy(Queue::Dma1, sram(0x400), external(0x1000), kElements),
               i == 0 ? tokens({Queue::VectorUnit}) : uint8_t{0});
  stream.end().input(external(0), kElements).output(external(0x1000), kElements);
  package::Package package = stream.package();
  package.model_name = fmt::format("adding {}", addend);
  return package;
}

base::Tensor drawn_input(uint32_t seed) {
  std::mt19937 random(seed);
  base::Tensor tensor(base::ElementType::Int8, {kElements});
  for (int64_t i = 0; i < kElements; ++i) tensor.set(i, static_cast<int8_t>(random()));
  return tensor;
}

bool is_sum(const base::Tensor& output, const base::Tensor& input, int64_t addend) {
  for (int64_t i = 0; i < kElements; ++i)
    if (output.at(i) != static_cast<int8_t>(input.at(i) + addend)) return false;
  return true;
}

/// Of the five networks; it takes some thousand cycles.
constexpr int32_t kLongest = 4;

/// What is put into a job, and how it has to end.
enum class Trouble : uint8_t { None, Command, Token, Watchdog, TimeOut, Copy, Cancelled };

void run_jobs(Control control, int num_jobs, uint32_t seed, riscv::ExecutionObserver observer = {}) {
  DeviceOptions options;
  options.control = control;
  options.on_instruction = std::move(observer);
  Device device(v256(), options);
  std::vector<int32_t> networks;
  for (int64_t i = 0; i < 5; ++i) networks.push_back(device.load(summing(i + 1, 8 * i)));
  std::mt19937 random(seed);
  struct Submitted {
    int32_t number, network;
    uint32_t input;
    Trouble trouble;
  };
  std::vector<Submitted> jobs;
  for (int i = 0; i < num_jobs; ++i) {
    JobRequest request;
    auto network = static_cast<int32_t>(random() % networks.size());
    request.network = networks[static_cast<size_t>(network)];
    request.inputs.push_back(drawn_input(static_cast<uint32_t>(i)));
    request.arrival_cycle = static_cast<int64_t>(i) * 150;
    auto trouble = Trouble::None;
    if (i % 10 == 9) {
      trouble = static_cast<Trouble>(1 + random() % 6);
      if (trouble == Trouble::Command) request.injection = units::Injection{units::FaultSite::Command, 0, 0, 0, 3};
      if (trouble == Trouble::Token) request.injection = units::Injection{units::FaultSite::Token, 0, -1, 0, {}};
      if (trouble == Trouble::Copy) request.injection = units::Injection{units::FaultSite::Dma, 0, -1, 0, {}};
      if (trouble == Trouble::Watchdog) request.watchdog_cycles = 20;
      if (trouble == Trouble::TimeOut) {
        network = kLongest;
        request.network = networks[kLongest];
        request.time_out_cycles = 40;
      }
    }
    jobs.push_back({device.submit(std::move(request)), network, static_cast<uint32_t>(i), trouble});
  }
  for (const Submitted& job : jobs)
    if (job.trouble == Trouble::Cancelled) CHECK(device.cancel(job.number));
  device.run_until_idle();
  REQUIRE(device.failure() == "");
  int num_wrong = 0, num_bad = 0;
  int64_t last_done_start = -1;
  for (const Submitted& job : jobs) {
    INFO("job " << job.number << ", trouble " << static_cast<int>(job.trouble));
    const DeviceJob record = device.take(job.number);
    REQUIRE(record.has_ended());
    if (job.trouble == Trouble::None) {
      const bool is_right = record.outcome == spec::JobOutcome::Done &&
                            is_sum(record.result->outputs.at(0), drawn_input(job.input), job.network + 1);
      num_wrong += is_right ? 0 : 1;
      CHECK(record.start_cycle > last_done_start);  // in the order in which they came
      last_done_start = record.start_cycle;
      continue;
    }
    ++num_bad;
    switch (job.trouble) {
      case Trouble::Command: {
        CHECK(record.outcome == spec::JobOutcome::Fault);
        const auto* fault = std::get_if<Fault>(&record.result->status);
        REQUIRE(fault != nullptr);
        CHECK(fault->code == spec::FaultCode::IllegalOpcode);
        CHECK(fault->command_idx == 0);
        CHECK(fault->stream_offset_bytes == 0);
        CHECK_THAT(fault->detail, Catch::Matchers::Contains("layer_0") || Catch::Matchers::Contains("command 0"));
        break;
      }
      case Trouble::Copy: {
        CHECK(record.outcome == spec::JobOutcome::Fault);
        const Fault fault = require_fault(*record.result, spec::FaultCode::BusError);
        CHECK(fault.command_idx == 0);
        CHECK(fault.access == external(0));
        break;
      }
      case Trouble::Token:
        CHECK(record.outcome == spec::JobOutcome::Watchdog);
        CHECK_THAT(std::get<Hang>(record.result->status).wait_for, Catch::Matchers::Contains("waits for a token"));
        break;
      case Trouble::Watchdog: CHECK(record.outcome == spec::JobOutcome::Watchdog); break;
      case Trouble::TimeOut: CHECK(record.outcome == spec::JobOutcome::TimedOut); break;
      default: CHECK(record.outcome == spec::JobOutcome::Cancelled); break;
    }
  }
  CHECK(num_wrong == 0);
  CHECK(num_bad == num_jobs / 10);
}

}  // namespace

TEST_CASE("Device: a fault of any kind in every tenth job, and all others are right") {
  run_jobs(Control::Direct, 1000, 1);
  run_jobs(Control::Cpu, 1000, 1);
  run_jobs(Control::Cpu, 200, 2);
}

TEST_CASE("Firmware: all jobs in lock-step with Unicorn, of each kind and with control flow", "[long]") {
#ifdef VERNIER_UNICORN
  const int64_t num_instructions = tests::rv::count_from_environment("VERNIER_FIRMWARE_INSTRUCTIONS", 100'000);
  FirmwareLockstep lockstep(own_firmware());
  const riscv::ExecutionObserver follow = [&](const riscv::Executed& executed) { lockstep.take(executed); };
  Npu npu(v256(), Control::Cpu);
  JobOptions options;
  options.on_instruction = follow;
  for (uint32_t seed = 1; lockstep.num_compared() < num_instructions && lockstep.finish().empty(); ++seed) {
    lockstep.boot();
    run_jobs(Control::Cpu, 100, seed, follow);
    FlowNetwork flow;
    flow.load().set(0, 3 + static_cast<int>(seed % 9));
    flow.loop().while_not_zero(counter(0));
    flow.add(1).count_down(0).end();
    flow.store();
    lockstep.boot();
    require_done(run_flow(npu, flow, 5, options));
  }
  std::cout << lockstep.num_compared() << " instructions compared, " << lockstep.num_stores() << " of them stores, and "
            << lockstep.num_given_reads() << " reads of devices; " << lockstep.num_told()
            << " instructions and interrupts not compared\n";
  CHECK(lockstep.finish() == "");
  CHECK(lockstep.num_compared() >= num_instructions);
  CHECK(lockstep.num_told() * 10 < lockstep.num_compared());
  CHECK(lockstep.num_stores() * 20 > lockstep.num_compared());
#else
  WARN("skipped: this program was built without Unicorn, which ./dev test installs (libunicorn-dev)");
#endif
}

TEST_CASE("Device: ten thousand jobs do not make the process grow") {
  DeviceOptions options;
  options.control = Control::Cpu;
  Device device(v256(), options);
  const int32_t network = device.load(summing(1, 0));
  int64_t after_a_thousand = 0;
  for (int i = 0; i < 10'000; ++i) {
    JobRequest request;
    request.network = network;
    request.inputs.push_back(base::Tensor(base::ElementType::Int8, {kElements}));
    const int32_t job = device.submit(std::move(request));
    REQUIRE(device.run_until_ended(job));
    CHECK(device.take(job).outcome == spec::JobOutcome::Done);
    if (i == 1000) after_a_thousand = base::address_space_bytes();
  }
  CHECK(base::address_space_bytes() - after_a_thousand < (int64_t{4} << 20));
}
