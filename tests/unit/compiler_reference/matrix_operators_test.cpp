// SPDX-License-Identifier: Apache-2.0
// Operators that multiply and accumulate, other than the two of operators_test.cpp, against loops over model::mac that look
// every tap up by its coordinates.
#include "compiler/reference/interpreter.hpp"
#include "hw/model/mac.hpp"
#include "tests/support/graph_builder.hpp"

#include <catch2/catch.hpp>

namespace vernier {

using tests::ElementType;
using tests::GraphBuilder;
using tests::make_tensor;
using tests::random_tensor;
using tests::Shape;

namespace {

/// What a convolution or product works on.
struct Operands {
  base::Tensor x, w, bias;
  int64_t x_zp = 0, w_zp = 0;
  [[nodiscard]] int64_t mac(int64_t acc, int64_t x_index, int64_t w_index) const {
    return model::mac(acc, static_cast<int32_t>(x.at(x_index)), static_cast<int32_t>(x_zp),
                      static_cast<int32_t>(w.at(w_index)), static_cast<int32_t>(w_zp));
  }
};

base::Tensor run_convolution(ir::OpKind kind, const Operands& o, const Shape& out, const ir::Attributes& attributes,
                             bool wraps = false) {
  GraphBuilder b;
  const auto x = b.input("x", o.x.type(), o.x.shape()), w = b.constant(o.w), bias = b.constant(o.bias);
  const auto x_zp = b.scalar(o.x.type(), o.x_zp), w_zp = b.scalar(o.w.type(), o.w_zp);
  const auto y = b.op(kind, {x, w, bias, x_zp, w_zp}, o.bias.type(), out, attributes);
  const auto result = reference::run(b.build({y}), {o.x});
  CHECK(result.unpredictable.empty() != wraps);
  return result.outputs[0];
}

base::Tensor run_matmul(const base::Tensor& a, const base::Tensor& b, int64_t a_zp, int64_t b_zp) {
  GraphBuilder g;
  const auto x = g.input("a", a.type(), a.shape()), y = g.input("b", b.type(), b.shape());
  const auto x_zp = g.scalar(a.type(), a_zp), y_zp = g.scalar(b.type(), b_zp);
  const auto z =
      g.op(ir::OpKind::MatMul, {x, y, x_zp, y_zp}, a.type() == ElementType::Int8 ? ElementType::Int32 : ElementType::Int48,
           {a.shape()[0], a.shape()[1], b.shape()[2]});
  return reference::run(g.build({z}), {a, b}).outputs[0];
}

/// Random numbers of a case, in a range.
class Picker {
 public:
  explicit Picker(int seed) : random_(static_cast<uint64_t>(seed)) {}
  int64_t operator()(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random_() % static_cast<uint64_t>(most - least + 1));
  }
  uint64_t seed() { return random_(); }

 private:
  std::mt19937_64 random_;
};

Operands random_operands(Picker& pick, bool is_wide, const Shape& in, const Shape& weights, int64_t out_channels) {
  return {
      random_tensor(is_wide ? ElementType::Int16 : ElementType::Int8, in, pick.seed()),
      random_tensor(ElementType::Int8, weights, pick.seed()),
      random_tensor(is_wide ? ElementType::Int48 : ElementType::Int32, {pick(0, 1) == 0 ? 1 : out_channels}, pick.seed()),
      is_wide ? 0 : pick(-128, 127), pick(-128, 127)};
}

/// TRANSPOSE_CONV2D the other way round: for each element of the result, which input pixels reach it.
base::Tensor plain_transpose_convolution(const Operands& o, const Shape& out, const ir::TransposeConvAttributes& a) {
  const Shape &in = o.x.shape(), &w = o.w.shape();
  base::Tensor result(o.bias.type(), out);
  for (int64_t i = 0; i < result.size(); ++i) {
    const Shape at = base::coordinates_of(out, i);
    int64_t acc = 0;
    for (int64_t ky = 0; ky < w[1]; ++ky) {
      for (int64_t kx = 0; kx < w[2]; ++kx) {
        const int64_t y = at[1] - a.out_pad[0] - ky, x = at[2] - a.out_pad[2] - kx;
        if (y < 0 || x < 0 || y % a.stride[0] != 0 || x % a.stride[1] != 0) continue;
        const int64_t iy = y / a.stride[0], ix = x / a.stride[1];
        if (iy >= in[1] || ix >= in[2]) continue;
        for (int64_t c = 0; c < in[3]; ++c) {
          acc = o.mac(acc, ((at[0] * in[1] + iy) * in[2] + ix) * in[3] + c, ((at[3] * w[1] + ky) * w[2] + kx) * w[3] + c);
        }
      }
    }
    result.set(i, acc + o.bias.at(o.bias.size() == 1 ? 0 : at[3]));
  }
  return result;
}

base::Tensor plain_convolution_3d(const Operands& o, const Shape& out, const ir::ConvAttributes& a) {
  const Shape &in = o.x.shape(), &w = o.w.shape();
  base::Tensor result(o.bias.type(), out);
  for (int64_t i = 0; i < result.size(); ++i) {
    const Shape at = base::coordinates_of(out, i);
    int64_t acc = 0;
    for (int64_t tap = 0; tap < w[1] * w[2] * w[3]; ++tap) {
      const Shape k = base::coordinates_of({w[1], w[2], w[3]}, tap);
      Shape position(3);
      bool is_inside = true;
      for (size_t d = 0; d < 3; ++d) {
        position[d] = at[1 + d] * a.stride[d] - a.pad[2 * d] + k[d] * a.dilation[d];
        is_inside = is_inside && position[d] >= 0 && position[d] < in[1 + d];
      }
      if (!is_inside) continue;
      const int64_t pixel = ((at[0] * in[1] + position[0]) * in[2] + position[1]) * in[3] + position[2];
      for (int64_t c = 0; c < in[4]; ++c) {
        acc = o.mac(acc, pixel * in[4] + c, (at[4] * w[1] * w[2] * w[3] + tap) * w[4] + c);
      }
    }
    result.set(i, acc + o.bias.at(o.bias.size() == 1 ? 0 : at[4]));
  }
  return result;
}

}  // namespace

