// SPDX-License-Identifier: Apache-2.0
// Quantizers of few bits after float operators on sums, against float32 evaluation of each; MultiThreshold; QuantAvgPool2d.
#include "tests/unit/compiler_import_quantized/network_builder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

using namespace vernier;
using namespace vernier::tests;
using Catch::Matchers::Contains;
using Codes = std::vector<int64_t>;

namespace {

std::string threshold_number(NetworkBuilder& b, double number) { return b.constant(kFloat, {}, {number}); }

std::string threshold_quant(NetworkBuilder& b, const std::string& value, double scale, double bits, int64_t is_signed = 1,
                            int64_t narrow = 0) {
  return b.node("Quant", {value, threshold_number(b, scale), threshold_number(b, 0), threshold_number(b, bits)},
                {{"rounding_mode", std::string("ROUND")}, {"signed", is_signed}, {"narrow", narrow}});
}

constexpr size_t kChannels = 5;

/// Codes -128 to 127 times weights 1, 2, .., of which the scales are those.
std::string sums(NetworkBuilder& b, double scale) {
  const std::string x = threshold_quant(b, "x", scale, 8);
  std::vector<double> weights(kChannels);
  std::iota(weights.begin(), weights.end(), 1);
  return b.node("MatMul", {x, threshold_quant(b, b.constant(kFloat, {1, kChannels}, weights), 1, 8)});
}

Codes codes_of_int8() {
  Codes codes(256);
  std::iota(codes.begin(), codes.end(), -128);
  return codes;
}

struct Normalization {
  std::vector<double> scale, bias, mean, variance;
};

Normalization random_normalization(uint32_t seed) {
  std::mt19937 random(seed);
  const auto draw = [&](double low, double high) {
    std::vector<double> list(kChannels);
    for (double& one : list) one = std::uniform_real_distribution<double>(low, high)(random);
    return list;
  };
  return {draw(-2, 2), draw(-2, 2), draw(-100, 100), draw(50, 5000)};
}

/// In float32, as onnxruntime has it.
float normalized(float x, const Normalization& n, size_t channel) {
  const auto at = [&](const std::vector<double>& list) { return static_cast<float>(list[channel]); };
  const float factor = 1.0F / std::sqrt(at(n.variance) + 1e-5F) * at(n.scale);
  return x * factor + (at(n.bias) - at(n.mean) * factor);
}

}  // namespace

TEST_CASE("BatchNormalization before few bits is a RESCALE of finer sums where that has the same codes") {
  const Normalization n{{0.5, -1, 1.5, 2, -0.8}, {-1, 0.3, 0, 2, -0.7}, {10, -20, 35, 0, 80}, {60, 500, 250, 1000, 333}};
  NetworkBuilder b({256, 1});
  const auto list = [&](const std::vector<double>& one) { return b.constant(kFloat, {kChannels}, one); };
  const std::string y =
      b.node("BatchNormalization", {sums(b, 1), list(n.scale), list(n.bias), list(n.mean), list(n.variance)});
  b.output(threshold_quant(b, y, 0.25, 4, 1, 1));
  const Codes codes = b.run(codes_of_int8());
  for (size_t i = 0; i < codes.size(); ++i) {
    const size_t channel = i % kChannels;
    const auto sum = static_cast<float>((static_cast<int64_t>(i / kChannels) - 128) * static_cast<int64_t>(channel + 1));
    CHECK(codes[i] == std::clamp<int64_t>(std::llround(std::nearbyint(normalized(sum, n, channel) / 0.25F)), -7, 7));
  }
  int64_t num_shifts = 0, num_rescales = 0;
  ImportResult result = b.lowered();
  for (const ir::Operator& op : import::take_graph(result).operators) {
    num_shifts += op.kind == ir::OpKind::ArithmeticRightShift ? 1 : 0;
    num_rescales += op.kind == ir::OpKind::Rescale ? 1 : 0;
  }
  CHECK(num_shifts == 0);
  CHECK(num_rescales == 1);
}

