// SPDX-License-Identifier: Apache-2.0
// Several networks on one machine that stays powered: each job gives what it gives alone, whatever ran before it.
#include "sim/soc/device.hpp"

#include "tests/unit/sim_soc/machine_fixture.hpp"

#include <algorithm>
#include <random>

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;
using Catch::Matchers::Contains;

namespace {

constexpr int64_t kBytes = 0x1000;

/// A copy from outside, an addition, and a copy to the outside; its input is at byte 0 of external memory.
package::Package adding(int64_t addend, int64_t num_additions = 1) {
  StreamAssembler stream(v256());
  stream.add(dma_copy(Queue::Dma0, external(0), sram(0), kBytes), 0, tokens({Queue::VectorUnit}));
  for (int64_t i = 0; i < num_additions; ++i) {
    const bool is_first = i == 0, is_last = i + 1 == num_additions;
    stream.add(vector_add(i % 2 * kBytes, (i + 1) % 2 * kBytes, kBytes, addend),
               is_first ? tokens({Queue::Dma0}) : uint8_t{0}, is_last ? tokens({Queue::Dma1}) : uint8_t{0});
  }
  stream.add(dma_copy(Queue::Dma1, sram(num_additions % 2 * kBytes), external(0x2000), kBytes), tokens({Queue::VectorUnit}),
             0);
  stream.end().input(external(0), kBytes).output(external(0x2000), kBytes);
  package::Package package = stream.package();
  package.model_name = fmt::format("adding {}", addend);
  return package;
}

/// It reads what nobody has written.
package::Package faulty() {
  StreamAssembler stream(v256());
  stream.add(dma_fill(Queue::Dma0, sram(0), 64, 7));
  stream.add(dma_copy(Queue::Dma1, sram(512), sram(1024), 64)).end();
  return stream.package();
}

/// It waits for a token that nobody gives.
package::Package waiting() {
  StreamAssembler stream(v256());
  stream.add(dma_fill(Queue::Dma0, sram(0), 64, 7), tokens({Queue::Dma1})).end();
  return stream.package();
}

base::Tensor ramp_from(int first) {
  base::Tensor tensor(base::ElementType::Int8, {kBytes});
  for (int64_t i = 0; i < kBytes; ++i) tensor.set(i, static_cast<int8_t>(first + i));
  return tensor;
}

JobRequest job_of(int32_t network, int first = 0) {
  JobRequest request;
  request.network = network;
  request.inputs.push_back(ramp_from(first));
  return request;
}

JobRequest without_inputs(int32_t network) {
  JobRequest request;
  request.network = network;
  return request;
}

void check_added(const DeviceJob& job, int first, int64_t sum) {
  CHECK(job.outcome == spec::JobOutcome::Done);
  REQUIRE(job.result.has_value());
  REQUIRE(job.result->outputs.size() == 1);
  int64_t num_wrong = 0;
  for (int64_t i = 0; i < kBytes; ++i)
    num_wrong += job.result->outputs[0].at(i) != static_cast<int8_t>(first + i + sum) ? 1 : 0;
  CHECK(num_wrong == 0);
}

DeviceOptions with(Control control) {
  DeviceOptions options;
  options.control = control;
  return options;
}

}  // namespace

TEST_CASE("Device: jobs of two resident networks give their own results and the cycles that they take alone") {
  Npu alone(v256());
  const int64_t cycles = alone.run(adding(1), {ramp_from(0)}).cycles;
  for (const Control control : {Control::Direct, Control::Cpu}) {
    Device device(v256(), with(control));
    const int32_t one = device.load(adding(1)), ten = device.load(adding(10));
    CHECK(device.place(one).external_base != device.place(ten).external_base);
    CHECK(device.place(one).sram_base != device.place(ten).sram_base);  // their streams lie in SRAM
    std::vector<int32_t> jobs;
    for (int i = 0; i < 6; ++i) jobs.push_back(device.submit(job_of(i % 2 == 0 ? one : ten, i)));
    device.run_until_idle();
    for (int i = 0; i < 6; ++i) {
      INFO("job " << i);
      const DeviceJob job = device.take(jobs[static_cast<size_t>(i)]);
      check_added(job, i, i % 2 == 0 ? 1 : 10);
      CHECK(job.result->cycles == cycles);
      CHECK(job.end_cycle - job.start_cycle == cycles);
      CHECK(job.told_cycle >= job.end_cycle);
    }
    CHECK_FALSE(device.has_job(jobs[0]));
    device.unload(one);
    check_added(device.job([&] {
      const int32_t job = device.submit(job_of(ten, 3));
      CHECK(device.run_until_ended(job));
      return job;
    }()),
                3, 10);
  }
}

