// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/schedule.hpp"
#include "hw/config/machine_config.hpp"
#include "tests/support/graph_builder.hpp"

#include <catch2/catch.hpp>

#include <optional>
#include <string>

namespace vernier::schedule {
namespace {

using base::ElementType;

/// A transposed convolution of many phases, most of which no tap belongs to.
ir::Graph transposed() {
  tests::GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 2, 1, 48});
  const auto w = b.constant(tests::random_tensor(ElementType::Int8, {40, 1, 3, 48}, 1));
  const auto bias = b.constant(tests::random_tensor(ElementType::Int32, {40}, 2, -1000, 1000));
  const auto zero = b.scalar(ElementType::Int8, 0);
  const auto sums = b.op(ir::OpKind::TransposeConv2d, {x, w, bias, zero, zero}, ElementType::Int32, {1, 49, 3, 40},
                         ir::TransposeConvAttributes{{32, 0, 0, 0}, {16, 16}, ElementType::Int32});
  return b.build({b.rescale(sums, ElementType::Int8, {.multipliers = {1 << 30}, .shifts = {38}})});
}

constexpr int64_t kMuchWork = 1'000'000'000;

TEST_CASE("the least size is found without carrying out the same plan for each") {
  config::MachineConfig config = config::preset_config("v1024", "test");
  config.memory_mode = spec::MemoryMode::External;
  const ir::Graph graph = transposed();
  const passes::Program program = passes::lower(graph, config, {1}, "test");
  const std::optional<SramNeed> need = sram_need(program, graph, config, {}, kMuchWork);
  REQUIRE(need);
  // 72 when each size carries out its own.
  CHECK(need->num_attempts < 30);
}

TEST_CASE("the least size is taken, one step less is refused, and whoever asks is told the same") {
  const ir::Graph graph = transposed();
  for (const auto mode : {spec::MemoryMode::Sram, spec::MemoryMode::WeightsExternal, spec::MemoryMode::External}) {
    for (const int64_t optimize : {0, 1}) {
      for (const std::string preset : {"v64", "v1024"}) {
        CAPTURE(mode, optimize, preset);
        config::MachineConfig config = config::preset_config(preset, "test");
        config.memory_mode = mode;
        passes::LoweringOptions lowering{optimize};
        lowering.may_take_more_room = false;
        const passes::Program program = passes::lower(graph, config, lowering, "test");
        const Options options{optimize};
        const int64_t least = sram_need(program, graph, config, options, kMuchWork).value().bytes;
        const int64_t step = preset == "v64" ? 64 : 256;  // a word in each bank: what sizes of copies are rounded to
        config.sram_bytes = least;
        CHECK(try_schedule(program, graph, config, options));
        CHECK(sram_need(program, graph, config, options, kMuchWork).value().bytes == least);
        for (const int64_t refused : {least - step, step}) {
          config.sram_bytes = refused;
          CHECK_FALSE(try_schedule(program, graph, config, options));
          CHECK(sram_need(program, graph, config, options, kMuchWork).value().bytes == least);
          try {
            make_schedule(program, graph, config, options);
            FAIL("taken");
          } catch (const TooLittleSram& error) {
            CHECK(error.need().bytes == least);
            CHECK_FALSE(error.has_too_many_commands());
          }
        }
      }
    }
  }
}

TEST_CASE("a search ends where it takes more work than it may") {
  const ir::Graph graph = transposed();
  for (const auto mode : {spec::MemoryMode::Sram, spec::MemoryMode::WeightsExternal, spec::MemoryMode::External}) {
    config::MachineConfig config = config::preset_config("v256", "test");
    config.memory_mode = mode;
    const passes::Program program = passes::lower(graph, config, {1}, "test");
    CHECK_FALSE(sram_need(program, graph, config, {}, 10));
  }
}

}  // namespace
}  // namespace vernier::schedule
