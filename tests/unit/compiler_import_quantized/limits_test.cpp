// SPDX-License-Identifier: Apache-2.0
// Numbers at the ends of what types, sums and the reader hold.
#include "tests/unit/compiler_import_quantized/network_builder.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::tests;
using Catch::Matchers::Contains;
using Codes = std::vector<int64_t>;
using Ints = std::vector<int64_t>;

TEST_CASE("a layer whose weights are all 0 may stand before a mean, a Softmax and a function") {
  for (const std::string kind : {"GlobalAveragePool", "Softmax", "Sigmoid"}) {
    NetworkBuilder b({1, 1, 2, 2});
    const std::string sums = b.node("Conv", {b.quantized("x", 1, 0), b.weights({2, 1, 1, 1}, {0, 0}, {1, 0.5})});
    b.output(b.quantized(b.node(kind, {sums},
                                kind == "Softmax" ? std::map<std::string, Attribute>{{"axis", int64_t{1}}}
                                                  : std::map<std::string, Attribute>{}),
                         0.25, 0));
    const Codes codes = b.run({1, 2, 3, 4});
    CHECK(codes == Codes(codes.size(), kind == "GlobalAveragePool" ? 0 : 2));
  }
}

TEST_CASE("the mean of more sums than 32 bits hold is refused") {
  NetworkBuilder b({1, 1, 27000, 27000});
  const std::string sums = b.node("Conv", {b.quantized("x", 1, 0), b.weights({1, 1, 1, 1}, {3}, {1})});
  b.output(b.quantized(b.node("GlobalAveragePool", {sums}), 1, 0));
  CHECK_THAT(b.complaints(), Contains("the mean of 729000000 sums, allowed are less than 2^24"));
}

TEST_CASE("an operand with several zero points is refused by what reads one") {
  NetworkBuilder b({1, 3, 1, 1}, kUint8);
  const std::string real =
      b.node("DequantizeLinear", {"x", b.constant(kFloat, {3}, {1, 1, 1}), b.constant(kUint8, {3}, {0, 10, 20})},
             {{"axis", int64_t{1}}});
  b.output(b.quantized(b.node("Add", {real, b.constant(kFloat, {3, 1, 1}, {0.5, 1, 1.5})}), 1, 0));
  CHECK_THAT(b.complaints(), Contains("an operand has several zero points, allowed is one"));
}

TEST_CASE("constants are folded within their types") {
  const auto complaint = [](const std::string& kind, NumberType type, double a, double b) {
    NetworkBuilder net({2, 3});
    const std::string sum = net.node(kind, {net.constant(type, {1}, {a}), net.constant(type, {1}, {b})});
    net.output(net.quantized(net.node("Reshape", {net.quantized("x", 1, 0), sum}), 1, 0));
    return net.complaints();
  };
  CHECK_THAT(complaint("Add", kUint8, 200, 100), Contains("a constant becomes 300, which uint8 does not hold"));
  CHECK_THAT(complaint("Sub", kUint8, 0, 1), Contains("a constant becomes -1, which uint8 does not hold"));
  CHECK(complaint("Mod", kInt64, 13, 7).empty());
  CHECK_THAT(complaint("Mod", kInt64, 13, 0), Contains("a constant is divided by 0"));
  NetworkBuilder power({1, 2});
  const std::string scale = power.node("Pow", {power.constant(kFloat, {}, {0.5}), power.constant(kInt64, {}, {3})});
  power.output(power.quantized(power.node("Mul", {power.quantized("x", 1, 0), scale}), 1, 0));
  CHECK(power.run({16, -24}) == Codes{2, -3});
}

TEST_CASE("more numbers than a file may make us allocate are refused") {
  NetworkBuilder b({1});
  b.output(b.quantized(
      b.node("Pad", {b.quantized("x", 1, 0), b.constant(kInt64, {2}, {2147483647, 0})}, {{"mode", std::string("edge")}}), 1,
      0));
  CHECK_THAT(b.complaints(), Contains("2147483647 and 0 numbers more are too many"));
}

TEST_CASE("integers of 32 bits: constants that they do not hold are refused, others count for their size") {
  NetworkBuilder b({1, 3});
  const std::string x = b.quantized("x", 1, 0);
  const std::string index = b.node("ArgMax", {x}, {{"axis", int64_t{1}}, {"keepdims", int64_t{1}}});
  const std::string is_last = b.node("Equal", {index, b.constant(kInt64, {}, {2})});
  const std::string chosen = b.node("Where", {is_last, b.constant(kInt64, {1, 1}, {1000}), index});
  const std::string real = b.node("Cast", {chosen}, {{"to", int64_t{1}}});
  b.output(b.quantized(b.node("Add", {real, b.constant(kFloat, {}, {0.5})}), 8, 0, kInt16));
  CHECK(b.run({1, 2, 3}) == Codes{125});  // 1000.5 / 8
  CHECK(b.run({1, 4, 3}) == Codes{0});    // 1.5 / 8
  NetworkBuilder c({1, 3});
  const std::string other = c.node("ArgMax", {c.quantized("x", 1, 0)}, {{"axis", int64_t{1}}});
  const std::string same = c.node("Equal", {other, c.constant(kInt64, {}, {2})});
  c.output(c.node("Where", {same, c.constant(kInt64, {1, 1}, {3000000000}), other}));
  CHECK_THAT(c.complaints(), Contains("holds 3000000000, which int32 does not hold"));
}

TEST_CASE("a mask of a function of sums needs no quantizer") {
  NetworkBuilder b({1, 1, 1, 2});
  const std::string sums = b.node("Conv", {b.quantized("x", 1, 0), b.weights({1, 1, 1, 1}, {2}, {0.25})});
  b.output(b.node("Greater", {b.node("Sigmoid", {sums}), b.constant(kFloat, {}, {0.5})}));
  CHECK(b.run({3, -3}) == Codes{1, 0});
}
