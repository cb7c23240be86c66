// SPDX-License-Identifier: Apache-2.0
// Operators that compute on codes, and arithmetic on shapes, by hand.
#include "tests/unit/compiler_import_quantized/network_builder.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::tests;
using Catch::Matchers::Contains;
using Codes = std::vector<int64_t>;
using Ints = std::vector<int64_t>;

namespace {

/// "x" of uint8 codes; q(s, z) are a scale and a zero point.
struct Builder : NetworkBuilder {
  explicit Builder(const base::Shape& shape, NumberType type = kInt8) : NetworkBuilder(shape, type), of(type) {}
  std::string s(double scale) { return constant(kFloat, {}, {scale}); }
  std::string z(double zero) { return constant(of, {}, {zero}); }
  NumberType of;
};

}  // namespace

TEST_CASE("QLinearConv: scales of channels, a bias in steps of the products") {
  Builder b({1, 1, 1, 2});
  const std::string w = b.constant(kInt8, {2, 1, 1, 2}, {1, 2, 3, 4}), ws = b.constant(kFloat, {2}, {0.5, 0.25});
  b.output(b.node("QLinearConv", {"x", b.s(2), b.z(1), w, ws, b.constant(kInt8, {2}, {0, 0}), b.s(1), b.z(-3),
                                  b.constant(kInt32, {2}, {4, -4})}));
  // Sums 10 + 4 and 22 - 4 of x = 2, 4; steps 1 and 1/2.
  CHECK(b.run({3, 5}) == Codes{14 - 3, 9 - 3});
}

TEST_CASE("QLinearMatMul, QGemm, both of unsigned codes") {
  Builder b({1, 2}, kUint8);
  b.output(
      b.node("QLinearMatMul", {"x", b.s(1), b.z(2), b.constant(kUint8, {2, 1}, {5, 6}), b.s(1), b.z(4), b.s(1), b.z(100)}));
  CHECK(b.run({12 - 128, 22 - 128}) == Codes{10 + 40 + 100 - 128});
  Builder c({1, 2}, kUint8);
  c.output(c.node("com.microsoft.QGemm",
                  {"x", c.s(1), c.z(2), c.constant(kInt8, {1, 2}, {1, 2}), c.s(1), c.constant(kInt8, {}, {0}),
                   c.constant(kInt32, {1}, {7}), c.s(1), c.z(100)},
                  {{"transB", int64_t{1}}}));
  CHECK(c.run({12 - 128, 22 - 128}) == Codes{57 + 100 - 128});
}

TEST_CASE("ConvInteger and MatMulInteger give sums") {
  Builder b({1, 2}, kUint8);
  b.output(b.node("MatMulInteger", {"x", b.constant(kInt8, {2, 1}, {100, 90}), b.z(2)}));
  CHECK(b.run({12 - 128, 22 - 128}) == Codes{2800});
  Builder c({1, 1, 1, 2}, kUint8);
  c.output(c.node("ConvInteger", {"x", c.constant(kUint8, {1, 1, 1, 1}, {200})}));
  CHECK(c.run({127, -128}) == Codes{51000, 0});
}

