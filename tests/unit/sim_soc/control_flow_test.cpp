// SPDX-License-Identifier: Apache-2.0
// Packages with several streams: firmware runs the stream that the steps say is next, and the job is what its streams are.
#include "hw/base/error.hpp"
#include "sim/soc/job_events.hpp"
#include "sim/soc/machine.hpp"
#include "tests/unit/sim_soc/flow_network.hpp"

#include <functional>
#include <random>

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;
using Catch::Matchers::Contains;

namespace {

std::vector<int32_t> streams_of(const JobResult& result) {
  std::vector<int32_t> streams;
  for (const StreamRun& run : result.streams) streams.push_back(run.stream);
  return streams;
}

/// The streams of the job, one after the other on a machine that a host drives, with what is in memory handed on.
void check_against_direct(FlowAssembler& flow, const JobResult& result, int first) {
  Machine machine(v256(), std::make_unique<units::KernelDatapath>(v256()), Control::Direct);
  machine.power_on();
  const JobOptions options;
  const JobMemory memory{&machine.top.sram_region, &machine.top.external_region};
  load_image(memory, flow.package());
  write_inputs(memory, flow.package(), {flow_input(first)});
  int64_t cycles = 0;
  timing::Traffic traffic;
  kit::Statistics units("units");
  size_t record = 0;
  for (const StreamRun& run : result.streams) {
    const package::Package one = alone(flow.package(), run.stream);
    MachineJob job{1, &one, &options, 1'000'000, memory};
    machine.on_start([&](uint32_t) { return &job; });
    HandedJob handed = handed_job(one);
    handed.number = 1;
    handed.sram = machine.top.sram_region.extent();
    handed.external = machine.top.external_region.extent();
    handed.watchdog_cycles = 1'000'000;
    machine.start_directly(handed);
    REQUIRE(machine.run_stream());
    require_done(*job.result);
    REQUIRE(run.start_cycle == cycles);
    REQUIRE(run.cycles == job.result->cycles);
    REQUIRE(static_cast<size_t>(run.first_record) == record);
    record += job.result->commands.size();
    cycles += job.result->cycles;
    traffic += job.result->traffic;
    units.add(job.result->units);
  }
  CHECK(result.cycles == cycles);
  CHECK(result.traffic == traffic);
  CHECK(result.units == units);
  CHECK(result.commands.size() == record);
  CHECK(result.num_commands == static_cast<int64_t>(record));
}

}  // namespace

TEST_CASE("Control flow: a sequence of streams gives the values and the cycles of the streams alone") {
  FlowNetwork flow;
  flow.load().add(3).add(3).add(-1).store();
  FlowState expected(5);
  expected.add(5);
  Npu cpu(v256(), Control::Cpu);
  const JobResult result = run_flow(cpu, flow);
  check_output(result, expected);
  CHECK(streams_of(result) == std::vector<int32_t>{0, 2, 2, 3, 1});
  check_against_direct(flow, result, 5);
  CHECK(result.sram_peak_bytes == kFlowCounters + kNumFlowCounters);
  REQUIRE(result.control.has_value());
  int64_t waits = 0;
  for (const StreamRun& run : result.streams) waits += run.wait_cycles;
  CHECK(result.control->between_cycles == waits);
  CHECK(waits > 4 * 100);
  CHECK(waits < 4 * 1200);
  CHECK(result.control->job_overhead_cycles() == result.control->submit_cycles + waits + result.control->interrupt_cycles);
  // Records point at those of their own stream.
  for (size_t i = 0; i < result.commands.size(); ++i) CHECK(result.commands[i].last_giver_idx < static_cast<int32_t>(i));
}

