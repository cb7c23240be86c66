// SPDX-License-Identifier: Apache-2.0
// Additions in the array's epilogue, attention without copies, padding without commands: when they apply, when they must
// not, and equal values in both cases.
#include "tests/unit/compiler_passes/random_graphs.hpp"

#include <algorithm>

namespace vernier {
namespace {

using base::ElementType;
using base::Shape;
using ir::OpKind;
using tests::GraphBuilder;
using tests::Random;
using tests::run_on_all;

bool has_residual(const passes::Program& program) {
  return std::any_of(program.steps.begin(), program.steps.end(), [](const passes::Step& step) {
    const auto* mac = std::get_if<spec::MacCommand>(&step.command.body);
    return mac != nullptr && mac->residual;
  });
}

int64_t copies_of(const passes::Program& program) {
  return std::count_if(program.steps.begin(), program.steps.end(),
                       [](const passes::Step& step) { return std::holds_alternative<spec::DmaCommand>(step.command.body); });
}

ir::TensorId convolution(GraphBuilder& b, ir::TensorId x, int64_t channels, uint64_t seed, int64_t kernel = 3) {
  const auto w = b.constant(tests::random_tensor(ElementType::Int8, {channels, kernel, kernel, b.shape_of(x)[3]}, seed));
  const auto bias = b.constant(tests::random_tensor(ElementType::Int32, {channels}, seed, -1000, 1000));
  GraphBuilder::Window window;
  window.pad = base::Shape(4, kernel / 2);
  GraphBuilder::Scale scale{.multipliers = {1 << 30}, .shifts = {39}, .output_zp = 5};
  scale.attributes.rounding = spec::Rounding::Double;
  return b.rescale(b.conv2d(x, w, bias, window), ElementType::Int8, scale);
}

struct Sum {
  int64_t left_shift = 20, multiplier = 1518500250, shift = 33;  // of the side with two scales
  int64_t own_shift = 19, sum_shift = 49;
};

/// own and other to int32, added, back to int8.
ir::TensorId addition(GraphBuilder& b, ir::TensorId own, ir::TensorId other, const Sum& sum) {
  const auto scale = [](int64_t multiplier, int64_t shift, int64_t in_zp, int64_t out_zp) {
    GraphBuilder::Scale result{.multipliers = {multiplier}, .shifts = {shift}, .input_zp = in_zp, .output_zp = out_zp};
    result.attributes.rounding = spec::Rounding::Double;
    return result;
  };
  const auto left = b.rescale(own, ElementType::Int32, scale(1 << 30, 30 - sum.own_shift, 5, 0));
  const auto raised = b.rescale(other, ElementType::Int32, scale(1 << 30, 30 - sum.left_shift, -9, 0));
  const auto right = b.rescale(raised, ElementType::Int32, scale(sum.multiplier, sum.shift, 0, 0));
  return b.rescale(b.binary(OpKind::Add, right, left), ElementType::Int8, scale(1 << 30, sum.sum_shift, 0, 11));
}

TEST_CASE("an addition behind a convolution is its epilogue") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 9, 7, 32});
  const auto first = b.clamp(convolution(b, x, 32, 1), -100, 127);
  const auto y = b.clamp(addition(b, convolution(b, first, 32, 2), first, {}), -120, 90);
  const ir::Graph graph = b.build({y});
  const passes::Program program = run_on_all(graph);
  CHECK(program.steps.size() == 2);
  CHECK(has_residual(program));
}

TEST_CASE("an addition stays apart where the convolution's own result is needed") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 9, 7, 16});
  const auto own = convolution(b, x, 16, 1);
  const auto y = addition(b, own, x, {});
  CHECK(!has_residual(run_on_all(b.build({y, own}))));
  CHECK(!has_residual(run_on_all(b.build({y, b.clamp(own, -3, 3)}))));
  CHECK(has_residual(run_on_all(b.build({y}))));
}

TEST_CASE("an addition stays apart where its sum is needed, or the other side is smaller") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 9, 7, 16}), small = b.input("small", ElementType::Int8, {1, 1, 7, 16});
  const auto y = addition(b, convolution(b, x, 16, 1), x, {});
  const ir::Graph graph = b.build({y});
  const ir::TensorId sum = graph.operators.back().inputs[0];
  CHECK(!has_residual(run_on_all(b.build({y, sum}))));
  GraphBuilder c;
  const auto z = c.input("x", ElementType::Int8, {1, 9, 7, 16}), row = c.input("row", ElementType::Int8, {1, 1, 7, 16});
  CHECK(!has_residual(run_on_all(c.build({addition(c, convolution(c, z, 16, 1), row, {})}))));
  CHECK(small >= 0);
}

TEST_CASE("of two convolutions that are added, the later one does it, or the one that hides it") {
  for (const bool is_later_short : {false, true}) {
    GraphBuilder b;
    const auto x = b.input("x", ElementType::Int8, {1, 6, 6, 32});
    const auto one = convolution(b, x, 24, 1), two = convolution(b, x, 24, 2, is_later_short ? 1 : 3);
    const passes::Program program = run_on_all(b.build({addition(b, one, two, {})}));
    REQUIRE(program.steps.size() == 2);
    const auto& last = std::get<spec::MacCommand>(program.steps[1].command.body);
    CHECK(last.residual);
    CHECK(last.kernel_rows == 3);
  }
}