TEST_CASE("operators of Microsoft's domain: sums, products, functions, averages, concatenation") {
  const std::string domain = "com.microsoft.";
  const auto binary = [&](const std::string& kind) {
    Builder b({1, 2});
    b.output(b.node(domain + kind, {"x", b.s(1), b.z(1), "x", b.s(1), b.z(1), b.s(0.5), b.z(3)}));
    return b.run({2, 5});
  };
  CHECK(binary("QLinearAdd") == Codes{7, 19});
  CHECK(binary("QLinearMul") == Codes{5, 35});
  Builder tie({1, 1});  // 1 / 2 and the zero point 3 are 3.5: the sum goes to even
  tie.output(tie.node(domain + "QLinearMul", {"x", tie.s(1), tie.z(1), "x", tie.s(1), tie.z(1), tie.s(2), tie.z(3)}));
  CHECK(tie.run({2}) == Codes{4});
  const auto unary = [&](const std::string& kind, const base::Shape& shape, const Codes& codes,
                         const std::map<std::string, Attribute>& attributes = {}) {
    Builder b(shape);
    b.output(b.node(domain + kind, {"x", b.s(1), b.z(0), b.s(0.25), b.z(1)}, attributes));
    return b.run(codes);
  };
  CHECK(unary("QLinearLeakyRelu", {1, 2}, {-4, 4}, {{"alpha", 0.5F}}) == Codes{-7, 17});
  CHECK(unary("QLinearSigmoid", {1, 2}, {0, 100}) == Codes{3, 5});
  CHECK(unary("QLinearSoftmax", {1, 2}, {9, 9}, {{"opset", int64_t{13}}}) == Codes{3, 3});
  // Two rows of two, or before opset 13 one row of four: from axis 1, which is the default there, or another one.
  const Codes same(4, 9);
  CHECK(unary("QLinearSoftmax", {1, 2, 2}, same, {{"opset", int64_t{13}}}) == Codes(4, 3));
  CHECK(unary("QLinearSoftmax", {1, 2, 2}, same, {{"opset", int64_t{12}}}) == Codes(4, 2));
  CHECK(unary("QLinearSoftmax", {1, 2, 2}, same, {{"opset", int64_t{11}}, {"axis", int64_t{2}}}) == Codes(4, 3));
  CHECK(unary("QLinearGlobalAveragePool", {1, 1, 2, 2}, {1, 2, 3, 4}, {{"channels_last", int64_t{0}}}) == Codes{11});
  CHECK(unary("QLinearAveragePool", {1, 1, 1, 3}, {1, 2, 3}, {{"kernel_shape", Ints{1, 2}}}) == Codes{7, 11});
  Builder b({1, 1});  // the same codes, 6, taken in two ways: 6 and 10
  const std::string codes = b.node(domain + "QLinearAdd", {"x", b.s(1), b.z(0), "x", b.s(1), b.z(0), b.s(1), b.z(0)});
  b.output(b.node(domain + "QLinearConcat", {b.s(0.5), b.z(-1), codes, b.s(1), b.z(0), codes, b.s(2), b.z(1)},
                  {{"axis", int64_t{1}}}));
  CHECK(b.run({3}) == Codes{11, 19});
}

TEST_CASE("codes between operators are moved and compared as they are, and nothing else") {
  Builder b({1, 1, 1, 2}, kUint8);
  const std::string one = b.constant(kUint8, {1, 1, 1, 1}, {1});
  const auto conv = [&](const std::string& x, double zero) {
    return b.node("QLinearConv", {x, b.s(1), b.z(2), one, b.s(1), b.z(0), b.s(1), b.z(zero)});
  };
  const std::string pads = b.constant(kInt64, {8}, {0, 0, 0, 0, 0, 0, 0, 1});
  const std::string padded = b.node("Pad", {conv("x", 2), pads, b.constant(kUint8, {}, {200})});
  b.output(conv(b.node("MaxPool", {padded}, {{"kernel_shape", Ints{1, 2}}}), 2));
  CHECK(b.run({10 - 128, 20 - 128}) == Codes{20 - 128, 200 - 128});
  Builder c({1, 2}, kUint8);
  c.output(c.node("Tanh", {c.node("com.microsoft.QLinearAdd", {"x", c.s(1), c.z(0), "x", c.s(1), c.z(0), c.s(1), c.z(0)})}));
  CHECK(c.complaints() == "node 'n_v1' (Tanh): 'v0' holds integers, expected numbers");
}