TEST_CASE("BatchNormalization between sums and a quantizer of up to 4 bits is exact") {
  for (const double scale : {1.0, 0.037}) {
    for (int64_t bits = 2; bits <= 4; ++bits) {
      const auto seed = static_cast<uint32_t>(bits + (scale < 1 ? 10 : 0));
      const Normalization n = random_normalization(seed);
      NetworkBuilder b({256, 1});
      const auto list = [&](const std::vector<double>& one) { return b.constant(kFloat, {kChannels}, one); };
      const std::string y =
          b.node("BatchNormalization", {sums(b, scale), list(n.scale), list(n.bias), list(n.mean), list(n.variance)});
      b.output(threshold_quant(b, y, 0.25, static_cast<double>(bits), 1, 1));
      const Codes codes = b.run(codes_of_int8());
      const double most = std::ldexp(1, static_cast<int>(bits) - 1) - 1;
      INFO("seed " << seed);
      for (size_t i = 0; i < codes.size(); ++i) {
        const auto sum =
            static_cast<double>((static_cast<int64_t>(i / kChannels) - 128) * static_cast<int64_t>(i % kChannels + 1));
        const double steps = static_cast<double>(
            normalized(static_cast<float>(sum * static_cast<double>(static_cast<float>(scale))), n, i % kChannels) / 0.25F);
        REQUIRE(codes[i] == static_cast<int64_t>(std::clamp(std::nearbyint(steps), -most, most)));
      }
    }
  }
}

TEST_CASE("the sign of an affine chain on sums is one threshold") {
  NetworkBuilder b({256, 1});
  const std::string y = b.node(
      "Mul", {b.node("Sub", {threshold_number(b, 10.5), sums(b, 1)}), b.constant(kFloat, {kChannels}, {1, -1, 2, -2, 0})});
  b.output(b.node("BipolarQuant", {y, threshold_number(b, 1)}));
  const Codes codes = b.run(codes_of_int8());
  const std::vector<double> factors{1, -1, 2, -2, 0};
  for (size_t i = 0; i < codes.size(); ++i) {
    const auto sum =
        static_cast<double>((static_cast<int64_t>(i / kChannels) - 128) * static_cast<int64_t>(i % kChannels + 1));
    REQUIRE(codes[i] == ((10.5 - sum) * factors[i % kChannels] >= 0 ? 1 : -1));
  }
}

TEST_CASE("a normalization has as many numbers as the sums have channels") {
  NetworkBuilder other({256, 1});
  const std::string two = other.constant(kFloat, {2}, {1, 1});
  other.output(threshold_quant(other, other.node("BatchNormalization", {sums(other, 1), two, two, two, two}), 1, 2));
  CHECK_THAT(other.complaints(), Contains("has 2 elements, expected one for each channel of [256, 5]"));
}

TEST_CASE("MultiThreshold counts what a number reaches") {
  const std::vector<double> thresholds{-3.5, 0, 0.5, 40, -20, -10, 10, 20, 1, 1, 1, 1, 5, 4, 3, 2, 600, 700, 800, 900};
  struct Case {
    float scale, bias;
    std::vector<double> reals;  // by count
  };
  for (const Case& one :
       {Case{1, 0, {0, 1, 2, 3, 4}}, Case{0.5F, -1, {-1, -0.5, 0, 0.5, 1}}, Case{2, -1, {-1, 1, 3, 5, 7}}}) {
    NetworkBuilder b({256, 1});
    const std::string y = b.node("MultiThreshold", {sums(b, 1), b.constant(kFloat, {kChannels, 4}, thresholds)},
                                 {{"out_scale", one.scale}, {"out_bias", one.bias}});
    b.output(y);
    const Codes codes = b.run(codes_of_int8());
    import::ImportResult result = b.lowered();
    const package::BoundaryEnd& end = result.boundary.outputs.at(0);
    for (size_t i = 0; i < codes.size(); ++i) {
      const size_t channel = i % kChannels;
      const auto sum = static_cast<double>((static_cast<int64_t>(i / kChannels) - 128) * static_cast<int64_t>(channel + 1));
      const auto row = thresholds.begin() + static_cast<int64_t>(channel) * 4;
      const auto count =
          static_cast<size_t>(std::count_if(row, row + 4, [&](double threshold) { return sum >= threshold; }));
      const int64_t code = codes[i] + (end.is_signed ? 0 : 128) - end.zero_point;
      REQUIRE(static_cast<double>(code) * static_cast<double>(end.scale) == one.reals[count]);
    }
  }
}

