// SPDX-License-Identifier: Apache-2.0
// Plans for one SRAM and those below it: what prunes them, and what must hold whatever the SRAM is.
#include "compiler/schedule/candidates.hpp"

#include "compiler/schedule/makespan.hpp"
#include "compiler/schedule/race.hpp"
#include "compiler/schedule/rungs.hpp"
#include "compiler/schedule/schedule.hpp"
#include "tests/support/graph_builder.hpp"
#include "tests/unit/compiler_schedule/layers.hpp"

#include <catch2/catch.hpp>

#include <random>
#include <string>

namespace vernier::schedule {
namespace {

using tests::ElementType;
using tests::GraphBuilder;
using TensorId = GraphBuilder::TensorId;

/// Three to five convolutions, pools among them.
ir::Graph random_network(unsigned seed) {
  std::mt19937 random(seed);
  GraphBuilder b;
  const auto extent = static_cast<int64_t>(6 + random() % 8);
  TensorId y = b.input("x", ElementType::Int8, {1, extent, extent, static_cast<int64_t>(3 + random() % 14)});
  for (unsigned i = 0; i < 3 + random() % 3; ++i) {
    y = convolution(b, y, static_cast<int64_t>(8 + random() % 24), random() % 2 == 0 ? 1 : 3);
    if (random() % 3 != 0) continue;
    y = max_pool(b, y);
  }
  return b.build({y});
}

config::MachineConfig machine(const std::string& preset, int64_t sram_bytes) {
  config::MachineConfig config = config::preset_config(preset, "test");
  config.memory_mode = spec::MemoryMode::External;
  config.sram_bytes = sram_bytes;
  return config;
}

/// From one size of SRAM to the next: a fifth of it. Sanitizers look at memory, not at cycles, and take ten times as long.
#ifdef VERNIER_SANITIZE
constexpr int64_t kSizeShare = 2;
#else
constexpr int64_t kSizeShare = 5;
#endif

/// The least SRAM that a network takes.
int64_t least_bytes_of(const passes::Program& program, const ir::Graph& graph, config::MachineConfig config) {
  config.sram_bytes = 64;
  return sram_need(program, graph, config, {}, 1'000'000'000).value().bytes;
}

TEST_CASE("rungs are the same whatever is asked for, a 32nd of an octave apart or a step") {
  CHECK(rung_at_most(9600, 128) == 9472);
  CHECK(rung_at_most(1000, 128) == 896);
  CHECK(rung_at_most(64, 128) == 0);
  for (int64_t bytes = 128; bytes < 300000; bytes += 37) {
    const int64_t rung = rung_at_most(bytes, 128), above = rung_above(bytes, 128);
    CAPTURE(bytes);
    REQUIRE(rung % 128 == 0);
    REQUIRE(rung_at_most(rung, 128) == rung);
    REQUIRE((rung <= bytes && bytes < above));
    REQUIRE(rung_at_most(above, 128) == above);
    REQUIRE(rung_at_most(above - 1, 128) == rung);
    REQUIRE(above - rung <= std::max<int64_t>(128, rung / 32));
  }
}

TEST_CASE("no schedule takes fewer cycles than the bound that prunes it") {
  int num_bounds = 0;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    const ir::Graph graph = random_network(seed);
    const config::MachineConfig config = machine(seed % 2 == 0 ? "v64" : "v256", 4096 + 1024 * seed);
    const passes::Program program = passes::lower(graph, config, {1}, "test");
    const Options options;
    KnownTimes times(config);
    const Task task = make_task(program, graph, config, options, times);
    Machines machines = make_machines(task);
    StripeRules rules;
    rules.choose_by_cost = true;
    const std::vector<Candidate> candidates = make_candidates(task, machines).plans;
    for (size_t i = 0; i < candidates.size(); i += 4) {
      const Candidate& candidate = candidates[i];
      Attempt attempt(task, *candidate.plan, machines[candidate.machine], rules);
      for (const int64_t bytes : {candidate.planned_bytes, config.sram_bytes}) {
        if (!attempt.fit({bytes})) continue;
        const int64_t cycles = makespan_cycles(attempt.linked(), config, times);
        REQUIRE(attempt.lower_bound_cycles() <= cycles);
        REQUIRE(3 * attempt.lower_bound_cycles() >= cycles);  // a bound of nothing would prune nothing
        ++num_bounds;
      }
    }
  }
  CHECK(num_bounds > 30);
}

TEST_CASE("a plan comes out the same, whatever has been carried out before it") {
  const ir::Graph graph = random_network(3);
  const config::MachineConfig config = machine("v64", 8 << 10);
  const passes::Program program = passes::lower(graph, config, {1}, "test");
  const Options options;
  KnownTimes times(config);
  const Task task = make_task(program, graph, config, options, times);
  Machines machines = make_machines(task);
  int num_compared = 0;
  for (const Candidate& candidate : make_candidates(task, machines).plans) {
    StripeRules rules;
    rules.choose_by_cost = true;
    rules.limits.working_set_bytes = candidate.planned_bytes / 4;
    const Task alone = make_task(program, graph, config, options, times);
    Attempt behind_others(task, *candidate.plan, machines[candidate.machine], rules);
    Attempt by_itself(alone, *candidate.plan, machines[candidate.machine], rules);
    const bool fits = behind_others.fit({config.sram_bytes});
    REQUIRE(by_itself.fit({config.sram_bytes}) == fits);
    if (!fits) continue;
    REQUIRE(behind_others.linked().commands == by_itself.linked().commands);
    ++num_compared;
  }
  CHECK(num_compared > 20);
}

TEST_CASE("plans far below the SRAM are for coarse rungs, the least estimate first, and none is an eighth dearer") {
  size_t num_plans = 0;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    const ir::Graph graph = random_network(seed);
    const config::MachineConfig config = machine(seed % 2 == 0 ? "v64" : "v256", 64 << 10);
    const passes::Program program = passes::lower(graph, config, {1}, "test");
    const Options options;
    KnownTimes times(config);
    const Task task = make_task(program, graph, config, options, times);
    Machines machines = make_machines(task);
    const std::vector<Candidate> candidates = make_far_candidates(task, machines);
    int64_t before = 0;
    for (const Candidate& candidate : candidates) {
      CHECK(candidate.plan->fits);
      CHECK(8 * candidate.planned_bytes < config.sram_bytes);
      CHECK(is_coarse(candidate.planned_bytes, stage_align_bytes(config.datapath)));
      CHECK(candidate.ends == Ends::Exposed);
      CHECK(candidate.estimate_cycles >= before);
      CHECK(8 * candidate.estimate_cycles <= 9 * candidates.front().estimate_cycles);
      before = candidate.estimate_cycles;
    }
    num_plans += candidates.size();
  }
  CHECK(num_plans >= 8);
}

TEST_CASE("a queue deeper than 8 commands costs nothing, and 4 commands may wait where more delay the first load") {
  int num_limited = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    const ir::Graph graph = random_network(seed);
    config::MachineConfig config = machine("v1024", 64 << 10);
    const passes::Program program = passes::lower(graph, config, {1}, "test");
    const auto cycles_with = [&](int64_t depth) {
      config.queue_depth = depth;
      const std::optional<Schedule> schedule = try_schedule(program, graph, config, {});
      REQUIRE(schedule);
      const uint8_t limit = schedule->commands.front().command.header.queue_limit;
      for (const passes::Step& step : schedule->commands) CHECK(step.command.header.queue_limit == limit);
      num_limited += depth == 8 && limit == 1 ? 1 : 0;
      if (limit != 0) CHECK(spec::kQueueLimits.at(limit) < depth);
      return schedule->cycles;
    };
    const int64_t of_four = cycles_with(4), of_preset = cycles_with(8);
    CHECK(100 * of_preset <= 103 * of_four);
    for (const int64_t depth : {9, 16, 64}) CHECK(100 * cycles_with(depth) <= 101 * of_preset);
  }
  CHECK(num_limited > 0);
}