TEST_CASE("Control flow: a branch goes both ways") {
  for (const int value : {0, 1, -128}) {
    INFO("the byte is " << value);
    FlowNetwork flow;
    flow.load().set(2, value).if_not_zero(counter(2));
    flow.add(7).otherwise();
    flow.add(11).end();
    flow.if_not_zero(counter(2));
    flow.add(20).end();
    flow.store();
    FlowState expected(1);
    expected.add(value != 0 ? 27 : 11);
    Npu cpu(v256(), Control::Cpu);
    const JobResult result = run_flow(cpu, flow, 1);
    check_output(result, expected);
    check_against_direct(flow, result, 1);
  }
}

TEST_CASE("Control flow: a byte in external memory decides as well") {
  for (const int value : {0, 3}) {
    FlowNetwork flow;
    const base::Address byte = external(kFlowOutput + 0x1000);
    const int32_t fill =
        flow.stream([&](StreamAssembler& s) { s.layer("fill").add(dma_fill(Queue::Dma0, byte, 1, value)); });
    flow.load().runs(fill).if_not_zero(byte);
    flow.add(1).end();
    flow.store();
    FlowState expected(0);
    expected.add(value != 0 ? 1 : 0);
    Npu cpu(v256(), Control::Cpu);
    check_output(run_flow(cpu, flow, 0), expected);
  }
}

TEST_CASE("Control flow: a loop runs as often as its byte counts down, at least to the while") {
  for (const int count : {0, 1, 2, 17}) {
    INFO(count << " times");
    FlowNetwork before, after;
    before.load().set(0, count).loop().while_not_zero(counter(0));
    before.add(3).count_down(0).end();
    before.store();
    after.load().set(0, count + 1).loop();
    after.add(3).count_down(0).while_not_zero(counter(0)).end();
    after.store();
    Npu cpu(v256(), Control::Cpu);
    FlowState expected(9);
    for (int i = 0; i < count; ++i) expected.add(3);
    const JobResult result = run_flow(cpu, before, 9);
    check_output(result, expected);
    CHECK(static_cast<int>(result.streams.size()) == 3 + 2 * count);
    check_against_direct(before, result, 9);
    expected.add(3);
    check_output(run_flow(cpu, after, 9), expected);
  }
}

TEST_CASE("Control flow: six loops in one another run, and the seventh is refused") {
  const auto nested = [](int32_t depth) {
    FlowNetwork flow;
    flow.load();
    for (int32_t d = 0; d < depth; ++d) {
      flow.set(d, 2).loop();
      flow.count_down(d);
    }
    flow.add(1);
    for (int32_t d = depth - 1; d >= 0; --d) flow.while_not_zero(counter(d)).end();
    flow.store();
    return flow;
  };
  FlowNetwork six = nested(6);
  FlowState expected(0);
  for (int i = 0; i < 64; ++i) expected.add(1);
  Npu cpu(v256(), Control::Cpu);
  const JobResult result = run_flow(cpu, six, 0);
  check_output(result, expected);
  check_against_direct(six, result, 0);
  FlowNetwork seven = nested(7);
  CHECK_THAT(package::problem_of_steps(seven.package().flow), Contains("7 deep in branches and loops, allowed are 6"));
}

TEST_CASE("Control flow: no stream starts after the limit of commands") {
  FlowNetwork flow;
  flow.load().set(0, 1).loop();  // 3 + 2 commands
  flow.add(1).while_not_zero(counter(0)).end();
  flow.store();
  Npu cpu(v256(), Control::Cpu);
  for (const int64_t limit : {1, 3, 4, 100, 101}) {
    INFO("limit " << limit);
    flow.most_commands(limit);
    const JobResult result = run_flow(cpu, flow);
    const auto* reached = std::get_if<LimitReached>(&result.status);
    REQUIRE(reached != nullptr);
    CHECK(reached->most_commands == limit);
    CHECK(reached->num_commands >= limit);
    CHECK(reached->num_commands < limit + 3);
    CHECK(reached->num_commands == result.num_commands);
    CHECK(result.outputs.empty());
    REQUIRE(result.control.has_value());
  }
  // A job that has its last command with the limit is done.
  FlowNetwork exact;
  exact.load().store().most_commands(5);
  require_done(run_flow(cpu, exact));
  exact.most_commands(0);
  require_done(run_flow(cpu, exact));
}

