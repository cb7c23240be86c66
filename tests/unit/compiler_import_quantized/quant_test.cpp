// SPDX-License-Identifier: Apache-2.0
// QONNX's Quant, BipolarQuant and Trunc: integers against arithmetic of the test's own, and refusals.
#include "tests/unit/compiler_import_quantized/network_builder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace vernier;
using namespace vernier::tests;
using Catch::Matchers::Contains;
using Codes = std::vector<int64_t>;

namespace {

struct Mode {
  const char* name;
  double (*round)(double);
};
const std::vector<Mode> kModes{{"ROUND", [](double x) { return std::nearbyint(x); }},
                               {"HALF_EVEN", [](double x) { return std::nearbyint(x); }},
                               {"CEIL", [](double x) { return std::ceil(x); }},
                               {"FLOOR", [](double x) { return std::floor(x); }},
                               {"UP", [](double x) { return x < 0 ? std::floor(x) : std::ceil(x); }},
                               {"DOWN", [](double x) { return std::trunc(x); }},
                               {"HALF_UP", [](double x) { return std::round(x); }},
                               {"HALF_DOWN", [](double x) { return x < 0 ? -std::ceil(-x - 0.5) : std::ceil(x - 0.5); }}};

std::map<std::string, Attribute> modes(const std::string& mode, int64_t is_signed, int64_t narrow) {
  return {{"rounding_mode", mode}, {"signed", is_signed}, {"narrow", narrow}};
}

std::string number(NetworkBuilder& b, double number) { return b.constant(kFloat, {}, {number}); }

std::string quant(NetworkBuilder& b, const std::string& value, double scale, double zero, double bits,
                  const std::string& mode = "ROUND", int64_t is_signed = 1, int64_t narrow = 0) {
  return b.node("Quant", {value, number(b, scale), number(b, zero), number(b, bits)}, modes(mode, is_signed, narrow));
}

Codes range(int64_t first, int64_t last) {
  Codes codes(static_cast<size_t>(last - first + 1));
  std::iota(codes.begin(), codes.end(), first);
  return codes;
}

/// Codes of 8 bits times one weight, to be quantized.
NetworkBuilder times(int64_t weight, double scale, double zero, double bits, const std::string& mode) {
  NetworkBuilder b({256, 1});
  const std::string x = quant(b, "x", 1, 0, 8);
  const std::string w = quant(b, b.constant(kFloat, {1, 1}, {static_cast<double>(weight)}), 1, 0, 8);
  b.output(quant(b, b.node("MatMul", {x, w}), scale, zero, bits, mode));
  return b;
}

}  // namespace

TEST_CASE("all modes on unsigned codes, where scales have no ratio that is a power of two") {
  for (const Mode& mode : kModes) {
    for (const double bits : {4.0, 8.0, 12.0}) {
      NetworkBuilder b({256, 1});
      const std::string x = quant(b, "x", 1, 0, 8), w = quant(b, b.constant(kFloat, {1, 1}, {13}), 1, 0, 8);
      b.output(quant(b, b.node("MatMul", {x, w}), 1.7, 0, bits, mode.name, 0));
      const Codes found = b.run(range(-128, 127));
      const auto most = static_cast<int64_t>(std::exp2(bits)) - 1, lowest = bits == 12 ? int64_t{0} : int64_t{-128};
      for (int64_t code = -128; code < 128; ++code) {
        const auto steps = static_cast<int64_t>(mode.round(static_cast<double>(code) * 13 / static_cast<double>(1.7F)));
        INFO(mode.name << " " << bits << " " << code);
        CHECK(found[static_cast<size_t>(code + 128)] - lowest == std::clamp<int64_t>(steps, 0, most));
      }
    }
  }
}

TEST_CASE("sums far beyond the codes of a quantizer of any mode are cut off") {
  for (const Mode& mode : kModes) {
    NetworkBuilder b({256, 1});
    const std::string x = quant(b, "x", 1, 0, 8), w = quant(b, b.constant(kFloat, {1, 1}, {127}), 1, 0, 8);
    b.output(quant(b, b.node("MatMul", {x, w}), 0.0017, 0, 8, mode.name));
    const Codes found = b.run(range(-128, 127));
    CHECK(Codes(found.begin() + 126, found.begin() + 131) == Codes{-128, -128, 0, 127, 127});
  }
}

