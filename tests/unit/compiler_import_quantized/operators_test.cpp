// SPDX-License-Identifier: Apache-2.0
// Operators on small integers, worked by hand: scales are 1, so that codes are the numbers.
#include "tests/unit/compiler_import_quantized/network_builder.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::tests;
using Codes = std::vector<int64_t>;
using Ints = std::vector<int64_t>;

namespace {

/// x, quantized with scale 1, through one operator, quantized again.
Codes through(const base::Shape& shape, const std::string& kind, const std::map<std::string, Attribute>& attributes,
              const Codes& codes, double out_scale = 1) {
  NetworkBuilder b(shape);
  b.output(b.quantized(b.node(kind, {b.quantized("x", 1, 0)}, attributes), out_scale, 0));
  return b.run(codes);
}

Codes convolved(const base::Shape& shape, const base::Shape& weight_shape, const std::vector<double>& weights,
                const std::map<std::string, Attribute>& attributes, const Codes& codes) {
  NetworkBuilder b(shape);
  b.output(b.quantized(b.node("Conv", {b.quantized("x", 1, 0), b.weights(weight_shape, weights, {1})}, attributes), 1, 0));
  return b.run(codes);
}

}  // namespace

TEST_CASE("Conv: channels come first, padding is 0, the bias is added") {
  NetworkBuilder b({1, 2, 2, 2});
  const std::string x = b.quantized("x", 1, 10);  // padding is code 10
  const std::string w = b.weights({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, -8}, {1});
  const std::string bias = b.weights({1}, {9}, {1}, 0, kInt32);
  b.output(b.quantized(b.node("Conv", {x, w, bias}, {{"pads", Ints{1, 0, 0, 0}}}), 1, 0));
  // Channel 0: 1 2 / 3 4, channel 1: 0 1 / 1 0, after the zero point.
  CHECK(b.run({11, 12, 13, 14, 10, 11, 11, 10}) == Codes{3 * 1 + 4 * 2 - 8 * 1 + 9, 1 + 4 + 9 + 16 + 6 + 7 + 9});
}

TEST_CASE("Conv: strides leave rows that no window reads, dilations, auto_pad") {
  const base::Shape row{1, 1, 1, 6}, taps{1, 1, 1, 2};
  const Codes codes{1, 2, 3, 4, 5, 6};
  CHECK(convolved(row, taps, {1, 10}, {{"strides", Ints{1, 3}}}, codes) == Codes{21, 54});
  CHECK(convolved(row, taps, {1, 10}, {{"dilations", Ints{1, 3}}}, codes) == Codes{41, 52, 63});
  CHECK(convolved(row, taps, {1, 10}, {{"auto_pad", std::string("SAME_UPPER")}}, codes) == Codes{21, 32, 43, 54, 65, 6});
  CHECK(convolved(row, taps, {1, 10}, {{"auto_pad", std::string("SAME_LOWER")}}, codes) == Codes{10, 21, 32, 43, 54, 65});
  CHECK(convolved(row, taps, {1, 10}, {{"auto_pad", std::string("VALID")}}, codes) == Codes{21, 32, 43, 54, 65});
}

TEST_CASE("Conv: depthwise with two filters a channel, and groups") {
  const Codes codes{1, 2, 3, 4};
  CHECK(convolved({1, 2, 1, 2}, {4, 1, 1, 1}, {1, 10, 2, 20}, {{"group", int64_t{2}}}, codes) ==
        Codes{1, 2, 10, 20, 6, 8, 60, 80});
  CHECK(convolved({1, 4, 1, 1}, {2, 2, 1, 1}, {1, 10, 2, 20}, {{"group", int64_t{2}}}, codes) == Codes{21, 86});
}

TEST_CASE("Gemm both ways round, MatMul of more rows") {
  for (const bool is_transposed : {false, true}) {
    NetworkBuilder b({1, 3});
    const std::vector<double> w =
        is_transposed ? std::vector<double>{1, 2, 3, 4, 5, 6} : std::vector<double>{1, 4, 2, 5, 3, 6};
    const std::string weights = b.weights(is_transposed ? base::Shape{2, 3} : base::Shape{3, 2}, w, {1});
    const std::string bias = b.constant(kFloat, {2}, {100, -2.4});  // floats are rounded to steps of the sums
    b.output(
        b.quantized(b.node("Gemm", {b.quantized("x", 1, 0), weights, bias}, {{"transB", int64_t{is_transposed}}}), 1, 0));
    CHECK(b.run({1, 0, -1}) == Codes{98, -4});
  }
  for (const base::Shape& shape : {base::Shape{2, 2}, base::Shape{1, 2, 2}, base::Shape{1, 1, 2, 2}}) {
    NetworkBuilder b(shape);
    b.output(b.quantized(b.node("MatMul", {b.quantized("x", 1, 0), b.weights({2, 1}, {3, 5}, {1})}), 1, 0));
    CHECK(b.run({1, 2, 3, 4}) == Codes{13, 29});
  }
}