TEST_CASE("Device: a job that waits with the NPU starts a few cycles after the one before it") {
  Device device(v256(), with(Control::Cpu));
  const int32_t network = device.load(adding(1, 4));
  std::vector<int32_t> jobs;
  for (int i = 0; i < 20; ++i) jobs.push_back(device.submit(job_of(network, i)));  // more than there are slots
  device.run_until_idle();
  for (size_t i = 0; i < jobs.size(); ++i) {
    INFO("job " << i);
    check_added(device.job(jobs[i]), static_cast<int>(i), 4);
    if (i == 0) continue;
    CHECK(device.job(jobs[i]).start_cycle == device.job(jobs[i - 1]).end_cycle + spec::kCommitCycles);
  }
}

TEST_CASE("Device: of jobs that wait the one of the highest priority runs next, and of equal ones the oldest") {
  for (const Control control : {Control::Direct, Control::Cpu}) {
    Device device(v256(), with(control));
    const int32_t network = device.load(adding(1, 8));
    std::vector<int32_t> jobs;
    const std::vector<uint32_t> priorities{0, 0, 0, 1, 7, 7, 0};
    for (const uint32_t priority : priorities) {
      JobRequest request = job_of(network);
      request.priority = priority;
      request.arrival_cycle = jobs.empty() ? 0 : 1000 + static_cast<int64_t>(jobs.size());  // the first runs alone
      jobs.push_back(device.submit(std::move(request)));
    }
    device.run_until_idle();
    std::vector<size_t> order(jobs.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return device.job(jobs[a]).start_cycle < device.job(jobs[b]).start_cycle; });
    // The firmware looks when all of them have come.
    const std::vector<size_t> expected{0, 4, 5, 3, 1, 2, 6};
    CHECK(order == expected);
  }
}

TEST_CASE("Device: what goes wrong in a job is told with code, command and layer, and no later job is touched") {
  for (const Control control : {Control::Direct, Control::Cpu}) {
    Device device(v256(), with(control));
    const int32_t good = device.load(adding(1)), bad = device.load(faulty()), hangs = device.load(waiting());
    std::vector<int32_t> jobs;
    for (int i = 0; i < 12; ++i) {
      if (i % 4 == 1) {
        jobs.push_back(device.submit(without_inputs(bad)));
      } else if (i % 4 == 3) {
        JobRequest request = without_inputs(hangs);
        request.watchdog_cycles = 2000;
        jobs.push_back(device.submit(std::move(request)));
      } else {
        jobs.push_back(device.submit(job_of(good, i)));
      }
    }
    device.run_until_idle();
    CHECK(device.failure().empty());
    for (int i = 0; i < 12; ++i) {
      INFO("job " << i);
      const DeviceJob& job = device.job(jobs[static_cast<size_t>(i)]);
      REQUIRE(job.result.has_value());
      if (i % 4 == 1) {
        CHECK(job.outcome == spec::JobOutcome::Fault);
        const Fault fault = require_fault(*job.result, spec::FaultCode::UninitialisedRead);
        CHECK(fault.command_idx == 1);
        CHECK_THAT(fault.detail, Contains("layer_0"));
      } else if (i % 4 == 3) {
        CHECK(job.outcome == spec::JobOutcome::Watchdog);
        CHECK(std::get<Hang>(job.result->status).is_watchdog);
        CHECK(job.end_cycle - job.start_cycle >= 2000);  // from its last command on
        CHECK(job.end_cycle - job.start_cycle < 2200);
      } else {
        check_added(job, i, 1);
      }
    }
  }
}

TEST_CASE("Device: a job is cancelled before it arrives, while it waits, and while it runs") {
  for (const Control control : {Control::Direct, Control::Cpu}) {
    Device device(v256(), with(control));
    const int32_t network = device.load(adding(1, 8));
    JobRequest late = job_of(network);
    late.arrival_cycle = 1'000'000;
    const int32_t never = device.submit(std::move(late));
    CHECK(device.cancel(never));
    CHECK(device.job(never).outcome == spec::JobOutcome::Cancelled);
    CHECK_FALSE(device.cancel(never));

    const int32_t runs = device.submit(job_of(network, 1)), next = device.submit(job_of(network, 2)),
                  waits = device.submit(job_of(network, 3)), last = device.submit(job_of(network, 4));
    device.run_for(1200);  // the first runs
    CHECK(device.job(runs).start_cycle >= 0);
    CHECK_FALSE(device.job(runs).has_ended());
    CHECK(device.cancel(runs));
    CHECK(device.cancel(waits));
    device.run_until_idle();
    CHECK(device.job(runs).outcome == spec::JobOutcome::Cancelled);
    CHECK(std::holds_alternative<Stopped>(device.job(runs).result->status));
    CHECK(device.job(waits).outcome == spec::JobOutcome::Cancelled);
    CHECK(device.job(waits).start_cycle == -1);
    check_added(device.job(next), 2, 8);
    check_added(device.job(last), 4, 8);
  }
}