TEST_CASE("Trunc of version 2 divides by any power of two with any mode, exactly") {
  for (const Mode& mode : kModes) {
    for (int k = -3; k <= 8; ++k) {
      for (const int64_t zero : {0, 256}) {
        const Codes codes = range(-4096, 4096);
        NetworkBuilder b({static_cast<int64_t>(codes.size())});
        const double out_scale = 0.5 * std::ldexp(1, k);
        b.output(b.node(
            "Trunc",
            {"x", number(b, 0.5), number(b, static_cast<double>(zero)), number(b, 8), number(b, out_scale), number(b, 12)},
            modes(mode.name, 1, 1)));
        Codes expected;
        for (const int64_t code : codes)
          expected.push_back(std::clamp(static_cast<int64_t>(mode.round(std::ldexp(static_cast<double>(code), -k))),
                                        int64_t{-2047}, int64_t{2047}));
        INFO(mode.name << " k " << k << " zero point " << zero);
        if (zero == 256 && k < -2) {  // 2048 is no code of 12 bits
          CHECK_THAT(b.complaints(), Contains("the zero point is 2048, allowed are -2048 to 2047"));
        } else {
          CHECK(b.run(codes) == expected);
        }
      }
    }
  }
}

TEST_CASE("Trunc of version 1 has no limits, and keeps the scale") {
  NetworkBuilder b({4});
  b.output(b.node("Trunc", {"x", number(b, 1), number(b, 3), number(b, 8), number(b, 4)}));
  CHECK(b.run({103, -97, 40, -34}) == Codes{6, -7, 2, -3});  // FLOOR by default
  const import::ImportResult result = b.lowered();
  CHECK(result.boundary.outputs.at(0).scale == 1);
  CHECK(result.boundary.outputs.at(0).zero_point == 3);
}

TEST_CASE("Trunc of 8-bit codes is a table") {
  NetworkBuilder b({4});
  const std::string x = quant(b, "x", 1, 0, 8);
  b.output(b.node("Trunc", {x, number(b, 1), number(b, 0), number(b, 8), number(b, 16), number(b, 4)}));
  CHECK(b.run({100, -100, 37, -37}) == Codes{6, -7, 2, -3});
  const import::ImportResult result = b.lowered();
  REQUIRE(result.graph->operators.size() == 1);
  CHECK(result.graph->operators[0].kind == ir::OpKind::Table);
}

TEST_CASE("Trunc goes along an axis") {
  NetworkBuilder b({3, 2});
  b.output(b.node("Trunc", {"x", b.constant(kFloat, {3, 1}, {1, 0.25, 0.1}), number(b, 0), number(b, 8),
                            b.constant(kFloat, {3, 1}, {2, 1, 0.1}), number(b, 8)}));
  CHECK(b.run({7, -7, 7, -7, 7, -7}) == Codes{3, -4, 1, -2, 7, -7});
  const package::BoundaryEnd end = b.lowered().boundary.outputs.at(0);
  CHECK(end.axis == 0);
  CHECK(end.channels == std::vector<package::ChannelScale>{{2, 0}, {1, 0}, {0.1F, 0}});
}

TEST_CASE("Trunc of codes with the same two scales along its axis divides each row by its own") {
  NetworkBuilder b({2, 2});
  const std::string scales = b.constant(kFloat, {2, 1}, {1, 0.25});
  const std::string x = b.node("Quant", {"x", scales, number(b, 0), number(b, 8)}, modes("ROUND", 1, 0));
  b.output(b.node("Trunc", {x, scales, number(b, 0), number(b, 8), b.constant(kFloat, {2, 1}, {2, 1}), number(b, 8)},
                  modes("FLOOR", 1, 0)));
  CHECK(b.run({7, -7, 7, -7}) == Codes{3, -4, 1, -2});
}

TEST_CASE("Trunc that no integer operation is, is refused with the reason") {
  const auto complaint = [](double out_scale, double zero, double bits) {
    NetworkBuilder b({4});
    b.output(b.node("Trunc", {"x", number(b, 1), number(b, zero), number(b, 8), number(b, out_scale), number(b, bits)}));
    return b.complaints();
  };
  CHECK_THAT(complaint(3, 0, 4), Contains("out_scale / scale is 3, which is no power of two"));
  CHECK_THAT(complaint(4, 3, 8), Contains("the zero point 3 divided by 2^2 is no whole number"));
  CHECK_THAT(complaint(4, 0.5, 8), Contains("the zero point is 0.5, allowed are whole numbers"));
  CHECK_THAT(complaint(4, 0, 3.5), Contains("the output bit width is 3.5, allowed are whole numbers from 1 to 32"));
  CHECK_THAT(complaint(4, 0, 17), Contains("the output bit width is 17, allowed are 1 to 16"));
}