TEST_CASE("pools: windows beyond the end, means round half to even") {
  const base::Shape row{1, 1, 1, 5};
  const std::map<std::string, Attribute> two{{"kernel_shape", Ints{1, 2}}, {"strides", Ints{1, 2}}};
  CHECK(through(row, "MaxPool", two, {1, -5, 3, 7, 9}) == Codes{1, 7});
  auto up = two;
  up["ceil_mode"] = int64_t{1};
  CHECK(through(row, "MaxPool", up, {1, -5, 3, 7, 9}) == Codes{1, 7, 9});
  CHECK(through(row, "AveragePool", two, {1, 2, 2, 3, 9}) == Codes{2, 2});
  CHECK(through(row, "AveragePool", two, {-1, -2, -2, -3, 9}) == Codes{-2, -2});
  CHECK(through({1, 2, 2, 2}, "GlobalAveragePool", {}, {1, 2, 3, 4, -1, -2, -3, -4}) == Codes{2, -2});
}

TEST_CASE("Add, Sub and Mul: other scales, broadcast, constants") {
  NetworkBuilder b({1, 2});
  const std::string x = b.quantized("x", 1, 0);
  const std::string y = b.quantized(b.node("Relu", {x}), 0.5, -128);
  b.output(b.quantized(b.node("Add", {x, y}), 1, 0));
  CHECK(b.run({-7, 21}) == Codes{-7, 42});
  NetworkBuilder c({2, 2});
  const std::string constant = c.weights({2}, {3, -5}, {0.5});
  c.output(c.quantized(c.node("Sub", {constant, c.quantized("x", 1, 0)}), 0.5, 0));
  CHECK(c.run({1, 2, 3, 4}) == Codes{1, -9, -3, -13});
  NetworkBuilder d({1, 2, 1, 2});
  const std::string factors = d.weights({2, 1, 1}, {3, -5}, {2});
  d.output(d.quantized(d.node("Mul", {d.quantized("x", 1, 1), factors}), 2, 0));
  CHECK(d.run({2, 3, 4, 5}) == Codes{3, 6, -15, -20});
}

TEST_CASE("what moves numbers moves codes") {
  const Codes six{1, 2, 3, 4, 5, 6};
  CHECK(through({1, 2, 1, 3}, "Transpose", {{"perm", Ints{0, 3, 1, 2}}}, six) == Codes{1, 4, 2, 5, 3, 6});
  CHECK(through({1, 2, 3}, "Transpose", {}, six) == Codes{1, 4, 2, 5, 3, 6});
  CHECK(through({1, 2, 3}, "Flatten", {}, six) == six);
  NetworkBuilder b({1, 6});
  const std::string shape = b.constant(kInt64, {3}, {0, -1, 2});
  b.output(b.quantized(b.node("Reshape", {b.quantized("x", 1, 0), shape}), 1, 0));
  const import::ImportResult result = b.lowered();
  REQUIRE(result.graph);
  CHECK(result.graph->tensor(result.graph->outputs[0]).shape == base::Shape{1, 3, 2});
  NetworkBuilder pad({1, 2});
  const std::string pads = pad.constant(kInt64, {4}, {0, 1, 0, 2});
  pad.output(pad.quantized(pad.node("Pad", {pad.quantized("x", 1, 3), pads, pad.constant(kFloat, {}, {4})}), 1, 3));
  CHECK(pad.run({1, 2}) == Codes{7, 1, 2, 7, 7});
}