TEST_CASE("what an operator on codes may not be is told by its own name") {
  Builder b({1, 1, 1, 2});
  const std::string w = b.constant(kInt8, {1, 1, 1, 3}, {1, 2, 3});
  b.output(b.node("QLinearConv", {"x", b.s(2), b.z(1), w, b.s(1), b.z(0), b.s(1), b.z(0)}));
  CHECK(b.complaints() == "node 'n_v0' (QLinearConv): a kernel of 3 does not fit on an input of 2 with its padding");
  Builder c({1, 2});
  c.output(c.node("com.microsoft.QLinearSoftmax", {"x", c.s(1), c.z(0), c.s(1), c.z(0)}));
  CHECK(c.complaints() ==
        "node 'n_v0' (com.microsoft.QLinearSoftmax): attribute opset is missing, expected that of the "
        "Softmax that is meant, from 1");
}

TEST_CASE("a scale that is no constant of float32 is told by its name") {
  const auto complaints_about = [](const auto& scale_of) {
    Builder b({1, 1, 1, 1});
    const std::string scale = scale_of(b), w = b.constant(kInt8, {1, 1, 1, 1}, {3});
    b.output(
        b.node("QLinearConv", {"x", scale, b.z(1), w, b.s(0.5), b.z(0), b.s(1), b.z(-3), b.constant(kInt32, {1}, {4})}));
    return b.complaints();
  };
  const auto is_told = Contains("is no constant of float32");
  CHECK_THAT(complaints_about([](Builder& b) { return b.constant(kInt32, {}, {2}); }), is_told);
  CHECK_THAT(complaints_about([](Builder& b) { return b.constant(kFloat, {0}, {}); }), is_told);
  CHECK_THAT(complaints_about([](Builder&) { return std::string("x"); }), is_told);
}

TEST_CASE("Clip between QuantizeLinear and DequantizeLinear limits codes, of values and of weights") {
  const auto network = [](NumberType type, const std::vector<double>& limits, NumberType type_of_limits) {
    NetworkBuilder b({1, 3});
    const std::vector<std::string> format{b.constant(kFloat, {}, {0.5}), b.constant(type, {}, {3})};
    std::vector<std::string> inputs{b.node("QuantizeLinear", {"x", format[0], format[1]})};
    for (const double limit : limits) inputs.push_back(b.constant(type_of_limits, {}, {limit}));
    const std::string x = b.node("DequantizeLinear", {b.node("Clip", inputs), format[0], format[1]});
    const std::vector<std::string> w{b.constant(kFloat, {}, {1}), b.constant(kInt8, {}, {0})};
    const std::string codes =
        b.node("QuantizeLinear", {b.constant(kFloat, {3, 3}, {1, 0, 0, 0, 9, 0, 0, 0, -9}), w[0], w[1]});
    const std::string few = b.node("Clip", {codes, b.constant(kInt8, {}, {-2}), b.constant(kInt8, {}, {2})});
    b.output(b.quantized(b.node("MatMul", {x, b.node("DequantizeLinear", {few, w[0], w[1]})}), 0.5, 0, kInt16));
    return b;
  };
  CHECK(network(kInt8, {-7, 7}, kInt8).run({-100, 1, 100}) == Codes{-10, -4, -8});
  CHECK(network(kInt8, {-7}, kInt8).run({-100, 1, 100}) == Codes{-10, -4, -194});
  CHECK(network(kUint8, {2, 15}, kUint8).run({-128, 4 - 128, 127}) == Codes{-1, 2, -24});
  CHECK(network(kInt16, {-300, 300}, kInt16).run({-1000, 4, 1000}) == Codes{-303, 2, -594});
  CHECK(network(kInt8, {7, -7}, kInt8).complaints() == "node 'n_v1' (Clip): the limits are 7 and -7, expected an interval");
  CHECK(network(kInt8, {-7, 7}, kFloat).complaints() ==
        "node 'n_v1' (Clip): the limit 'c2' is [] of float32, expected one number of the codes' type, int8");
}