TEST_CASE("Control flow: a fault in the second turn of a loop is told with its stream, step, command and byte") {
  FlowNetwork flow;
  // The second turn reads what nobody has written: a byte more of SRAM each time.
  const int32_t reads = flow.stream([](StreamAssembler& s) {
    s.layer("reads").add(dma_fill(Queue::Dma0, sram(0x2000), 64, 1));
    s.add(dma_copy(Queue::Dma1, external(kFlowOutput + 0x100), sram(0x3000), 1));
  });
  flow.load().set(0, 2).set(1, 0).loop();
  flow.if_not_zero(counter(1));
  flow.runs(reads).end();
  flow.set(1, 1).while_not_zero(counter(0)).end();
  flow.store();
  Npu cpu(v256(), Control::Cpu);
  const JobResult result = run_flow(cpu, flow);
  const Fault fault = require_fault(result, spec::FaultCode::UninitialisedRead);
  const package::StreamPart& part = flow.package().flow.streams.at(static_cast<size_t>(reads));
  CHECK(fault.command_idx == part.first_command + 1);
  CHECK(fault.stream_offset_bytes > 0);
  CHECK(fault.stream_offset_bytes < part.num_bytes);
  CHECK_THAT(fault.detail, Contains(fmt::format("stream {} in step 5, run 4 of the job: command {} (layer reads)", reads,
                                                part.first_command + 1)));
  CHECK(result.streams.size() == 5);
  // The next job is right.
  FlowNetwork good;
  good.load().add(2).store();
  FlowState expected(5);
  expected.add(2);
  check_output(run_flow(cpu, good), expected);
}

TEST_CASE("Control flow: a stream that waits for itself ends the job by its watchdog") {
  FlowNetwork flow;
  const int32_t waits = flow.stream(
      [](StreamAssembler& s) { s.layer("waits").add(dma_fill(Queue::Dma0, sram(0x2000), 64, 1), tokens({Queue::Dma1})); });
  flow.load().runs(waits).store();
  Npu cpu(v256(), Control::Cpu);
  JobOptions options;
  options.watchdog_cycles = 5000;
  const JobResult result = run_flow(cpu, flow, 5, options);
  const auto* hang = std::get_if<Hang>(&result.status);
  REQUIRE(hang != nullptr);
  CHECK_THAT(hang->wait_for, Contains(fmt::format("stream {} in step 1, run 1 of the job\n", waits)));
}

TEST_CASE("Control flow: a condition that nobody has written is told") {
  FlowNetwork flow;
  flow.load().if_not_zero(sram(0x5000));
  flow.add(1).end();
  flow.store();
  Npu cpu(v256(), Control::Cpu);
  const Fault fault = require_fault(run_flow(cpu, flow), spec::FaultCode::UninitialisedRead);
  CHECK_THAT(fault.detail, Contains("the condition at sram:0x5000, after step 0, was never written"));
}

TEST_CASE("Control flow: it needs a control CPU, values, and steps that no command writes") {
  FlowNetwork flow;
  flow.load().add(1).store();
  Npu direct(v256()), cpu(v256(), Control::Cpu);
  CHECK_THROWS_WITH(run_flow(direct, flow), Contains("flow: has control flow") && Contains("it needs control 'cpu'"));
  JobOptions options;
  options.values = false;
  CHECK_THROWS_WITH(run_flow(cpu, flow, 5, options), Contains("it needs run, with values"));
  flow.package().flow.table = external(kFlowOutput + 0x4000);
  CHECK_THROWS_WITH(run_flow(cpu, flow), Contains("its steps lie at ext:0x34000") && Contains("a command writes byte"));
}