TEST_CASE("Slice and Split take boxes") {
  const auto sliced = [](const std::vector<double>& start, const std::vector<double>& end, const std::vector<double>& axis) {
    NetworkBuilder b({1, 2, 1, 4});
    const std::vector<std::string> inputs{b.quantized("x", 1, 0), b.constant(kInt64, {1}, start),
                                          b.constant(kInt64, {1}, end), b.constant(kInt64, {1}, axis)};
    b.output(b.quantized(b.node("Slice", inputs), 1, 0));
    return b.run({1, 2, 3, 4, 5, 6, 7, 8});
  };
  CHECK(sliced({1}, {3}, {3}) == Codes{2, 3, 6, 7});
  CHECK(sliced({-2}, {9223372036854774784.0}, {-1}) == Codes{3, 4, 7, 8});
  CHECK(sliced({1}, {2}, {1}) == Codes{5, 6, 7, 8});
  NetworkBuilder b({1, 5});
  const std::string x = b.quantized("x", 1, 0);
  b.network.nodes.push_back({"n", "Split", {x}, {"p", "q"}, {{"axis", int64_t{1}}, {"num_outputs", int64_t{2}}}});
  b.output(b.quantized("q", 1, 0));
  CHECK(b.run({1, 2, 3, 4, 5}) == Codes{4, 5});
  b.network.nodes[2].attributes = {{"axis", int64_t{1}}, {"split", Ints{1, 4}}};
  CHECK(b.run({1, 2, 3, 4, 5}) == Codes{2, 3, 4, 5});
  b.network.nodes[2].attributes["split"] = Ints{1, 3};
  CHECK(b.complaints() == "node 'n' (Split): parts [1, 3] for 2 outputs do not make axis 1 of [1, 5]");
}

TEST_CASE("ReduceMean of rows and columns, with and without them in the result") {
  for (const int64_t keeps : {0, 1}) {
    NetworkBuilder b({1, 2, 2, 2});
    const std::string axes = b.constant(kInt64, {2}, {-1, 2});
    b.output(b.quantized(b.node("ReduceMean", {b.quantized("x", 1, 0), axes}, {{"keepdims", keeps}}), 0.5, 0));
    CHECK(b.run({1, 2, 3, 4, -1, -2, -3, -5}) == Codes{5, -6});
    const import::ImportResult result = b.lowered();
    CHECK(result.graph->tensor(result.graph->outputs[0]).shape == (keeps ? base::Shape{1, 2, 1, 1} : base::Shape{1, 2}));
  }
}

TEST_CASE("Concat joins in the format of the quantizer after it") {
  NetworkBuilder b({1, 2});
  const std::string x = b.quantized("x", 1, 0), y = b.quantized(b.node("Neg", {x}), 0.5, 0);
  b.output(b.quantized(b.node("Concat", {x, y}, {{"axis", int64_t{-1}}}), 2, 1));
  CHECK(b.run({4, -9}) == Codes{3, -3, -1, 5});
}

TEST_CASE("an image stays in the machine's order from one operator to the next") {
  NetworkBuilder b({1, 2, 4, 4});
  std::string value = b.quantized("x", 1, 0);
  for (int i = 0; i < 3; ++i) {
    value = b.quantized(b.node("Conv", {value, b.weights({2, 2, 1, 1}, {1, 0, 0, 1}, {1})}), 1, 0);
    value = b.quantized(b.node("MaxPool", {value}, {{"kernel_shape", Ints{1, 1}}}), 1, 0);
  }
  b.output(b.quantized(b.node("Add", {value, value}), 2, 0));
  import::ImportResult result = b.lowered();
  const ir::Graph graph = import::take_graph(result);
  int transposes = 0;
  for (const ir::Operator& op : graph.operators) transposes += op.kind == ir::OpKind::Transpose ? 1 : 0;
  CHECK(transposes == 2);  // at the edges
}

TEST_CASE("Gemm: alpha, beta, a first operand that is transposed, and no bias for each row") {
  const auto gemm = [](const base::Shape& bias, std::map<std::string, Attribute> attributes) {
    NetworkBuilder b({2, 2});
    const std::string c = b.constant(kFloat, bias, std::vector<double>(static_cast<size_t>(base::num_elements(bias)), 4));
    b.output(b.quantized(
        b.node("Gemm", {b.quantized("x", 1, 0), b.weights({2, 2}, {1, 2, 3, 4}, {1}), c}, std::move(attributes)), 1, 0));
    return b;
  };
  CHECK(gemm({2}, {}).run({1, 2, 3, 5}) == std::vector<int64_t>{11, 14, 22, 30});
  CHECK(gemm({1, 2}, {{"alpha", 2.0F}, {"beta", -0.5F}}).run({1, 2, 3, 5}) == std::vector<int64_t>{12, 18, 34, 50});
  CHECK(gemm({}, {{"transA", int64_t{1}}}).run({1, 3, 2, 5}) == std::vector<int64_t>{11, 14, 22, 30});
  CHECK_THAT(gemm({2, 1}, {}).complaints(),
             Catch::Matchers::Contains("has shape [2, 1], allowed is one number for each column"));
  CHECK_THAT(gemm({2}, {{"alpha", 0.0F}}).complaints(), Catch::Matchers::Contains("attributes alpha and beta are 0 and 1"));
}