TEST_CASE("codes of 4 bits saturate at their own ends") {
  NetworkBuilder b({1, 3});
  const std::vector<std::string> format{b.constant(kFloat, {}, {1}), b.constant({false, 4, true}, {}, {1})};
  b.output(b.node("QuantizeLinear", {b.quantized("x", 1, 0), format[0], format[1]}));
  CHECK(b.run({-100, 3, 100}) == Codes{-8, 4, 7});
  NetworkBuilder c({1, 3});  // unsigned codes lie in the graph less 128
  c.output(c.node("QuantizeLinear",
                  {c.quantized("x", 1, 0), c.constant(kFloat, {}, {1}), c.constant({false, 4, false}, {}, {1})}));
  CHECK(c.run({-100, 3, 100}) == Codes{-128, 4 - 128, 15 - 128});
}

TEST_CASE("arithmetic on shapes is done before anything runs") {
  NetworkBuilder b({2, 3, 1, 1});
  const std::string x = b.quantized("x", 1, 0);
  const auto index = [&](int64_t at) { return b.constant(kInt64, {}, {static_cast<double>(at)}); };
  const auto list = [&](int64_t one) { return b.constant(kInt64, {1}, {static_cast<double>(one)}); };
  const std::string shape = b.node("Shape", {x});
  const std::string rows = b.node("Unsqueeze", {b.node("Gather", {shape, index(0)}, {{"axis", int64_t{0}}}), list(0)});
  const std::string rest = b.node("Slice", {shape, list(1), list(100), list(0), list(1)});
  const std::string product = b.node("Mul", {b.node("Gather", {rest, index(0)}), b.node("Gather", {rest, index(-1)})});
  const std::string columns = b.node("Cast", {b.node("Unsqueeze", {product, list(0)})}, {{"to", int64_t{7}}});
  const std::string flat = b.node("Reshape", {x, b.node("Concat", {rows, columns}, {{"axis", int64_t{0}}})});
  b.output(b.quantized(b.node("Transpose", {flat}), 1, 0));
  CHECK(b.run({1, 2, 3, 4, 5, 6}) == Codes{1, 4, 2, 5, 3, 6});
}

TEST_CASE("a list is cut with any step, with one of each") {
  const auto cut = [](const std::vector<double>& begin, double end, const std::vector<double>& step) {
    NetworkBuilder b({1, 5});
    const std::string x = b.quantized("x", 1, 0);
    const auto list = [&](const std::vector<double>& numbers) {
      return b.constant(kInt64, {static_cast<int64_t>(numbers.size())}, numbers);
    };
    const std::string picked = b.node("Slice", {list({4, 3, 2, 1, 0}), list(begin), list({end}), list({0}), list(step)});
    b.output(b.node("Gather", {x, picked}, {{"axis", int64_t{1}}}));
    return b;
  };
  const Codes codes{10, 11, 12, 13, 14};
  CHECK(cut({0}, 5, {2}).run(codes) == Codes{14, 12, 10});
  CHECK(cut({-1}, -100, {-2}).run(codes) == Codes{10, 12, 14});
  CHECK(cut({1}, 4, {1}).run(codes) == Codes{13, 12, 11});
  CHECK_THAT(cut({0}, 5, {2, 1}).complaints(), Contains("a constant of shape [5] is cut, allowed are lists"));
  CHECK_THAT(cut({0, 1}, 5, {2}).complaints(), Contains("a constant of shape [5] is cut, allowed are lists"));
  CHECK_THAT(cut({0}, 5, {0}).complaints(), Contains("5 numbers are cut with a step of 0"));
}

TEST_CASE("lists of shapes are computed number by number, or with one number, and lists of other lengths are refused") {
  const auto shaped = [](const std::vector<double>& first, const std::vector<double>& second) {
    NetworkBuilder b({1, 6});
    const auto list = [&](const std::vector<double>& numbers) {
      return b.constant(kInt64, {static_cast<int64_t>(numbers.size())}, numbers);
    };
    b.output(b.node("Reshape", {b.quantized("x", 1, 0), b.node("Mul", {list(first), list(second)})}));
    return b;
  };
  const auto shape_of = [](const NetworkBuilder& b) {
    const import::ImportResult result = b.lowered();
    return result.graph ? result.graph->tensor(result.graph->outputs.at(0)).shape : base::Shape{};
  };
  CHECK(shape_of(shaped({1, 3}, {2, 1})) == base::Shape{2, 3});
  CHECK(shape_of(shaped({3}, {2})) == base::Shape{6});
  CHECK(shape_of(shaped({2, 3, 1}, {1})) == base::Shape{2, 3, 1});
  CHECK_THAT(shaped({1, 3}, {2, 1, 1}).complaints(),
             Contains("node 'n_v2' (Mul): operands of shapes [2] and [3] do not go together"));
}

