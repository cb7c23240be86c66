// SPDX-License-Identifier: Apache-2.0
// The interpreter's loops: geometry, broadcasting, axes, and what it reports. The arithmetic itself is tested in hw_model.
#include "compiler/reference/interpreter.hpp"
#include "hw/model/mac.hpp"
#include "tests/support/graph_builder.hpp"

#include <catch2/catch.hpp>

#include <functional>

namespace vernier {

using tests::ElementType;
using tests::GraphBuilder;
using tests::make_tensor;
using tests::random_tensor;
using tests::Shape;
using Values = std::vector<int64_t>;

namespace {

Values values_of(const base::Tensor& tensor) {
  Values values;
  for (int64_t i = 0; i < tensor.size(); ++i) values.push_back(tensor.at(i));
  return values;
}

/// The result of a graph of one input.
reference::Result run_one(const base::Tensor& input, const std::function<ir::TensorId(GraphBuilder&, ir::TensorId)>& make) {
  GraphBuilder b;
  const auto x = b.input("x", input.type(), input.shape());
  const auto y = make(b, x);
  return reference::run(b.build({y}), {input});
}

/// A convolution straight from the specification: every tap looked up by its coordinates, over model::mac.
base::Tensor plain_convolution(const base::Tensor& x, const base::Tensor& w, const base::Tensor& bias, const Shape& out,
                               const GraphBuilder::Window& window, bool is_depthwise) {
  const Shape& in = x.shape();
  const int64_t kh = w.shape()[is_depthwise ? 0 : 1], kw = w.shape()[is_depthwise ? 1 : 2];
  base::Tensor result(bias.type(), out);  // set() wraps to it
  for (int64_t i = 0; i < result.size(); ++i) {
    const Shape at = base::coordinates_of(out, i);
    int64_t acc = 0;
    const auto add = [&](int64_t ky, int64_t kx, int64_t c, int64_t weight_index) {
      const int64_t iy = at[1] * window.stride[0] - window.pad[0] + ky * window.dilation[0];
      const int64_t ix = at[2] * window.stride[1] - window.pad[2] + kx * window.dilation[1];
      if (iy < 0 || iy >= in[1] || ix < 0 || ix >= in[2]) return;
      acc = model::mac(acc, static_cast<int32_t>(x.at(((at[0] * in[1] + iy) * in[2] + ix) * in[3] + c)),
                       static_cast<int32_t>(window.input_zp), static_cast<int32_t>(w.at(weight_index)),
                       static_cast<int32_t>(window.other_zp));
    };
    for (int64_t ky = 0; ky < kh; ++ky) {
      for (int64_t kx = 0; kx < kw; ++kx) {
        if (is_depthwise) {
          add(ky, kx, at[3] / w.shape()[3], (ky * kw + kx) * out[3] + at[3]);
        } else {
          for (int64_t c = 0; c < in[3]; ++c) add(ky, kx, c, ((at[3] * kh + ky) * kw + kx) * in[3] + c);
        }
      }
    }
    result.set(i, acc + bias.at(bias.size() == 1 ? 0 : at[3]));
  }
  return result;
}

}  // namespace

TEST_CASE("convolutions of any geometry equal the plain loops over model::mac") {
  const bool is_depthwise = GENERATE(false, true), is_wide = GENERATE(false, true);
  const int seed = GENERATE(range(0, 60));
  INFO("depthwise " << is_depthwise << ", int16 " << is_wide << ", seed " << seed);
  std::mt19937_64 random(static_cast<uint64_t>(seed));
  const auto pick = [&random](int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random() % static_cast<uint64_t>(most - least + 1));
  };
  const Shape in{pick(1, 2), pick(1, 9), pick(1, 9), pick(1, 5)};
  const int64_t kh = pick(1, 4), kw = pick(1, 4);
  GraphBuilder::Window window;
  window.dilation = {pick(1, 3), pick(1, 3)};
  window.input_zp = is_wide ? 0 : pick(-128, 127);
  window.other_zp = pick(-128, 127);
  window.stride = {pick(1, 3), pick(1, 3)};
  for (size_t axis = 0; axis < 2; ++axis) {  // pads that make the output size whole
    const int64_t reach = ((axis == 0 ? kh : kw) - 1) * window.dilation[axis];
    window.pad[2 * axis] = pick(0, 5);
    int64_t& after = window.pad[2 * axis + 1];
    while (in[1 + axis] - 1 + window.pad[2 * axis] + after < reach ||
           (in[1 + axis] - 1 + window.pad[2 * axis] + after - reach) % window.stride[axis] != 0) {
      ++after;
    }
  }
  const Shape weight_shape = is_depthwise ? Shape{kh, kw, in[3], pick(1, 3)} : Shape{pick(1, 4), kh, kw, in[3]};
  const int64_t channels = is_depthwise ? in[3] * weight_shape[3] : weight_shape[0];
  const base::Tensor x = random_tensor(is_wide ? ElementType::Int16 : ElementType::Int8, in, random()),
                     w = random_tensor(ElementType::Int8, weight_shape, random());
  const base::Tensor bias =
      random_tensor(is_wide ? ElementType::Int48 : ElementType::Int32, {seed % 2 == 0 ? channels : 1}, random());
  Shape out;
  const auto result = run_one(x, [&](GraphBuilder& b, ir::TensorId id) {
    const auto weight = b.constant(w), bias_id = b.constant(bias);
    const auto y = is_depthwise ? b.depthwise_conv2d(id, weight, bias_id, window) : b.conv2d(id, weight, bias_id, window);
    out = b.shape_of(y);
    return y;
  });
  CHECK(result.outputs[0] == plain_convolution(x, w, bias, out, window, is_depthwise));
}

