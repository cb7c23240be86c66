// SPDX-License-Identifier: Apache-2.0
// The stream sorted by starts: graphs of two branches that need nothing of each other.
#include "compiler/schedule/starts.hpp"

#include "compiler/passes/program.hpp"
#include "compiler/schedule/attempt.hpp"
#include "compiler/schedule/verifier.hpp"
#include "hw/spec/command_fields.hpp"
#include "hw/spec/latency.hpp"
#include "tests/support/graph_builder.hpp"
#include "tests/unit/compiler_schedule/layers.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace vernier::schedule {
namespace {

using tests::ElementType;
using tests::GraphBuilder;
using TensorId = GraphBuilder::TensorId;

/// Two convolutions of an input, and behind them a pool of it.
ir::Graph pool_beside_convolutions() {
  GraphBuilder b;
  const TensorId x = b.input("x", ElementType::Int8, {1, 48, 48, 3});
  const TensorId first = convolution(b, x, 16, 3), second = convolution(b, x, 16, 5);
  return b.build({first, second, max_pool(b, x)});
}

/// Branches of one to four operators each, one after the other in the file.
ir::Graph random_branches(unsigned seed) {
  std::mt19937 random(seed);
  GraphBuilder b;
  const auto extent = static_cast<int64_t>(12 + random() % 20), channels = static_cast<int64_t>(8 + random() % 40);
  const TensorId x = b.input("x", ElementType::Int8, {1, extent, extent, channels});
  std::vector<TensorId> ends;
  for (int branch = 0; branch < 3; ++branch) {
    TensorId y = x;
    for (unsigned i = 0; i <= random() % 4; ++i) {
      y = random() % 2 == 0 ? max_pool(b, y) : convolution(b, y, channels, random() % 2 == 0 ? 1 : 3);
    }
    ends.push_back(y);
  }
  return b.build(ends);
}

/// Those of level 1 on the presets, whatever the SRAM.
StripeRules usual_rules() {
  StripeRules rules;
  rules.limits.working_set_bytes = int64_t{16} << 20;
  rules.choose_by_cost = true;
  return rules;
}

/// A graph in SRAM as laid out, and what becomes of it.
struct Planned {
  Planned(ir::Graph network, config::MachineConfig machine)
      : graph(std::move(network)),
        config(std::move(machine)),
        program(passes::lower(graph, config, {1}, "test")),
        times(config),
        task(make_task(program, graph, config, options, times)),
        plan(plan_without_memory(task.steps, program)),
        planned_for{config},
        attempt(task, plan, planned_for, rules) {
    REQUIRE(attempt.fit({config.sram_bytes}));
  }

  Schedule schedule() {
    Schedule found = attempt.schedule();
    found.cycles = makespan_cycles(attempt.linked(), config, times);
    return found;
  }

  ir::Graph graph;
  config::MachineConfig config;
  Options options;
  StripeRules rules = usual_rules();
  passes::Program program;
  KnownTimes times;
  Task task;
  MemoryPlan plan;
  PlannedFor planned_for;
  Attempt attempt;
};

/// Per queue, its commands in order, but for where their operands lie: their lengths, what they work for and what they make.
using QueueOrder = std::array<std::vector<std::string>, spec::kNumQueues>;
QueueOrder queues_of(const Schedule& schedule) {
  QueueOrder queues;
  for (const passes::Step& step : schedule.commands) {
    std::string text =
        std::visit([](const auto& body) { return fmt::format("{} units", spec::length_units(body)); }, step.command.body);
    for (const ir::OpId op : step.ops) text += fmt::format(", operator {}", op);
    for (const passes::Production& made : step.productions) {
      text +=
          fmt::format(", tensor {} from {} of {}", made.tensor, base::to_string(made.begin), base::to_string(made.extent));
    }
    queues[static_cast<size_t>(step.command.header.queue)].push_back(text);
  }
  return queues;
}

std::pair<size_t, size_t> first_and_last(const Schedule& schedule, spec::Queue queue) {
  std::pair<size_t, size_t> found{schedule.commands.size(), 0};
  for (size_t i = 0; i < schedule.commands.size(); ++i) {
    if (schedule.commands[i].command.header.queue != queue) continue;
    found.first = std::min(found.first, i);
    found.second = i;
  }
  return found;
}

}  // namespace

TEST_CASE("commands by their starts: equals as they were, and who runs until when") {
  std::array<LinearCommand, 5> commands;
  Sequence from;
  for (size_t i = 0; i < commands.size(); ++i) {
    from.commands.push_back(&commands[i]);
    from.item.push_back(i);
  }
  constexpr int64_t kToken = spec::kTokenCycles;
  const std::vector<CommandTime> times{
      {0, 100}, {100 + kToken, 300}, {0, 10}, {10 + kToken, 50}, {99 + kToken, 101 + kToken}};
  const StartOrder sorted(from, times);
  CHECK(sorted.sequence.item == std::vector<size_t>{0, 2, 3, 4, 1});
  CHECK(sorted.sequence.commands ==
        std::vector<LinearCommand*>{&commands[0], &commands[2], &commands[3], &commands[4], &commands[1]});
  // The first is over only when the last but one has started; the second when the third may start.
  CHECK(sorted.busy_until == std::vector<int64_t>{3, 1, 2, 4, 4});
}

