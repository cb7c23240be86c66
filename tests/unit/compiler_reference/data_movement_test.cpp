// SPDX-License-Identifier: Apache-2.0
// Operators that move elements: vectors worked by hand, and random shapes against coordinates looked up one by one.
#include "compiler/reference/interpreter.hpp"
#include "tests/support/graph_builder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <numeric>

namespace vernier {

using ir::OpKind;
using tests::ElementType;
using tests::GraphBuilder;
using tests::make_tensor;
using tests::random_tensor;
using tests::Shape;

namespace {

/// An operator whose first operand is the input, the others constants.
reference::Result run(OpKind kind, const base::Tensor& x, const std::vector<base::Tensor>& others, const Shape& out,
                      const ir::Attributes& attributes = {}) {
  GraphBuilder b;
  std::vector<ir::TensorId> operands{b.input("x", x.type(), x.shape())};
  for (const base::Tensor& other : others) operands.push_back(b.constant(other));
  return reference::run(b.build({b.op(kind, operands, x.type(), out, attributes)}), {x});
}

base::Tensor shape_tensor(const std::vector<int64_t>& values) {
  return make_tensor(ElementType::Shape, {static_cast<int64_t>(values.size())}, values);
}

int64_t index_of(const Shape& shape, const Shape& coordinates) {
  int64_t index = 0;
  for (size_t i = 0; i < shape.size(); ++i) index = index * shape[i] + coordinates[i];
  return index;
}

/// A tensor of shape `out` whose elements `value` gives by their coordinates.
base::Tensor expected(ElementType type, const Shape& out, const std::function<int64_t(const Shape&)>& value) {
  base::Tensor result(type, out);
  for (int64_t i = 0; i < result.size(); ++i) result.set(i, value(base::coordinates_of(out, i)));
  return result;
}

const base::Tensor kSix = make_tensor(ElementType::Int16, {2, 3}, {1, 2, 3, 4, 5, 6});

}  // namespace

TEST_CASE("moving elements, worked by hand") {
  const auto of = [](const Shape& shape, const std::vector<int64_t>& values) {
    return make_tensor(ElementType::Int16, shape, values);
  };
  CHECK(run(OpKind::Transpose, kSix, {}, {3, 2}, ir::TransposeAttributes{{1, 0}}).outputs[0] ==
        of({3, 2}, {1, 4, 2, 5, 3, 6}));
  CHECK(run(OpKind::Reverse, kSix, {}, {2, 3}, ir::AxisAttributes{1}).outputs[0] == of({2, 3}, {3, 2, 1, 6, 5, 4}));
  CHECK(run(OpKind::Reverse, kSix, {}, {2, 3}, ir::AxisAttributes{0}).outputs[0] == of({2, 3}, {4, 5, 6, 1, 2, 3}));
  CHECK(run(OpKind::Tile, kSix, {shape_tensor({1, 2})}, {2, 6}).outputs[0] ==
        of({2, 6}, {1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6}));
  CHECK(run(OpKind::Pad, kSix, {shape_tensor({1, 0, 0, 2}), of({1}, {-9})}, {3, 5}).outputs[0] ==
        of({3, 5}, {-9, -9, -9, -9, -9, 1, 2, 3, -9, -9, 4, 5, 6, -9, -9}));
  CHECK(run(OpKind::Concat, kSix, {of({2, 1}, {7, 8}), of({2, 2}, {-1, -2, -3, -4})}, {2, 6}, ir::AxisAttributes{1})
            .outputs[0] == of({2, 6}, {1, 2, 3, 7, -1, -2, 4, 5, 6, 8, -3, -4}));
  CHECK(run(OpKind::Concat, kSix, {of({1, 3}, {7, 8, 9})}, {3, 3}, ir::AxisAttributes{0}).outputs[0] ==
        of({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}));
  CHECK(run(OpKind::Concat, kSix, {}, {2, 3}, ir::AxisAttributes{1}).outputs[0] == kSix);
}

TEST_CASE("GATHER and SCATTER, worked by hand, and indices that are not there") {
  const base::Tensor values = make_tensor(ElementType::Int8, {2, 3, 2}, {1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16});
  const auto gather = [&](const std::vector<int64_t>& indices) {
    return run(OpKind::Gather, values, {make_tensor(ElementType::Int32, {2, 2}, indices)}, {2, 2, 2});
  };
  const auto fine = gather({2, 0, 1, 1});
  CHECK(fine.unpredictable.empty());
  CHECK(fine.outputs[0] == make_tensor(ElementType::Int8, {2, 2, 2}, {5, 6, 1, 2, 13, 14, 13, 14}));
  const auto outside = gather({2, 3, -1, 0});
  CHECK(outside.outputs[0] == make_tensor(ElementType::Int8, {2, 2, 2}, {5, 6, 0, 0, 0, 0, 11, 12}));
  REQUIRE(outside.unpredictable.size() == 1);
  CHECK(outside.unpredictable[0] == "GATHER 't2' [0, 0, 0]: index 3 of [0, 1] is not in 0 to 2");

  const auto scatter = [&](const std::vector<int64_t>& indices) {
    return run(OpKind::Scatter, values,
               {make_tensor(ElementType::Int32, {2, 2}, indices),
                make_tensor(ElementType::Int8, {2, 2, 2}, {-1, -2, -3, -4, -5, -6, -7, -8})},
               {2, 3, 2});
  };
  const auto written = scatter({2, 0, 1, 0});
  CHECK(written.unpredictable.empty());
  CHECK(written.outputs[0] == make_tensor(ElementType::Int8, {2, 3, 2}, {-3, -4, 3, 4, -1, -2, -7, -8, -5, -6, 15, 16}));
  const auto twice = scatter({1, 1, 0, 1});
  REQUIRE(twice.unpredictable.size() == 1);
  CHECK(twice.unpredictable[0] == "SCATTER 't3' [0, 0, 0]: index 1 of [0, 1] comes twice");
  CHECK(scatter({0, 1, 3, 0}).unpredictable.size() == 1);
}

TEST_CASE("moving elements of any rank and type equals looking each one up") {
  const int seed = GENERATE(range(0, 60));
  INFO("seed " << seed);
  std::mt19937_64 random(static_cast<uint64_t>(seed));
  const auto pick = [&random](size_t least, size_t most) { return least + random() % (most - least + 1); };
  constexpr ElementType kTypes[] = {ElementType::Bool, ElementType::Int8, ElementType::Int16, ElementType::Int32};
  const ElementType type = kTypes[random() % 4];
  Shape in(pick(1, 6));
  for (int64_t& dim : in) dim = static_cast<int64_t>(pick(1, in.size() > 4 ? 3 : 5));
  const base::Tensor x = random_tensor(type, in, random());
  const size_t axis = random() % in.size();
  const ir::AxisAttributes along{static_cast<int64_t>(axis)};

  std::vector<int64_t> perms(in.size());
  std::iota(perms.begin(), perms.end(), 0);
  for (size_t i = perms.size(); i-- > 1;) std::swap(perms[i], perms[random() % (i + 1)]);
  Shape transposed(in.size()), padded = in, tiled = in, joined = in;
  for (size_t i = 0; i < in.size(); ++i) transposed[i] = in[static_cast<size_t>(perms[i])];
  CHECK(run(OpKind::Transpose, x, {}, transposed, ir::TransposeAttributes{perms}).outputs[0] ==
        expected(type, transposed, [&](const Shape& at) {
          Shape from(in.size());
          for (size_t i = 0; i < in.size(); ++i) from[static_cast<size_t>(perms[i])] = at[i];
          return x.at(index_of(in, from));
        }));

  CHECK(run(OpKind::Reverse, x, {}, in, along).outputs[0] == expected(type, in, [&](Shape at) {
          at[axis] = in[axis] - 1 - at[axis];
          return x.at(index_of(in, at));
        }));

  std::vector<int64_t> padding, multiples;
  for (size_t i = 0; i < in.size(); ++i) {
    padding.push_back(static_cast<int64_t>(pick(0, 2)));
    padding.push_back(static_cast<int64_t>(pick(0, 2)));
    padded[i] += padding[2 * i] + padding[2 * i + 1];
    multiples.push_back(static_cast<int64_t>(pick(1, 3)));
    tiled[i] *= multiples[i];
  }
  const base::Tensor constant = random_tensor(type, {1}, random());
  CHECK(run(OpKind::Pad, x, {shape_tensor(padding), constant}, padded).outputs[0] == expected(type, padded, [&](Shape at) {
          for (size_t i = 0; i < at.size(); ++i) {
            at[i] -= padding[2 * i];
            if (at[i] < 0 || at[i] >= in[i]) return constant.at(0);
          }
          return x.at(index_of(in, at));
        }));
  CHECK(run(OpKind::Tile, x, {shape_tensor(multiples)}, tiled).outputs[0] == expected(type, tiled, [&](Shape at) {
          for (size_t i = 0; i < at.size(); ++i) at[i] %= in[i];
          return x.at(index_of(in, at));
        }));

  Shape other = in;
  other[axis] = static_cast<int64_t>(pick(1, 4));
  joined[axis] += other[axis];
  const base::Tensor y = random_tensor(type, other, random());
  CHECK(run(OpKind::Concat, x, {y}, joined, along).outputs[0] == expected(type, joined, [&](Shape at) {
          if (at[axis] < in[axis]) return x.at(index_of(in, at));
          at[axis] -= in[axis];
          return y.at(index_of(other, at));
        }));
}

}  // namespace vernier
