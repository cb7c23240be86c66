// SPDX-License-Identifier: Apache-2.0
// Jobs with control flow on a machine that stays powered: among other jobs, cancelled, out of time, and over their limit.
#include "hw/base/error.hpp"
#include "sim/soc/device.hpp"
#include "tests/unit/sim_soc/flow_network.hpp"

#include <random>

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;
using Catch::Matchers::Contains;

namespace {

DeviceOptions flow_device() {
  DeviceOptions options;
  options.control = Control::Cpu;
  return options;
}

/// Adds `value` as many times as `count` says.
package::Package counting(int value, int count, int64_t most_commands = 1'000'000) {
  FlowNetwork flow;
  flow.load().set(0, count).loop().while_not_zero(counter(0));
  flow.add(value).count_down(0).end();
  flow.store().most_commands(most_commands);
  return flow.package();
}

/// One that never ends by itself.
package::Package endless() {
  FlowNetwork flow;
  flow.load().set(0, 1).loop();
  flow.add(1).while_not_zero(counter(0)).end();
  flow.store().most_commands(UINT32_MAX);
  return flow.package();
}

/// One stream, with the same values as counting().
package::Package plain(int value, int count) {
  StreamAssembler stream(v256());
  stream.package().stream_address = external(kFlowStreams);
  stream.package().model_name = "plain";
  stream.add(dma_copy(Queue::Dma0, external(kFlowInput), sram(0), kFlowBytes), 0, tokens({Queue::VectorUnit}));
  for (int i = 0; i < count; ++i)
    stream.add(vector_add(0, 0, kFlowBytes, value), i == 0 ? tokens({Queue::Dma0}) : uint8_t{0},
               i + 1 == count ? tokens({Queue::Dma1}) : uint8_t{0});
  stream.add(dma_copy(Queue::Dma1, sram(0), external(kFlowOutput), kFlowBytes), tokens({Queue::VectorUnit}));
  stream.end().input(external(kFlowInput), kFlowBytes).output(external(kFlowOutput), kFlowBytes);
  return stream.package();
}

JobRequest flow_job(int32_t network, int first = 0) {
  JobRequest request;
  request.network = network;
  request.inputs.push_back(flow_input(first));
  return request;
}

void check_counted(const DeviceJob& job, int first, int value, int count) {
  REQUIRE(job.outcome == spec::JobOutcome::Done);
  REQUIRE(job.result.has_value());
  FlowState expected(first);
  for (int i = 0; i < count; ++i) expected.add(value);
  check_output(*job.result, expected);
}

}  // namespace

TEST_CASE("Device with control flow: such jobs and plain ones share a queue, and each gives its own values and cycles") {
  Device device(v256(), flow_device());
  struct Loaded {
    int32_t network;
    int value, count;
    bool has_flow;
    int64_t cycles;
  };
  std::vector<Loaded> networks;
  for (const auto& [value, count, has_flow] : {std::tuple(1, 3, true), std::tuple(2, 4, false), std::tuple(-3, 1, true),
                                               std::tuple(5, 2, false), std::tuple(7, 6, true)}) {
    const package::Package package = has_flow ? counting(value, count) : plain(value, count);
    Npu alone(v256(), Control::Cpu);
    const JobResult result = alone.run(package, {flow_input(0)});
    require_done(result);
    networks.push_back({device.load(package), value, count, has_flow, result.cycles});
  }
  std::mt19937_64 random(3);
  std::vector<std::pair<int32_t, std::pair<size_t, int>>> jobs;
  for (int i = 0; i < 60; ++i) {
    const size_t which = random() % networks.size();
    JobRequest request = flow_job(networks[which].network, i);
    request.priority = static_cast<uint32_t>(random() % 3);
    jobs.emplace_back(device.submit(std::move(request)), std::pair(which, i));
  }
  device.run_until_idle();
  REQUIRE(device.failure().empty());
  std::vector<std::pair<int64_t, int64_t>> times;
  for (const auto& [number, what] : jobs) {
    const Loaded& loaded = networks[what.first];
    INFO("job " << number);
    const DeviceJob job = device.take(number);
    check_counted(job, what.second, loaded.value, loaded.count);
    CHECK(job.result->cycles == loaded.cycles);
    CHECK(job.result->streams.size() == (loaded.has_flow ? size_t(3 + 2 * loaded.count) : 0));
    CHECK(job.end_cycle - job.start_cycle == loaded.cycles + job.result->control->between_cycles);
    times.emplace_back(job.start_cycle, job.end_cycle);
  }
  // No other job runs between the first and the last stream of one.
  std::sort(times.begin(), times.end());
  for (size_t i = 1; i < times.size(); ++i) CHECK(times[i].first >= times[i - 1].second);
}