TEST_CASE("accumulators wrap at 32 bits") {
  const int64_t channels = 40000;  // 40000 * 255 * 255 = 2.6e9
  const base::Tensor x = random_tensor(ElementType::Int8, {1, 1, 1, channels}, 0, -128, -128);
  const base::Tensor w = random_tensor(ElementType::Int8, {1, 1, 1, channels}, 0, -128, -128);
  const auto result = run_one(x, [&](GraphBuilder& b, ir::TensorId id) {
    return b.conv2d(id, b.constant(w), b.constant(ElementType::Int32, {1}, {5}), {.input_zp = 127, .other_zp = 127});
  });
  CHECK(result.outputs[0].at(0) == static_cast<int32_t>(static_cast<uint32_t>(channels * 255 * 255 + 5)));
  CHECK(result.unpredictable.size() == 1);
}

TEST_CASE("elementwise operators broadcast either operand in any dimension") {
  const auto add = [](const Shape& a, const Values& av, const Shape& b, const Values& bv) {
    GraphBuilder g;
    const auto x = g.input("x", ElementType::Int32, a), y = g.input("y", ElementType::Int32, b);
    const auto z = g.binary(ir::OpKind::Sub, x, y);
    const auto inputs = {make_tensor(ElementType::Int32, a, av), make_tensor(ElementType::Int32, b, bv)};
    return values_of(reference::run(g.build({z}), inputs).outputs[0]);
  };
  CHECK(add({2, 3}, {10, 20, 30, 40, 50, 60}, {2, 3}, {1, 2, 3, 4, 5, 6}) == Values{9, 18, 27, 36, 45, 54});
  CHECK(add({2, 3}, {10, 20, 30, 40, 50, 60}, {1, 3}, {1, 2, 3}) == Values{9, 18, 27, 39, 48, 57});
  CHECK(add({2, 1}, {10, 20}, {1, 3}, {1, 2, 3}) == Values{9, 8, 7, 19, 18, 17});
  CHECK(add({1, 1}, {10}, {2, 1}, {1, 2}) == Values{9, 8});
  CHECK(add({2, 1, 2}, {1, 2, 3, 4}, {1, 2, 1}, {0, 10}) == Values{1, 2, -9, -8, 3, 4, -7, -6});
  CHECK(add({}, {3}, {}, {4}) == Values{-1});
}

TEST_CASE("reductions run along their axis") {
  const base::Tensor x = make_tensor(ElementType::Int32, {2, 3, 2}, {1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5, -6});
  const auto reduce = [&x](ir::OpKind kind, int64_t axis) {
    return values_of(run_one(x, [&](GraphBuilder& b, ir::TensorId id) { return b.reduce(kind, id, axis); }).outputs[0]);
  };
  CHECK(reduce(ir::OpKind::ReduceSum, 0) == Values{0, 0, 0, 0, 0, 0});
  CHECK(reduce(ir::OpKind::ReduceSum, 1) == Values{9, 12, -9, -12});
  CHECK(reduce(ir::OpKind::ReduceSum, 2) == Values{3, 7, 11, -3, -7, -11});
  CHECK(reduce(ir::OpKind::ReduceMax, 1) == Values{5, 6, -1, -2});
  CHECK(reduce(ir::OpKind::ReduceMin, 1) == Values{1, 2, -5, -6});
}

