// SPDX-License-Identifier: Apache-2.0
// Roundings that TOSA's RESCALE has not, written with other operators: one command where they are one of the known forms,
// several where a constant is another one, and equal values in both cases.
#include "tests/unit/compiler_passes/random_graphs.hpp"

#include <optional>

namespace vernier {
namespace {

using base::ElementType;
using base::Shape;
using ir::OpKind;
using tests::GraphBuilder;
using tests::run_on_all;

constexpr int64_t kChannels = 24;
using Numbers = std::vector<int64_t>;

ir::TensorId convolution(GraphBuilder& b, ir::TensorId x, uint64_t seed) {
  const auto w = b.constant(tests::random_tensor(ElementType::Int8, {kChannels, 3, 3, b.shape_of(x)[3]}, seed, -9, 9));
  const auto bias = b.constant(tests::random_tensor(ElementType::Int32, {kChannels}, seed, -100, 100));
  GraphBuilder::Window window;
  window.pad = Shape(4, 1);
  return b.conv2d(x, w, bias, window);
}

ir::TensorId channel_constant(GraphBuilder& b, const Numbers& numbers) {
  return b.constant(ElementType::Int32, {1, 1, 1, static_cast<int64_t>(numbers.size())}, numbers);
}

ir::TensorId with(GraphBuilder& b, OpKind kind, ir::TensorId a, const Numbers& numbers) {
  const auto second = channel_constant(b, numbers);
  return kind == OpKind::ArithmeticRightShift ? b.binary(kind, a, second, ir::ShiftAttributes{false})
                                              : b.binary(kind, a, second);
}

/// v + (((v >> k) & mask) - mask), then 2^30 >> shifts.
ir::TensorId even_ties(GraphBuilder& b, ir::TensorId v, const Numbers& halvings, const Numbers& masks,
                       const Numbers& shifts) {
  const auto parity = with(b, OpKind::BitwiseAnd, with(b, OpKind::ArithmeticRightShift, v, halvings), masks);
  const auto sum = b.binary(OpKind::Add, v, with(b, OpKind::Sub, parity, masks));
  return b.rescale(sum, ElementType::Int8,
                   {.multipliers = Numbers(shifts.size(), 1 << 30), .shifts = shifts, .output_zp = 3});
}

/// (v + addends) >> k, then a RESCALE by 1.
ir::TensorId shifted(GraphBuilder& b, ir::TensorId v, const Numbers& halvings, const std::optional<Numbers>& addends) {
  ir::TensorId sum = v;
  if (addends) sum = with(b, OpKind::Add, sum, *addends);
  return b.rescale(with(b, OpKind::ArithmeticRightShift, sum, halvings), ElementType::Int8, {.output_zp = -7});
}

GraphBuilder builder(ir::TensorId& x) {
  GraphBuilder b;
  x = b.input("x", ElementType::Int8, {1, 7, 9, 8});
  return b;
}

size_t steps_of(GraphBuilder& b, ir::TensorId y) { return run_on_all(b.build({y})).steps.size(); }

/// Numbers that differ from channel to channel.
Numbers by_channel(int64_t first, int64_t count) {
  Numbers numbers;
  for (int64_t i = 0; i < kChannels; ++i) numbers.push_back(first + i % count);
  return numbers;
}

TEST_CASE("half to even behind a convolution is one command") {
  ir::TensorId x = -1;
  SECTION("one shift") {
    GraphBuilder b = builder(x);
    CHECK(steps_of(b, even_ties(b, convolution(b, x, 1), {4}, {1}, {34})) == 1);
  }
  SECTION("channels that are not halved") {
    GraphBuilder b = builder(x);
    Numbers halvings = by_channel(1, 5), masks(kChannels, 1), shifts;
    halvings[3] = masks[3] = 0;
    for (const int64_t k : halvings) shifts.push_back(30 + k);
    shifts[3] = 28;
    CHECK(steps_of(b, even_ties(b, convolution(b, x, 2), halvings, masks, shifts)) == 1);
  }
}

TEST_CASE("down, up and to the nearest behind a convolution are one command") {
  ir::TensorId x = -1;
  GraphBuilder b = builder(x);
  const Numbers halvings = by_channel(2, 5);
  Numbers last;
  for (const int64_t k : halvings) last.push_back((int64_t{1} << k) - 1);
  SECTION("down") { CHECK(steps_of(b, shifted(b, convolution(b, x, 1), {4}, {})) == 1); }
  SECTION("down by channel") { CHECK(steps_of(b, shifted(b, convolution(b, x, 2), halvings, {})) == 1); }
  SECTION("up by channel") { CHECK(steps_of(b, shifted(b, convolution(b, x, 3), halvings, last)) == 1); }
  SECTION("ties up") { CHECK(steps_of(b, shifted(b, convolution(b, x, 4), {5}, Numbers{16})) == 1); }
  SECTION("one shift, addends by channel") { CHECK(steps_of(b, shifted(b, convolution(b, x, 5), {3}, last)) == 1); }
  SECTION("no shift at all") { CHECK(steps_of(b, shifted(b, convolution(b, x, 6), {0}, Numbers{-90})) == 1); }
}

TEST_CASE("other constants are no form, and values stay the same") {
  ir::TensorId x = -1;
  GraphBuilder b = builder(x);
  const auto v = convolution(b, x, 1);
  SECTION("the mask of the parity") { CHECK(steps_of(b, even_ties(b, v, {4}, {3}, {34})) > 1); }
  SECTION("another power") { CHECK(steps_of(b, even_ties(b, v, {4}, {1}, {35})) > 1); }
  SECTION("the halved sum is wanted, too") {
    const auto y = shifted(b, v, {3}, Numbers{7});
    const ir::Graph whole = b.build({y});
    const ir::TensorId halved = whole.operators.back().inputs[0];
    CHECK(run_on_all(b.build({y, halved})).steps.size() > 1);
  }
  SECTION("sums that 32 bits may not hold with the other bias") {
    GraphBuilder c;
    const auto wide = c.input("x", ElementType::Int8, {1, 1, 1, 40'000});
    const auto w = c.constant(tests::random_tensor(ElementType::Int8, {8, 1, 1, 40'000}, 1));
    const auto bias = c.constant(tests::random_tensor(ElementType::Int32, {8}, 1, -100, 100));
    CHECK(steps_of(c, shifted(c, c.conv2d(wide, w, bias, {}), {12}, {})) > 1);
  }
}

/// A sum of two convolutions' codes, which the second one's epilogue makes where all three round alike.
TEST_CASE("a residual rounds half to even") {
  ir::TensorId x = -1;
  GraphBuilder b = builder(x);
  const auto other = b.rescale(convolution(b, x, 1), ElementType::Int8, {.shifts = {35}, .output_zp = 3});
  const auto sum_of = [&](ir::TensorId own) {
    const auto wide = [&](ir::TensorId id) { return b.rescale(id, ElementType::Int32, {.input_zp = 3}); };
    return b.binary(OpKind::Add, wide(other), wide(own));
  };
  const auto steps = [&](ir::TensorId y) { return steps_of(b, y); };
  SECTION("as ties to even") {
    CHECK(steps(even_ties(b, sum_of(even_ties(b, convolution(b, other, 2), {5}, {1}, {35})), {1}, {1}, {31})) == 2);
  }
  SECTION("not a sum that rounds up") {
    CHECK(steps(b.rescale(sum_of(even_ties(b, convolution(b, other, 4), {5}, {1}, {35})), ElementType::Int8,
                          {.shifts = {31}})) > 2);
  }
  SECTION("not a sum that rounds down") {
    CHECK(steps(shifted(b, sum_of(even_ties(b, convolution(b, other, 5), {5}, {1}, {35})), {1}, {})) > 2);
  }
}

}  // namespace
}  // namespace vernier