TEST_CASE("constants of unsigned codes lie beside values as those do: less half of their range") {
  const auto run = [](const std::string& kind, double scale, const std::vector<int64_t>& codes) {
    NetworkBuilder b({1, 3});
    const std::string constant = b.weights({1, 3}, {200, 3, 128}, {1}, 0, kUint8);
    b.output(b.quantized(b.node(kind, {b.quantized("x", 1, 0, kUint8), constant}), scale, 0, kUint8));
    return b.run(codes);
  };
  // The codes of x are 0, 2 and 1.
  CHECK(run("Add", 1, {-128, -126, -127}) == std::vector<int64_t>{200 - 128, 5 - 128, 129 - 128});
  CHECK(run("Sub", 0.5, {127, -126, -127}) == std::vector<int64_t>{110 - 128, -128, -128});
  CHECK(run("Mul", 2, {-128, -126, -127}) == std::vector<int64_t>{-128, 3 - 128, 64 - 128});
}

TEST_CASE("Slice with any step, Pad with numbers of the value") {
  const auto sliced = [](double begin, double end, double step, const std::vector<int64_t>& codes) {
    NetworkBuilder b({1, 5});
    const auto list = [&](double number) { return b.constant(kInt64, {1}, {number}); };
    b.output(b.node("Slice", {b.quantized("x", 1, 0), list(begin), list(end), list(1), list(step)}));
    return b.run(codes);
  };
  const std::vector<int64_t> five{1, 2, 3, 4, 5};
  CHECK(sliced(0, 5, 2, five) == std::vector<int64_t>{1, 3, 5});
  CHECK(sliced(-1, -100, -1, five) == std::vector<int64_t>{5, 4, 3, 2, 1});
  CHECK(sliced(3, 0, -2, five) == std::vector<int64_t>{4, 2});
  CHECK(sliced(1, 100, 1e12, five) == std::vector<int64_t>{2});
  const auto padded = [](const std::string& mode, const std::vector<double>& pads) {
    NetworkBuilder b({1, 3});
    const std::string axes = b.constant(kInt64, {1}, {-1});
    b.output(b.node("Pad", {b.quantized("x", 1, 0), b.constant(kInt64, {2}, pads), "", axes}, {{"mode", mode}}));
    return b;
  };
  CHECK(padded("edge", {2, 1}).run({1, 2, 3}) == std::vector<int64_t>{1, 1, 1, 2, 3, 3});
  CHECK(padded("reflect", {2, 1}).run({1, 2, 3}) == std::vector<int64_t>{3, 2, 1, 2, 3, 2});
  CHECK(padded("wrap", {2, 1}).run({1, 2, 3}) == std::vector<int64_t>{2, 3, 1, 2, 3, 1});
  CHECK(padded("constant", {2, 1}).run({1, 2, 3}) == std::vector<int64_t>{0, 0, 1, 2, 3, 0});
  CHECK_THAT(padded("reflect", {3, 0}).complaints(), Catch::Matchers::Contains("allowed are fewer than there are"));
  CHECK_THAT(padded("mirror", {1, 0}).complaints(), Catch::Matchers::Contains("allowed are constant reflect edge wrap"));
}

TEST_CASE("movement of weights with a scale for each channel, and of sums") {
  NetworkBuilder b({1, 2});
  const std::string w = b.weights({3, 2}, {1, 2, 3, 4, 5, 6}, {1, 1, 0.5}, 0);
  const std::string product =
      b.node("MatMul", {b.quantized("x", 1, 0), b.node("Transpose", {w}, {{"perm", std::vector<int64_t>{1, 0}}})});
  const std::string turned = b.node("Transpose", {product}, {{"perm", std::vector<int64_t>{1, 0}}});
  b.output(b.quantized(turned, 1, 0));
  CHECK(b.run({1, 2}) == std::vector<int64_t>{5, 11, 8});  // 8.5 goes to even
  NetworkBuilder c({2, 2});
  const std::string sums = c.node("MatMul", {c.quantized("x", 1, 0), c.weights({2, 1}, {1, 10}, {1})});
  c.output(c.quantized(c.node("Reshape", {sums, c.constant(kInt64, {1}, {-1})}), 1, 0));
  CHECK(c.run({1, 2, 3, 4}) == std::vector<int64_t>{21, 43});
}