TEST_CASE("a pool behind two convolutions in the file stands and runs beside them") {
  const ir::Graph graph = pool_beside_convolutions();
  Planned planned(graph, config::preset_config("v256", "test"));
  const Schedule laid_out = planned.schedule();
  CHECK(first_and_last(laid_out, spec::Queue::VectorUnit).first > first_and_last(laid_out, spec::Queue::MacArray).second);

  REQUIRE(planned.attempt.take_order(planned.attempt.sorted_by_starts(), Lifetimes::ByTime));
  const Schedule sorted = planned.schedule();
  verify(sorted, planned.config);
  CHECK(queues_of(sorted) == queues_of(laid_out));
  CHECK(first_and_last(sorted, spec::Queue::VectorUnit).first < 3);
  CHECK(first_and_last(sorted, spec::Queue::VectorUnit).first < first_and_last(sorted, spec::Queue::MacArray).second);
  CHECK(100 * sorted.cycles < 85 * laid_out.cycles);
  CHECK_FALSE(planned.attempt.take_order(planned.attempt.sorted_by_starts(), Lifetimes::ByTime));  // nothing new

  const std::optional<Schedule> chosen = try_schedule(planned.program, graph, planned.config, {});
  REQUIRE(chosen);
  CHECK(chosen->cycles <= sorted.cycles);  // shorter stripes may be better still
  REQUIRE(chosen->plans.ways.size() >= 2);
  CHECK(chosen->plans.ways[0].cycles == laid_out.cycles);
  CHECK(chosen->plans.ways[chosen->plans.chosen].cycles == chosen->cycles);
}

TEST_CASE("where blocks that live by time do not fit, they may by their places in the stream, or nothing changes") {
  int num_close = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    Planned planned(random_branches(seed), config::preset_config("v256", "test"));
    const Schedule before = planned.schedule();
    const StartOrder order = planned.attempt.sorted_by_starts();
    if (!planned.attempt.take_order(order, Lifetimes::ByTime)) continue;
    const Schedule apart = planned.schedule();
    planned.config.sram_bytes = apart.sram_peak_bytes - 1;
    if (before.sram_peak_bytes > planned.config.sram_bytes) continue;
    REQUIRE(planned.attempt.fit({planned.config.sram_bytes}));           // as laid out again
    if (planned.attempt.take_order(order, Lifetimes::ByTime)) continue;  // in another order of its blocks
    const Schedule unchanged = planned.schedule();
    CHECK(queues_of(unchanged) == queues_of(before));
    CHECK(unchanged.cycles == before.cycles);
    CHECK(unchanged.sram_peak_bytes == before.sram_peak_bytes);
    if (!planned.attempt.take_order(order, Lifetimes::ByPlace)) continue;
    const Schedule close = planned.schedule();
    REQUIRE_NOTHROW(verify(close, planned.config));
    CHECK(close.sram_peak_bytes < apart.sram_peak_bytes);
    CHECK(queues_of(close) == queues_of(before));
    ++num_close;
  }
  CHECK(num_close >= 4);
}

TEST_CASE("random branches: each queue keeps its order, the verifier agrees, and what is chosen is never slower") {
  int num_better = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    config::MachineConfig config = config::preset_config(seed % 3 == 0 ? "v64" : "v256", "test");
    config.queue_depth = seed % 2 == 0 ? 4 : 8;
    const ir::Graph graph = random_branches(seed);
    CAPTURE(seed);
    Planned planned(graph, config);
    const Schedule laid_out = planned.schedule();
    const StartOrder order = planned.attempt.sorted_by_starts();
    int64_t least = laid_out.cycles;
    for (const Lifetimes lifetimes : {Lifetimes::ByTime, Lifetimes::ByPlace}) {
      if (!planned.attempt.take_order(order, lifetimes)) continue;
      const Schedule sorted = planned.schedule();
      REQUIRE_NOTHROW(verify(sorted, config));
      CHECK(queues_of(sorted) == queues_of(laid_out));
      least = std::min(least, sorted.cycles);
    }
    const std::optional<Schedule> chosen = try_schedule(planned.program, graph, config, {});
    REQUIRE(chosen);
    CHECK(chosen->cycles <= least);
    num_better += chosen->cycles < laid_out.cycles ? 1 : 0;
  }
  CHECK(num_better >= 6);
}

}  // namespace vernier::schedule
