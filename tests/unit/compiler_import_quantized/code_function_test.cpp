// SPDX-License-Identifier: Apache-2.0
// Functions of one 8-bit code in pieces: one TABLE, whatever stands between, and where the code is read twice.
#include "tests/unit/compiler_import_quantized/network_builder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace vernier;
using namespace vernier::tests;
using Codes = std::vector<int64_t>;

namespace {

/// Operators of the lowered graph.
std::vector<ir::OpKind> kinds_of(const NetworkBuilder& builder) {
  ImportResult result = builder.lowered();
  std::vector<ir::OpKind> kinds;
  for (const ir::Operator& op : import::take_graph(result).operators) kinds.push_back(op.kind);
  return kinds;
}

const std::vector<ir::OpKind> kOneTable{ir::OpKind::Table}, kOneClamp{ir::OpKind::Clamp};

}  // namespace

TEST_CASE("one code read twice: x * (x + 3), in one table") {
  NetworkBuilder b({1, 5});
  const std::string x = b.quantized("x", 1, 0);
  const std::string sum = b.node("Add", {x, b.constant(kFloat, {}, {3})});
  b.output(b.quantized(b.node("Mul", {sum, x}), 1, 0));
  CHECK(b.run({-4, -1, 0, 2, 100}) == Codes{4, -2, 0, 10, 127});
  CHECK(kinds_of(b) == kOneTable);
}

TEST_CASE("HardSwish in pieces with quantizers between: one table, and the codes that are rounded on the way") {
  NetworkBuilder b({1, 5});
  const std::string x = b.quantized("x", 1, 0);
  const std::string sum = b.quantized(b.node("Add", {x, b.constant(kFloat, {}, {3})}), 2, 0);  // of 2, half to even
  const std::string clip =
      b.quantized(b.node("Clip", {sum, b.constant(kFloat, {}, {0}), b.constant(kFloat, {}, {6})}), 1, -10);
  const std::string product = b.quantized(b.node("Mul", {x, clip}), 1, 0);
  b.output(b.quantized(b.node("Div", {product, b.constant(kFloat, {}, {6})}), 1, 1));
  // x = 2: 5 becomes 4 (2.5 steps of 2), 2 * 4 / 6 = 1.33; x = 8: 6 * 8 / 6 = 8; x = -2: 1 becomes 0; x = 4: 7 becomes 8, 6.
  CHECK(b.run({2, 8, -2, 4, -5}) == Codes{2, 9, 1, 5, 1});
  CHECK(kinds_of(b) == kOneTable);
}

TEST_CASE("the nearest tensor that both operands are functions of is read") {
  NetworkBuilder b({1, 3});
  const std::string x = b.quantized("x", 1, 0);
  const std::string doubled = b.quantized(b.node("Mul", {x, b.constant(kFloat, {}, {2})}), 1, 0);
  const std::string less = b.quantized(b.node("Sub", {doubled, b.constant(kFloat, {}, {5})}), 1, 0);
  b.output(b.quantized(b.node("Sub", {doubled, less}), 1, 0));
  b.output(doubled);  // stays
  CHECK(b.run({1, -3, 60}) == Codes{5, 5, 5});
  ImportResult result = b.lowered();
  const ir::Graph graph = import::take_graph(result);
  REQUIRE(graph.operators.size() == 2);
  CHECK(graph.operators[1].inputs[0] == graph.operators[0].outputs[0]);
}

TEST_CASE("a result that something else reads keeps its tensor") {
  NetworkBuilder b({1, 2});
  const std::string x = b.quantized("x", 1, 0);
  const std::string third = b.quantized(b.node("Div", {x, b.constant(kFloat, {}, {3})}), 1, 0);
  b.output(b.quantized(b.node("Neg", {third}), 1, 0));
  b.output(third);
  CHECK(b.run({10, -4}) == Codes{-3, 1});
  CHECK(kinds_of(b).size() == 2);
}

TEST_CASE("Max, Min, Sum, Mean, Pow and quotients of functions of one code") {
  const auto through = [](const std::string& kind, const std::vector<double>& constants, bool is_first) {
    NetworkBuilder b({1, 4});
    const std::string x = b.quantized("x", 1, 0);
    std::vector<std::string> inputs{x, b.node("Neg", {x})};
    for (const double one : constants)
      inputs.insert(is_first ? inputs.begin() : inputs.end(), b.constant(kFloat, {}, {one}));
    if (kind == "Pow" || kind == "Div") inputs.erase(inputs.begin() + (is_first ? 2 : 1));
    b.output(b.quantized(b.node(kind, inputs), 1, 0));
    CHECK(kinds_of(b).size() == 1);
    return b.run({-5, 0, 2, 7});
  };
  CHECK(through("Max", {6}, false) == Codes{6, 6, 6, 7});
  CHECK(through("Min", {-3, -1}, true) == Codes{-5, -3, -3, -7});
  CHECK(through("Sum", {2, 1}, false) == Codes{3, 3, 3, 3});
  CHECK(through("Mean", {6}, false) == Codes{2, 2, 2, 2});
  CHECK(through("Pow", {2}, false) == Codes{25, 0, 4, 49});
  CHECK(through("Pow", {2}, true) == Codes{0, 1, 4, 127});  // 2^x; 1/32 is 0
  CHECK(through("Div", {20}, true) == Codes{-4, 127, 10, 3});
}

TEST_CASE("a clamp stays one, whatever it is written with") {
  NetworkBuilder b({1, 3});
  const std::string x = b.quantized("x", 1, 0);
  const std::string least = b.node("Max", {x, b.constant(kFloat, {}, {-2})});
  b.output(b.quantized(b.node("Min", {b.constant(kFloat, {1}, {5}), least}), 1, 0));
  CHECK(b.run({-9, 3, 9}) == Codes{-2, 3, 5});
  CHECK(kinds_of(b) == kOneClamp);
}

TEST_CASE("unsigned codes, constants of several equal elements, an exponent of integers") {
  NetworkBuilder b({1, 3, 1, 1});
  const std::string x = b.quantized("x", 1, 100, kUint8);
  const std::string square = b.node("Pow", {x, b.constant(kInt64, {}, {2})});
  const std::string most = b.node("Max", {square, b.constant(kFloat, {3, 1, 1}, {9, 9, 9})});
  b.output(b.quantized(most, 1, 3, kUint8));
  CHECK(b.run({98 - 128, 104 - 128, 200 - 128}) == Codes{12 - 128, 19 - 128, 127});
}

TEST_CASE("16 bits: functions of one code without quantizers between") {
  NetworkBuilder b({1, 3});
  const std::string x = b.quantized("x", 1, 0, kInt16);
  b.output(b.quantized(b.node("Mul", {x, b.node("HardSigmoid", {x})}), 1, 0, kInt16));
  CHECK(b.run({-100, 0, 1000}) == Codes{0, 0, 1000});
}

TEST_CASE("what is no function of one code is refused by name") {
  NetworkBuilder b({1, 2});
  const std::string x = b.quantized("x", 1, 0);
  const std::string turned = b.node("Transpose", {x}, {{"perm", std::vector<int64_t>{1, 0}}});
  const std::string row = b.node("Reshape", {turned, b.constant(kInt64, {2}, {1, 2})});
  b.output(b.quantized(b.node("Mean", {x, row}), 1, 0));
  CHECK_THAT(b.complaints(), Catch::Contains("(Mean): allowed are operands that are functions of one quantized value"));
}