TEST_CASE("Device: cancelled in any cycle, a job ends as cancelled or done, and the next one is right") {
  Device device(v256(), with(Control::Cpu));
  const int32_t network = device.load(adding(1));
  std::mt19937 random(1);
  int num_cancelled = 0, num_done = 0;
  for (int64_t cycles = 0; cycles < 1700; cycles += 1 + random() % 23) {
    INFO("after " << cycles << " cycles");
    const int32_t first = device.submit(job_of(network, 5)), second = device.submit(job_of(network, 6));
    device.run_for(cycles);
    device.cancel(first);
    device.run_until_idle();
    REQUIRE(device.failure().empty());
    const DeviceJob cancelled = device.take(first), other = device.take(second);
    check_added(other, 6, 1);
    if (cancelled.outcome == spec::JobOutcome::Done) {
      ++num_done;
      check_added(cancelled, 5, 1);
    } else {
      ++num_cancelled;
      CHECK(cancelled.outcome == spec::JobOutcome::Cancelled);
    }
  }
  CHECK(num_cancelled > 20);
  CHECK(num_done > 5);
}

TEST_CASE("Device: a job that takes longer than its time-out is ended, the others are not") {
  for (const Control control : {Control::Direct, Control::Cpu}) {
    Device device(v256(), with(control));
    const int32_t quick = device.load(adding(1)), slow = device.load(adding(1, 40));
    std::vector<int32_t> jobs;
    for (int i = 0; i < 4; ++i) {
      JobRequest request = job_of(i % 2 == 0 ? quick : slow, i);
      request.time_out_cycles = 5000;
      jobs.push_back(device.submit(std::move(request)));
    }
    device.run_until_idle();
    for (size_t i = 0; i < jobs.size(); ++i) {
      const DeviceJob& job = device.job(jobs[i]);
      if (i % 2 == 0) check_added(job, static_cast<int>(i), 1);
      if (i % 2 == 0) continue;
      CHECK(job.outcome == spec::JobOutcome::TimedOut);
      CHECK(job.end_cycle - job.start_cycle >= 5000);
      CHECK(job.end_cycle - job.start_cycle < 5900);
    }
  }
}

TEST_CASE("Device: a stream that waits for itself ends by its time-out where that comes first, whoever starts it") {
  for (const Control control : {Control::Direct, Control::Cpu}) {
    Device device(v256(), with(control));
    JobRequest request = without_inputs(device.load(waiting()));
    request.watchdog_cycles = 100'000;
    request.time_out_cycles = 5000;
    const int32_t job = device.submit(std::move(request));
    CHECK_FALSE(device.run_until_ended(job, 4000));
    CHECK(device.run_until_ended(job, 4000));
    CHECK(device.job(job).outcome == spec::JobOutcome::TimedOut);
  }
}

