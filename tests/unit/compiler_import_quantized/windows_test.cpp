// SPDX-License-Identifier: Apache-2.0
// Lines (rank 3), groups, dilation and padding of convolutions and pools, by hand.
#include "tests/unit/compiler_import_quantized/network_builder.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::tests;
using Catch::Matchers::Contains;
using Codes = std::vector<int64_t>;
using Ints = std::vector<int64_t>;
using Attributes = std::map<std::string, Attribute>;

namespace {

/// x in steps of 1, one operator with weights in steps of 1, the result in steps of 1.
struct Case {
  base::Shape shape;
  std::string kind;
  Attributes attributes = {};
  base::Shape weight_shape = {};
  std::vector<double> weights = {};
  NumberType type = kInt8;
  int64_t zero_point = 0;
};
NetworkBuilder network(const Case& one) {
  NetworkBuilder b(one.shape);
  std::vector<std::string> inputs{b.quantized("x", 1, one.zero_point, one.type)};
  if (!one.weights.empty()) inputs.push_back(b.weights(one.weight_shape, one.weights, {1}));
  b.output(b.quantized(b.node(one.kind, inputs, one.attributes), 1, 0, one.type));
  return b;
}
Codes run(const Case& one, const Codes& codes) { return network(one).run(codes); }

}  // namespace

TEST_CASE("Conv and pools on a line") {
  const base::Shape line{1, 1, 5};
  CHECK(run({line, "Conv", {}, {1, 1, 2}, {1, 10}}, {1, 2, 3, 4, 5}) == Codes{21, 32, 43, 54});
  CHECK(run({line, "Conv", {{"pads", Ints{1, 0}}, {"strides", Ints{2}}, {"dilations", Ints{2}}}, {1, 1, 2}, {1, 10}},
            {1, 2, 3, 4, 5}) == Codes{20, 42});
  CHECK(run({{1, 2, 2}, "Conv", {{"group", int64_t{2}}}, {2, 1, 1}, {2, 3}}, {1, 2, 3, 4}) == Codes{2, 4, 9, 12});
  CHECK(run({{1, 2, 2}, "Conv", {}, {1, 2, 1}, {1, 10}}, {1, 2, 3, 4}) == Codes{31, 42});
  CHECK(run({line, "MaxPool", {{"kernel_shape", Ints{2}}}}, {1, 5, 3, 4, 2}) == Codes{5, 5, 4, 4});
  CHECK(run({line, "AveragePool", {{"kernel_shape", Ints{3}}}}, {1, 2, 3, 4, 8}) == Codes{2, 3, 5});
  CHECK(run({{1, 2, 3}, "GlobalAveragePool"}, {1, 2, 3, 4, 5, 6}) == Codes{2, 5});
  CHECK_THAT(network({line, "MaxPool", {{"kernel_shape", Ints{2, 2}}}}).complaints(),
             Contains("attribute 'kernel_shape' is [2, 2], expected 1 numbers from 1"));
  CHECK_THAT(network({{1, 1, 2, 2, 2}, "MaxPool", {{"kernel_shape", Ints{2, 2, 2}}}}).complaints(),
             Contains("an input of rank 5, allowed are 3 and 4"));
}

