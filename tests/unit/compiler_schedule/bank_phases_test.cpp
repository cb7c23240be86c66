// SPDX-License-Identifier: Apache-2.0
// In which banks the operands of a command start once it is placed.
#include "compiler/passes/program.hpp"
#include "compiler/schedule/schedule.hpp"
#include "hw/timing/access_pattern.hpp"
#include "hw/timing/unit_timing.hpp"
#include "tests/support/graph_builder.hpp"

#include <catch2/catch.hpp>

#include <optional>
#include <variant>

namespace vernier::schedule {
namespace {

using tests::ElementType;
using tests::GraphBuilder;

/// 3x3, on rows of 24 words of v256: what lies below each other lies in one bank.
ir::Graph depthwise() {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 48, 48, 8});
  const auto weight = b.constant(tests::random_tensor(ElementType::Int8, {3, 3, 8, 1}, 1));
  const auto bias = b.constant(ElementType::Int32, {8}, std::vector<int64_t>(8, 7));
  const auto sums = b.depthwise_conv2d(x, weight, bias, {{1, 1, 1, 1}, {1, 1}, {1, 1}, 0, 0});
  return b.build({b.rescale(sums, ElementType::Int8, {{1 << 30}, {40}, 0, 0, {}})});
}

int64_t waits_for_banks(const timing::Phase& phase) {
  return phase.stall_cycles[static_cast<size_t>(timing::Stall::BankConflict)];
}

TEST_CASE("a depthwise layer writes into banks that it does not read, where the SRAM has room for that") {
  const ir::Graph graph = depthwise();
  config::MachineConfig config = config::preset_config("v256", "test");
  const auto scheduled = [&] {
    const passes::Program program = passes::lower(graph, config, {1}, "test");
    return try_schedule(program, graph, config, {});
  };
  const auto command_of = [](const Schedule& schedule) {
    for (const passes::Step& step : schedule.commands) {
      if (const auto* mac = std::get_if<spec::MacCommand>(&step.command.body)) return *mac;
    }
    throw std::runtime_error("no command of the array");
  };
  const std::optional<Schedule> roomy = scheduled();
  REQUIRE(roomy);
  const spec::MacCommand apart = command_of(*roomy);
  const timing::Phase main = timing::profile(apart, config).main;
  CHECK(100 * waits_for_banks(main) <= 2 * main.cycles);

  // The same with the output where the input starts.
  spec::MacCommand together = apart;
  const int64_t period = timing::bank_period_bytes(config.datapath);
  together.output.base += (together.input.base - together.output.base) % period;
  const timing::Phase slow = timing::profile(together, config).main;
  CHECK(3 * waits_for_banks(slow) > slow.cycles);

  // With less than that all starts in the first bank, and the network still fits.
  config.sram_bytes = (roomy->sram_peak_bytes - 1) / period * period;
  const std::optional<Schedule> tight = scheduled();
  REQUIRE(tight);
  CHECK(tight->sram_peak_bytes <= config.sram_bytes);
  const spec::MacCommand dense = command_of(*tight);
  CHECK(dense.input.base % period == 0);
  CHECK(dense.output.base % period == 0);
}

}  // namespace
}  // namespace vernier::schedule
