// SPDX-License-Identifier: Apache-2.0
// A RESIZE of one pixel is a broadcast: few commands, however many outputs. One of a row stays on the array.
#include "tests/support/graph_builder.hpp"
#include "tests/unit/compiler_passes/program_runner.hpp"

#include <catch2/catch.hpp>

namespace vernier {
namespace {

using base::ElementType;
using tests::GraphBuilder;

size_t num_commands(ElementType type, bool is_bilinear, int64_t columns, int64_t channels) {
  GraphBuilder b;
  const auto x = b.input("x", type, {1, 1, columns, channels});
  const int64_t out_columns = columns == 1 ? 9 : 2 * columns - 1;
  const std::vector<int64_t> scale{columns == 1 ? 24 : 4, 1, columns == 1 ? 9 : 2, 1};
  const ElementType sum = type == ElementType::Int8 ? ElementType::Int32 : ElementType::Int48;
  const auto y =
      b.op(ir::OpKind::Resize, {x, b.shape(scale), b.shape({0, 0}), b.shape({scale[0] - 1, columns == 1 ? 8 : 0})},
           is_bilinear ? sum : type, {1, scale[0], out_columns, channels}, ir::ResizeAttributes{is_bilinear});
  const ir::Graph graph = b.build({y});
  for (const int64_t optimize : {0, 1}) {
    const auto result = tests::lower_and_run(graph, tests::random_inputs(graph, 4), "v256", {optimize, 0});
    CHECK(result.differences == std::vector<std::string>{});
    if (optimize == 1) return result.program.steps.size();
  }
  return 0;
}

TEST_CASE("a resize of one pixel is a broadcast") {
  for (const int64_t channels : {12, 32}) {
    CHECK(num_commands(ElementType::Int8, false, 1, channels) == 1);
    CHECK(num_commands(ElementType::Int16, false, 1, channels) == 1);
    CHECK(num_commands(ElementType::Int8, true, 1, channels) == 1);
    CHECK(num_commands(ElementType::Int16, true, 1, channels) == 2);  // two words of an int48
    // Each row that it becomes is a phase of the array, and columns have two.
    CHECK(num_commands(ElementType::Int8, true, 5, channels) == 4 * 2);
    CHECK(num_commands(ElementType::Int16, true, 5, channels) == 4 * 2);
  }
}

}  // namespace
}  // namespace vernier
