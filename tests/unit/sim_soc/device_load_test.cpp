// SPDX-License-Identifier: Apache-2.0
// Many jobs, good and bad ones in any order: none is lost, and none changes another.
#include "hw/base/file.hpp"
#include "hw/base/memory_use.hpp"
#include "hw/package/stream_commands.hpp"
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
/// The one that the compiler has made; the others add to their input.
constexpr int32_t kDemo = 2;

package::Package demo_network() {
  const std::string file = VERNIER_DEMO_PACKAGES "/sram.vnpu";
  return package::from_bytes(file, base::read_file(file));
}

base::Tensor drawn_picture(uint32_t seed) {
  std::mt19937 random(seed);
  base::Tensor tensor(base::ElementType::Int8, {1, 8, 8, 1});
  for (int64_t i = 0; i < 64; ++i) tensor.set(i, static_cast<int8_t>(random()));
  return tensor;
}

/// A command of the network, not END, and its first byte in the stream.
package::StreamCommand drawn_command(const package::Package& package, uint32_t drawn, int32_t& command_idx) {
  const std::vector<package::StreamCommand> commands = package::stream_commands(package);
  command_idx = static_cast<int32_t>(drawn % (commands.size() - 1));
  return commands[static_cast<size_t>(command_idx)];
}

/// What is put into a job, and how it has to end.
enum class Trouble : uint8_t { None, Command, Token, Watchdog, TimeOut, Copy, Cancelled };

void run_jobs(Control control, int num_jobs, uint32_t seed, riscv::ExecutionObserver observer = {}) {
  DeviceOptions options;
  options.control = control;
  options.on_instruction = std::move(observer);
  Device device(v256(), options);
  std::vector<int32_t> networks;
  for (int64_t i = 0; i < 5; ++i) networks.push_back(device.load(i == kDemo ? demo_network() : summing(i + 1, 8 * i)));
  Npu alone(v256());
  const package::Package demo = demo_network();
  std::mt19937 random(seed);
  struct Submitted {
    int32_t number, network;
    uint32_t input;
    Trouble trouble;
    int32_t command_idx;  // of Trouble::Command
    int64_t stream_offset_bytes;
  };
  std::vector<Submitted> jobs;
  for (int i = 0; i < num_jobs; ++i) {
    JobRequest request;
    auto network = static_cast<int32_t>(random() % networks.size());
    request.network = networks[static_cast<size_t>(network)];
    request.arrival_cycle = static_cast<int64_t>(i) * 150;
    auto trouble = Trouble::None;
    int32_t command_idx = 0;
    int64_t offset_bytes = 0;
    if (i % 10 == 9) {
      trouble = static_cast<Trouble>(1 + random() % 6);
      if (trouble == Trouble::Copy && network == kDemo) {  // has no copies from outside
        network = 0;
        request.network = networks[0];
      }
      if (trouble == Trouble::Command) {
        offset_bytes =
            drawn_command(device.network(request.network), static_cast<uint32_t>(random()), command_idx).offset_bytes;
        request.injection = units::Injection{units::FaultSite::Command, 0, command_idx, offset_bytes, 7};
      }
      if (trouble == Trouble::Token) request.injection = units::Injection{units::FaultSite::Token, 0, -1, 0, {}};
      if (trouble == Trouble::Copy) request.injection = units::Injection{units::FaultSite::Dma, 0, -1, 0, {}};
      if (trouble == Trouble::Watchdog) request.watchdog_cycles = 20;
      if (trouble == Trouble::TimeOut) {
        network = kLongest;
        request.network = networks[kLongest];
        request.time_out_cycles = 40;
      }
    }
    const auto input = static_cast<uint32_t>(i);
    request.inputs.push_back(network == kDemo ? drawn_picture(input) : drawn_input(input));
    jobs.push_back({device.submit(std::move(request)), network, input, trouble, command_idx, offset_bytes});
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
      const auto is_right_output = [&](const base::Tensor& output) {
        if (job.network == kDemo) return output == alone.run(demo, {drawn_picture(job.input)}).outputs.at(0);
        return is_sum(output, drawn_input(job.input), job.network + 1);
      };
      const bool is_right = record.outcome == spec::JobOutcome::Done && is_right_output(record.result->outputs.at(0));
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
        CHECK(fault->command_idx == job.command_idx);
        CHECK(fault->stream_offset_bytes == job.stream_offset_bytes);
        const package::Package& package = device.network(record.network);
        const int32_t layer_idx = package::layer_of(package, job.command_idx);
        CHECK_THAT(fault->detail, Catch::Matchers::StartsWith(fmt::format("command {} (layer {}) at", job.command_idx,
                                                                          package.layers[layer_idx].name)));
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
