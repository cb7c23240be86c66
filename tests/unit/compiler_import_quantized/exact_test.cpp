// SPDX-License-Identifier: Apache-2.0
// What has to be right where a sum, a product or a ratio is larger, smaller or less round than usual.
#include "tests/unit/compiler_import_quantized/network_builder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace vernier;
using namespace vernier::tests;
using Catch::Matchers::Contains;
using Codes = std::vector<int64_t>;
using Ints = std::vector<int64_t>;

TEST_CASE("products of two values of 16 bits with zero points may have 32 bits") {
  for (const int64_t zero : {-32768, 32767}) {
    NetworkBuilder b({1, 3});
    const std::string x = b.quantized("x", 1, zero, kInt16);
    b.output(b.quantized(b.node("Mul", {x, x}), 65535, -32768, kInt16));
    const int64_t far = -1 - zero;
    CHECK(b.run({far, zero, zero < 0 ? -1 : 0}) == Codes{32767, -32768, 32767 * 32767 / 65535 - 32768});
  }
}

TEST_CASE("a bias between two steps of the sums is added as it is") {
  NetworkBuilder b({1, 1, 1, 3});
  const std::string y =
      b.node("Conv", {b.quantized("x", 1, 0), b.weights({2, 1, 1, 1}, {1, 1}, {1}), b.constant(kFloat, {2}, {0.4, -0.4})});
  b.output(b.quantized(y, 4, 0));
  // 10.4 / 4 is above 2.5, which would go to 2, and 10 - 0.4 is below; 14 - 0.4 is below 3.5, which would go to 4.
  CHECK(b.run({10, 14, -14}) == Codes{3, 4, -3, 2, 3, -4});

  NetworkBuilder c({1, 2});  // as an Add after a MatMul, between two halves of an eighth
  const std::string sum = c.node("MatMul", {c.quantized("x", 0.5, 0), c.weights({2, 2}, {1, 0, 0, 1}, {0.5})});
  c.output(c.quantized(c.node("Add", {sum, c.constant(kFloat, {2}, {0.1, -0.1})}), 0.5, 0));
  CHECK(c.run({3, 3}) == Codes{2, 1});  // 0.85 and 0.65

  NetworkBuilder d({1, 2});  // of 16 bits
  const std::string gemm =
      d.node("Gemm", {d.quantized("x", 1, 0, kInt16), d.weights({2, 1}, {1, 1}, {1}), d.constant(kFloat, {1}, {0.25})});
  d.output(d.quantized(gemm, 2, 0, kInt16));
  CHECK(d.run({1000, 1}) == Codes{501});  // 1001.25 / 2; 500.5 would go to 500
}

TEST_CASE("means of six elements have ties, which go to even") {
  NetworkBuilder b({1, 1, 2, 18});
  const std::string y =
      b.node("AveragePool", {b.quantized("x", 0.25, 0)}, {{"kernel_shape", Ints{2, 3}}, {"strides", Ints{2, 3}}});
  b.output(b.quantized(y, 0.25, 0));
  Codes codes(36, 0);
  const Codes sums{3, 9, 15, -3, -9, -15};
  for (size_t i = 0; i < sums.size(); ++i) codes[3 * i + 1] = sums[i];
  CHECK(b.run(codes) == Codes{0, 2, 2, 0, -2, -2});
  // Beside the ties: one sixth of a step away.
  for (int64_t& code : codes) code += code == 0 ? 0 : 1;
  CHECK(b.run(codes) == Codes{1, 2, 3, 0, -1, -2});
}

TEST_CASE("means over twelve elements, and a zero point that is odd") {
  for (const int64_t zero : {0, 1}) {
    NetworkBuilder b({1, 12});
    b.output(b.quantized(b.node("ReduceMean", {b.quantized("x", 1, zero), b.constant(kInt64, {1}, {1})}), 1, zero));
    for (const int64_t sum : {6, 18, -6, -18, 30, 31, 5}) {
      Codes codes(12, zero);
      codes[5] += sum;
      const auto expected = static_cast<int64_t>(std::nearbyint(static_cast<double>(sum) / 12)) + zero;
      CHECK(b.run(codes) == Codes{expected});
    }
  }
}

