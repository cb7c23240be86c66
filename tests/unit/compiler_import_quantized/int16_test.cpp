// SPDX-License-Identifier: Apache-2.0
// Data of 16 bits: zero points, unsigned codes, tables, sums of more than 32 bits.
#include "tests/unit/compiler_import_quantized/network_builder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace vernier;
using namespace vernier::tests;
using Catch::Matchers::Contains;
using Codes = std::vector<int64_t>;
using Ints = std::vector<int64_t>;

namespace {

constexpr NumberType kUint16{false, 16, false};

}  // namespace

TEST_CASE("a zero point of 16 bits goes into the bias, padding is the zero point") {
  for (const bool is_unsigned : {false, true}) {
    // Unsigned codes lie in the graph less 32768.
    const int64_t zero = is_unsigned ? 33000 : 232, stored = 232;
    NetworkBuilder b({1, 1, 1, 3});
    const std::string x = b.quantized("x", 1, zero, is_unsigned ? kUint16 : kInt16);
    const std::string w = b.weights({2, 1, 1, 2}, {1, 10, 2, -3}, {1});
    const std::string y = b.node("Conv", {x, w}, {{"pads", Ints{0, 1, 0, 1}}});
    b.output(b.quantized(y, 1, zero, is_unsigned ? kUint16 : kInt16));
    // 1, 2, 300 between zeros.
    CHECK(b.run({stored + 1, stored + 2, stored + 300}) ==
          Codes{stored + 10, stored + 21, stored + 3002, stored + 300, stored - 3, stored - 4, stored - 896, stored + 600});
  }
}

TEST_CASE("depthwise with a zero point of 16 bits, and saturation after it is added") {
  NetworkBuilder b({1, 2, 1, 1});
  const std::string x = b.quantized("x", 1, -100, kInt16);
  b.output(b.quantized(b.node("Conv", {x, b.weights({4, 1, 1, 1}, {1, 2, 100, -100}, {1})}, {{"group", int64_t{2}}}), 1,
                       1000, kInt16));
  CHECK(b.run({-99, 900}) == Codes{1001, 1002, 32767, -32768});
}

TEST_CASE("sums, products, averages and limits of codes of 16 bits with zero points") {
  NetworkBuilder b({1, 2});
  const std::string x = b.quantized("x", 1, 50, kInt16);
  b.output(b.quantized(b.node("Add", {x, x}), 1, -7, kInt16));
  CHECK(b.run({53, 0}) == Codes{-1, -107});
  NetworkBuilder c({1, 2});
  const std::string y = c.quantized("x", 1, 50, kInt16);
  c.output(c.quantized(c.node("Mul", {y, y}), 16, -7, kInt16));
  CHECK(c.run({53, 40}) == Codes{-6, -1});  // 9 / 16 and 100 / 16
  NetworkBuilder d({1, 1, 1, 2});
  d.output(d.quantized(d.node("GlobalAveragePool", {d.quantized("x", 1, 50, kInt16)}), 0.5, 9, kInt16));
  CHECK(d.run({51, 54}) == Codes{14});
  NetworkBuilder e({1, 2});
  e.output(e.quantized(e.node("Relu", {e.quantized("x", 1, 50, kInt16)}), 1, 50, kInt16));
  CHECK(e.run({51, 4}) == Codes{51, 50});
  NetworkBuilder f({1, 2});  // to another scale: half of 3 is a tie, and goes to even
  f.output(f.quantized(f.quantized("x", 1, 50, kInt16), 2, 1000, kInt16));
  CHECK(f.run({53, 55}) == Codes{1002, 1002});
  NetworkBuilder g({1, 2});
  g.output(g.quantized(g.quantized("x", 1, 50, kInt16), 2, 3, kInt8));
  CHECK(g.run({53, 1000}) == Codes{5, 127});
}

TEST_CASE("functions of 16 bits are tables with entries for each 128th code") {
  const auto run = [](const std::string& kind, double out_scale, const Codes& codes) {
    NetworkBuilder b({1, static_cast<int64_t>(codes.size())});
    b.output(b.quantized(b.node(kind, {b.quantized("x", 1.0 / 4096, 0, kInt16)}), out_scale, 0, kInt16));
    return b.run(codes);
  };
  // Straight on both sides of 0, and exact for the last 128 codes too, whose line ends at 32768, which no entry is.
  CHECK(run("Abs", 1.0 / 4096, {-32000, -1, 0, 17, 32640, 32767}) == Codes{32000, 1, 0, 17, 32640, 32767});
  for (const int64_t code : {-9999, -64, 0, 64, 4096, 20000}) {
    const double exact = std::tanh(static_cast<double>(code) / 4096) * 32767;
    CHECK(run("Tanh", 1.0 / 32767, {code})[0] == std::llround(exact));
  }
}

TEST_CASE("a function of 16 bits that is steep at its last code goes on as a line to it") {
  NetworkBuilder b({1, 4});
  b.output(b.quantized(b.node("Exp", {b.quantized("x", 1.0 / 4096, 0, kInt16)}), 0.1, 0, kInt16));
  const Codes codes{32640, 32700, 32766, 32767};
  const Codes found = b.run(codes);
  for (size_t i = 0; i < codes.size(); ++i) {
    const double exact = std::exp(static_cast<double>(codes[i]) / 4096) * 10;
    INFO(codes[i] << ": " << found[i] << ", exact is " << exact);
    CHECK(std::fabs(static_cast<double>(found[i]) - exact) <= 2);
  }
}

TEST_CASE("tables of 16 bits say how far off they are") {
  NetworkBuilder b({1, 2});  // nearly all of tanh lies between two entries
  b.output(b.quantized(b.node("Tanh", {b.quantized("x", 1.0 / 32, 0, kInt16)}), 1.0 / 32767, 0, kInt16));
  const import::ImportResult result = b.lowered();
  REQUIRE(result.graph);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].severity == import::Finding::Severity::Warning);
  CHECK_THAT(result.findings[0].text,
             Contains("tables of every 128th code of 16 bits are off by up to ") && Contains(" steps of 'v3'"));
}

TEST_CASE("functions from 8 bits to 16 and back are exact to the code") {
  NetworkBuilder b({1, 3});
  b.output(b.quantized(b.node("Exp", {b.quantized("x", 0.5, 3)}), 1.0 / 64, -5, kInt16));
  const auto exp = [](double x) { return static_cast<int64_t>(std::nearbyint(std::exp(x) * 64)) - 5; };
  CHECK(b.run({3, 5, -1}) == Codes{64 - 5, exp(1), exp(-2)});
  NetworkBuilder c({1, 3});
  c.output(c.quantized(c.node("Abs", {c.quantized("x", 1, 0, kInt16)}), 64, -100, kInt8));
  CHECK(c.run({-640, 128, 32000}) == Codes{-90, -98, 127});
}

TEST_CASE("sums of 16 bits that 32 bits do not hold are halved first") {
  NetworkBuilder b({1, 1024});
  const std::string x = b.quantized("x", 1, 0, kInt16);
  b.output(b.quantized(b.node("MatMul", {x, b.weights({1024, 1}, std::vector<double>(1024, 127), {1})}), 131072, 0, kInt16));
  CHECK(b.run(Codes(1024, 32767)) == Codes{32511});  // 32767 * 1024 * 127 / 131072 = 32511.007
  CHECK(b.run(Codes(1024, -32768)) == Codes{-32512});
}