TEST_CASE("AveragePool that leaves padding out divides by what there is") {
  const Attributes padded{{"kernel_shape", Ints{1, 3}}, {"pads", Ints{0, 1, 0, 1}}};
  CHECK(run({{1, 1, 1, 4}, "AveragePool", padded}, {2, 4, 9, 11}) == Codes{3, 5, 8, 10});
  CHECK(run({{1, 1, 1, 4}, "AveragePool", padded, {}, {}, kInt8, 5}, {7, 9, 14, 16}) == Codes{3, 5, 8, 10});
  CHECK(run({{1, 1, 1, 4}, "AveragePool", padded, {}, {}, kInt16, 5}, {2005, 4005, 9005, 11005}) ==
        Codes{3000, 5000, 8000, 10000});
  const Attributes both{{"kernel_shape", Ints{2, 2}}, {"pads", Ints{1, 1, 0, 0}}};
  CHECK(run({{1, 1, 2, 2}, "AveragePool", both}, {4, 8, 12, 16}) == Codes{4, 6, 8, 10});
  const Attributes ceil{{"kernel_shape", Ints{1, 2}}, {"strides", Ints{1, 2}}, {"ceil_mode", int64_t{1}}};
  CHECK(run({{1, 1, 1, 3}, "AveragePool", ceil}, {2, 4, 9}) == Codes{3, 9});
  Attributes counted = padded;
  counted["count_include_pad"] = int64_t{1};
  CHECK(run({{1, 1, 1, 4}, "AveragePool", counted}, {2, 4, 9, 11}) == Codes{2, 5, 8, 7});
  // What ceil_mode adds at the end is not counted: the last window is 11 and the padding after it.
  counted["ceil_mode"] = int64_t{1};
  counted["strides"] = Ints{1, 2};
  counted["pads"] = Ints{0, 1, 0, 2};
  CHECK(run({{1, 1, 1, 4}, "AveragePool", counted}, {2, 4, 9, 11}) == Codes{2, 8, 4});
  counted["pads"] = Ints{0, 1, 0, 0};
  CHECK(run({{1, 1, 1, 5}, "AveragePool", counted}, {2, 4, 9, 11, 7}) == Codes{2, 8, 9});
  counted["kernel_shape"] = Ints{1, 4};
  CHECK(run({{1, 1, 1, 5}, "AveragePool", counted}, {2, 4, 9, 11, 7}) == Codes{4, 8});
}

TEST_CASE("means over windows of several sizes saturate where the result's scale is tiny") {
  // A layer whose results were 0 when its scale was chosen. The multiple of the sizes 4, 6 and 9 is 36, so (127 + 0) / 2 is
  // 2286 steps of 1/36: times 2^26 / 36 that is 2^31.99, more than an int32 holds.
  NetworkBuilder b({1, 1, 3, 3});
  const std::string mean =
      b.node("AveragePool", {b.quantized("x", 1, 0)}, {{"kernel_shape", Ints{3, 3}}, {"pads", Ints{1, 1, 1, 1}}});
  b.output(b.quantized(mean, 0x1p-26, 0));
  CHECK(b.run({127, 0, -128, 127, 0, -128, 127, 0, -128}) == Codes{127, -128, -128, 127, -128, -128, 127, -128, -128});
}

TEST_CASE("auto_pad SAME is refused where it leaves out elements and does not say which") {
  const auto same = [](int64_t stride) {
    return Attributes{{"kernel_shape", Ints{1}}, {"strides", Ints{stride}}, {"auto_pad", std::string("SAME_UPPER")}};
  };
  CHECK(run({{1, 1, 6}, "MaxPool", same(2)}, {1, 2, 3, 4, 5, 6}) == Codes{1, 3, 5});
  CHECK_THAT(network({{1, 1, 6}, "MaxPool", same(3)}).complaints(),
             Contains("attribute auto_pad is 'SAME_UPPER', and 2 of 6 elements are in no window"));
}

TEST_CASE("MaxPool with dilation reads elements apart, of rows, columns and lines") {
  const Attributes both{{"kernel_shape", Ints{2, 2}}, {"dilations", Ints{2, 3}}};
  CHECK(run({{1, 1, 3, 5}, "MaxPool", both}, {9, 2, 3, 4, 5, 50, 60, 70, 80, 90, 1, 2, 3, 8, 6}) == Codes{9, 6});
  const Attributes padded{{"kernel_shape", Ints{3}}, {"dilations", Ints{2}}, {"pads", Ints{2, 2}}, {"strides", Ints{3}}};
  CHECK(run({{1, 2, 5}, "MaxPool", padded}, {-1, -2, -3, -4, -5, 5, 9, 4, 8, 6}) == Codes{-1, -2, 5, 9});
  CHECK(run({{1, 1, 5}, "MaxPool", padded, {}, {}, kInt16, 7}, {-100, -200, -300, -400, -500}) == Codes{-107, -207});
  const Attributes outside{{"kernel_shape", Ints{2}}, {"dilations", Ints{9}}, {"pads", Ints{5, 5}}};
  CHECK_THAT(network({{1, 1, 2}, "MaxPool", outside}).complaints(), Contains("a window lies in the padding as a whole"));
}