TEST_CASE("a scale that is tiny beside those of the sums saturates") {
  for (const double scale : {1e-7, 1e-30}) {
    NetworkBuilder b({1, 1, 1, 3});
    const std::string y = b.node("Conv", {b.quantized("x", 1, 0), b.weights({2, 1, 1, 1}, {100, -1}, {1, 1e-3})});
    b.output(b.quantized(b.node("Relu", {y}), scale, -7));
    CHECK(b.run({1, 0, -1}) == Codes{127, -7, -7, -7, -7, 127});
    NetworkBuilder c({1, 3});
    c.output(c.quantized(c.quantized("x", 1, 5, kInt16), scale, 100, kInt16));
    CHECK(c.run({6, 5, 4}) == Codes{32767, 100, -32768});
  }
}

namespace {

/// The function of codes of 16 bits; how many of some codes are a step off, none may be more.
int64_t num_near(const std::string& kind, double scale, double out_scale, int64_t zero,
                 std::map<std::string, Attribute> attributes, double (*function)(double)) {
  Codes codes;
  for (int64_t code = -32768; code < 32768; code += 13) codes.push_back(code);
  NetworkBuilder b({1, static_cast<int64_t>(codes.size())});
  b.output(
      b.quantized(b.node(kind, {b.quantized("x", scale, zero, kInt16)}, std::move(attributes)), out_scale, zero, kInt16));
  const import::ImportResult result = b.lowered();
  for (const import::Finding& finding : result.findings) CHECK(finding.text.empty());
  const Codes found = b.run(codes);
  int64_t count = 0;
  for (size_t i = 0; i < codes.size(); ++i) {
    const double real = function(static_cast<double>(codes[i] - zero) * static_cast<double>(static_cast<float>(scale)));
    const double steps = std::nearbyint(real / static_cast<double>(static_cast<float>(out_scale)));
    const int64_t distance = std::abs(found[i] - std::clamp<int64_t>(static_cast<int64_t>(steps) + zero, -32768, 32767));
    CHECK(distance <= 1);
    count += distance;
  }
  return count;
}

}  // namespace

TEST_CASE("functions of 16 bits that bend or have corners between two entries of a table") {
  // Of 5,042 codes.
  CHECK(num_near("Tanh", 1.0 / 4096, 1.0 / 32767, 0, {}, [](double x) { return std::tanh(x); }) <= 10);
  CHECK(num_near("Tanh", 1.0 / 1024, 1.0 / 32767, 0, {}, [](double x) { return std::tanh(x); }) <= 10);
  CHECK(num_near("Sigmoid", 3e-4, 1.0 / 32767, -321, {}, [](double x) { return 1 / (1 + std::exp(-x)); }) <= 10);
  CHECK(num_near("Elu", 1.0 / 1000, 1.0 / 9000, 77, {{"alpha", 0.5F}},
                 [](double x) { return x >= 0 ? x : 0.5 * (std::exp(x) - 1); }) <= 10);
  CHECK(num_near("LeakyRelu", 3e-4, 2.9e-4, -1234, {{"alpha", 0.1F}},
                 [](double x) { return x >= 0 ? x : static_cast<double>(0.1F) * x; }) <= 10);
  CHECK(num_near("HardSigmoid", 3e-4, 1.0 / 32767, 55, {},
                 [](double x) { return std::clamp(static_cast<double>(0.2F) * x + 0.5, 0.0, 1.0); }) <= 10);
  CHECK(num_near("HardSwish", 2e-4, 1.9e-4, -9999, {}, [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }) <=
        10);
  CHECK(num_near("Abs", 3e-4, 3.1e-4, 701, {}, [](double x) { return std::fabs(x); }) <= 10);
}