TEST_CASE("an addition stays apart where the array would wait for it") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 6, 6, 8});
  CHECK(!has_residual(run_on_all(b.build({addition(b, convolution(b, x, 8, 1, 1), x, {})}))));
}

TEST_CASE("an addition stays apart where one scale in the place of two would round otherwise") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 9, 7, 16});
  // Double rounding by 33 bits after a shift by 2, and a sum that shows every unit.
  const Sum sum{.left_shift = 2, .multiplier = 858993459, .shift = 33, .own_shift = 0, .sum_shift = 30};
  CHECK(!has_residual(run_on_all(b.build({addition(b, convolution(b, x, 16, 1), x, sum)}))));
}

TEST_CASE("additions with random scales come out as the reference computes them") {
  int64_t fused = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    GraphBuilder b;
    const Shape shape{random.within(1, 2), random.within(1, 9), random.within(1, 9), random.pick<int64_t>({3, 8, 16, 40})};
    const auto x = b.input("x", ElementType::Int8, shape);
    Sum sum{random.within(0, 20), random.within(1 << 30, INT32_MAX), random.within(31, 36), random.within(0, 20), 0};
    sum.sum_shift = std::max(sum.left_shift, sum.own_shift) + 30 + random.within(-2, 1);
    const auto y = addition(b, convolution(b, x, shape[3], seed), x, sum);
    const ir::Graph graph = b.build({y});
    const std::vector<std::string> machines{"v64", "v256", "v1024"};
    const auto result = tests::lower_and_run(graph, tests::random_inputs(graph, seed), machines[seed % 3], {1, seed % 2});
    CHECK(result.differences == std::vector<std::string>{});
    fused += has_residual(result.program) ? 1 : 0;
  }
  CHECK(fused >= 5);
  CHECK(fused <= 55);
}

ir::TensorId transpose(GraphBuilder& b, ir::TensorId x, const std::vector<int64_t>& perms) {
  Shape out;
  for (const int64_t d : perms) out.push_back(b.shape_of(x)[static_cast<size_t>(d)]);
  return b.op(OpKind::Transpose, {x}, b.type_of(x), out, ir::TransposeAttributes{perms});
}

ir::TensorId matmul(GraphBuilder& b, ir::TensorId a, ir::TensorId c) {
  const Shape& left = b.shape_of(a);
  return b.op(OpKind::MatMul, {a, c, b.scalar(b.type_of(a), 3), b.scalar(b.type_of(a), -2)}, ElementType::Int32,
              {left[0], left[1], b.shape_of(c)[2]});
}

/// Attention of `heads` heads, without softmax.
ir::TensorId attention(GraphBuilder& b, int64_t tokens, int64_t heads, int64_t width) {
  const Shape split{1, tokens, heads, width}, batches{heads, tokens, width};
  const auto head_of = [&](const std::string& name) {
    const auto x =
        b.unary(OpKind::Abs, b.rescale(b.input(name, ElementType::Int8, {tokens, heads * width}), ElementType::Int32, {}));
    const auto y = b.rescale(x, ElementType::Int8, {});
    return b.reshape(transpose(b, b.reshape(y, split), {0, 2, 1, 3}), batches);
  };
  const auto q = head_of("q"), k = head_of("k"), v = head_of("v");
  const GraphBuilder::Scale down{.multipliers = {1 << 30}, .shifts = {38}};
  const auto scores = b.rescale(matmul(b, q, transpose(b, k, {0, 2, 1})), ElementType::Int8, down);
  const auto mixed = b.rescale(b.reshape(matmul(b, scores, v), {1, heads, tokens, width}), ElementType::Int8, down);
  return b.reshape(transpose(b, mixed, {0, 2, 1, 3}), {tokens, 1, 1, heads * width});
}

TEST_CASE("heads of attention are split, turned and joined by strides") {
  for (const auto& [tokens, heads, width] :
       std::vector<std::array<int64_t, 3>>{{49, 4, 16}, {5, 2, 8}, {17, 3, 5}, {1, 2, 16}, {33, 1, 32}, {4, 4, 1}}) {
    INFO(tokens << " tokens, " << heads << " heads of " << width);
    GraphBuilder b;
    const auto x = attention(b, tokens, heads, width);
    const auto y = b.unary(OpKind::BitwiseNot, x);
    const passes::Program program = run_on_all(b.build({y}));
    CHECK(copies_of(program) == 0);
  }
}