TEST_CASE("MultiThreshold takes codes, and refuses what has no code") {
  NetworkBuilder b({4});
  b.output(b.node("MultiThreshold", {threshold_quant(b, "x", 0.5, 8), b.constant(kFloat, {1, 2}, {0.25, 3})},
                  {{"data_layout", std::string("C")}}));
  CHECK(b.run({-128, 1, 5, 6}) == Codes{-128, -127, -127, -126});  // of uint8: 0, 1, 1, 2
  const auto complaint = [](std::map<std::string, Attribute> attributes, const std::vector<double>& thresholds) {
    NetworkBuilder bad({256, 1});
    const auto count = static_cast<int64_t>(thresholds.size());
    bad.output(
        bad.node("MultiThreshold", {sums(bad, 1), bad.constant(kFloat, {1, count}, thresholds)}, std::move(attributes)));
    return bad.complaints();
  };
  CHECK_THAT(complaint({{"out_scale", -1.0F}}, {1}),
             Contains("attribute out_scale is -1, allowed are finite numbers above 0"));
  CHECK_THAT(complaint({{"out_bias", 0.3F}}, {1}),
             Contains("attribute out_bias is 0.3, allowed are whole multiples of out_scale / 2"));
  CHECK_THAT(complaint({{"out_bias", -200.0F}}, {1}),
             Contains("codes are from -200 to -199, allowed are those of int8 or uint8"));
  CHECK_THAT(complaint({}, std::vector<double>(256, 1)), Contains("there are 256 thresholds, allowed are up to 255"));
}

TEST_CASE("operators between sums or codes and MultiThreshold are evaluated in float32") {
  // Sums of whole steps and half a step reach 0.5 from 0 on, and 1.25 from 1 on; less half a step from 1 and 2 on.
  const auto built = [](const char* kind, const base::Shape& shape, const std::vector<double>& numbers) {
    NetworkBuilder b({256, 1});
    const std::string y = b.node(kind, {sums(b, 1), b.constant(kFloat, shape, numbers)});
    b.output(b.node("MultiThreshold", {y, b.constant(kFloat, {1, 2}, {0.5, 1.25})}));
    return b;
  };
  const auto check = [&](const NetworkBuilder& network, const auto& reaches) {
    const Codes codes = network.run(codes_of_int8());
    for (size_t i = 0; i < codes.size(); ++i) {
      const size_t channel = i % kChannels;
      const auto sum = static_cast<double>((static_cast<int64_t>(i / kChannels) - 128) * static_cast<int64_t>(channel + 1));
      const double number = reaches(sum, channel);
      REQUIRE(codes[i] + 128 == (number >= 0.5 ? 1 : 0) + (number >= 1.25 ? 1 : 0));
    }
  };
  const std::vector<double> numbers{0.5, -0.5, 0.25, 3, -70.75};
  for (const base::Shape& shape : {base::Shape{kChannels}, base::Shape{1, kChannels}}) {
    check(built("Add", shape, numbers), [&](double sum, size_t channel) { return sum + numbers[channel]; });
    check(built("Mul", shape, numbers), [&](double sum, size_t channel) { return sum * numbers[channel]; });
    check(built("Div", shape, numbers),
          [&](double sum, size_t channel) { return static_cast<float>(sum) / static_cast<float>(numbers[channel]); });
  }
  check(built("Sub", {1}, {0.5}), [](double sum, size_t) { return sum - 0.5; });
  check(built("Add", {}, {0.5}), [](double sum, size_t) { return sum + 0.5; });
  CHECK_THAT(built("Add", {256, 1}, std::vector<double>(256, 1)).complaints(),
             Contains("operands before it go along axis 0 of [256, 5] and thresholds along axis 1"));
  NetworkBuilder b({4});  // codes of 8 bits
  const std::string x = b.node("Add", {threshold_quant(b, "x", 0.5, 8), b.constant(kFloat, {1}, {0.25})});
  b.output(b.node("MultiThreshold", {x, b.constant(kFloat, {1, 2}, {0.25, 3})}, {{"data_layout", std::string("C")}}));
  CHECK(b.run({-128, 0, 5, 6}) == Codes{-128, -127, -127, -126});
}