TEST_CASE("sums by a power of two round by any mode after the zero point is added, exactly") {
  for (const Mode& mode : kModes) {
    for (const int64_t zero : {0, 3, -2}) {
      for (const double scale : {0.5, 1.0, 8.0, 64.0}) {
        const Codes found = times(5, scale, static_cast<double>(zero), 7, mode.name).run(range(-128, 127));
        for (int64_t code = -128; code < 128; ++code) {
          INFO(mode.name << " zero point " << zero << " scale " << scale << " code " << code);
          const double exact = static_cast<double>(code * 5) / scale + static_cast<double>(zero);
          CHECK(found[static_cast<size_t>(code + 128)] ==
                std::clamp(static_cast<int64_t>(mode.round(exact)), int64_t{-64}, int64_t{63}));
        }
      }
    }
  }
}

TEST_CASE("sums by another factor round by any mode, too") {
  for (const Mode& mode : kModes) {
    const Codes found = times(5, 3, 1, 8, mode.name).run(range(-128, 127));
    for (int64_t code = -128; code < 128; ++code) {
      INFO(mode.name << " code " << code);
      const double exact = static_cast<double>(code * 5) / 3 + 1;
      CHECK(found[static_cast<size_t>(code + 128)] ==
            std::clamp(static_cast<int64_t>(mode.round(exact)), int64_t{-128}, int64_t{127}));
    }
  }
}

TEST_CASE("a bipolar quantizer is the sign of a sum, bipolar weights are 1 and -1") {
  NetworkBuilder b({4, 2});
  const std::string x = quant(b, "x", 1, 0, 8);
  const std::string w = b.node("BipolarQuant", {b.constant(kFloat, {2, 1}, {0.3, -2}), number(b, 0.5)});
  b.output(b.node("BipolarQuant", {b.node("MatMul", {x, w}), number(b, 2)}));
  CHECK(b.run({5, 5, 5, 6, 6, 5, -128, 127}) == Codes{1, -1, 1, -1});
}

TEST_CASE("quantizers of 16 bits, unsigned ones less half of their range") {
  NetworkBuilder b({2});
  b.output(quant(b, "x", 1, 0, 16, "ROUND", 0));
  const import::ImportResult result = b.lowered();
  CHECK_FALSE(result.boundary.inputs.at(0).is_signed);
  CHECK(result.boundary.inputs.at(0).rule == package::IntRule{base::Rounding::HalfEven, 0, 65535});
  NetworkBuilder relu({2});
  relu.output(quant(relu, relu.node("Relu", {quant(relu, "x", 1, 0, 12)}), 2, 0, 12, "FLOOR", 0));
  CHECK(relu.run({-9, 9}) == Codes{0, 4});
}

TEST_CASE("Quant is refused where a value or an attribute is none") {
  const auto complaint = [](double scale, double zero, double bits, std::map<std::string, Attribute> attributes) {
    NetworkBuilder b({2});
    b.output(b.node("Quant", {"x", number(b, scale), number(b, zero), number(b, bits)}, std::move(attributes)));
    return b.complaints();
  };
  CHECK_THAT(complaint(1, 0, 8, {{"signed", int64_t{1}}}), Contains("attribute narrow is missing"));
  CHECK_THAT(complaint(1, 0, 8, modes("STOCHASTIC", 1, 0)), Contains("attribute rounding_mode is 'STOCHASTIC'"));
  CHECK_THAT(complaint(1, 0, 8, modes("ROUND", 2, 0)), Contains("attribute signed is 2, allowed are 0 and 1"));
  CHECK_THAT(complaint(0, 0, 8, modes("ROUND", 1, 0)), Contains("the scale is 0, "));
  CHECK_THAT(complaint(1, 100, 4, modes("ROUND", 1, 0)), Contains("the zero point is 100, allowed are -8 to 7"));
  CHECK_THAT(complaint(1, 0, 17, modes("ROUND", 1, 0)), Contains("more than 16 bits, which is allowed for a bias only"));
  NetworkBuilder b({2, 1});
  const std::string w = quant(b, b.constant(kFloat, {1, 1}, {1}), 1, 0, 12);
  b.output(quant(b, b.node("MatMul", {quant(b, "x", 1, 0, 8), w}), 1, 0, 8));
  CHECK_THAT(b.complaints(), Contains("have 16 bits, allowed are up to 8"));
}
