// SPDX-License-Identifier: Apache-2.0
// Operators that choose, compare and repeat numbers, worked by hand.
#include "tests/unit/compiler_import_quantized/network_builder.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::tests;
using Catch::Matchers::Contains;
using Codes = std::vector<int64_t>;
using Ints = std::vector<int64_t>;

namespace {

using Attributes = std::map<std::string, Attribute>;

base::Shape shape_of(const NetworkBuilder& b) {
  const ImportResult result = b.lowered();
  return result.graph ? result.graph->tensor(result.graph->outputs.at(0)).shape : base::Shape{-1};
}

NetworkBuilder searched(const base::Shape& shape, const std::string& kind, const Attributes& attributes,
                        NumberType type = kInt8) {
  NetworkBuilder b(shape);
  b.output(b.node(kind, {b.quantized("x", 0.5, 3, type)}, attributes));
  return b;
}

/// x with scale 1 and a constant in floats, by one operator.
Codes with_floats(const std::string& kind, const base::Shape& shape, const std::vector<double>& floats, const Codes& codes) {
  NetworkBuilder b({1, 2, 2});
  b.output(b.quantized(b.node(kind, {b.quantized("x", 1, 0), b.constant(kFloat, shape, floats)}), 1, 0));
  return b.run(codes);
}

}  // namespace

TEST_CASE("ArgMax and ArgMin: the first or the last of equal numbers, along any axis") {
  const Codes codes{4, 7, 7, -9, -9, 0};
  CHECK(searched({2, 3}, "ArgMax", {{"axis", int64_t{1}}}).run(codes) == Codes{1, 2});
  CHECK(searched({2, 3}, "ArgMin", {{"axis", int64_t{-1}}}).run(codes) == Codes{0, 0});
  CHECK(searched({2, 3}, "ArgMax", {{"axis", int64_t{1}}, {"select_last_index", int64_t{1}}}).run(codes) == Codes{2, 2});
  CHECK(searched({2, 3}, "ArgMin", {{"axis", int64_t{1}}, {"select_last_index", int64_t{1}}}).run(codes) == Codes{0, 1});
  CHECK(searched({2, 3}, "ArgMax", {}, kInt16).run(codes) == Codes{0, 0, 0});  // axis 0, the default
  CHECK(searched({2, 3}, "ArgMin", {}, kInt16).run(codes) == Codes{1, 1, 1});
  CHECK(shape_of(searched({2, 3}, "ArgMax", {})) == base::Shape{1, 3});
  CHECK(shape_of(searched({2, 3}, "ArgMax", {{"keepdims", int64_t{0}}})) == base::Shape{3});
  CHECK_THAT(searched({2, 3}, "ArgMax", {{"axis", int64_t{2}}}).complaints(), Contains("axis 2 is outside of rank 2"));
}

TEST_CASE("ArgMax of sums, whose channels have scales of their own, and of functions of codes") {
  NetworkBuilder b({2, 2});
  const std::string w = b.weights({2, 3}, {1, 2, 0, 0, 1, -4}, {1, 0.25, 0.5}, 1);
  b.output(b.node("ArgMax", {b.node("MatMul", {b.quantized("x", 1, 0), w})}, {{"axis", int64_t{1}}}));
  CHECK(b.run({2, 4, -2, 12}) == Codes{0, 1});  // 2, 2, -8 and -2, 2, -24
  NetworkBuilder c({1, 4});
  c.output(c.node("ArgMin", {c.node("Abs", {c.quantized("x", 1, 0)})}, {{"axis", int64_t{1}}}));
  CHECK(c.run({-7, 5, -3, 100}) == Codes{2});
}

TEST_CASE("ArgMax of sums that a Relu has limited takes the first of those that are 0") {
  NetworkBuilder b({1, 1});
  const std::string w = b.weights({1, 3}, {-3, -1, -2}, {1});
  const std::string sums = b.node("Relu", {b.node("MatMul", {b.quantized("x", 1, 0), w})});
  b.output(b.node("ArgMax", {sums}, {{"axis", int64_t{1}}}));
  CHECK(b.run({5}) == Codes{0});
  CHECK(b.run({-5}) == Codes{0});
  NetworkBuilder c({1, 1});
  const std::string v = c.weights({1, 3}, {1, 9, 8}, {1});
  const std::string clipped =
      c.node("Clip", {c.node("MatMul", {c.quantized("x", 1, 0), v}), "", c.constant(kFloat, {}, {40})});
  c.output(c.node("ArgMax", {clipped}, {{"axis", int64_t{1}}}));
  CHECK(c.run({4}) == Codes{1});
  CHECK(c.run({5}) == Codes{1});
  CHECK(c.run({-5}) == Codes{0});
}

