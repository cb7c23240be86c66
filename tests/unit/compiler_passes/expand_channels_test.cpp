// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions with a depth multiplier: each channel is copied as often as it is read, by the array.
#include "tests/support/graph_builder.hpp"
#include "tests/unit/compiler_passes/random_graphs.hpp"

#include <catch2/catch.hpp>

#include <variant>
#include <vector>

namespace vernier {
namespace {

using base::ElementType;
using tests::GraphBuilder;
using tests::Random;

ir::Graph depthwise(const base::Shape& in, int64_t multiplier, ElementType type) {
  GraphBuilder b;
  Random random(3);
  GraphBuilder::Window window;
  window.pad = {1, 1, 1, 1};
  if (type == ElementType::Int8) window.input_zp = -17;
  const auto sum = type == ElementType::Int8 ? ElementType::Int32 : ElementType::Int48;
  const auto x = b.input("x", type, in);
  const auto w = tests::random_constant(b, random, ElementType::Int8, {3, 3, in[3], multiplier}, -128, 127);
  const auto bias = tests::random_constant(b, random, sum, {in[3] * multiplier}, -1000, 1000);
  const auto y = b.depthwise_conv2d(x, w, bias, window);
  return b.build({b.rescale(y, type, tests::random_scale(random, sum, type, in[3] * multiplier))});
}

struct Commands {
  std::vector<int64_t> copied_to;  // output channels of each command that copies
  int64_t depthwise = 0;
};

Commands commands_of(const passes::Program& program) {
  Commands commands;
  for (const passes::Step& step : program.steps) {
    const auto& mac = std::get<spec::MacCommand>(step.command.body);
    if (mac.mode == spec::MacMode::Depthwise) {
      ++commands.depthwise;
      CHECK(mac.in_channels == mac.out_channels);
    } else {
      commands.copied_to.push_back(mac.out_channels);
    }
  }
  return commands;
}

TEST_CASE("a depth multiplier costs a 1x1 convolution for each block of N input channels") {
  for (const ElementType type : {ElementType::Int8, ElementType::Int16}) {
    // v256 has 16 lanes.
    const Commands few = commands_of(tests::run_on_all(depthwise({1, 5, 6, 5}, 3, type)));
    CHECK(few.copied_to == std::vector<int64_t>{15});
    CHECK(few.depthwise == 1);
    const Commands many = commands_of(tests::run_on_all(depthwise({1, 4, 5, 36}, 2, type)));
    CHECK(many.copied_to == std::vector<int64_t>{32, 32, 8});
    CHECK(many.depthwise == 1);
    const Commands images = commands_of(tests::run_on_all(depthwise({2, 3, 3, 17}, 4, type)));
    CHECK(images.copied_to == std::vector<int64_t>{64, 64, 4, 4});
    CHECK(images.depthwise == 2);
  }
}

TEST_CASE("without a multiplier, or of one channel, nothing is copied") {
  const Commands plain = commands_of(tests::run_on_all(depthwise({1, 5, 6, 5}, 1, ElementType::Int8)));
  CHECK(plain.copied_to.empty());
  CHECK(plain.depthwise == 1);
  const Commands one = commands_of(tests::run_on_all(depthwise({1, 5, 6, 1}, 7, ElementType::Int8)));
  CHECK(one.copied_to == std::vector<int64_t>{7});  // the convolution itself
  CHECK(one.depthwise == 0);
}

}  // namespace
}  // namespace vernier
