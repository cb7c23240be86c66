// SPDX-License-Identifier: Apache-2.0
// Functions of numbers and of rows, worked by hand.
#include "tests/unit/compiler_import_quantized/network_builder.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::tests;
using Catch::Matchers::Contains;
using Codes = std::vector<int64_t>;
using Ints = std::vector<int64_t>;
using Attributes = std::map<std::string, Attribute>;

namespace {

base::Shape shape_of_output(const NetworkBuilder& b) {
  const ImportResult result = b.lowered();
  return result.graph ? result.graph->tensor(result.graph->outputs.at(0)).shape : base::Shape{-1};
}

}  // namespace

TEST_CASE("functions of one number that tables hold") {
  const auto function = [](const std::string& kind, double scale, const Codes& codes, const Attributes& attributes = {}) {
    NetworkBuilder b({static_cast<int64_t>(codes.size())});
    b.output(b.quantized(b.node(kind, {b.quantized("x", 0.5, 0)}, attributes), scale, 0));
    return b.run(codes);
  };
  CHECK(function("Sqrt", 0.5, {8, 18, 0, -2}) == Codes{4, 6, 0, -128});  // no number becomes the least code
  CHECK(function("Round", 1, {1, 3, -1, 5}) == Codes{0, 2, 0, 2});
  CHECK(function("Floor", 1, {1, 3, -1}) == Codes{0, 1, -1});
  CHECK(function("Ceil", 1, {1, 3, -1}) == Codes{1, 2, 0});
  CHECK(function("Sign", 1, {9, 0, -9}) == Codes{1, 0, -1});
  CHECK(function("Reciprocal", 0.25, {4, -1, 0}) == Codes{2, -8, 127});
  CHECK(function("ThresholdedRelu", 0.5, {2, 3, -8}, {{"alpha", 1.0F}}) == Codes{0, 3, 0});
  CHECK(function("Softsign", 0.25, {2, -6}) == Codes{2, -3});
  CHECK(function("Selu", 1, {4, -100}, {{"alpha", 2.0F}, {"gamma", 3.0F}}) == Codes{6, -6});
  CHECK(function("Celu", 1, {4, -100}, {{"alpha", 3.0F}}) == Codes{2, -3});
  CHECK(function("Mish", 1, {100, -100}) == Codes{50, 0});
  CHECK(function("Log", 1, {1, 2, 40}) == Codes{-1, 0, 3});
  CHECK(function("Sin", 1, {0, 3}) == Codes{0, 1});
  CHECK(function("Cos", 1, {0, 6}) == Codes{1, -1});
}

TEST_CASE("functions of 16 bits that jump have an entry for each code") {
  NetworkBuilder b({4});
  b.output(b.quantized(b.node("Floor", {b.quantized("x", 0x1p-12, 0, kInt16)}), 0.5, 0, kInt16));
  CHECK(b.run({4095, 4096, -1, -32768}) == Codes{0, 2, -2, -16});
}

TEST_CASE("Pow by a number, and of a number") {
  const auto power = [](double number, bool is_base) {
    NetworkBuilder b({3});
    const std::string x = b.quantized("x", 1, 0), constant = b.constant(kFloat, {}, {number});
    b.output(b.quantized(b.node("Pow", is_base ? std::vector{constant, x} : std::vector{x, constant}), 1, 0));
    return b.run({2, -3, 4});
  };
  CHECK(power(2, false) == Codes{4, 9, 16});
  CHECK(power(3, false) == Codes{8, -27, 64});
  CHECK(power(2, true) == Codes{4, 0, 16});
  NetworkBuilder b({2});
  const std::string x = b.quantized("x", 1, 0);
  b.output(b.quantized(b.node("Pow", {x, b.constant(kFloat, {2}, {2, 3})}), 1, 0));
  CHECK_THAT(b.complaints(), Contains("(Pow): the constant 'c2' has shape [2], allowed is one number"));
}

TEST_CASE("Div by a computed value: rounding half to even, signs, 0") {
  NetworkBuilder b({1, 6});
  const std::string x = b.quantized("x", 1, 0);
  b.output(b.quantized(b.node("Div", {b.weights({1, 6}, {7, 7, -7, 7, -7, 0}, {1}), x}), 0.5, 0));
  CHECK(b.run({2, -1, 3, 0, 0, 0}) == Codes{7, -14, -5, 127, -128, -128});
  NetworkBuilder c({1, 2});
  const std::string y = c.quantized("x", 1, 0);
  const std::string turned = c.node("Transpose", {y}, {{"perm", Ints{1, 0}}});
  const std::string other = c.node("Reshape", {turned, c.constant(kInt64, {2}, {1, 2})});
  c.output(c.quantized(c.node("Relu", {c.node("Div", {y, other})}), 1, 0));
  CHECK_THAT(c.complaints(), Contains("the divisor is computed, and no quantizer of 8 or 16 bits follows at once"));
}