TEST_CASE("an index may be moved and cast, and is then a number") {
  NetworkBuilder b({1, 3});
  const std::string index = b.node("ArgMax", {b.quantized("x", 1, 0)}, {{"axis", int64_t{1}}});
  const std::string number =
      b.node("Cast", {b.node("Reshape", {index, b.constant(kInt64, {1}, {1})})}, {{"to", int64_t{1}}});
  b.output(b.quantized(number, 0.5, 0));
  CHECK(b.run({0, 1, 5}) == Codes{4});
}

TEST_CASE("Max and Min of a number are limits") {
  CHECK(with_floats("Max", {}, {1.5}, {1, 2, -3, 9}) == Codes{2, 2, 2, 9});  // 1.5 is rounded half to even
  CHECK(with_floats("Min", {1}, {2}, {1, 2, -3, 9}) == Codes{1, 2, -3, 2});
  NetworkBuilder b({3});  // of codes, and a quantized constant
  const std::string x = b.quantized("x", 1, 0);
  b.output(b.quantized(b.node("Min", {b.weights({}, {5}, {2}), b.node("Max", {x, b.weights({}, {-1}, {0.5})})}), 0.5, 0));
  CHECK(b.run({-9, 3, 60}) == Codes{-1, 6, 20});
  NetworkBuilder c({3}, kInt8);
  const std::string codes = c.node("Max", {c.constant(kInt8, {}, {4}), "x"});
  c.output(c.node("DequantizeLinear", {codes, c.constant(kFloat, {}, {2})}));
  CHECK(c.run({-9, 3, 60}) == Codes{4, 4, 60});
}

TEST_CASE("Max and Min of several operands, with other scales and shapes") {
  CHECK(with_floats("Max", {2, 1}, {0.5, 3}, {1, -2, -3, 9}) == Codes{1, 0, 3, 9});
  CHECK(with_floats("Min", {2}, {1, -1e30}, {4, 5, -6, 7}) == Codes{1, -128, -6, -128});
  NetworkBuilder b({1, 2});
  const std::string x = b.quantized("x", 1, 0), half = b.quantized(b.node("Neg", {x}), 0.5, -4);
  b.output(b.quantized(b.node("Max", {x, half, b.constant(kFloat, {1, 1}, {7.25})}), 0.25, 0));
  CHECK(b.run({-20, 3}) == Codes{80, 29});
  NetworkBuilder c({1, 2});  // no quantizer follows at once
  const std::string y = c.quantized("x", 1, 0), third = c.quantized(c.node("Neg", {y}), 1.0 / 3, 0);
  c.output(c.quantized(c.node("Add", {c.node("Min", {y, third}), y}), 1, 0));
  CHECK(c.run({-20, 9}) == Codes{-40, 0});
}

TEST_CASE("a constant that no 32 bits hold beside the numbers is refused where no quantizer follows") {
  NetworkBuilder b({1, 2});
  const std::string x = b.quantized("x", 1, 0);
  const std::string most = b.node("Max", {x, b.constant(kFloat, {2}, {1e30, 0})});
  b.output(b.quantized(b.node("Add", {most, x}), 1, 0));
  CHECK_THAT(b.complaints(),
             Contains("(Max): a constant of 1e+30 stands beside numbers in steps of 1, which 32 bits do not hold"));
}

TEST_CASE("ReduceMax, ReduceMin, ReduceSum and GlobalMaxPool") {
  const auto reduced = [](const std::string& kind, const Attributes& attributes, double scale = 1) {
    NetworkBuilder b({1, 2, 1, 3});
    b.output(b.quantized(b.node(kind, {b.quantized("x", 1, 0)}, attributes), scale, 0));
    return b;
  };
  const Codes codes{1, 2, 3, -4, -5, -6};
  CHECK(reduced("ReduceMax", {{"axes", Ints{-1}}}).run(codes) == Codes{3, -4});
  CHECK(reduced("ReduceMin", {{"axes", Ints{1, 3}}}).run(codes) == Codes{-6});
  CHECK(reduced("ReduceSum", {{"axes", Ints{1}}}).run(codes) == Codes{-3, -3, -3});
  CHECK(reduced("ReduceSum", {}, 3).run(codes) == Codes{-3});
  CHECK(reduced("GlobalMaxPool", {}).run(codes) == Codes{3, -4});
  CHECK(reduced("ReduceMax", {{"noop_with_empty_axes", int64_t{1}}}).run(codes) == codes);
  CHECK(shape_of(reduced("ReduceSum", {{"axes", Ints{1}}, {"keepdims", int64_t{0}}})) == base::Shape{1, 1, 3});
  CHECK_THAT(reduced("ReduceMin", {{"axes", Ints{1, -3}}}).complaints(), Contains("axes [1, 1] name a dimension twice"));
}

