// SPDX-License-Identifier: Apache-2.0
// ConvTranspose, Resize, DepthToSpace, SpaceToDepth, Gather, BatchNormalization, PRelu, and MatMul of two, by hand.
#include "tests/unit/compiler_import_quantized/network_builder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace vernier;
using namespace vernier::tests;
using Codes = std::vector<int64_t>;
using Ints = std::vector<int64_t>;
using Attributes = std::map<std::string, Attribute>;

namespace {

/// x, quantized with scale 1, through one operator with constants as further inputs, quantized again.
struct Case {
  base::Shape shape;
  std::string kind;
  Attributes attributes = {};
  double out_scale = 1;
  NumberType type = kInt8;
  int64_t zero_point = 0;
};
Codes through(const Case& one, const std::vector<Constant>& constants, const Codes& codes) {
  NetworkBuilder b(one.shape);
  std::vector<std::string> inputs{b.quantized("x", 1, one.zero_point, one.type)};
  for (const Constant& constant : constants) {
    inputs.push_back(fmt::format("k{}", inputs.size()));
    b.network.constants[inputs.back()] = constant;
  }
  b.output(b.quantized(b.node(one.kind, inputs, one.attributes), one.out_scale, one.zero_point, one.type));
  return b.run(codes);
}
Constant floats(const base::Shape& shape, const std::vector<float>& elements) { return {kFloat, shape, elements, {}}; }
Constant integers(const base::Shape& shape, const Ints& elements) { return {kInt64, shape, {}, elements}; }
const Constant kNone = floats({0}, {});

Codes resized(const base::Shape& shape, const Attributes& attributes, const std::vector<float>& scales, const Codes& codes,
              int64_t zero_point = 0) {
  return through({shape, "Resize", attributes, 1, kInt8, zero_point}, {kNone, floats({4}, scales)}, codes);
}

}  // namespace

TEST_CASE("ConvTranspose scatters: strides, padding taken away, output_padding, bias") {
  const auto run = [](const Attributes& attributes) {
    NetworkBuilder b({1, 1, 1, 2});
    const std::string bias = b.weights({1}, {100}, {1}, 0, kInt32);
    const std::string y =
        b.node("ConvTranspose", {b.quantized("x", 1, 3), b.weights({1, 1, 1, 3}, {1, 2, 3}, {1}), bias}, attributes);
    b.output(b.quantized(y, 1, 0));
    return b.run({4, 8});  // 1 and 5
  };
  CHECK(run({{"strides", Ints{1, 2}}}) == Codes{101, 102, 108, 110, 115});
  CHECK(run({{"strides", Ints{1, 2}}, {"pads", Ints{0, 1, 0, 1}}}) == Codes{102, 108, 110});
  CHECK(run({{"strides", Ints{1, 2}}, {"pads", Ints{0, 1, 0, 1}}, {"output_padding", Ints{0, 1}}}) ==
        Codes{102, 108, 110, 115});
  CHECK(run({{"strides", Ints{1, 3}}, {"output_padding", Ints{0, 1}}}) == Codes{101, 102, 103, 105, 110, 115, 100});
}

TEST_CASE("ConvTranspose: channels of input and output") {
  NetworkBuilder b({1, 2, 1, 1});
  // Weights of input channel 0: 1, 2, 3 for the output channels; of channel 1: 10, 20, 30; scales by output channel.
  const std::string w = b.weights({2, 3, 1, 1}, {1, 2, 3, 10, 20, 30}, {1, 1, 0.5}, 1);
  b.output(b.quantized(b.node("ConvTranspose", {b.quantized("x", 1, 0), w}), 1, 0));
  CHECK(b.run({1, 2}) == Codes{21, 42, 32});  // 31.5 goes to even
}

TEST_CASE("Resize to the nearest element") {
  const base::Shape row{1, 1, 1, 3};
  const std::vector<float> twice{1, 1, 1, 2};
  const std::string mode = "nearest_mode", positions = "coordinate_transformation_mode";
  CHECK(resized(row, {}, twice, {1, 2, 3}) == Codes{1, 1, 2, 2, 3, 3});
  // At 0, 0.5, 1, 1.5, 2, 2.5: by asymmetric positions ties are frequent.
  const Attribute asymmetric = std::string("asymmetric");
  CHECK(resized(row, {{positions, asymmetric}}, twice, {1, 2, 3}) == Codes{1, 1, 2, 2, 3, 3});
  CHECK(resized(row, {{positions, asymmetric}, {mode, std::string("round_prefer_ceil")}}, twice, {1, 2, 3}) ==
        Codes{1, 2, 2, 3, 3, 3});
  CHECK(resized(row, {{positions, asymmetric}, {mode, std::string("floor")}}, twice, {1, 2, 3}) == Codes{1, 1, 2, 2, 3, 3});
  CHECK(resized(row, {{positions, asymmetric}, {mode, std::string("ceil")}}, twice, {1, 2, 3}) == Codes{1, 2, 2, 3, 3, 3});
  // Of 3 by 4/3: at 0, 3/4, 6/4, 9/4.
  CHECK(resized(row, {{positions, asymmetric}, {mode, std::string("floor")}}, {1, 1, 1, 4.0F / 3}, {1, 2, 3}) ==
        Codes{1, 1, 2, 3});
  // Half the size: the middle of two is a tie.
  CHECK(resized({1, 1, 1, 4}, {}, {1, 1, 1, 0.5F}, {1, 2, 3, 4}) == Codes{1, 3});
  CHECK(resized({1, 1, 2, 1}, {}, {1, 1, 2, 1}, {5, 6}) == Codes{5, 5, 6, 6});
}