TEST_CASE("ties of a function of 16 bits go to even, whatever the zero point") {
  for (const int64_t zero : {0, 1}) {
    NetworkBuilder b({1, 5});
    b.output(b.quantized(b.node("LeakyRelu", {b.quantized("x", 1, 0, kInt16)}, {{"alpha", 0.25F}}), 0.5, zero, kInt16));
    CHECK(b.run({-1, -3, -5, 2, 0}) == Codes{zero, zero - 2, zero - 2, zero + 4, zero});  // -0.5, -1.5, -2.5
  }
}

TEST_CASE("codes of 8 bits and one number are a function in float32") {
  const float step = 2.0F / 255.0F;
  for (const bool is_quantized : {false, true}) {
    NetworkBuilder b({1, 6});
    const std::string one = b.constant(kFloat, {1}, {1});
    const std::string x = b.quantized("x", static_cast<double>(step), -1);
    b.output(b.quantized(b.node("Add", {x, is_quantized ? b.quantized(one, 1.0 / 255, -128) : one}),
                         static_cast<double>(step), -128));
    Codes expected;
    const Codes codes{-128, -77, -1, 0, 5, 100};
    for (const int64_t code : codes)
      expected.push_back(static_cast<int64_t>(std::nearbyint((static_cast<float>(code + 1) * step + 1.0F) / step)) - 128);
    CHECK(b.run(codes) == expected);
  }
  NetworkBuilder c({1, 2});
  c.output(c.quantized(c.node("Sub", {c.constant(kFloat, {}, {10}), c.quantized("x", 1, 0)}), 1, 0));
  CHECK(c.run({3, -4}) == Codes{7, 14});
  NetworkBuilder d({1, 2});
  d.output(d.quantized(d.node("Sub", {d.quantized("x", 1, 0), d.constant(kFloat, {}, {10})}), 1, 0));
  CHECK(d.run({3, -4}) == Codes{-7, -14});
}

TEST_CASE("quotients of values and constants are values with other steps") {
  NetworkBuilder b({1, 3});
  b.output(b.quantized(b.node("Div", {b.quantized("x", 1, 0), b.constant(kFloat, {}, {-4})}), 1, 0));
  CHECK(b.run({6, 2, -100}) == Codes{-2, 0, 25});
  NetworkBuilder c({1, 2});  // of sums
  const std::string sum = c.node("MatMul", {c.quantized("x", 1, 0), c.weights({2, 1}, {1, 2}, {1})});
  c.output(c.quantized(c.node("Div", {sum, c.constant(kFloat, {1}, {8})}), 1, 0));
  CHECK(c.run({4, 8}) == Codes{2});  // 20 / 8
  NetworkBuilder d({1, 3});
  const std::string x = d.quantized("x", 1, 0);
  d.output(d.quantized(d.node("Div", {d.constant(kFloat, {}, {1}), x}), 1, 0));
  CHECK(d.run({1, 2, -4}) == Codes{1, 0, 0});  // 1 / 2 and -1 / 4 are rounded half to even
  CHECK(d.run({0, 2, -1}) == Codes{127, 0, -1});
  NetworkBuilder e({1, 3});
  e.output(e.quantized(e.node("Div", {e.quantized("x", 1, 0), e.constant(kFloat, {}, {0})}), 1, 0));
  CHECK_THAT(e.complaints(), Contains("the divisor is 0"));
}

