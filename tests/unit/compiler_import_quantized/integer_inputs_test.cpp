// SPDX-License-Identifier: Apache-2.0
// Inputs of integers that are moved or cast before they are dequantized, and what constants may be made of.
#include "tests/unit/compiler_import_quantized/network_builder.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::tests;
using Catch::Matchers::Contains;
using Codes = std::vector<int64_t>;
using Ints = std::vector<int64_t>;
using Attributes = std::map<std::string, Attribute>;

TEST_CASE("an input of integers is moved before it is dequantized") {
  const auto moved = [](const std::string& kind, const Attributes& attributes, const base::Shape& shape) {
    NetworkBuilder b(shape, kUint8);
    const std::string codes = b.node(kind, {"x"}, attributes), scale = b.constant(kFloat, {}, {0.5});
    const std::string real = b.node("DequantizeLinear", {codes, scale, b.constant(kUint8, {}, {130})});
    b.output(b.quantized(b.node("Neg", {real}), 0.5, 0));
    return b;
  };
  // Codes of the graph are 128 less than those of the source: 3 stands for (131 - 130) / 2.
  CHECK(moved("Transpose", {}, {2, 2}).run({3, 4, 5, 6}) == Codes{-1, -3, -2, -4});
  CHECK(moved("Flatten", {}, {2, 2}).run({3, 4, 5, 6}) == Codes{-1, -2, -3, -4});
  CHECK(moved("MaxPool", {{"kernel_shape", Ints{1, 2}}}, {1, 1, 1, 3}).run({3, 9, 5}) == Codes{-7, -7});
  CHECK(moved("Slice", {{"starts", Ints{1}}, {"ends", Ints{2}}}, {2, 2}).run({3, 4, 5, 6}) == Codes{-3, -4});
  CHECK(moved("ReduceMax", {{"axes", Ints{1}}}, {2, 2}).run({3, 4, 9, 6}) == Codes{-2, -7});
  CHECK(moved("Transpose", {}, {2, 2}).lowered().boundary.inputs.at(0).scale == 0.5F);
  NetworkBuilder b({1, 2}, kInt8);
  b.network.inputs.push_back({"z", kInt8, {1, 1}});
  const std::string joined = b.node("Concat", {"x", "z"}, {{"axis", int64_t{1}}});
  b.output(b.node("DequantizeLinear", {joined, b.constant(kFloat, {}, {2})}));
  const ImportResult result = b.lowered();
  REQUIRE(result.graph);
  CHECK(result.graph->inputs.size() == 2);
}

TEST_CASE("a uint8 image is cast and scaled, and each channel may have a mean and a factor of its own") {
  NetworkBuilder b({1, 2, 2, 1}, kUint8);
  const std::string image = b.node("Cast", {"x"}, {{"to", int64_t{1}}});
  b.output(b.quantized(
      b.node("Mul", {b.node("Sub", {image, b.constant(kFloat, {}, {128})}), b.constant(kFloat, {}, {0.25})}), 0.5, 0));
  CHECK(b.run({-128, 0, 4, 127}) == Codes{-64, 0, 2, 64});  // 63.5 rounds half to even
  NetworkBuilder c({1, 2, 1, 2}, kUint8);
  std::string value = c.node("Mul", {c.node("Cast", {"x"}, {{"to", int64_t{1}}}), c.constant(kFloat, {}, {0.5})});
  value = c.node("Sub", {value, c.constant(kFloat, {2, 1, 1}, {10, 40})});
  c.output(c.quantized(c.node("Div", {value, c.constant(kFloat, {2, 1, 1}, {2, 0.5})}), 1, 0));
  CHECK(c.run({-128, -100, -50, -20}) == Codes{-5, 2, -2, 28});
  NetworkBuilder e({1, 2}, kUint8);  // a line is as good as a quantizer
  const std::string pixels = e.node("Sub", {e.node("Cast", {"x"}, {{"to", int64_t{1}}}), e.constant(kFloat, {}, {127})});
  e.output(e.quantized(e.node("MatMul", {pixels, e.weights({2, 1}, {2, 1}, {0.5})}), 1, 0));
  CHECK(e.run({9, -21}) == Codes{0});  // (2 * 10 - 20) / 2
  CHECK(e.run({9, 19}) == Codes{20});
  NetworkBuilder d({2}, kUint8);
  d.output(d.quantized(d.node("Cast", {"x"}, {{"to", int64_t{10}}}), 1, 0));
  CHECK_THAT(d.complaints(),
             Contains("attribute to is 10, allowed of computed integers are 1 (FLOAT), 6 (INT32), 7 (INT64)"));
}