TEST_CASE("a transposed convolution worked by hand") {
  // Pixels 1 and 2 at stride 2, kernel [1, 10, 100], one column cut at the left: positions 0 to 4 hold
  // 1, 10, 100 + 2, 20, 200, of which the first falls outside; the bias is 1000.
  const Operands o{make_tensor(ElementType::Int8, {1, 1, 2, 1}, {1, 2}),
                   make_tensor(ElementType::Int8, {1, 1, 3, 1}, {1, 10, 100}), make_tensor(ElementType::Int32, {1}, {1000})};
  const auto y = run_convolution(ir::OpKind::TransposeConv2d, o, {1, 1, 4, 1},
                                 ir::TransposeConvAttributes{{0, 0, -1, 0}, {1, 2}, ElementType::Int32});
  CHECK(y == make_tensor(ElementType::Int32, {1, 1, 4, 1}, {1010, 1102, 1020, 1200}));
  // A positive out_pad puts room in front: nothing but the bias there.
  const auto padded = run_convolution(ir::OpKind::TransposeConv2d, o, {1, 1, 6, 1},
                                      ir::TransposeConvAttributes{{0, 0, 1, 0}, {1, 2}, ElementType::Int32});
  CHECK(padded == make_tensor(ElementType::Int32, {1, 1, 6, 1}, {1000, 1001, 1010, 1102, 1020, 1200}));
}

TEST_CASE("transposed convolutions of any geometry equal the plain loops over model::mac") {
  const bool is_wide = GENERATE(false, true);
  const int seed = GENERATE(range(0, 60));
  INFO("int16 " << is_wide << ", seed " << seed);
  Picker pick(seed);
  const Shape in{pick(1, 2), pick(1, 5), pick(1, 5), pick(1, 5)}, weights{pick(1, 4), pick(1, 4), pick(1, 4), in[3]};
  ir::TransposeConvAttributes a{{0, 0, 0, 0}, {pick(1, 3), pick(1, 3)}, is_wide ? ElementType::Int48 : ElementType::Int32};
  Shape out{in[0], 0, 0, weights[0]};
  for (size_t axis = 0; axis < 2; ++axis) {
    int64_t &before = a.out_pad[2 * axis], &after = a.out_pad[2 * axis + 1], &size = out[1 + axis];
    before = pick(1 - weights[1 + axis], 3);
    after = pick(1 - weights[1 + axis], 3);
    size = (in[1 + axis] - 1) * a.stride[axis] + before + after + weights[1 + axis];
    for (; size < 1; ++size) ++after;
  }
  const Operands o = random_operands(pick, is_wide, in, weights, weights[0]);
  CHECK(run_convolution(ir::OpKind::TransposeConv2d, o, out, a) == plain_transpose_convolution(o, out, a));
}

TEST_CASE("convolutions in three dimensions equal the plain loops over model::mac") {
  const bool is_wide = GENERATE(false, true);
  const int seed = GENERATE(range(0, 40));
  INFO("int16 " << is_wide << ", seed " << seed);
  Picker pick(seed);
  const Shape in{pick(1, 2), pick(1, 5), pick(1, 5), pick(1, 5), pick(1, 4)};
  const Shape weights{pick(1, 3), pick(1, 3), pick(1, 3), pick(1, 3), in[4]};
  ir::ConvAttributes a{{}, {}, {}, is_wide ? ElementType::Int48 : ElementType::Int32};
  Shape out{in[0]};
  for (size_t axis = 0; axis < 3; ++axis) {
    a.stride.push_back(pick(1, 3));
    a.dilation.push_back(pick(1, 2));
    const int64_t before = pick(0, 2), reach = (weights[1 + axis] - 1) * a.dilation[axis];
    int64_t span = in[1 + axis] - 1 + before - reach, after = 0;
    for (; span < 0 || span % a.stride[axis] != 0; ++span) ++after;
    a.pad.insert(a.pad.end(), {before, after});
    out.push_back(span / a.stride[axis] + 1);
  }
  out.push_back(weights[0]);
  const Operands o = random_operands(pick, is_wide, in, weights, weights[0]);
  CHECK(run_convolution(ir::OpKind::Conv3d, o, out, a) == plain_convolution_3d(o, out, a));
}