TEST_CASE("a larger SRAM costs no more than any smaller one, and from the least that is named all are taken") {
  for (unsigned seed = 11; seed <= 12; ++seed) {
    const ir::Graph graph = random_network(seed);
    config::MachineConfig config = machine(seed % 2 == 0 ? "v64" : "v256", 0);
    const int64_t step = seed % 2 == 0 ? 64 : 128;
    const passes::Program program = passes::lower(graph, config, {1}, "test");
    const int64_t least = least_bytes_of(program, graph, config);
    config.sram_bytes = least - step;
    CHECK_FALSE(try_schedule(program, graph, config, {}));
    int64_t best = 0;
    for (int64_t bytes = least; bytes < 5 * least; bytes += std::max(step, bytes / kSizeShare / step * step)) {
      CAPTURE(seed, least, bytes);
      config.sram_bytes = bytes;
      const std::optional<Schedule> schedule = try_schedule(program, graph, config, {});
      REQUIRE(schedule);
      CHECK(schedule->planned_bytes <= bytes);
      CHECK(schedule->planned_bytes > 0);
      if (best > 0) CHECK(100 * schedule->cycles <= 101 * best);
      best = best == 0 ? schedule->cycles : std::min(best, schedule->cycles);
    }
  }
}

TEST_CASE("a size whose plan has too many commands is refused, and the one that is named instead is taken") {
  GraphBuilder b;
  const TensorId x = b.input("x", ElementType::Int8, {1, 12, 12, 64});
  const ir::Graph graph = b.build({convolution(b, x, 64, 3)});
  Options few;
  few.most_commands = 300;
  config::MachineConfig config = machine("v64", 64);
  const passes::Program program = passes::lower(graph, config, {1}, "test");
  const int64_t least_of_many = sram_need(program, graph, config, {}, 1'000'000'000).value().bytes;
  const int64_t least = sram_need(program, graph, config, few, 1'000'000'000).value().bytes;
  CHECK(least > least_of_many);  // which is taken only with more commands
  for (const int64_t bytes : {least_of_many, least - 64}) {
    config.sram_bytes = bytes;
    CAPTURE(bytes);
    CHECK_FALSE(try_schedule(program, graph, config, few));
    CHECK_THROWS_AS(make_schedule(program, graph, config, few), TooLittleSram);
  }
  config.sram_bytes = least;
  const std::optional<Schedule> schedule = try_schedule(program, graph, config, few);
  REQUIRE(schedule);
  CHECK(static_cast<int64_t>(schedule->commands.size()) <= few.most_commands);
}

}  // namespace
}  // namespace vernier::schedule