TEST_CASE("Resize, linear") {
  const base::Shape row{1, 1, 1, 2};
  Attributes linear{{"mode", std::string("linear")}};
  CHECK(resized(row, linear, {1, 1, 1, 2}, {0, 4}) == Codes{0, 1, 3, 4});
  CHECK(resized(row, linear, {1, 1, 1, 2}, {10, 14}, 10) == Codes{10, 11, 13, 14});
  linear["coordinate_transformation_mode"] = std::string("align_corners");
  CHECK(resized(row, linear, {1, 1, 1, 2}, {0, 6}) == Codes{0, 2, 4, 6});
  linear["coordinate_transformation_mode"] = std::string("asymmetric");
  CHECK(resized(row, linear, {1, 1, 1, 2}, {0, 4}) == Codes{0, 2, 4, 4});
  CHECK(resized({1, 2, 1, 1}, linear, {1, 1, 2, 2}, {5, 6}) == Codes{5, 5, 5, 5, 6, 6, 6, 6});
  CHECK(through({row, "Resize", linear, 1, kInt16}, {kNone, kNone, integers({4}, {1, 1, 1, 4})}, {0, 400}) ==
        Codes{0, 200, 400, 400});
}

TEST_CASE("what Resize cannot be is told") {
  const auto complaint = [](const Attributes& attributes, const std::vector<float>& scales) {
    NetworkBuilder b({1, 1, 2, 2});
    b.output(b.quantized(
        b.node("Resize", {b.quantized("x", 1, 0), "", b.constant(kFloat, {4}, {scales.begin(), scales.end()})}, attributes),
        1, 0));
    return b.complaints();
  };
  CHECK(complaint({{"mode", std::string("cubic")}}, {1, 1, 2, 2}) ==
        "node 'n_v2' (Resize): attribute mode is 'cubic', allowed are nearest and linear");
  CHECK(complaint({}, {1, 2, 2, 2}) == "node 'n_v2' (Resize): dimension 1 changes its size, allowed are 2 and 3 of rank 4");
  CHECK(complaint({}, {1, 1, 2, 1.234567F}) ==
        "node 'n_v2' (Resize): the scale is 1.234567, allowed are fractions of numbers up to 2048");
}

TEST_CASE("DepthToSpace both ways, SpaceToDepth back") {
  const Codes codes{1, 2, 3, 4, 5, 6, 7, 8};  // 8 channels of one pixel
  const base::Shape deep{1, 8, 1, 1};
  CHECK(through({deep, "DepthToSpace", {{"blocksize", int64_t{2}}}}, {}, codes) == Codes{1, 3, 5, 7, 2, 4, 6, 8});
  CHECK(through({deep, "DepthToSpace", {{"blocksize", int64_t{2}}, {"mode", std::string("CRD")}}}, {}, codes) == codes);
  CHECK(through({{1, 2, 2, 2}, "SpaceToDepth", {{"blocksize", int64_t{2}}}}, {}, {1, 3, 5, 7, 2, 4, 6, 8}) == codes);
}

TEST_CASE("Gather: a run, indices in any order, an index alone") {
  const base::Shape square{2, 3};
  const Codes codes{1, 2, 3, 4, 5, 6};
  CHECK(through({square, "Gather", {{"axis", int64_t{1}}}}, {integers({2}, {1, 2})}, codes) == Codes{2, 3, 5, 6});
  CHECK(through({square, "Gather", {{"axis", int64_t{1}}}}, {integers({3}, {-1, 0, 0})}, codes) == Codes{3, 1, 1, 6, 4, 4});
  CHECK(through({square, "Gather", {{"axis", int64_t{0}}}}, {integers({}, {1})}, codes) == Codes{4, 5, 6});
}