TEST_CASE("Control flow: the performance counters have the sums over all streams") {
  FlowNetwork flow;
  flow.load().set(0, 3).loop();
  flow.add(3).count_down(0).while_not_zero(counter(0)).end();
  flow.store();
  Npu cpu(v256(), Control::Cpu);
  for (size_t first = 0; first < spec::kPmuEvents.size(); first += spec::kNumPmuCounters) {
    JobOptions options;
    const size_t last = std::min(first + spec::kNumPmuCounters, spec::kPmuEvents.size());
    for (size_t i = first; i < last; ++i) options.events.push_back(spec::number_of(spec::kPmuEvents[i]));
    const JobResult result = run_flow(cpu, flow, 5, options);
    require_done(result);
    CHECK(result.pmu_cycles == result.cycles);
    for (size_t i = first; i < last; ++i) {
      INFO(name_of(spec::kPmuEvents[i]));
      CHECK(result.event_counts.at(i - first) == count_of(spec::kPmuEvents[i], result));
    }
  }
}

namespace {

/// Steps that are drawn, and what they do to a state: each function runs it in C++.
class DrawnFlow {
 public:
  explicit DrawnFlow(uint64_t seed) : random_(seed) {
    network_.load();
    body(0, 4);
    network_.store();
  }
  FlowNetwork& network() { return network_; }
  void apply(FlowState& state) const {
    for (const auto& one : actions_) one(state);
  }

 private:
  using Action = std::function<void(FlowState&)>;
  int within(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  void body(int32_t depth, int most) {
    for (int n = within(1, most); n > 0; --n) {
      const int kind = depth < 5 ? within(0, 5) : 0;
      if (kind <= 2) {
        const int value = within(-5, 5);
        network_.add(value);
        actions_.push_back([value](FlowState& state) { state.add(value); });
      } else if (kind <= 4) {
        branch(depth);
      } else {
        repeat(depth);
      }
    }
  }

  std::vector<Action> inner(int32_t depth) {
    std::vector<Action> outer;
    outer.swap(actions_);
    body(depth + 1, 2);
    outer.swap(actions_);
    return outer;
  }

  static void all(const std::vector<Action>& actions, FlowState& state) {
    for (const Action& one : actions) one(state);
  }

  void branch(int32_t depth) {
    const int value = within(0, 1);
    network_.set(depth, value).if_not_zero(counter(depth));
    const std::vector<Action> then = inner(depth);
    std::vector<Action> otherwise;
    if (within(0, 1) == 1) {
      network_.otherwise();
      otherwise = inner(depth);
    }
    network_.end();
    actions_.push_back([=](FlowState& state) { all(value != 0 ? then : otherwise, state); });
  }

  void repeat(int32_t depth) {
    const int count = within(1, 3);
    network_.set(depth, count).loop();
    const std::vector<Action> before = inner(depth);
    network_.while_not_zero(counter(depth));
    network_.count_down(depth);
    const std::vector<Action> after = inner(depth);
    network_.end();
    actions_.push_back([=](FlowState& state) {
      for (int left = count;; --left) {
        all(before, state);
        if (left == 0) return;
        all(after, state);
      }
    });
  }

  std::mt19937_64 random_;
  FlowNetwork network_;
  std::vector<Action> actions_;
};

}  // namespace

TEST_CASE("Control flow: drawn steps do what the same program in C++ does") {
  Npu cpu(v256(), Control::Cpu);
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    INFO("seed " << seed);
    DrawnFlow drawn(seed);
    FlowState expected(static_cast<int>(seed));
    drawn.apply(expected);
    REQUIRE(package::problem_of_steps(drawn.network().package().flow).empty());
    const JobResult result = run_flow(cpu, drawn.network(), static_cast<int>(seed));
    check_output(result, expected);
    check_against_direct(drawn.network(), result, static_cast<int>(seed));
  }
}