TEST_CASE("an average counts the elements that are not padding") {
  // Windows of 3 by 1 over [1, 2, 3, 5], one padding before: {1, 2}, {1, 2, 3}, {2, 3, 5}; 1.5 rounds to 2, 10/3 to 3.
  const base::Tensor x = make_tensor(ElementType::Int8, {1, 4, 1, 1}, {1, 2, 3, 5});
  const auto result = run_one(x, [](GraphBuilder& b, ir::TensorId id) {
    return b.avg_pool2d(id, {3, 1}, {.pad = {1, 0, 0, 0}});
  });
  CHECK(values_of(result.outputs[0]) == Values{2, 2, 3});
}

TEST_CASE("slices start where they say") {
  const base::Tensor x = make_tensor(ElementType::Int16, {2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const auto result = run_one(x, [](GraphBuilder& b, ir::TensorId id) { return b.slice(id, {1, 1, 0}, {1, 2, 2}); });
  CHECK(values_of(result.outputs[0]) == Values{8, 9, 10, 11});
  const auto column = run_one(x, [](GraphBuilder& b, ir::TensorId id) { return b.slice(id, {0, 0, 1}, {2, 2, 1}); });
  CHECK(values_of(column.outputs[0]) == Values{1, 3, 7, 9});
}

TEST_CASE("each operator computes its own function") {
  const auto pair = [](ir::OpKind kind, int64_t a, int64_t b, ir::Attributes attributes = {}) {
    return run_one(make_tensor(ElementType::Int32, {1}, {a}),
                   [&](GraphBuilder& g, ir::TensorId x) {
                     return g.binary(kind, x, g.constant(ElementType::Int32, {1}, {b}), attributes);
                   })
        .outputs[0]
        .at(0);
  };
  CHECK(pair(ir::OpKind::Add, 5, -3) == 2);
  CHECK(pair(ir::OpKind::Maximum, 5, -3) == 5);
  CHECK(pair(ir::OpKind::Minimum, 5, -3) == -3);
  CHECK(pair(ir::OpKind::BitwiseAnd, 12, 10) == 8);
  CHECK(pair(ir::OpKind::BitwiseOr, 12, 10) == 14);
  CHECK(pair(ir::OpKind::BitwiseXor, 12, 10) == 6);
  CHECK(pair(ir::OpKind::LogicalLeftShift, -3, 2) == -12);
  CHECK(pair(ir::OpKind::LogicalRightShift, -1, 28) == 15);
  CHECK(pair(ir::OpKind::ArithmeticRightShift, -3, 1, ir::ShiftAttributes{false}) == -2);
  CHECK(pair(ir::OpKind::ArithmeticRightShift, -3, 1, ir::ShiftAttributes{true}) == -1);
  const auto one = [](const std::function<ir::TensorId(GraphBuilder&, ir::TensorId)>& make, int64_t x,
                      ElementType type = ElementType::Int32) {
    return run_one(make_tensor(type, {1}, {x}), make).outputs[0].at(0);
  };
  const auto unary = [&one](ir::OpKind kind, int64_t x) {
    return one([kind](GraphBuilder& b, ir::TensorId id) { return b.unary(kind, id); }, x);
  };
  CHECK(unary(ir::OpKind::Abs, -7) == 7);
  CHECK(unary(ir::OpKind::Clz, 255) == 24);
  CHECK(unary(ir::OpKind::BitwiseNot, 5) == -6);
  CHECK(unary(ir::OpKind::Identity, 5) == 5);
  CHECK(one([](GraphBuilder& b, ir::TensorId id) { return b.mul(id, id, 2); }, 7) == 12);  // 49 / 4 = 12.25
  CHECK(one([](GraphBuilder& b, ir::TensorId id) { return b.clamp(id, -3, 3); }, 7, ElementType::Int8) == 3);
  CHECK(one(
            [](GraphBuilder& b, ir::TensorId id) {
              const auto in_zp = b.scalar(ElementType::Int8, 10), out_zp = b.scalar(ElementType::Int8, -1);
              return b.op(ir::OpKind::Negate, {id, in_zp, out_zp}, ElementType::Int8, {1});
            },
            7, ElementType::Int8) == 2);
}

TEST_CASE("RESCALE takes its channel from the last dimension, TABLE its entries from the operand") {
  const base::Tensor x = make_tensor(ElementType::Int32, {2, 3}, {8, 8, 8, 100, 100, 100});
  const auto result = run_one(x, [](GraphBuilder& b, ir::TensorId id) {
    return b.rescale(id, ElementType::Int8,
                     {.multipliers = {1 << 29, 1 << 30, 1 << 30}, .shifts = {30, 30, 29}, .output_zp = 1});
  });
  CHECK(values_of(result.outputs[0]) == Values{5, 9, 17, 51, 101, 127});
  Values entries(513);
  for (size_t i = 0; i < entries.size(); ++i) entries[i] = static_cast<int64_t>(i) * 10;
  const auto table = run_one(make_tensor(ElementType::Int16, {2}, {-32768, 64}), [&](GraphBuilder& b, ir::TensorId id) {
    return b.table(id, b.constant(ElementType::Int16, {513}, entries));
  });
  CHECK(values_of(table.outputs[0]) == Values{0, 2560 * 128 + 640});
}

TEST_CASE("REQUIREs found violated are reported once an operator, and values are given") {
  const int64_t most = INT32_MAX;
  const auto x = make_tensor(ElementType::Int32, {1, 2}, {1, most});
  const auto check = [&x](const std::function<ir::TensorId(GraphBuilder&, ir::TensorId)>& make, const std::string& text) {
    const auto result = run_one(x, make);
    CHECK(result.outputs.size() == 1);
    REQUIRE(result.unpredictable.size() == 1);
    CHECK(result.unpredictable[0] == text);
  };
  check([](GraphBuilder& b, ir::TensorId id) { return b.binary(ir::OpKind::Add, id, id); },
        "ADD 't1' [0, 1]: the sum overflows int32 (2147483647 and 2147483647)");
  check(
      [](GraphBuilder& b, ir::TensorId id) {
        return b.binary(ir::OpKind::Sub, id, b.constant(ElementType::Int32, {1, 1}, {-1}));
      },
      "SUB 't2' [0, 1]: the difference overflows int32 (2147483647 and -1)");
  check([](GraphBuilder& b, ir::TensorId id) { return b.mul(id, id, 1); },
        "MUL 't2' [0, 1]: the product or its shift of 1 is out of range (2147483647 and 2147483647)");
  check(
      [](GraphBuilder& b, ir::TensorId id) {
        return b.binary(ir::OpKind::LogicalLeftShift, id, b.constant(ElementType::Int32, {1, 1}, {32}));
      },
      "LOGICAL_LEFT_SHIFT 't2' [0, 0]: the shift amount is out of range (1 and 32)");
  check([](GraphBuilder& b, ir::TensorId id) { return b.reduce(ir::OpKind::ReduceSum, id, 1); },
        "REDUCE_SUM 't1' [0, 0]: 1 + 2147483647 overflows int32");
  check([](GraphBuilder& b, ir::TensorId id) { return b.rescale(id, ElementType::Int8, {.shifts = {20}}); },
        "RESCALE 't5' [0, 1]: 2147483647 is out of range for multiplier 1073741824 and shift 20");
  const auto fine = run_one(x, [](GraphBuilder& b, ir::TensorId id) { return b.mul(id, id); });  // shift 0 may wrap
  CHECK(fine.unpredictable.empty());
  CHECK(values_of(fine.outputs[0]) == Values{1, 1});
}

TEST_CASE("inputs, constants and a tensor used twice can all be outputs, and the observer sees each computed tensor") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int32, {1});
  const auto c = b.constant(ElementType::Int32, {1}, {7});
  const auto y = b.binary(ir::OpKind::Add, x, c);
  const auto unused = b.unary(ir::OpKind::Abs, y);
  const auto z = b.binary(ir::OpKind::Sub, y, y);
  const ir::Graph graph = b.build({z, x, c, y, z});
  std::vector<ir::TensorId> seen;
  const auto result = reference::run(graph, {make_tensor(ElementType::Int32, {1}, {3})},
                                     [&seen](ir::TensorId id, const base::Tensor&) { seen.push_back(id); });
  CHECK(seen == std::vector<ir::TensorId>{y, unused, z});
  Values values;
  for (const base::Tensor& tensor : result.outputs) values.push_back(tensor.at(0));
  CHECK(values == Values{0, 3, 7, 10, 0});
  const base::Tensor four = make_tensor(ElementType::Int32, {1}, {4});
  CHECK(reference::evaluate(graph, graph.operators[0], {&four, &four})[0].at(0) == 8);
  CHECK_THROWS_AS(reference::run(graph, {}), base::InternalError);
  CHECK_THROWS_AS(reference::run(graph, {make_tensor(ElementType::Int32, {2}, {3, 3})}), base::InternalError);
}

}  // namespace vernier
