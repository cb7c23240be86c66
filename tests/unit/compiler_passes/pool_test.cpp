// SPDX-License-Identifier: Apache-2.0
// How pools become commands: regions of equal windows, positions as streams, one axis after the other.
#include "compiler/cost/mac_choice.hpp"
#include "compiler/passes/lower_pool.hpp"
#include "tests/support/graph_builder.hpp"
#include "tests/unit/compiler_passes/program_runner.hpp"

#include <catch2/catch.hpp>

#include <utility>
#include <variant>

namespace vernier {
namespace {

using base::ElementType;
using ir::OpKind;
using tests::GraphBuilder;

TEST_CASE("windows of a pool fall into regions of equal sizes") {
  const auto regions = passes::pool_regions(5, 9, 3, 2, 1);  // windows from -1, 1, 3, 5, 7
  REQUIRE(regions.size() == 3);
  CHECK(regions[0].valid == 2);
  CHECK(regions[2].valid == 2);
  CHECK(regions[0].in_begin == 0);
  CHECK(regions[1].out_count == 3);
  CHECK(regions[1].in_begin == 1);
  CHECK(regions[1].in_stride == 2);
  CHECK(passes::reciprocal_scale(1).multiplier == (1 << 30) + 1);
  CHECK(passes::reciprocal_scale(9).shift == 34);
}

using CommandCounts = std::vector<std::pair<int64_t, size_t>>;

/// Kept loops and number of streams of each vector command; values are as the reference has them.
CommandCounts counts_of(const ir::Graph& graph, int64_t optimize) {
  const auto result = tests::lower_and_run(graph, tests::random_inputs(graph, 3), "v256", {optimize, 0});
  CHECK(result.differences == std::vector<std::string>{});
  CommandCounts commands;
  for (const passes::Step& step : result.program.steps) {
    const auto& command = std::get<spec::VectorCommand>(step.command.body);
    commands.emplace_back(command.kept_loops, command.streams.size());
  }
  return commands;
}

TEST_CASE("a pool takes few positions as streams, and large windows an axis after the other") {
  const auto pool = [](OpKind kind, ElementType type, int64_t kernel, int64_t stride, int64_t pad, int64_t optimize) {
    GraphBuilder b;
    GraphBuilder::Window window;
    window.stride = {stride, stride};
    window.pad = {pad, pad, pad, pad};
    if (type == ElementType::Int8) window.input_zp = -128, window.other_zp = 5;
    const auto x = b.input("x", type, {1, 12, 12, 32});
    const int64_t out = (12 + 2 * pad - kernel) / stride + 1;
    const auto y = kind == OpKind::AvgPool2d ? b.avg_pool2d(x, {kernel, kernel}, window)
                                             : b.op(kind, {x}, type, {1, out, out, 32},
                                                    ir::PoolAttributes{{kernel, kernel}, window.stride, window.pad});
    return counts_of(b.build({y}), optimize);
  };
  constexpr int64_t kNone = spec::kNumVectorLoops, kReduced = 3;
  CHECK(pool(OpKind::MaxPool2d, ElementType::Int8, 2, 2, 0, 1) == CommandCounts{{kNone, 5}});
  CHECK(pool(OpKind::MaxPool2d, ElementType::Int8, 2, 2, 0, 0) == CommandCounts{{kReduced, 2}});
  CHECK(pool(OpKind::AvgPool2d, ElementType::Int16, 2, 2, 0, 1) == CommandCounts{{kNone, 5}});
  CHECK(pool(OpKind::AvgPool2d, ElementType::Int8, 12, 1, 0, 1) == CommandCounts{{kReduced, 2}});  // global: one hand-over
  // Three regions along each axis: windows at the edges are smaller.
  CHECK(pool(OpKind::MaxPool2d, ElementType::Int8, 3, 1, 1, 1) ==
        CommandCounts{{kNone, 3}, {kNone, 4}, {kNone, 3}, {kNone, 3}, {kNone, 4}, {kNone, 3}});
  // The second pass of an average divides by the inputs along both: 3 + 3 x 3 commands.
  for (const ElementType type : {ElementType::Int8, ElementType::Int16}) {
    CHECK(pool(OpKind::AvgPool2d, type, 3, 1, 1, 1).size() == 12);
  }
  CHECK(pool(OpKind::AvgPool2d, ElementType::Int8, 3, 1, 1, 0).size() == 9);
}

TEST_CASE("the rows of a dense map between two passes do not meet in one bank") {
  const auto machine = GENERATE("v256", "v1024");
  const auto kind = GENERATE(OpKind::AvgPool2d, OpKind::MaxPool2d);
  CAPTURE(machine, kind);
  // 32 columns of 16 channels end with the last bank, 33 do not.
  const auto cycles_of = [&](int64_t columns) {
    GraphBuilder b;
    GraphBuilder::Window window;
    window.pad = {4, 4, 4, 4};
    const base::Shape shape{2, 32, columns, 16};
    const auto x = b.input("x", ElementType::Int8, shape);
    const auto y = kind == OpKind::AvgPool2d
                       ? b.avg_pool2d(x, {9, 9}, window)
                       : b.op(kind, {x}, ElementType::Int8, shape, ir::PoolAttributes{{9, 9}, window.stride, window.pad});
    const ir::Graph graph = b.build({y});
    const auto result = tests::lower_and_run(graph, tests::random_inputs(graph, 3), machine, {1, 0});
    CHECK(result.differences == std::vector<std::string>{});
    int64_t cycles = 0;
    for (const passes::Step& step : result.program.steps) {
      cycles += cost::cycles_alone(step.command, config::preset_config(machine, "test"));
    }
    return cycles;
  };
  CHECK(cycles_of(32) <= cycles_of(33));
}

TEST_CASE("sums along one axis are stored only where they fit") {
  for (const int64_t rows : {128, 130}) {  // 130 x 255 is beyond an int16
    GraphBuilder b;
    GraphBuilder::Window window;
    window.input_zp = -128;
    const base::Shape shape{1, rows, 6, 16};
    const ir::Graph graph = b.build({b.avg_pool2d(b.input("x", ElementType::Int8, shape), {rows, 2}, window)});
    const auto result =
        tests::lower_and_run(graph, {tests::random_tensor(ElementType::Int8, shape, 1, 127, 127)}, "v256", {1, 0});
    CHECK(result.differences == std::vector<std::string>{});
    CHECK(result.program.steps.size() == (rows == 128 ? 2 : 1));
  }
}

}  // namespace
}  // namespace vernier
