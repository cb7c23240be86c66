// SPDX-License-Identifier: Apache-2.0
// What a command of the array holds: the largest convolution, the parts of a larger one, and weights of four bits.
#include "compiler/passes/program.hpp"
#include "compiler/reference/interpreter.hpp"
#include "hw/base/error.hpp"
#include "hw/config/machine_config.hpp"
#include "tests/support/graph_builder.hpp"
#include "tests/unit/compiler_passes/program_runner.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

namespace vernier {
namespace {

using base::ElementType;

TEST_CASE("a convolution larger than the commands of the array hold is refused, and told what they hold") {
  const auto refusal = [](const base::Shape& in, int64_t channels) -> std::string {
    tests::GraphBuilder b;
    const auto w = b.constant(base::Tensor(ElementType::Int8, {channels, 1, 1, in[3]}));
    const auto bias = b.constant(base::Tensor(ElementType::Int32, {channels}));
    const ir::Graph graph = b.build({b.conv2d(b.input("x", ElementType::Int8, in), w, bias, {})});
    try {
      passes::lower(graph, config::preset_config("v256", "test"), {0}, "test");
      return "";
    } catch (const base::UserError& error) {
      return error.what();
    }
  };
  const std::string limits =
      "is larger than the MAC array takes: rows and columns under one kernel and output channels to 65535, input channels "
      "to "
      "1048575, kernel, stride and dilation to 16383";
  CHECK(refusal({1, 1, 1, 1'048'575}, 1).empty());
  CHECK_THAT(refusal({1, 1, 1, 1'048'576}, 1), Catch::Matchers::EndsWith(limits));
  CHECK(refusal({1, 1, 1, 1}, 65'535).empty());
  CHECK_THAT(refusal({1, 1, 1, 1}, 65'536), Catch::Matchers::EndsWith(limits));
}

/// Steps on the array; 0 where a value of the program is not the reference's.
int64_t num_right_commands(const ir::Graph& graph, const std::string& machine, int64_t optimize) {
  const tests::RunResult run = tests::lower_and_run(graph, tests::random_inputs(graph, 7), machine, {.optimize = optimize});
  INFO((run.differences.empty() ? "" : run.differences.front()));
  CHECK(run.differences.empty());
  if (!run.differences.empty()) return 0;
  return std::ranges::count_if(run.program.steps, [](const passes::Step& step) {
    return std::holds_alternative<spec::MacCommand>(step.command.body);
  });
}

TEST_CASE("a map with more rows or columns than a command counts takes several commands") {
  using Window = tests::GraphBuilder::Window;
  const auto convolution = [](const base::Shape& in, const base::Shape& kernel, const Window& window, bool is_depthwise) {
    tests::GraphBuilder b;
    const auto x = b.input("x", ElementType::Int8, in);
    const auto w = b.constant(tests::random_tensor(ElementType::Int8, kernel, 3));
    const auto bias =
        b.constant(tests::random_tensor(ElementType::Int32, {is_depthwise ? kernel[2] * kernel[3] : kernel[0]}, 4, -99, 99));
    const auto sums = is_depthwise ? b.depthwise_conv2d(x, w, bias, window) : b.conv2d(x, w, bias, window);
    return b.build({b.rescale(sums, ElementType::Int8, {})});
  };
  for (const int64_t optimize : {0, 1}) {
    CHECK(num_right_commands(convolution({1, 65'535, 1, 1}, {2, 1, 1, 1}, {}, false), "v64", optimize) == 1);
    CHECK(num_right_commands(convolution({1, 65'536, 1, 1}, {2, 1, 1, 1}, {}, false), "v64", optimize) == 2);
    const Window dilated{{1, 0, 1, 1}, {1, 2}, {1, 3}};  // optimized, a small command may copy the input in front
    CHECK(num_right_commands(convolution({1, 2, 65'537, 1}, {3, 2, 3, 1}, dilated, false), "v64", optimize) >= 2);
    CHECK(num_right_commands(convolution({1, 2, 65'537, 2}, {1, 4, 2, 1}, {{0, 0, 2, 1}, {1, 1}, {1, 1}}, true), "v256",
                             optimize) == 2);
    CHECK(num_right_commands(convolution({2, 65'542, 2, 1}, {1, 2, 2, 1}, {{0, 0, 0, 0}, {4, 1}, {1, 1}}, false), "v256",
                             optimize) == 4);
    tests::GraphBuilder b;
    const auto x = b.input("x", ElementType::Int8, {1, 2, 1, 65'537, 1});
    const auto w = b.constant(tests::random_tensor(ElementType::Int8, {2, 1, 1, 3, 1}, 3));
    const auto bias = b.constant(tests::random_tensor(ElementType::Int32, {2}, 4, -99, 99));
    const auto zero = b.scalar(ElementType::Int8, 0);
    const ir::ConvAttributes attributes{{0, 0, 0, 0, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    const auto sums =
        b.op(ir::OpKind::Conv3d, {x, w, bias, zero, zero}, ElementType::Int32, {1, 2, 1, 65'537, 2}, attributes);
    CHECK(num_right_commands(b.build({sums}), "v256", optimize) == 4);
  }
}

TEST_CASE("weights of int4 give what the same weights of int8 give") {
  for (const bool is_depthwise : {false, true}) {
    const auto network = [&](ElementType type) {
      tests::GraphBuilder b;
      const auto x = b.input("x", ElementType::Int8, {1, 6, 5, 9});
      const base::Shape kernel = is_depthwise ? base::Shape{3, 2, 9, 2} : base::Shape{11, 3, 2, 9};
      base::Tensor weights(type, kernel);
      for (int64_t i = 0; i < weights.size(); ++i) weights.set(i, i * 11 % 15 - 7);
      const auto bias = b.constant(tests::random_tensor(ElementType::Int32, {is_depthwise ? 18 : 11}, 4, -99, 99));
      const tests::GraphBuilder::Window window{.pad = {1, 1, 0, 1}, .input_zp = -3};
      const auto w = b.constant(weights);
      return b.build({is_depthwise ? b.depthwise_conv2d(x, w, bias, window) : b.conv2d(x, w, bias, window)});
    };
    const ir::Graph narrow = network(ElementType::Int4), wide = network(ElementType::Int8);
    const std::vector<base::Tensor> inputs = tests::random_inputs(narrow, 5);
    CHECK(reference::run(narrow, inputs).outputs == reference::run(wide, inputs).outputs);
    for (const char* machine : {"v64", "v256", "v1024"}) {
      for (const int64_t optimize : {0, 1}) CHECK(num_right_commands(narrow, machine, optimize) >= 1);
    }
  }
}

}  // namespace
}  // namespace vernier