TEST_CASE("Where by a comparison, a constant, or truth values that are combined") {
  NetworkBuilder b({1, 4});
  const std::string x = b.quantized("x", 1, 0);
  const std::string is_small = b.node("Less", {x, b.constant(kFloat, {}, {1.5})});
  const std::string is_even = b.node("Equal", {x, b.weights({1, 4}, {0, 2, 4, 6}, {1})});
  const std::string either = b.node("Or", {is_small, b.node("Not", {is_even})});
  b.output(b.quantized(b.node("Where", {either, x, b.constant(kFloat, {1}, {-7})}), 1, 0));
  CHECK(b.run({0, 2, 5, 6}) == Codes{0, -7, 5, -7});
  NetworkBuilder c({2, 2});
  const std::string y = c.quantized("x", 0.5, 0), mask = c.constant({false, 1, false}, {2, 1}, {1, 0});
  c.output(c.quantized(c.node("Where", {mask, y, c.constant(kFloat, {}, {-1e9})}), 0.5, 0));
  CHECK(c.run({1, 2, 3, 4}) == Codes{1, 2, -128, -128});
}

TEST_CASE("comparisons of values of two scales, truth values at the end and as numbers") {
  const auto compared = [](const std::string& kind) {
    NetworkBuilder b({4});
    const std::string x = b.quantized("x", 1, 0), y = b.weights({4}, {2, 4, 6, 8}, {0.5});
    b.output(b.node(kind, {x, b.node("Identity", {y})}));
    return b.run({0, 2, 4, 4});
  };
  CHECK(compared("Greater") == Codes{0, 0, 1, 0});
  CHECK(compared("GreaterOrEqual") == Codes{0, 1, 1, 1});
  CHECK(compared("Less") == Codes{1, 0, 0, 0});
  CHECK(compared("LessOrEqual") == Codes{1, 1, 0, 1});
  CHECK(compared("Equal") == Codes{0, 1, 0, 1});
  NetworkBuilder c({3});
  const std::string x = c.quantized("x", 1, 0);
  const std::string one = c.node("Cast", {c.node("Greater", {c.constant(kFloat, {}, {2}), x})}, {{"to", int64_t{1}}});
  c.output(c.quantized(c.node("Mul", {one, x}), 1, 0));
  CHECK(c.run({1, 2, -3}) == Codes{1, 0, -3});
  NetworkBuilder d({3});
  const std::string z = d.quantized("x", 1, 0);
  d.output(d.quantized(d.node("Where", {z, z, z}), 1, 0));
  CHECK_THAT(d.complaints(), Contains("(Where): 'v1' is not computed by a comparison, and no constant of BOOL"));
}

TEST_CASE("Expand and Tile") {
  NetworkBuilder b({1, 2});
  b.output(b.quantized(b.node("Expand", {b.quantized("x", 1, 0), b.constant(kInt64, {3}, {2, 2, 1})}), 1, 0));
  CHECK(b.run({3, 4}) == Codes{3, 4, 3, 4, 3, 4, 3, 4});
  CHECK(shape_of(b) == base::Shape{2, 2, 2});
  NetworkBuilder c({1, 2});
  c.output(c.quantized(c.node("Tile", {c.quantized("x", 1, 0), c.constant(kInt64, {2}, {2, 3})}), 1, 0));
  CHECK(c.run({3, 4}) == Codes{3, 4, 3, 4, 3, 4, 3, 4, 3, 4, 3, 4});
  NetworkBuilder d({1, 2});
  d.output(d.quantized(d.node("Tile", {d.quantized("x", 1, 0), d.constant(kInt64, {1}, {2})}), 1, 0));
  CHECK_THAT(d.complaints(), Contains("(Tile): the repeats are [2], expected 2 numbers"));
}

TEST_CASE("codes times a factor for each channel, of any sign") {
  NetworkBuilder b({1, 3, 1, 2});
  const std::string x = b.quantized("x", 1, 5), factors = b.constant(kFloat, {3, 1, 1}, {2, -0.5, 0});
  b.output(b.quantized(b.node("Mul", {factors, x}), 1, 0));
  CHECK(b.run({6, 4, 9, 1, 7, 8}) == Codes{2, -2, -2, 2, 0, 0});
  NetworkBuilder c({1, 2});
  const std::string sums = c.node("MatMul", {c.quantized("x", 1, 0), c.weights({2, 2}, {1, 2, 3, 4}, {1, 0.5}, 1)});
  c.output(c.quantized(c.node("Div", {sums, c.constant(kFloat, {2}, {-4, 2})}), 1, 0));
  CHECK(c.run({2, 2}) == Codes{-2, 3});
  NetworkBuilder d({1, 2});
  d.output(d.quantized(d.node("Div", {d.quantized("x", 1, 0), d.constant(kFloat, {2}, {0, -2})}), 1, 0));
  CHECK_THAT(d.complaints(), Contains("(Div): the divisor is 0, allowed are finite numbers above 0"));
}