TEST_CASE("Device with control flow: a job that is cancelled between any two cycles ends, and the next one is right") {
  Device device(v256(), flow_device());
  const int32_t never = device.load(endless()), good = device.load(counting(2, 3));
  for (const int64_t after_cycles : {1, 500, 900, 1000, 1100, 1200, 1300, 1400, 1500, 5000, 20'000, 20'123}) {
    INFO("after " << after_cycles);
    const int32_t job = device.submit(flow_job(never)), next = device.submit(flow_job(good, 4));
    CHECK_FALSE(device.run_until_ended(job, after_cycles));
    CHECK(device.cancel(job));
    device.run_until_idle();
    REQUIRE(device.failure().empty());
    const DeviceJob cancelled = device.take(job);
    CHECK(cancelled.outcome == spec::JobOutcome::Cancelled);
    if (cancelled.result) CHECK(std::holds_alternative<Stopped>(cancelled.result->status));
    if (after_cycles >= 5000) CHECK(cancelled.result->streams.size() > 3);
    check_counted(device.take(next), 4, 2, 3);
  }
  CHECK(device.boot_cycles() > 0);
}

TEST_CASE("Device with control flow: the time of a job spans its streams") {
  Device device(v256(), flow_device());
  const int32_t never = device.load(endless()), good = device.load(counting(2, 3));
  for (const int64_t time_out_cycles : {1000, 10'000, 10'001, 10'123, 50'000}) {
    INFO("after " << time_out_cycles);
    JobRequest request = flow_job(never);
    request.time_out_cycles = time_out_cycles;
    const int32_t job = device.submit(std::move(request)), next = device.submit(flow_job(good, 4));
    device.run_until_idle();
    REQUIRE(device.failure().empty());
    const DeviceJob late = device.take(job);
    CHECK(late.outcome == spec::JobOutcome::TimedOut);
    REQUIRE(late.result.has_value());
    const int64_t ran_cycles = late.result->cycles + late.result->control->between_cycles;
    // Between two streams nothing runs when the time is over.
    CHECK(late.told_cycle - late.start_cycle > time_out_cycles);
    CHECK(late.told_cycle - late.start_cycle < time_out_cycles + 2000);
    CHECK(ran_cycles > time_out_cycles - 2000);
    CHECK(late.end_cycle == late.start_cycle + ran_cycles);
    check_counted(device.take(next), 4, 2, 3);
  }
}

TEST_CASE("Device with control flow: a limit, a fault and a watchdog end their own job") {
  Device device(v256(), flow_device());
  const int32_t limited = device.load(counting(1, 20, 30)), good = device.load(counting(2, 3));
  FlowNetwork faulty;
  faulty.load().set(0, 2).set(1, 0).loop();
  faulty.if_not_zero(counter(1));
  faulty.runs(faulty.made("reads", [](StreamAssembler& s) { s.add(dma_copy(Queue::Dma1, sram(0x6000), sram(0x3000), 1)); }));
  faulty.end();
  faulty.set(1, 1).while_not_zero(counter(0)).end();
  FlowNetwork waiting;
  waiting.load();
  waiting.runs(waiting.made(
      "waits", [](StreamAssembler& s) { s.add(dma_fill(Queue::Dma0, sram(0x2000), 64, 1), tokens({Queue::Dma1})); }));
  const int32_t reads = device.load(faulty.package()), waits = device.load(waiting.package());
  JobRequest short_watchdog = flow_job(waits);
  short_watchdog.watchdog_cycles = 3000;
  const int32_t first = device.submit(flow_job(limited)), second = device.submit(flow_job(good, 1)),
                third = device.submit(flow_job(reads)), fourth = device.submit(flow_job(good, 2)),
                fifth = device.submit(std::move(short_watchdog)), sixth = device.submit(flow_job(good, 3));
  device.run_until_idle();
  REQUIRE(device.failure().empty());
  const DeviceJob over = device.take(first);
  CHECK(over.outcome == spec::JobOutcome::LimitReached);
  CHECK(std::get<LimitReached>(over.result->status).num_commands >= 30);
  CHECK(over.result->outputs.empty());
  check_counted(device.take(second), 1, 2, 3);
  const DeviceJob fault = device.take(third);
  CHECK(fault.outcome == spec::JobOutcome::Fault);
  CHECK(std::get<Fault>(fault.result->status).code == spec::FaultCode::UninitialisedRead);
  check_counted(device.take(fourth), 2, 2, 3);
  CHECK(device.take(fifth).outcome == spec::JobOutcome::Watchdog);
  check_counted(device.take(sixth), 3, 2, 3);
}

TEST_CASE("Device with control flow: it needs a control CPU, and values") {
  Device direct(v256());
  CHECK_THROWS_WITH(direct.load(counting(1, 1)), Contains("it needs control 'cpu'"));
  Device device(v256(), flow_device());
  JobRequest request = flow_job(device.load(counting(1, 1)));
  request.values = false;
  CHECK_THROWS_WITH(device.submit(std::move(request)), Contains("it needs run, with values"));
}