TEST_CASE("attribute output_dtype names the type of codes without a zero point") {
  const auto quantized = [](int64_t type, const std::vector<std::string>& zero = {}) {
    NetworkBuilder b({1, 4});
    const std::string step = b.constant(kFloat, {}, {0.5});
    std::vector<std::string> inputs{b.node("Relu", {b.quantized("x", 0.5, 0, kInt16)}), step};
    inputs.insert(inputs.end(), zero.begin(), zero.end());
    const std::string codes = b.node("QuantizeLinear", inputs, {{"output_dtype", type}});
    b.output(b.node("DequantizeLinear", {codes, step}));
    return b;
  };
  const Codes codes{-300, 6, 20, 30000};
  CHECK(quantized(2).run(codes) == Codes{-128, 6 - 128, 20 - 128, 127});  // uint8
  CHECK(quantized(3).run(codes) == Codes{0, 6, 20, 127});
  CHECK(quantized(5).run(codes) == Codes{0, 6, 20, 30000});
  CHECK(quantized(22).run(codes) == Codes{0, 6, 7, 7});
  CHECK_THAT(quantized(17).complaints(), Contains("attribute output_dtype is 17, expected the number of an integer type"));
}

TEST_CASE("weights with a zero point for each channel") {
  const auto weighted = [](double first, double second) {
    NetworkBuilder b({1, 1});
    const std::string codes = b.constant(kInt8, {1, 2}, {100, -50}), scales = b.constant(kFloat, {2}, {1, 1});
    const std::string w =
        b.node("DequantizeLinear", {codes, scales, b.constant(kInt8, {2}, {first, second})}, {{"axis", int64_t{1}}});
    b.output(b.quantized(b.node("MatMul", {b.quantized("x", 1, 0), w}), 2, 0));
    return b;
  };
  CHECK(weighted(4, -4).run({1}) == Codes{48, -23});
  CHECK(weighted(-100, 0).run({1}) == Codes{100, -25});  // a weight of 200
  CHECK(weighted(0, 100).run({1}) == Codes{50, -75});    // and of -150
  CHECK(weighted(-120, 0).run({1}) == Codes{110, -25});  // 220 and -50 are no 256 numbers: two parts of each weight
  CHECK(weighted(-128, 120).run({-1}) == Codes{-114, 85});
}

TEST_CASE("a row alone, and rows of five dimensions, times a matrix") {
  NetworkBuilder b({2});
  b.output(b.quantized(b.node("MatMul", {b.quantized("x", 1, 0), b.weights({2, 3}, {1, 2, 3, 4, 5, 6}, {1})}), 1, 0));
  CHECK(b.run({1, 10}) == Codes{41, 52, 63});
  for (const NumberType type : {kInt8, kInt16}) {
    NetworkBuilder c({1, 2, 1, 1, 2});
    c.output(c.quantized(c.node("MatMul", {c.quantized("x", 1, 3, type), c.weights({2, 1}, {1, 2}, {1})}), 1, 0, type));
    CHECK(c.run({4, 5, 13, 3}) == Codes{5, 10});
  }
}

TEST_CASE("nearest elements that RESIZE cannot express are picked") {
  // Positions (o + 1/2) / 3 - 1/2, up: 0 0 1 1 1 2, of which TOSA would read the one beyond the last.
  NetworkBuilder b({1, 1, 1, 2});
  const std::string y =
      b.node("Resize", {b.quantized("x", 1, 0), "", b.constant(kFloat, {4}, {1, 1, 2, 3})},
             {{"coordinate_transformation_mode", std::string("asymmetric")}, {"nearest_mode", std::string("ceil")}});
  b.output(b.quantized(y, 1, 0));
  CHECK(b.run({5, 9}) == Codes{5, 9, 9, 9, 9, 9, 5, 9, 9, 9, 9, 9});
}

TEST_CASE("opset 10 has scales as the second input of Resize, and reads what is before") {
  NetworkBuilder b({1, 1, 1, 4});
  b.network.opset = 10;
  const std::string x = b.quantized("x", 1, 0);
  b.output(b.node("Resize", {x, b.constant(kFloat, {4}, {1, 1, 1, 1.5})}));
  b.output(b.node("Resize", {x, b.constant(kFloat, {4}, {1, 1, 1, 0.5})}));
  CHECK(b.run({1, 2, 3, 4}) == Codes{1, 1, 2, 3, 3, 4});
}
