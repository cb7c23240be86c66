// SPDX-License-Identifier: Apache-2.0
// Softmax and LayerNormalization, worked by hand.
#include "tests/unit/compiler_import_quantized/network_builder.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace vernier;
using namespace vernier::tests;
using Codes = std::vector<int64_t>;
using Ints = std::vector<int64_t>;

namespace {

/// Codes in steps of ln 2 / `per_octave`: exp of a difference is a power of two. Results are in 256ths less 128.
Codes softmax(const base::Shape& shape, int64_t axis, const Codes& codes, int64_t per_octave = 1, NumberType type = kInt8,
              int64_t opset = 21) {
  NetworkBuilder b(shape);
  b.network.opset = opset;
  const std::string x = b.quantized("x", std::log(2.0) / static_cast<double>(per_octave), type == kInt8 ? 5 : 0, type);
  b.output(b.quantized(b.node("Softmax", {x}, {{"axis", axis}}), 1.0 / 256, -128, kInt8));
  return b.run(codes);
}

struct Norm {
  std::vector<double> scale, bias;
  double epsilon = 0, in_scale = 1;
};
Codes normalized(const base::Shape& shape, const Codes& codes, const Norm& norm, NumberType type = kInt8,
                 int64_t axis = -1) {
  NetworkBuilder b(shape);
  const auto count = static_cast<int64_t>(norm.scale.size());
  std::vector<std::string> inputs{b.quantized("x", norm.in_scale, 0, type), b.constant(kFloat, {count}, norm.scale)};
  if (!norm.bias.empty()) inputs.push_back(b.constant(kFloat, {count}, norm.bias));
  b.output(b.quantized(b.node("LayerNormalization", inputs, {{"axis", axis}, {"epsilon", static_cast<float>(norm.epsilon)}}),
                       1.0 / 32, 0));
  return b.run(codes);
}

}  // namespace

TEST_CASE("Softmax of a row: equal numbers, halves, numbers far below the greatest") {
  CHECK(softmax({1, 2}, -1, {7, 7}) == Codes{0, 0});
  CHECK(softmax({1, 3}, -1, {1, 0, 0}) == Codes{0, -64, -64});
  CHECK(softmax({1, 2}, -1, {1, 0}) == Codes{171 - 128, 85 - 128});
  CHECK(softmax({1, 2}, -1, {127, -128}) == Codes{127, -128});  // 256 saturates
  CHECK(softmax({1, 1}, -1, {-3}) == Codes{127});
}

TEST_CASE("Softmax takes rows along any axis, and all axes to the end before opset 13") {
  const Codes codes{1, 0, 0, 0, 1, 0};  // [2, 3]: columns (1, 0), (0, 1), (0, 0)
  CHECK(softmax({2, 3}, 0, codes) == Codes{43, -43, 0, -43, 43, 0});
  CHECK(softmax({1, 2, 3, 1}, 1, codes) == Codes{43, -43, 0, -43, 43, 0});
  // One row of 6: 2 + 2 + 1 + 1 + 1 + 1 = 8 parts of 32.
  CHECK(softmax({1, 2, 3}, 1, codes, 1, kInt8, 12) == Codes{-64, -96, -96, -96, -64, -96});
}

TEST_CASE("Softmax of 16 bits: both bytes of the difference count") {
  CHECK(softmax({1, 3}, -1, {300, 44, 44}, 256, kInt16) == Codes{0, -64, -64});
  CHECK(softmax({1, 2}, -1, {1024, 0}, 1024, kInt16) == Codes{43, -43});
  CHECK(softmax({1, 2}, -1, {32767, -32768}, 256, kInt16) == Codes{127, -128});
}

TEST_CASE("Softmax of many numbers") {
  Codes codes(1000, 0);
  codes[10] = 9;  // 512 of 1511 parts
  const Codes result = softmax({1, 1000}, -1, codes);
  CHECK(result[10] == 87 - 128);  // 86.7
  CHECK(result[11] == -128);      // 0.17
}

TEST_CASE("LayerNormalization: mean 0, deviation 1, in 32nds") {
  CHECK(normalized({1, 2}, {5, -5}, {{1, 1}, {}}) == Codes{32, -32});
  CHECK(normalized({1, 2}, {100, 98}, {{1, 1}, {}}) == Codes{32, -32});  // the mean is 99, the deviation 1
  // 1 2 3 4: less 2.5, divided by the root of 1.25.
  CHECK(normalized({1, 4}, {1, 2, 3, 4}, {{1, 1, 1, 1}, {}}) == Codes{-43, -14, 14, 43});
  CHECK(normalized({2, 2}, {7, 7, 0, 1}, {{1, 1}, {}}) == Codes{0, 0, -32, 32});  // a row of equal numbers is 0
}