TEST_CASE("BatchNormalization of codes and of sums: factors of any sign, addends") {
  // y = (x - mean) / sqrt(var + eps) * scale + bias, by channel: 2 x + 1; -x + 3; 0 x - 7.
  const std::vector<Constant> parameters{floats({3}, {4, -1, 0}), floats({3}, {3, 3, -7}), floats({3}, {1, 0, 9}),
                                         floats({3}, {4, 1, 1})};
  const Attributes exact{{"epsilon", 0.0F}};
  CHECK(through({{1, 3, 1, 2}, "BatchNormalization", exact}, parameters, {1, 10, 2, -20, 5, 6}) ==
        Codes{3, 21, 1, 23, -7, -7});
  CHECK(through({{2, 3}, "BatchNormalization", exact}, parameters, {1, 2, 5, 10, -20, 6}) == Codes{3, 1, -7, 21, 23, -7});
  // Sums of weights 1, 2 and 3, in one scale and in a scale for each channel.
  for (const auto& [codes, scales] : {std::pair{std::vector<double>{1, 2, 3}, std::vector<double>{1}},
                                      {std::vector<double>{1, 4, 6}, std::vector<double>{1, 0.5, 0.5}}}) {
    NetworkBuilder b({1, 1, 1, 1});
    std::vector<std::string> inputs{b.node("Conv", {b.quantized("x", 1, 0), b.weights({3, 1, 1, 1}, codes, scales)})};
    for (const Constant& constant : parameters) {
      inputs.push_back(fmt::format("k{}", inputs.size()));
      b.network.constants[inputs.back()] = constant;
    }
    b.output(b.quantized(b.node("BatchNormalization", inputs, exact), 1, 0));
    CHECK(b.complaints().empty());
    CHECK(b.run({5}) == Codes{11, -7, -7});
  }
}

TEST_CASE("PRelu: a slope for each channel") {
  CHECK(through({{1, 2, 1, 2}, "PRelu"}, {floats({2, 1, 1}, {0.5F, -2})}, {-4, 3, -5, 6}) == Codes{-2, 3, 10, 6});
  CHECK(through({{1, 2}, "PRelu"}, {floats({1}, {0.25F})}, {-4, 4}) == Codes{-1, 4});
  CHECK(through({{1, 2}, "PRelu", {}, 1, kInt16}, {floats({1}, {0.25F})}, {-30000, 400}) == Codes{-7500, 400});
}

TEST_CASE("MatMul of two computed values, of batches and of one matrix on the right") {
  const auto squared = [](const base::Shape& shape, const Ints& perm, const Codes& codes) {
    NetworkBuilder b(shape);
    const std::string x = b.quantized("x", 1, 1);
    b.output(b.quantized(b.node("MatMul", {x, b.node("Transpose", {x}, {{"perm", perm}})}), 1, 0));
    return b.run(codes);
  };
  CHECK(squared({2, 2}, {1, 0}, {2, 3, 4, 5}) == Codes{5, 11, 11, 25});  // 1 2 / 3 4 times its transpose
  CHECK(squared({1, 2, 2}, {0, 2, 1}, {2, 3, 4, 5}) == Codes{5, 11, 11, 25});
  CHECK(squared({1, 2, 1, 2}, {0, 1, 3, 2}, {2, 3, 4, 5}) == Codes{5, 25});
  NetworkBuilder b({2, 1, 2});
  const std::string x = b.quantized("x", 1, 0);
  const std::string right = b.node(
      "Reshape",
      {b.node("Slice", {x, b.constant(kInt64, {1}, {0}), b.constant(kInt64, {1}, {1})}), b.constant(kInt64, {2}, {2, 1})});
  b.output(b.quantized(b.node("MatMul", {x, right}), 1, 0));
  CHECK(b.run({1, 2, 3, 4}) == Codes{5, 11});
}

TEST_CASE("a value and the same turned are each put into the order of images by its own dimensions") {
  Codes codes;
  for (int64_t i = 0; i < 64; ++i) codes.push_back(i * 37 % 101 - 50);
  const Attributes kernel{{"kernel_shape", Ints{1, 2}}};
  const auto turned_and_pooled = [&](bool with_the_other) {
    NetworkBuilder b({1, 4, 4, 4});
    const std::string x = b.quantized("x", 1, 0);
    const std::string other = b.quantized(b.node("MaxPool", {x}, kernel), 1, 0);
    const std::string turned = b.node("Transpose", {x}, {{"perm", Ints{0, 2, 1, 3}}});
    b.output(b.quantized(b.node("MaxPool", {turned}, kernel), 1, 0));
    if (with_the_other) b.output(other);
    return b.run(codes);
  };
  Codes expected;  // of [0, h, c, w] and its neighbour
  for (int64_t h = 0; h < 4; ++h) {
    for (int64_t c = 0; c < 4; ++c) {
      for (int64_t w = 0; w < 3; ++w) {
        const auto at = static_cast<size_t>(16 * c + 4 * h + w);
        expected.push_back(std::max(codes[at], codes[at + 1]));
      }
    }
  }
  CHECK(turned_and_pooled(false) == expected);
  CHECK(turned_and_pooled(true) == expected);
}