TEST_CASE("Device: time passes when it is asked for, and jobs come at their cycles") {
  for (const Control control : {Control::Direct, Control::Cpu}) {
    Device device(v256(), with(control));
    const int32_t network = device.load(adding(1));
    const int64_t begin = device.now();
    JobRequest request = job_of(network);
    request.arrival_cycle = begin + 50'000;
    const int32_t job = device.submit(std::move(request));
    CHECK_FALSE(device.run_until_ended(job, 10'000));
    CHECK(device.now() == begin + 10'000);
    device.run_for(39'999);
    CHECK(device.now() == begin + 49'999);
    CHECK(device.job(job).start_cycle == -1);
    CHECK(device.run_until_ended(job, 10'000));
    CHECK(device.job(job).arrival_cycle == begin + 50'000);
    CHECK(device.job(job).start_cycle >= begin + 50'000);
    device.run_for(3'000'000);
    CHECK(device.now() >= begin + 3'060'000 - 10'000);
    CHECK(device.run_until_ended(device.submit(job_of(network))));
  }
}

TEST_CASE("Device: what is not allowed is said in one line, and the device goes on") {
  Device device(v256(), with(Control::Cpu));
  package::Package other = adding(1);
  other.config = config::preset_config("v64", "test");
  CHECK_THROWS_WITH(device.load(other),
                    Contains("compiled for another machine") && Contains("lanes is 8, the machine has 16"));
  other = adding(1);
  other.config.sram_bytes *= 2;
  CHECK_THROWS_WITH(device.load(other), Contains("of SRAM, the machine has"));
  const int32_t network = device.load(adding(1));
  JobRequest none = without_inputs(network);
  CHECK_THROWS_WITH(device.submit(none), Contains("0 inputs given, it has 1"));
  JobRequest wrong = job_of(network);
  wrong.inputs[0] = base::Tensor(base::ElementType::Int8, {3});
  CHECK_THROWS_WITH(device.submit(wrong), Contains("expected int8"));
  const int32_t job = device.submit(job_of(network));
  CHECK_THROWS_WITH(device.unload(network), Contains("1 job of it has not ended"));
  CHECK(device.run_until_ended(job));
  device.unload(network);
  CHECK_FALSE(device.has_network(network));
}

TEST_CASE("Device: what another job left in SRAM is not there for the next one") {
  // Neither keeps anything in SRAM, so that both have the same part of it.
  StreamAssembler fills(v256()), reads(v256());
  fills.add(dma_fill(Queue::Dma0, sram(512), 64, 7)).end();
  reads.add(dma_copy(Queue::Dma1, sram(512), sram(1024), 64)).end();
  for (StreamAssembler* stream : {&fills, &reads}) stream->package().stream_address = external(0);
  for (const Control control : {Control::Direct, Control::Cpu}) {
    Device device(v256(), with(control));
    const int32_t first = device.load(fills.package()), second = device.load(reads.package());
    CHECK(device.place(first).sram_base == device.place(second).sram_base);
    const int32_t filling = device.submit(without_inputs(first)), reading = device.submit(without_inputs(second));
    device.run_until_idle();
    CHECK(device.job(filling).outcome == spec::JobOutcome::Done);
    CHECK(device.job(reading).outcome == spec::JobOutcome::Fault);
    require_fault(*device.job(reading).result, spec::FaultCode::UninitialisedRead);
  }
}

TEST_CASE("Device: regions that are full are said, and what is unloaded makes room") {
  package::Package large = adding(1);
  large.sram_peak_bytes = large.config.sram_bytes / 2;
  Device device(v256());
  const int32_t first = device.load(large), second = device.load(large);
  CHECK(device.place(second).sram_base == large.config.sram_bytes / 2);
  CHECK_THROWS_WITH(device.load(large), Contains("needs 33,554,432 B of SRAM in one piece"));
  device.unload(first);
  CHECK(device.place(device.load(large)).sram_base == 0);
}

TEST_CASE("Device: the events of a job are counted in that job alone, by the firmware as by the host") {
  const std::vector<uint32_t> events{
      spec::number_of(spec::EventSource::VectorUnit, spec::kBusyEvent),
      spec::number_of(spec::EventSource::Dma, spec::kBusyEvent), spec::number_of(spec::EventSource::Memory, 0),
      spec::number_of(spec::EventSource::Memory, 3), spec::number_of(spec::EventSource::Commands, 0)};
  for (const Control control : {Control::Direct, Control::Cpu}) {
    Device device(v256(), with(control));
    const int32_t network = device.load(adding(1));
    std::vector<int32_t> jobs;
    for (int i = 0; i < 6; ++i) {
      JobRequest request = job_of(network, i);
      if (i % 2 == 1) request.events = {events.begin(), events.begin() + 2 * (i / 2) + 1};
      jobs.push_back(device.submit(std::move(request)));
    }
    device.run_until_idle();
    for (int i = 0; i < 6; ++i) {
      INFO("job " << i);
      const DeviceJob& job = device.job(jobs[static_cast<size_t>(i)]);
      check_added(job, i, 1);
      const std::vector<int64_t> all{job.result->units.value("vector_unit/busy_cycles"),
                                     job.result->units.value("dma/busy_cycles"), job.result->traffic.sram_read_bytes,
                                     job.result->traffic.external_write_bytes, job.result->num_commands};
      const auto num_counted = i % 2 == 0 ? 0 : 2 * (i / 2) + 1;
      CHECK(job.result->event_counts == std::vector<int64_t>(all.begin(), all.begin() + num_counted));
    }
    JobRequest too_many = job_of(network, 0);
    too_many.events.assign(spec::kNumPmuCounters + 1, events[0]);
    CHECK_THROWS_WITH(device.submit(std::move(too_many)), Contains("9 events to count, allowed are 0 to 8"));
  }
}