TEST_CASE("LayerNormalization: scale, bias, epsilon, rows of several axes, 16 bits") {
  CHECK(normalized({1, 2}, {5, -5}, {{2, -1}, {0.5, 1}}) == Codes{80, 64});
  CHECK(normalized({1, 2}, {5, -5}, {{0, 0}, {0.5, -0.25}}) == Codes{16, -8});
  CHECK(normalized({1, 2}, {4, -4}, {{1, 1}, {}, 9}) == Codes{26, -26});  // 4 / 5
  CHECK(normalized({1, 2}, {3, 3}, {{1, 1}, {}, 9}) == Codes{0, 0});
  CHECK(normalized({1, 2}, {4, -4}, {{1, 1}, {}, 9.0 / 4096, 1.0 / 64}) == Codes{26, -26});
  CHECK(normalized({1, 2, 2}, {1, 2, 3, 4}, {{1, 1, 1, 1}, {}}, kInt8, 1) == Codes{-43, -14, 14, 43});
  CHECK(normalized({1, 4}, {1, 2, 3, 4}, {{1, 1, 1, 1}, {}}, kInt16) == Codes{-43, -14, 14, 43});
  CHECK(normalized({1, 2}, {32767, -32768}, {{1, 1}, {}}, kInt16) == Codes{32, -32});
}

TEST_CASE("LayerNormalization of rows whose sums of squares have no room is refused, with what is allowed") {
  NetworkBuilder b({1, 16385});
  const std::string scale = b.constant(kFloat, {16385}, std::vector<double>(16385, 1));
  b.output(b.quantized(b.node("LayerNormalization", {b.quantized("x", 1, 0, kInt16), scale}), 1, 0));
  CHECK_THAT(b.complaints(), Catch::Matchers::Contains("rows of 16385 codes of 16 bits, allowed are 16384"));
}

TEST_CASE("LayerNormalization of one number that stands out of many") {
  Codes codes(256, 0);
  codes[3] = 127;  // 127 (1 - 1/256), divided by 127 sqrt(255) / 256: sqrt(255) = 15.97; here in steps of 1/8
  NetworkBuilder b({1, 256});
  const std::string scale = b.constant(kFloat, {256}, std::vector<double>(256, 1));
  b.output(b.quantized(b.node("LayerNormalization", {b.quantized("x", 1, 0), scale}), 1.0 / 8, 0));
  const Codes result = b.run(codes);
  CHECK(result[3] == 127);  // 127.75 saturates at 127
  CHECK(result[4] == -1);   // -0.5 less a little
}

namespace {

/// The variance of rows in pieces, of which nothing has met a quantizer, in 256ths.
Codes variance(const base::Shape& shape, const std::vector<int64_t>& axes, const Codes& codes, bool is_power,
               int64_t keeps) {
  NetworkBuilder b(shape);
  const std::string x = b.quantized("x", 1, 3);
  const std::string less =
      b.node("Sub", {x, b.node("ReduceMean", {x, b.constant(kInt64, {std::ssize(axes)}, {axes.begin(), axes.end()})})});
  const std::string square = is_power ? b.node("Pow", {less, b.constant(kFloat, {}, {2})}) : b.node("Mul", {less, less});
  b.output(b.quantized(b.node("ReduceMean", {square, b.constant(kInt64, {std::ssize(axes)}, {axes.begin(), axes.end()})},
                              {{"keepdims", keeps}}),
                       1.0 / 256, -128));
  return b.run(codes);
}

}  // namespace

TEST_CASE("the mean of squares that no quantizer has met is as fine as the next one, whatever the range") {
  for (const bool is_power : {true, false}) {
    CHECK(variance({1, 2}, {1}, {101, 100}, is_power, 1) == Codes{64 - 128});
    CHECK(variance({2, 3}, {1}, {-128, -128, -127, 7, 7, 7}, is_power, 0) == Codes{57 - 128, -128});  // 2 / 9
    CHECK(variance({2, 2}, {0}, {5, 0, 6, 0}, is_power, 1) == Codes{64 - 128, -128});
  }
}
