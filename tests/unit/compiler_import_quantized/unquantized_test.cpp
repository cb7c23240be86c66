// SPDX-License-Identifier: Apache-2.0
// Values that are read without a quantizer between the operator that gives them and the one that reads them.
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

int64_t code(double steps, int64_t zero_point) {
  return std::clamp<int64_t>(static_cast<int64_t>(std::nearbyint(steps)) + zero_point, -128, 127);
}

/// x [1, 1, 1, 4] in steps of 1/2 times 3 and -5 in steps of the scales, with biases 0.3 and -0.2.
std::string sums(NetworkBuilder& b, const std::string& x, const std::vector<double>& scales) {
  return b.node("Conv", {x, b.weights({2, 1, 1, 1}, {3, -5}, scales), b.constant(kFloat, {2}, {0.3, -0.2})});
}

}  // namespace

TEST_CASE("a sum of products and codes, or of two sums of products") {
  const Codes codes{-128, -3, 5, 127};
  for (const std::vector<double>& scales : {std::vector<double>{0.3}, std::vector<double>{0.3, 0.01}}) {
    for (const bool is_first : {false, true}) {
      NetworkBuilder b({1, 1, 1, 4});
      const std::string x = b.quantized("x", 0.5, 1), y = sums(b, x, scales);
      b.output(b.quantized(is_first ? b.node("Sub", {y, x}) : b.node("Sub", {x, y}), 0.7, -3));
      NetworkBuilder c({1, 1, 1, 4});
      const std::string z = c.quantized("x", 0.5, 1);
      c.output(c.quantized(c.node("Add", {sums(c, z, scales), sums(c, z, {0.25})}), 2, 5));
      Codes difference, sum;
      for (size_t channel = 0; channel < 2; ++channel) {
        const double weight = channel == 0 ? 3 : -5, bias = channel == 0 ? 0.3 : -0.2;
        for (const int64_t x_code : codes) {
          const double real = static_cast<double>(x_code - 1) * 0.5, scale = scales[channel % scales.size()];
          const double product = real * weight * scale + bias;
          difference.push_back(code((is_first ? product - real : real - product) / 0.7, -3));
          sum.push_back(code((product + real * weight * 0.25 + bias) / 2, 5));
        }
      }
      CHECK(b.run(codes) == difference);
      CHECK(c.run(codes) == sum);
    }
  }
}

TEST_CASE("sums of 16-bit codes and codes") {
  NetworkBuilder b({1, 2});
  const std::string x = b.quantized("x", 1, 100, kInt16);
  const std::string y = b.node("MatMul", {x, b.weights({2, 2}, {100, 0, 0, -100}, {1})});
  b.output(b.quantized(b.node("Add", {y, x}), 4, -7, kInt16));
  CHECK(b.run({101, 98}) == Codes{25 - 7, 50 - 7});  // 25.25 and 49.5
}

TEST_CASE("LeakyRelu and PRelu of sums") {
  for (const char* kind : {"LeakyRelu", "PRelu"}) {
    NetworkBuilder b({1, 1, 1, 4});
    const std::string y = sums(b, b.quantized("x", 0.5, 1), {0.3, 0.01});
    const bool is_leaky = std::string(kind) == "LeakyRelu";
    b.output(b.quantized(
        is_leaky ? b.node(kind, {y}, {{"alpha", 0.125F}}) : b.node(kind, {y, b.constant(kFloat, {}, {0.125})}), 0.3, -3));
    const Codes codes{-128, -3, 5, 127};
    Codes expected;
    for (size_t channel = 0; channel < 2; ++channel) {
      for (const int64_t x_code : codes) {
        const double product =
            static_cast<double>(x_code - 1) * 0.5 * (channel == 0 ? 3 * 0.3 : -5 * 0.01) + (channel == 0 ? 0.3 : -0.2);
        expected.push_back(code((product < 0 ? product / 8 : product) / 0.3, -3));
      }
    }
    CHECK(b.run(codes) == expected);
  }
}

TEST_CASE("what only moves numbers, or takes the greatest, may stand before the quantizer") {
  struct Mover {
    const char* kind;
    std::map<std::string, Attribute> attributes;
    size_t from;  // the element of x that comes out
  };
  for (const Mover& mover :
       {Mover{"MaxPool", {{"kernel_shape", Ints{1, 4}}}, 3}, Mover{"Gather", {{"axis", int64_t{3}}}, 2}}) {
    for (const bool is_function : {false, true}) {
      NetworkBuilder b({1, 1, 1, 4});
      const std::string x = b.quantized("x", 0.5, 1);
      const std::string y = is_function ? b.node("Exp", {x}) : b.node("Conv", {x, b.weights({1, 1, 1, 1}, {7}, {0.1})});
      std::vector<std::string> inputs{y};
      if (std::string(mover.kind) == "Gather") inputs.push_back(b.constant(kInt64, {1}, {2}));
      b.output(b.quantized(b.node(mover.kind, inputs, mover.attributes), 0.37, 2));
      const Codes codes{-9, 2, 4, 5};
      const double real = static_cast<double>(codes[mover.from] - 1) * 0.5;
      CHECK(b.run(codes) == Codes{code((is_function ? std::exp(real) : real * 0.7) / 0.37, 2)});
    }
  }
  NetworkBuilder c({1, 1, 1, 4});  // a mean is another number
  c.output(c.quantized(c.node("GlobalAveragePool", {c.node("Exp", {c.quantized("x", 0.5, 1)})}), 0.3, 2));
  CHECK_THAT(c.complaints(), Contains("'v2' is not quantized after what gives it, and 16 bits on its range, up to 2.29"));
  NetworkBuilder d({1, 1, 1, 4});
  d.output(d.quantized(d.node("GlobalAveragePool", {d.node("Abs", {d.quantized("x", 0.5, 1)})}), 0.25, 2));
  CHECK(d.run({-9, 2, 4, 5}) == Codes{11});  // of 5, 0.5, 1.5 and 2: 2.25
  CHECK_THAT(d.complaints(), Contains("that it can have: 'v2'; it is off by up to 0.00"));
}