TEST_CASE("LogSoftmax, InstanceNormalization, GroupNormalization and LpNormalization") {
  NetworkBuilder a({1, 2});
  a.output(a.quantized(a.node("LogSoftmax", {a.quantized("x", 1, 0)}), 0x1p-4, 0));
  CHECK(a.run({3, 3}) == Codes{-11, -11});  // -log 2 is -11.09 steps
  CHECK(a.run({3, -2}) == Codes{0, -80});   // -0.0067 and -5.0067
  const auto normalized = [](const std::string& kind, const Attributes& attributes, const base::Shape& shape,
                             const std::vector<std::vector<double>>& parameters, int64_t opset = 21) {
    NetworkBuilder b(shape);
    b.network.opset = opset;
    std::vector<std::string> inputs{b.quantized("x", 1, 0)};
    for (const auto& one : parameters) inputs.push_back(b.constant(kFloat, {static_cast<int64_t>(one.size())}, one));
    b.output(b.quantized(b.node(kind, inputs, attributes), 0.5, 0));
    return b;
  };
  // Each channel becomes -1, 1; then times 2 and 3, plus 0 and 1.
  const Codes codes{1, 3, 10, 30};
  CHECK(normalized("InstanceNormalization", {}, {1, 2, 2}, {{2, 3}, {0, 1}}).run(codes) == Codes{-4, 4, -4, 8});
  // In one group: less 11, by 11.4673 (the root of 131.5): -0.872, -0.698, -0.087, 1.657.
  CHECK(normalized("GroupNormalization", {{"num_groups", int64_t{1}}}, {1, 2, 2}, {{2, 3}, {0, 1}}).run(codes) ==
        Codes{-3, -3, 1, 12});
  CHECK(normalized("GroupNormalization", {{"num_groups", int64_t{1}}}, {1, 2, 2}, {{2}, {1}}, 18).run(codes) ==
        Codes{-1, -1, 2, 9});
  CHECK_THAT(normalized("GroupNormalization", {{"num_groups", int64_t{3}}}, {1, 2, 2}, {{2, 3}, {0, 1}}).complaints(),
             Contains("attribute num_groups is 3, expected a divisor of the 2 channels"));
  CHECK(normalized("LpNormalization", {}, {2, 2}, {}).run({3, 4, 0, 0}) == Codes{1, 2, 0, 0});
  CHECK_THAT(normalized("LpNormalization", {{"p", int64_t{1}}}, {2, 2}, {}).complaints(),
             Contains("attribute p is 1, allowed is 2"));
}

TEST_CASE("MatMul of vectors, Pad that takes numbers away") {
  NetworkBuilder b({2, 2});
  b.output(b.quantized(b.node("MatMul", {b.quantized("x", 1, 0), b.weights({2}, {3, 5}, {1})}), 1, 0));
  CHECK(b.run({1, 2, 3, 4}) == Codes{13, 29});
  CHECK(shape_of_output(b) == base::Shape{2});
  NetworkBuilder c({2});
  const std::string x = c.quantized("x", 1, 0);
  c.output(c.quantized(c.node("MatMul", {x, x}), 1, 0));
  CHECK(c.run({3, 4}) == Codes{25});
  CHECK(shape_of_output(c).empty());
  NetworkBuilder d({1, 4});
  const std::string pads = d.constant(kInt64, {4}, {0, -1, 0, 2});
  d.output(d.quantized(d.node("Pad", {d.quantized("x", 1, 0), pads}), 1, 0));
  CHECK(d.run({1, 2, 3, 4}) == Codes{2, 3, 4, 0, 0});
  NetworkBuilder e({1, 2});
  e.output(e.quantized(e.node("Pad", {e.quantized("x", 1, 0), e.constant(kInt64, {4}, {0, -1, 0, -1})}), 1, 0));
  CHECK_THAT(e.complaints(), Contains("pads take all of dimension 1 of [1, 2]"));
}

TEST_CASE("Conv on volumes") {
  NetworkBuilder b({1, 1, 2, 2, 2});
  const std::string w = b.weights({1, 1, 2, 1, 2}, {1, 10, 100, -1}, {1});
  b.output(b.quantized(b.node("Conv", {b.quantized("x", 1, 0), w}), 1, 0));
  CHECK(b.run({1, 2, 3, 4, 1, 0, 0, 5}) == Codes{121, 38});  // 1 + 20 + 100 and 3 + 40 - 5
}

TEST_CASE("ReduceProd") {
  const auto product = [](const base::Shape& shape, const Attributes& attributes, double scale) {
    NetworkBuilder b(shape);
    b.output(b.quantized(b.node("ReduceProd", {b.quantized("x", 0.5, 0)}, attributes), scale, 0));
    return b;
  };
  CHECK(product({2, 3}, {{"axes", Ints{1}}}, 0.5).run({2, 4, 6, -2, 3, 1}) == Codes{12, -2});  // 1 2 3; -1 1.5 0.5: -0.75
  CHECK(product({2, 2}, {}, 1).run({4, 4, 4, 8}) == Codes{32});
  CHECK_THAT(product({1, 30}, {}, 1e-6).complaints(), Contains("the product of 30 numbers of 8 bits has steps of"));
}
