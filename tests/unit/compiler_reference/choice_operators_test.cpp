// SPDX-License-Identifier: Apache-2.0
// Operators that compare, choose, convert and resample.
#include "compiler/reference/interpreter.hpp"
#include "tests/support/graph_builder.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace vernier {

using ir::OpKind;
using tests::ElementType;
using tests::GraphBuilder;
using tests::make_tensor;
using tests::random_tensor;
using tests::Shape;
using Values = std::vector<int64_t>;

namespace {

/// An operator on inputs alone.
reference::Result run(OpKind kind, const std::vector<base::Tensor>& inputs, ElementType type, const Shape& out,
                      const ir::Attributes& attributes = {}) {
  GraphBuilder b;
  std::vector<ir::TensorId> operands;
  for (const base::Tensor& input : inputs) {
    operands.push_back(b.input(fmt::format("x{}", operands.size()), input.type(), input.shape()));
  }
  return reference::run(b.build({b.op(kind, operands, type, out, attributes)}), inputs);
}

base::Tensor row(ElementType type, const Values& values) {
  return make_tensor(type, {static_cast<int64_t>(values.size())}, values);
}

}  // namespace

TEST_CASE("comparisons, logic and division of pairs") {
  const auto pairs = [](OpKind kind, ElementType in, ElementType out, const Values& a, const Values& b) {
    const auto result = run(kind, {row(in, a), row(in, b)}, out, {static_cast<int64_t>(a.size())});
    CHECK(result.unpredictable.empty());
    Values values;
    for (int64_t i = 0; i < result.outputs[0].size(); ++i) values.push_back(result.outputs[0].at(i));
    return values;
  };
  const Values a{1, 2, INT32_MIN, INT32_MAX}, b{1, 1, INT32_MAX, INT32_MIN};
  CHECK(pairs(OpKind::Equal, ElementType::Int32, ElementType::Bool, a, b) == Values{1, 0, 0, 0});
  CHECK(pairs(OpKind::Greater, ElementType::Int32, ElementType::Bool, a, b) == Values{0, 1, 0, 1});
  CHECK(pairs(OpKind::GreaterEqual, ElementType::Int32, ElementType::Bool, a, b) == Values{1, 1, 0, 1});
  const Values p{0, 0, 1, 1}, q{0, 1, 0, 1};
  CHECK(pairs(OpKind::LogicalAnd, ElementType::Bool, ElementType::Bool, p, q) == Values{0, 0, 0, 1});
  CHECK(pairs(OpKind::LogicalOr, ElementType::Bool, ElementType::Bool, p, q) == Values{0, 1, 1, 1});
  CHECK(pairs(OpKind::LogicalXor, ElementType::Bool, ElementType::Bool, p, q) == Values{0, 1, 1, 0});
  CHECK(run(OpKind::LogicalNot, {row(ElementType::Bool, p)}, ElementType::Bool, {4}).outputs[0] ==
        row(ElementType::Bool, {1, 1, 0, 0}));
  CHECK(pairs(OpKind::IntDiv, ElementType::Int32, ElementType::Int32, {7, -7, 7, -7}, {2, 2, -2, -2}) ==
        Values{3, -3, -3, 3});
  const auto by_zero =
      run(OpKind::IntDiv, {row(ElementType::Int32, {1, 5}), row(ElementType::Int32, {1, 0})}, ElementType::Int32, {2});
  REQUIRE(by_zero.unpredictable.size() == 1);
  CHECK(by_zero.unpredictable[0] == "INTDIV 't2' [1]: the quotient is not defined (5 and 0)");
}

TEST_CASE("SELECT broadcasts its three operands") {
  const base::Tensor condition = make_tensor(ElementType::Bool, {2, 1}, {1, 0});
  const base::Tensor x = make_tensor(ElementType::Int8, {1, 3}, {1, 2, 3}),
                     y = make_tensor(ElementType::Int8, {2, 3}, {-1, -2, -3, -4, -5, -6});
  CHECK(run(OpKind::Select, {condition, x, y}, ElementType::Int8, {2, 3}).outputs[0] ==
        make_tensor(ElementType::Int8, {2, 3}, {1, 2, 3, -4, -5, -6}));
  const base::Tensor each = make_tensor(ElementType::Bool, {2, 3}, {0, 1, 0, 1, 0, 1}),
                     one = make_tensor(ElementType::Int8, {1, 1}, {9});
  CHECK(run(OpKind::Select, {each, one, x}, ElementType::Int8, {2, 3}).outputs[0] ==
        make_tensor(ElementType::Int8, {2, 3}, {1, 9, 3, 9, 2, 9}));
}