TEST_CASE("ReduceMean over any axes") {
  const auto mean = [](const base::Shape& shape, const std::vector<double>& axes, int64_t keeps, const Codes& codes) {
    NetworkBuilder b(shape);
    const std::string list = b.constant(kInt64, {static_cast<int64_t>(axes.size())}, axes);
    b.output(b.quantized(b.node("ReduceMean", {b.quantized("x", 1, 1), list}, {{"keepdims", keeps}}), 1, 0));
    return b.run(codes);
  };
  CHECK(mean({2, 3}, {1}, 0, {2, 3, 4, 5, 6, 7}) == Codes{2, 5});
  CHECK(mean({2, 3}, {0}, 1, {2, 3, 4, 4, 5, 6}) == Codes{2, 3, 4});
  CHECK(mean({1, 3, 2}, {-2, -1}, 0, {2, 3, 4, 5, 6, 8}) == Codes{4});  // 22 / 6 = 3.67
  CHECK(mean({1, 2, 2, 2}, {1}, 0, {1, 2, 3, 4, 3, 4, 5, 6}) == Codes{1, 2, 3, 4});
  NetworkBuilder b({2, 2});
  b.output(b.quantized(b.node("ReduceMean", {b.quantized("x", 1, 0)}), 1, 0));
  CHECK(b.run({1, 2, 3, 6}) == Codes{3});
}

TEST_CASE("Conv with groups of 16-bit data, and with more groups than CONCAT has operands") {
  CHECK(run({{1, 4, 1, 1}, "Conv", {{"group", int64_t{2}}}, {2, 2, 1, 1}, {1, 10, 2, 20}, kInt16, 3},
            {103, 203, 303, 403}) == Codes{2100, 8600});
  std::vector<double> weights(66L * 2);
  Codes codes(66L * 2), expected(66);
  for (size_t i = 0; i < weights.size(); ++i) {
    weights[i] = static_cast<double>(i % 3);
    codes[i] = static_cast<int64_t>(i % 5);
    expected[i / 2] += static_cast<int64_t>(i % 3 * (i % 5));
  }
  CHECK(run({{1, 132, 1, 1}, "Conv", {{"group", int64_t{66}}}, {66, 2, 1, 1}, weights}, codes) == expected);
}

TEST_CASE("ConvTranspose: groups, dilation, sizes that decide the padding") {
  // Two groups of one channel, each scatters 1 2 or 3 4.
  CHECK(run({{1, 2, 1, 2}, "ConvTranspose", {{"group", int64_t{2}}}, {2, 1, 1, 2}, {1, 2, 3, 4}}, {1, 10, 1, 5}) ==
        Codes{1, 12, 20, 3, 19, 20});
  CHECK(run({{1, 1, 1, 2}, "ConvTranspose", {{"dilations", Ints{1, 2}}}, {1, 1, 1, 2}, {1, 2}}, {1, 5}) ==
        Codes{1, 5, 2, 10});
  const auto sized = [](Attributes attributes) {
    attributes["strides"] = Ints{1, 2};
    return run({{1, 1, 1, 2}, "ConvTranspose", std::move(attributes), {1, 1, 1, 3}, {1, 2, 3}}, {1, 5});
  };
  CHECK(sized({}) == Codes{1, 2, 8, 10, 15});
  CHECK(sized({{"auto_pad", std::string("SAME_UPPER")}}) == Codes{1, 2, 8, 10});
  CHECK(sized({{"auto_pad", std::string("SAME_LOWER")}}) == Codes{2, 8, 10, 15});
  CHECK(sized({{"auto_pad", std::string("VALID")}}) == Codes{1, 2, 8, 10, 15});
  CHECK(sized({{"output_shape", Ints{1, 3}}}) == Codes{2, 8, 10});
  CHECK(sized({{"output_shape", Ints{1, 7}}}) == Codes{1, 2, 8, 10, 15, 0, 0});
  const Attributes gaps{{"strides", Ints{1, 2}}, {"auto_pad", std::string("SAME_UPPER")}};
  CHECK_THAT(network({{1, 1, 1, 2}, "ConvTranspose", gaps, {1, 1, 1, 1}, {1}}).complaints(),
             Contains("'SAME_UPPER' with strides of 2 and a kernel of 1, allowed are strides up to the kernel"));
  CHECK(run({{1, 1, 2}, "ConvTranspose", {{"strides", Ints{2}}}, {1, 1, 3}, {1, 2, 3}}, {1, 5}) == Codes{1, 2, 8, 10, 15});
}