TEST_CASE("Range, ConstantOfShape, Div, Size and the ends of Shape") {
  NetworkBuilder b({2, 3});
  const std::string x = b.quantized("x", 1, 0);
  const auto number = [&](double one) { return b.constant(kInt64, {}, {one}); };
  const std::string six = b.node("Size", {x}), three = b.node("Div", {six, number(2)});
  const std::string order = b.node("Range", {b.node("Sub", {three, number(1)}), number(-1), number(-1)});
  const std::string picked = b.node("Gather", {x, order}, {{"axis", int64_t{1}}});
  const std::string ones = b.node("ConstantOfShape", {b.constant(kInt64, {1}, {1}), b.constant(kInt64, {1}, {-1})});
  b.output(b.quantized(b.node("Reshape", {picked, ones}), 1, 0));
  CHECK(b.run({1, 2, 3, 4, 5, 6}) == Codes{3, 2, 1, 6, 5, 4});
  NetworkBuilder c({2, 3});
  const std::string y = c.quantized("x", 1, 0);
  c.output(c.quantized(
      c.node("Reshape", {y, c.node("Concat", {c.node("Shape", {y}, {{"start", int64_t{-1}}}), c.constant(kInt64, {1}, {-1})},
                                   {{"axis", int64_t{0}}})}),
      1, 0));
  CHECK(c.lowered().graph->tensor(c.lowered().graph->outputs[0]).shape == base::Shape{3, 2});
}

TEST_CASE("Pow of constants, which a Div by the host reads") {
  NetworkBuilder b({1, 2});
  const std::string root = b.node("Pow", {b.constant(kFloat, {1}, {6.25}), b.constant(kFloat, {}, {0.5})});
  b.output(b.node("Div", {b.quantized("x", 1, 0), root}));
  const import::ImportResult result = b.lowered();
  REQUIRE(result.graph);
  CHECK(result.boundary.outputs.at(0).steps.at(0).numbers == std::vector<float>{2.5F});
  NetworkBuilder c({1, 2});
  c.output(c.node("Pow", {c.quantized("x", 1, 0), c.constant(kFloat, {}, {2})}));
  CHECK(c.lowered().boundary.outputs.at(0).steps.at(0).kind == package::HostOperator::Pow);
  NetworkBuilder d({2, 3});
  const std::string shape = d.node("Pow", {d.constant(kInt64, {1}, {6}), d.constant(kInt64, {1}, {1})});
  d.output(d.quantized(d.node("Reshape", {d.quantized("x", 1, 0), shape}), 1, 0));
  CHECK(d.complaints() == "node 'n_v0' (Pow): a constant of integers is an operand, allowed are floats");
}

TEST_CASE("what cannot be folded is told") {
  NetworkBuilder b({2, 3});
  const std::string x = b.quantized("x", 1, 0);
  b.output(b.quantized(b.node("Cast", {x}, {{"to", int64_t{7}}}), 1, 0));
  CHECK(b.complaints() == "node 'n_v2' (Cast): attribute to is 7 of numbers that are computed, allowed is 1 (FLOAT)");
  NetworkBuilder c({2, 3});
  const std::string zero = c.constant(kInt64, {1}, {0});
  c.output(c.quantized(c.node("Reshape", {c.quantized("x", 1, 0), c.node("Div", {zero, zero})}), 1, 0));
  CHECK(c.complaints() == "node 'n_v2' (Div): a constant is divided by 0");
}