TEST_CASE("QuantAvgPool2d shifts sums") {
  const auto built = [](double scale, int64_t obits) {
    NetworkBuilder b({1, 1, 2, 4});
    b.output(b.node(
        "QuantAvgPool2d", {threshold_quant(b, "x", scale, 4, 0)},
        {{"kernel", int64_t{2}}, {"stride", int64_t{2}}, {"ibits", int64_t{4}}, {"obits", obits}, {"signed", int64_t{0}}}));
    return b;
  };
  const auto code = [](int64_t unsigned_code) { return unsigned_code - 128; };
  const Codes x{code(15), code(15), code(1), code(0), code(15), code(15), code(2), code(4)};
  CHECK(built(1, 4).run(x) == Codes{code(60 >> 2), code(7 >> 2)});  // 60 has 6 bits
  CHECK(built(1, 8).run(x) == Codes{code(60), code(7)});
  CHECK_THAT(built(0.5, 4).complaints(), Contains("has the scale 0.5, allowed is 1"));
}

TEST_CASE("an operand of a chain before thresholds is finite and no divisor is 0, whichever channel has it") {
  const double infinite = std::numeric_limits<double>::infinity();
  const auto complaint = [](const std::string& kind, const std::vector<double>& numbers, size_t computed) {
    NetworkBuilder b({256, 1});
    const std::string sum = sums(b, 1), other = b.constant(kFloat, {kChannels}, numbers);
    const std::string y = b.node(kind, computed == 0 ? std::vector{sum, other} : std::vector{other, sum});
    b.output(b.node("MultiThreshold", {y, b.constant(kFloat, {1, 2}, {0.5, 1.25})}));
    return b.complaints();
  };
  for (const size_t channel : {0, 3}) {
    for (const std::string kind : {"Add", "Sub", "Mul", "Div"}) {
      for (const size_t computed : {0, 1}) {
        for (const double number : {3.0, 0.0, infinite, -infinite}) {
          CAPTURE(kind, computed, channel, number);
          std::vector<double> numbers(static_cast<size_t>(kChannels), 2);
          numbers[channel] = number;
          const bool is_divided = kind == "Div" && computed == 1;
          const bool is_refused = !std::isfinite(number) || is_divided || (kind == "Div" && number == 0);
          const std::string found = complaint(kind, numbers, computed);
          if (!is_refused) CHECK(found.empty());
          if (is_refused)
            CHECK_THAT(found,
                       Contains(fmt::format("({}) has the operand {}, allowed are finite numbers, to divide by any but 0",
                                            kind, is_divided ? numbers[0] : number)));
        }
      }
    }
  }
}

TEST_CASE("a normalization before thresholds is refused where a channel has no finite factor or addend") {
  const float infinite = std::numeric_limits<float>::infinity();
  for (const size_t channel : {0, 3}) {
    for (const size_t list : {0, 1, 2, 3}) {  // of scale, bias, mean, variance
      CAPTURE(list, channel);
      NetworkBuilder b({256, 1});
      std::vector<std::string> inputs{sums(b, 1)};
      for (size_t i = 0; i < 4; ++i) {
        std::vector<double> of_list(static_cast<size_t>(kChannels), 1);
        if (i == list) of_list[channel] = i == 3 ? 0 : static_cast<double>(infinite);
        inputs.push_back(b.constant(kFloat, {kChannels}, of_list));
      }
      b.output(threshold_quant(b, b.node("BatchNormalization", inputs, {{"epsilon", 0.0F}}), 1, 2));
      const float factor = list == 0 || list == 3 ? infinite : 1, addend = list == 1 ? infinite : -infinite;
      CHECK_THAT(b.complaints(), Contains(fmt::format(": channel {} is {} x + {}", channel, factor, addend)));
    }
  }
}