TEST_CASE("ConvTranspose of 16-bit codes with a zero point") {
  for (const Attributes& attributes :
       {Attributes{}, Attributes{{"pads", Ints{0, 1, 0, 0}}}, Attributes{{"pads", Ints{0, 0, 0, 2}}},
        Attributes{{"output_padding", Ints{0, 1}}}, Attributes{{"dilations", Ints{1, 2}}}}) {
    Attributes with_stride = attributes;
    with_stride["strides"] = Ints{1, 2};
    const Case plain{{1, 1, 1, 3}, "ConvTranspose", with_stride, {1, 1, 1, 3}, {1, 2, 3}, kInt16};
    Case shifted = plain;
    shifted.zero_point = -700;
    CHECK(run(shifted, {-690, -680, -670}) == run(plain, {10, 20, 30}));
  }
}

TEST_CASE("MatMul goes along leading dimensions as numpy does") {
  const auto product = [](const base::Shape& a, const base::Shape& b, const std::vector<double>& right, NumberType type,
                          int64_t zero_point, const Codes& codes, double step = 1) {
    NetworkBuilder net(a);
    const std::string x = net.quantized("x", 1, zero_point, type);
    // The right operand is computed too: a constant plus a part of x that is 0.
    const std::string zero = net.quantized(net.node("Sub", {x, x}), 1, zero_point, type);
    const std::string first = net.node("ReduceMean", {zero});
    const std::string one = net.quantized(first, 1, zero_point, type);
    const std::string scalar = net.node("Reshape", {one, net.constant(kInt64, {1}, {1})});
    const std::string other = net.quantized(net.constant(kFloat, b, right), 1, zero_point, type);
    const std::string sum = net.quantized(net.node("Add", {other, scalar}), 1, zero_point, type);
    net.output(net.quantized(net.node("MatMul", {x, sum}), step, 0, type));
    return net.run(codes);
  };
  CHECK(product({1, 2}, {2, 2, 1}, {1, 10, 2, 3}, kInt8, 1, {2, 3}) == Codes{21, 8});
  CHECK(product({2, 1, 2}, {2, 1}, {1, 10}, kInt8, 0, {1, 2, 3, 4}) == Codes{21, 43});
  CHECK(product({2, 1, 1, 2}, {2, 2, 1}, {1, 10, 2, 3}, kInt8, 0, {1, 2, 3, 4}) == Codes{21, 8, 43, 18});
  // 20030 and 490, and -19972.
  CHECK(product({1, 2}, {2, 2, 1}, {100, 1, 2, 3}, kInt16, 1000, {1200, 1030}, 64) == Codes{313, 8});
  CHECK(product({1, 2}, {2, 1}, {-100, 1}, kInt16, -30000, {-29800, -29972}, 64) == Codes{-312});
}

TEST_CASE("a ConvTranspose with weights of floats between codes of 8 bits has 16 bits of them, and says so") {
  const auto network = [](bool has_quantizer) {
    NetworkBuilder b({1, 1, 1, 2});
    const std::string weights = b.constant(kFloat, {1, 2, 1, 2}, {0.75, -0.0625, 0.3, 0.6});
    const std::string sums =
        b.node("ConvTranspose", {b.quantized("x", 0.5, 1), weights}, {{"strides", std::vector<int64_t>{1, 2}}});
    b.output(has_quantizer ? b.quantized(sums, 0.0625, 3) : sums);
    return b;
  };
  // x is 1 and -1.5: the first channel 0.75, -0.0625, -1.125, 0.09375, of which the last one is 1.5 steps; the other one
  // 0.3, 0.6, -0.45, -0.9.
  CHECK(network(true).run({3, -2}) == std::vector<int64_t>{15, 2, -15, 5, 8, 13, -4, -11});
  CHECK_THAT(
      network(true).complaints(),
      Contains("the weights 'c0' are floats; they become 16 bits, in two operators of 8 bits, and sums are off by up to"));
  CHECK_THAT(network(false).complaints(), Contains("are not quantized, allowed are floats between codes of 8 bits"));
}