TEST_CASE("matrix products equal the plain loops over model::mac") {
  const ElementType type = GENERATE(ElementType::Int8, ElementType::Int16);
  const int seed = GENERATE(range(0, 30));
  INFO(base::to_string(type) << ", seed " << seed);
  Picker pick(seed);
  const int64_t batches = pick(1, 3), rows = pick(1, 6), depth = pick(1, 300), columns = pick(1, 6);
  const bool has_zp = type == ElementType::Int8;
  Operands o{random_tensor(type, {batches, rows, depth}, pick.seed()),
             random_tensor(type, {batches, depth, columns}, pick.seed()),
             {},
             has_zp ? pick(-128, 127) : 0,
             has_zp ? pick(-128, 127) : 0};
  base::Tensor expected(has_zp ? ElementType::Int32 : ElementType::Int48, {batches, rows, columns});
  for (int64_t i = 0; i < expected.size(); ++i) {
    const Shape at = base::coordinates_of(expected.shape(), i);
    int64_t acc = 0;
    for (int64_t c = 0; c < depth; ++c)
      acc = o.mac(acc, (at[0] * rows + at[1]) * depth + c, (at[0] * depth + c) * columns + at[2]);
    expected.set(i, acc);
  }
  CHECK(run_matmul(o.x, o.w, o.x_zp, o.w_zp) == expected);
}

TEST_CASE("int16 sums use, and wrap at, 48 bits") {
  const int64_t depth = 3;
  const base::Tensor least = random_tensor(ElementType::Int16, {1, 1, depth}, 0, -32768, -32768);
  CHECK(run_matmul(least, least.reshaped({1, depth, 1}), 0, 0).at(0) == depth << 30);
  const int64_t most = (int64_t{1} << 47) - 1;
  const Operands o{make_tensor(ElementType::Int16, {1, 1, 1, 1}, {-32768}),
                   make_tensor(ElementType::Int8, {1, 1, 1, 1}, {-128}), make_tensor(ElementType::Int48, {1}, {most}), 0,
                   127};
  const auto y = run_convolution(ir::OpKind::Conv2d, o, {1, 1, 1, 1},
                                 ir::ConvAttributes{{0, 0, 0, 0}, {1, 1}, {1, 1}, ElementType::Int48}, true);
  CHECK(y.at(0) == most + 32768 * 255 - (int64_t{1} << 48));
  // Longer than the piece in which the sum is taken: 1000 * 32768 * 255 needs 34 bits.
  const Operands wide{random_tensor(ElementType::Int16, {1, 1, 1, 1000}, 0, -32768, -32768),
                      random_tensor(ElementType::Int8, {1, 1, 1, 1000}, 0, -128, -128),
                      make_tensor(ElementType::Int48, {1}, {0}), 0, 127};
  const auto sum = run_convolution(ir::OpKind::Conv2d, wide, {1, 1, 1, 1},
                                   ir::ConvAttributes{{0, 0, 0, 0}, {1, 1}, {1, 1}, ElementType::Int48});
  CHECK(sum.at(0) == int64_t{1000} * 32768 * 255);
}

TEST_CASE("a sum that its type does not hold is unpredictable, and wraps") {
  struct Case {
    ElementType in, acc;
    int64_t bias, wrapped;
    std::string_view type;
  };
  for (const Case& c :
       {Case{ElementType::Int8, ElementType::Int32, INT32_MAX, INT32_MIN, "int32"},
        Case{ElementType::Int16, ElementType::Int48, (int64_t{1} << 47) - 1, -(int64_t{1} << 47), "int48"}}) {
    for (const int64_t one : {1, 0}) {
      GraphBuilder b;
      const auto x = b.input("x", c.in, {1, 1, 1, 1}), w = b.constant(make_tensor(ElementType::Int8, {1, 1, 1, 1}, {1}));
      const auto bias = b.constant(make_tensor(c.acc, {1}, {c.bias}));
      const auto y = b.op(ir::OpKind::Conv2d, {x, w, bias, b.scalar(c.in, 0), b.scalar(ElementType::Int8, 0)}, c.acc,
                          {1, 1, 1, 1}, ir::ConvAttributes{{0, 0, 0, 0}, {1, 1}, {1, 1}, c.acc});
      const auto result = reference::run(b.build({y}), {make_tensor(c.in, {1, 1, 1, 1}, {one})});
      CHECK(result.outputs[0].at(0) == (one == 1 ? c.wrapped : c.bias));
      REQUIRE(result.unpredictable.size() == static_cast<size_t>(one));
      if (one == 1)
        CHECK(result.unpredictable[0].find(fmt::format("the sum {} overflows {}", c.bias + 1, c.type)) != std::string::npos);
    }
  }
}

}  // namespace vernier
