// SPDX-License-Identifier: Apache-2.0
// Functions of sums that no quantizer has met: tables of 16 bits, whose results here are far from ties; and rows and means
// of such sums.
#include "tests/unit/compiler_import_quantized/network_builder.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::tests;
using Codes = std::vector<int64_t>;

namespace {

/// x of two numbers, multiplied by a matrix with the columns (1, 1) and (2, -1), each with a scale of its own.
struct Sums : NetworkBuilder {
  explicit Sums(double first_scale = 1, double second_scale = 1) : NetworkBuilder({1, 2}) {
    const std::string weights = NetworkBuilder::weights({2, 2}, {1, 2, 1, -1}, {first_scale, second_scale}, 1);
    sums = node("MatMul", {quantized("x", 1, 0), weights});
  }
  std::string sums;
};

}  // namespace

TEST_CASE("functions of sums: one number, read twice, with constants") {
  Sums a;
  a.output(a.quantized(a.node("Abs", {a.sums}), 1, 0));
  CHECK(a.run({3, -7}) == Codes{4, 13});
  Sums b(1, 0.5);
  b.output(b.quantized(b.node("Mul", {b.sums, b.sums}), 1, 0));
  CHECK(b.run({3, -8}) == Codes{25, 49});
  CHECK(b.run({100, 100}) == Codes{127, 127});
  Sums c;  // x * min(max(x + 3, 0), 6) / 6
  const std::string raised = c.node("Add", {c.sums, c.constant(kFloat, {}, {3})});
  const std::string clip = c.node("Clip", {raised, c.constant(kFloat, {}, {0}), c.constant(kFloat, {}, {6})});
  const std::string product = c.node("Mul", {c.sums, clip});
  c.output(c.quantized(c.node("Div", {product, c.constant(kFloat, {}, {6})}), 0.25, 0));
  CHECK(c.run({1, 0}) == Codes{3, 7});    // 1 * 4 / 6, 2 * 5 / 6
  CHECK(c.run({-2, -1}) == Codes{0, 0});  // -3 * 0 / 6, -3 * 0 / 6
  CHECK_THAT(c.complaints(), Catch::Contains("from 16 bits of the sums: 1, whose numbers are off by up to 0.00"));
}

TEST_CASE("functions of sums: limits before and after, and what moves numbers") {
  Sums a;
  const std::string relu = a.node("Relu", {a.sums});
  const std::string most = a.node("Min", {a.node("Neg", {relu}), a.constant(kFloat, {}, {-2})});
  a.output(a.quantized(a.node("Reshape", {most, a.constant(kInt64, {2}, {2, 1})}), 1, 0));
  CHECK(a.run({3, -7}) == Codes{-2, -13});
  CHECK(a.run({5, 4}) == Codes{-9, -6});
}

TEST_CASE("Softmax and means of sums") {
  Sums a(0.5, 0.25);
  a.output(a.quantized(a.node("Softmax", {a.sums}), 1.0 / 128, 0));
  CHECK(a.run({0, 0}) == Codes{64, 64});
  CHECK(a.run({2, 2}) == Codes{105, 23});  // exp(2), exp(0.5): 0.8176
  CHECK(a.run({100, 100}) == Codes{127, 0});
  Sums b(0.5, 0.25);
  b.output(b.quantized(b.node("ReduceMean", {b.node("Relu", {b.sums})}, {{"axes", std::vector<int64_t>{1}}}), 0.25, 0));
  CHECK(b.run({9, -8}) == Codes{14});  // 0.5, 6.5
  CHECK(b.run({-9, -8}) == Codes{0});
  Sums c;
  c.network.opset = 17;
  c.output(c.quantized(c.node("ReduceMean", {c.node("Abs", {c.sums})}, {{"axes", std::vector<int64_t>{1}}}), 1, 0));
  CHECK(c.run({4, -6}) == Codes{8});  // 2, 14
}

TEST_CASE("a quantizer reads a value as it is, though an operator has read it in 16 bits before") {
  Sums a;
  const std::string numbers = a.node("Abs", {a.sums});
  const std::string mean = a.quantized(a.node("ReduceMean", {numbers}, {{"axes", std::vector<int64_t>{1}}}), 1, 0);
  a.output(a.quantized(numbers, 1, 0));
  a.output(mean);
  CHECK(a.run({2, 1}) == Codes{3, 3});
  CHECK_THAT(a.complaints(),
             Catch::Contains("from 16 bits of the sums: 1, whose") && Catch::Contains("that it can have: 'v4'; it is"));
}

TEST_CASE("sums of functions of sums and other values, and that a layer with weights still reads codes") {
  Sums a;
  a.output(a.quantized(a.node("Add", {a.node("Abs", {a.sums}),
                                      a.node("MatMul", {a.quantized("x", 1, 0), a.weights({2, 2}, {1, 0, 0, 1}, {1})})}),
                       1, 0));
  CHECK(a.run({3, -7}) == Codes{7, 6});
  Sums b;
  b.output(b.quantized(b.node("MatMul", {b.node("Abs", {b.sums}), b.weights({2, 1}, {1, 1}, {1})}), 1, 0));
  CHECK_THAT(b.complaints(),
             Catch::Contains("is not quantized, expected QuantizeLinear and DequantizeLinear on every value"));
}