TEST_CASE("a TRANSPOSE is a copy where its readers need the elements in order") {
  GraphBuilder b;
  const auto x = b.unary(OpKind::Abs, b.rescale(b.input("x", ElementType::Int8, {3, 4, 8}), ElementType::Int32, {}));
  const auto y = b.rescale(x, ElementType::Int8, {});
  const auto turned = transpose(b, y, {1, 0, 2});
  const auto as_output = run_on_all(b.build({turned}));
  CHECK(as_output.steps.size() == 2);
  CHECK(run_on_all(b.build({b.unary(OpKind::BitwiseNot, turned)})).steps.size() == 2);                      // strides
  CHECK(run_on_all(b.build({b.unary(OpKind::BitwiseNot, b.reshape(turned, {12, 8}))})).steps.size() == 3);  // side by side
  CHECK(run_on_all(b.build({b.unary(OpKind::BitwiseNot, transpose(b, y, {0, 2, 1}))})).steps.size() == 3);
}

ir::TensorId pad(GraphBuilder& b, ir::TensorId x, const std::vector<int64_t>& padding, int64_t value) {
  Shape out = b.shape_of(x);
  for (size_t d = 0; d < out.size(); ++d) out[d] += padding[2 * d] + padding[2 * d + 1];
  const auto amounts = b.shape(padding);
  return b.op(OpKind::Pad, {x, amounts, b.scalar(b.type_of(x), value)}, b.type_of(x), out);
}

TEST_CASE("a PAD of zero points is padding of the convolutions behind it") {
  // Padding, value, zero point, whether it costs nothing.
  using Case = std::tuple<std::vector<int64_t>, int64_t, int64_t, bool>;
  for (const auto& [padding, value, zero_point, is_free] :
       std::vector<Case>{{{0, 0, 1, 2, 2, 0, 0, 0}, 7, 7, true},
                         {{0, 0, 0, 0, 1, 1, 0, 0}, -128, -128, true},
                         {{0, 0, 0, 5, 1, 1, 0, 0}, 7, 7, false},
                         {{0, 0, 1, 1, 1, 1, 0, 0}, 7, 6, false},     // not what the convolution pads with
                         {{0, 0, 1, 0, 1, 0, 0, 1}, 7, 7, false},     // channels
                         {{1, 0, 1, 0, 0, 0, 0, 0}, 7, 7, false}}) {  // images
    for (const bool is_depthwise : {false, true}) {
      GraphBuilder b;
      const auto x = b.input("x", ElementType::Int8, {1, 9, 6, 16});
      const auto y =
          b.rescale(b.rescale(x, ElementType::Int32, {}), ElementType::Int8, {.multipliers = {1 << 30}, .shifts = {31}});
      const auto padded = pad(b, y, padding, value);
      const int64_t channels = b.shape_of(padded)[3];
      GraphBuilder::Window window;
      window.stride = {b.shape_of(padded)[1] % 2 == 0 ? 2 : 1, 1};
      window.pad = {1, 0, 0, 0};
      window.input_zp = zero_point;
      const auto bias = b.constant(tests::random_tensor(ElementType::Int32, {is_depthwise ? channels : 16}, 2, -1000, 1000));
      const auto w = b.constant(
          tests::random_tensor(ElementType::Int8, is_depthwise ? Shape{3, 3, channels, 1} : Shape{16, 3, 3, channels}, 1));
      const auto acc = is_depthwise ? b.depthwise_conv2d(padded, w, bias, window) : b.conv2d(padded, w, bias, window);
      const auto z = b.rescale(acc, ElementType::Int8, {.multipliers = {1 << 30}, .shifts = {38}});
      const passes::Program program = run_on_all(b.build({z}));
      INFO(base::to_string(padding) << ", " << value << ", zero point " << zero_point);
      CHECK((program.steps.size() == 2) == is_free);
      CHECK(run_on_all(b.build({z, padded})).steps.size() > 2);
    }
  }
}

TEST_CASE("operands of a CONCAT are written into its result, where nobody else reads them") {
  for (const int64_t axis : {1, 2, 3}) {
    for (const int64_t channels : {16, 5}) {
      GraphBuilder b;
      const auto x = b.input("x", ElementType::Int8, {1, 6, 6, 16});
      const auto one = convolution(b, x, channels, 1), two = convolution(b, x, channels, 2);
      const auto three = b.clamp(b.unary(OpKind::BitwiseNot, b.rescale(two, ElementType::Int8, {.output_zp = 3})), -90, 90);
      Shape out = b.shape_of(one);
      out[static_cast<size_t>(axis)] *= 3;
      const auto all = [&](ir::TensorId last) {
        return b.op(OpKind::Concat, {one, three, last}, ElementType::Int8, out, ir::AxisAttributes{axis});
      };
      INFO("axis " << axis << ", " << channels << " channels");
      const auto in_place = all(convolution(b, x, channels, 3));
      CHECK(copies_of(run_on_all(b.build({in_place}))) == 0);
      CHECK(copies_of(run_on_all(b.build({b.unary(OpKind::BitwiseNot, in_place)}))) == 0);
      CHECK(copies_of(run_on_all(b.build({in_place, one}))) == 1);
      CHECK(copies_of(run_on_all(b.build({all(two)}))) == 1);
      CHECK(copies_of(run_on_all(b.build({all(one)}))) == 2);
    }
  }
}

}  // namespace
}  // namespace vernier