TEST_CASE("scales and zero points that the file computes") {
  NetworkBuilder b({3});
  const std::string scale = b.node("Div", {b.constant(kFloat, {}, {3}), b.constant(kFloat, {}, {6})});
  const std::string zero = b.node("Cast", {b.constant(kInt32, {}, {5})}, {{"to", int64_t{3}}});
  const std::string given = b.node("Identity", {b.node("Reshape", {zero, b.constant(kInt64, {0}, {})})});
  const std::string codes = b.node("QuantizeLinear", {"x", scale, given});
  b.output(b.quantized(b.node("Relu", {b.node("DequantizeLinear", {codes, scale, zero})}), 0.5, 0));
  CHECK(b.run({5, 9, 1}) == Codes{0, 4, 0});
  NetworkBuilder c({3});
  const std::string much = c.node("Cast", {c.constant(kInt32, {}, {300})}, {{"to", int64_t{2}}});
  c.output(c.node("QuantizeLinear", {"x", c.constant(kFloat, {}, {1}), much}));
  CHECK_THAT(c.complaints(), Contains("(Cast): 'c0' holds 300, which uint8 does not hold"));
}

TEST_CASE("Gather of a dequantized constant, at constant and at computed indices") {
  NetworkBuilder b({2});
  const std::string table = b.weights({3, 2}, {1, 2, 3, 4, 5, 6}, {1, 10, 100});
  const std::string row = b.node("Gather", {table, b.constant(kInt64, {1}, {-2})});  // 30, 40
  b.output(b.quantized(b.node("Identity", {b.node("MatMul", {b.quantized("x", 1, 0),
                                                             b.node("Reshape", {row, b.constant(kInt64, {2}, {2, 1})})})}),
                       10, 0));
  CHECK(b.run({1, 2}) == Codes{11});
  NetworkBuilder c({2}, kInt64);
  const std::string entries = c.weights({3, 2}, {1, 2, 3, 4, 5, 6}, {0.5});
  c.output(c.quantized(c.node("Gather", {entries, "x"}), 0.5, 0));
  CHECK(c.run({2, -3}) == Codes{5, 6, 1, 2});
}

TEST_CASE("weights are reshaped after DequantizeLinear, with their scales") {
  NetworkBuilder b({1, 2, 1, 1});
  const std::string flat = b.weights({2, 2}, {1, 2, 3, 4}, {1, 0.5});
  const std::string w = b.node("Reshape", {flat, b.constant(kInt64, {4}, {2, 2, 1, 1})});
  b.output(b.quantized(b.node("Conv", {b.quantized("x", 1, 0), w}), 1, 0));
  CHECK(b.run({2, 4}) == Codes{10, 11});
  NetworkBuilder c({1, 2, 1, 1});
  const std::string mixed = c.weights({2, 2}, {1, 2, 3, 4}, {1, 0.5}, 1);
  const std::string v = c.node("Reshape", {mixed, c.constant(kInt64, {4}, {4, 1, 1, 1})});
  c.output(c.quantized(c.node("Conv", {c.quantized("x", 1, 0), v}, {{"group", int64_t{2}}}), 1, 0));
  CHECK(c.run({2, 4}) == Codes{2, 2, 12, 8});
}

TEST_CASE("Concat of other scales that no quantizer follows has 16 bits") {
  NetworkBuilder b({1, 1});
  const std::string x = b.quantized("x", 1, 0), y = b.quantized(b.node("Neg", {x}), 0.25, 0);
  const std::string joined = b.node("Concat", {x, y}, {{"axis", int64_t{1}}});
  b.output(b.quantized(b.node("MatMul", {joined, b.weights({2, 1}, {1, 3}, {1})}), 1, 0));
  CHECK_THAT(b.complaints(), Contains("(Concat): its operands have different scales and no quantizer follows"));
  CHECK(b.run({5}) == Codes{-10});
}