TEST_CASE("CAST widens, cuts, and makes truth of what is not zero") {
  const auto cast = [](ElementType from, ElementType to, const Values& values) {
    return run(OpKind::Cast, {row(from, values)}, to, {static_cast<int64_t>(values.size())}).outputs[0];
  };
  using enum ElementType;
  CHECK(cast(Int8, Int16, {-128, 127}) == row(Int16, {-128, 127}));
  CHECK(cast(Int8, Int32, {-128, 127}) == row(Int32, {-128, 127}));
  CHECK(cast(Int16, Int32, {-32768, 5}) == row(Int32, {-32768, 5}));
  CHECK(cast(Int16, Int8, {128, -129, 255, 256}) == row(Int8, {-128, 127, -1, 0}));
  CHECK(cast(Int32, Int8, {128, 0x1234567f, -1}) == row(Int8, {-128, 127, -1}));
  CHECK(cast(Int32, Int16, {32768, -32769, 65536}) == row(Int16, {-32768, 32767, 0}));
  for (const ElementType type : {Int8, Int16, Int32}) {
    CHECK(cast(type, Bool, {0, -128, 1}) == row(Bool, {0, 1, 1}));
    CHECK(cast(Bool, type, {0, 1}) == row(type, {0, 1}));
  }
  CHECK(cast(Int32, Bool, {256, 65536}) == row(Bool, {1, 1}));
}

TEST_CASE("ARGMAX takes the first of the greatest and drops its axis") {
  const base::Tensor x = make_tensor(ElementType::Int8, {2, 3}, {-128, 5, 5, 7, -1, 7});
  CHECK(run(OpKind::ArgMax, {x}, ElementType::Int32, {2}, ir::AxisAttributes{1}).outputs[0] ==
        row(ElementType::Int32, {1, 0}));
  CHECK(run(OpKind::ArgMax, {x}, ElementType::Int32, {3}, ir::AxisAttributes{0}).outputs[0] ==
        row(ElementType::Int32, {1, 0, 1}));
  CHECK(run(OpKind::ArgMax, {row(ElementType::Int16, {-3, -2, -2})}, ElementType::Int32, {}, ir::AxisAttributes{0})
            .outputs[0]
            .at(0) == 1);
}

TEST_CASE("REDUCE_ALL and REDUCE_ANY") {
  const base::Tensor x = make_tensor(ElementType::Bool, {2, 2}, {1, 1, 0, 1});
  CHECK(run(OpKind::ReduceAll, {x}, ElementType::Bool, {2, 1}, ir::AxisAttributes{1}).outputs[0] ==
        make_tensor(ElementType::Bool, {2, 1}, {1, 0}));
  CHECK(run(OpKind::ReduceAny, {x}, ElementType::Bool, {2, 1}, ir::AxisAttributes{1}).outputs[0] ==
        make_tensor(ElementType::Bool, {2, 1}, {1, 1}));
  CHECK(run(OpKind::ReduceAll, {x}, ElementType::Bool, {1, 2}, ir::AxisAttributes{0}).outputs[0] ==
        make_tensor(ElementType::Bool, {1, 2}, {0, 1}));
}

TEST_CASE("a maximum leaves padding out") {
  // Windows of 2 by 2 over [[-5, -6], [-7, -1]] with one row and column of padding all round: a corner sees one element.
  const base::Tensor x = make_tensor(ElementType::Int8, {1, 2, 2, 1}, {-5, -6, -7, -1});
  const ir::PoolAttributes a{{2, 2}, {1, 1}, {1, 1, 1, 1}, ElementType::Int32};
  CHECK(run(OpKind::MaxPool2d, {x}, ElementType::Int8, {1, 3, 3, 1}, a).outputs[0] ==
        make_tensor(ElementType::Int8, {1, 3, 3, 1}, {-5, -5, -6, -5, -1, -1, -7, -1, -1}));
  const base::Tensor wide = make_tensor(ElementType::Int16, {1, 1, 3, 2}, {-300, 1, -200, 2, -400, 3});
  CHECK(run(OpKind::MaxPool2d, {wide}, ElementType::Int16, {1, 1, 1, 2},
            ir::PoolAttributes{{1, 3}, {1, 1}, {0, 0, 0, 0}, ElementType::Int32})
            .outputs[0] == make_tensor(ElementType::Int16, {1, 1, 1, 2}, {-200, 3}));
}

namespace {

struct Resize {
  Values scale, offset{0, 0}, border{0, 0};
  bool is_bilinear = false;
};
base::Tensor resize(const base::Tensor& x, const Resize& r, const Shape& out) {
  GraphBuilder b;
  const auto id = b.input("x", x.type(), x.shape());
  const ElementType wide = x.type() == ElementType::Int8 ? ElementType::Int32 : ElementType::Int48;
  const auto scale = b.shape(r.scale), offset = b.shape(r.offset), border = b.shape(r.border);
  const auto y = b.op(OpKind::Resize, {id, scale, offset, border}, r.is_bilinear ? wide : x.type(), out,
                      ir::ResizeAttributes{r.is_bilinear});
  return reference::run(b.build({y}), {x}).outputs[0];
}

}  // namespace

