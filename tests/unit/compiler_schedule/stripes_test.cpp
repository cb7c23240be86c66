// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/stripes.hpp"

#include "compiler/schedule/known_times.hpp"
#include "hw/config/machine_config.hpp"

#include <catch2/catch.hpp>

namespace vernier::schedule {
namespace {

passes::Step step_of(spec::Queue queue, spec::CommandBody body) {
  passes::Step step;
  step.command = {{queue, 0, 0}, std::move(body)};
  return step;
}

/// A vector a column, 64 x 64 of them: enough for four stripes.
passes::Step vector_step() {
  spec::VectorCommand vec;
  vec.lanes = 16;
  vec.counts = {64, 64, 1, 1, 1};
  vec.streams = {{0, base::ElementType::Int8, false, 1, {1024, 16, 0, 0, 0}},
                 {1 << 20, base::ElementType::Int8, false, 1, {1024, 16, 0, 0, 0}}};
  vec.steps = {{.op = spec::VectorOp::Load}, {.op = spec::VectorOp::Store, .stream = 1}};
  return step_of(spec::Queue::VectorUnit, vec);
}

TEST_CASE("a vector step beside steps of its own unit alone is one command, beside another unit's it has stripes") {
  const config::MachineConfig config = config::preset_config("v256", "test");
  KnownTimes times(config);
  StripeRules rules;
  rules.choose_by_cost = true;
  const passes::Step vec = vector_step(), mac = step_of(spec::Queue::MacArray, spec::MacCommand{});
  const passes::Step copy = step_of(spec::Queue::Dma0, spec::DmaCommand{});
  passes::Step fill = copy;
  std::get<spec::DmaCommand>(fill.command.body).kind = spec::DmaKind::TableFill;
  const auto beside_of = [&](const std::vector<passes::Step>& steps, size_t idx) {
    std::vector<int64_t> alone_cycles;
    for (const passes::Step& step : steps) alone_cycles.push_back(times.cycles_alone(step.command, config));
    return beside(steps, idx, alone_cycles, rules);
  };
  const auto stripes = [&](const std::vector<passes::Step>& steps, size_t idx) {
    return stripes_of(steps[idx], config, times, rules, beside_of(steps, idx)).size();
  };
  CHECK(stripes({vec}, 0) == 1);
  CHECK(stripes({vec, vec, vec}, 1) == 1);
  CHECK(stripes({vec, fill, vec}, 0) == 1);  // a table fills one step ahead
  CHECK(stripes({mac, vec}, 1) == 4);
  CHECK(stripes({vec, vec, mac}, 1) == 4);
  CHECK(stripes({vec, copy}, 0) == 4);
  CHECK(beside_of({copy, copy}, 0).least_stripes > 1);  // DMA commands have two queues
  CHECK(beside_of({vec, copy}, 0).cycles > 0);
  rules.limits.working_set_bytes = 1 << 15;
  CHECK(stripes({vec}, 0) == 4);  // 128 KiB of maps
}

}  // namespace
}  // namespace vernier::schedule