TEST_CASE("RESIZE worked by hand") {
  const base::Tensor x = make_tensor(ElementType::Int8, {1, 1, 2, 1}, {10, 20});
  // To twice the width by half-pixel centres: columns at -1/4, 1/4, 3/4, 5/4; the result is 4 times the value.
  const Resize half{{1, 1, 4, 2}, {0, -1}, {0, 1}, true};
  CHECK(resize(x, half, {1, 1, 4, 1}) == make_tensor(ElementType::Int32, {1, 1, 4, 1}, {40, 50, 70, 80}));
  const Resize nearest{{1, 1, 4, 2}, {0, -1}, {0, 1}, false};
  CHECK(resize(x, nearest, {1, 1, 4, 1}) == make_tensor(ElementType::Int8, {1, 1, 4, 1}, {10, 10, 20, 20}));
  // Corners aligned, 2 to 3 columns: half way counts as the next one.
  CHECK(resize(x, {{1, 1, 2, 1}}, {1, 1, 3, 1}) == make_tensor(ElementType::Int8, {1, 1, 3, 1}, {10, 20, 20}));
  const base::Tensor square = make_tensor(ElementType::Int16, {1, 2, 2, 1}, {-32768, 0, 0, 32767});
  CHECK(resize(square, {{2, 1, 2, 1}, {0, 0}, {0, 0}, true}, {1, 3, 3, 1}) ==
        make_tensor(ElementType::Int48, {1, 3, 3, 1}, {-131072, -65536, 0, -65536, -1, 65534, 0, 65534, 131068}));
}

TEST_CASE("RESIZE of any geometry equals the interpolation in real numbers") {
  const int seed = GENERATE(range(0, 80));
  INFO("seed " << seed);
  std::mt19937_64 random(static_cast<uint64_t>(seed));
  const auto pick = [&random](int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random() % static_cast<uint64_t>(most - least + 1));
  };
  const ElementType type = seed % 2 == 0 ? ElementType::Int8 : ElementType::Int16;
  Resize r{{}, {}, {}, pick(0, 1) == 1};
  const Shape in{pick(1, 2), pick(1, 6), pick(1, 6), pick(1, 3)};
  Shape out{in[0], 0, 0, in[3]};
  for (size_t axis = 0; axis < 2; ++axis) {
    int64_t n = 0, d = 0, offset = 0, last = -1;  // last: where the last output lies, in units of 1 / n, less the offset
    while (last < 0) {
      n = pick(1, 9);
      d = pick(1, std::min<int64_t>(16 * n - 1, 12));
      offset = pick(-n, 2 * n - 1);
      last = (in[1 + axis] - 1) * n - offset + n - 1;  // with the greatest border, n - 1
    }
    const int64_t border = n - 1 - last % d;
    last -= last % d;
    r.scale.insert(r.scale.end(), {n, d});
    r.offset.push_back(offset);
    r.border.push_back(border);
    out[1 + axis] = last / d + 1;
  }
  const base::Tensor x = random_tensor(type, in, random());
  const base::Tensor y = resize(x, r, out);
  for (int64_t i = 0; i < y.size(); ++i) {
    const Shape at = base::coordinates_of(out, i);
    double weights[2][2];  // by axis, of the pixel before and the one behind
    int64_t pixels[2][2];
    for (size_t axis = 0; axis < 2; ++axis) {
      const auto n = static_cast<double>(r.scale[2 * axis]);
      const double position = static_cast<double>(at[1 + axis] * r.scale[2 * axis + 1] + r.offset[axis]) / n;
      const double before = std::floor(position);
      weights[axis][1] = r.is_bilinear ? (position - before) * n : (position - before >= 0.5 - 1e-9 ? 1 : 0);
      weights[axis][0] = (r.is_bilinear ? n : 1) - weights[axis][1];
      for (int64_t k = 0; k < 2; ++k) {
        pixels[axis][k] = std::clamp(static_cast<int64_t>(before) + k, int64_t{0}, in[1 + axis] - 1);
      }
    }
    double value = 0;
    for (size_t ky = 0; ky < 2; ++ky) {
      for (size_t kx = 0; kx < 2; ++kx) {
        const int64_t from = ((at[0] * in[1] + pixels[0][ky]) * in[2] + pixels[1][kx]) * in[3] + at[3];
        value += static_cast<double>(x.at(from)) * weights[0][ky] * weights[1][kx];
      }
    }
    CHECK(y.at(i) == std::llround(value));
  }
}

}  // namespace vernier
