// SPDX-License-Identifier: Apache-2.0
// ERROR_IFs and LEVEL_CHECKs of CONV3D, TRANSPOSE_CONV2D, MATMUL, and of int16 convolutions.
#include "tests/support/graph_builder.hpp"
#include "tests/unit/compiler_ir/complaint.hpp"

#include <catch2/catch.hpp>

#include <functional>

namespace vernier {

using Catch::Matchers::EndsWith;
using ir::OpKind;
using tests::complaint;
using tests::ElementType;
using tests::GraphBuilder;
using tests::Shape;

namespace {

/// A convolution, spoilt by `spoil` before it is verified.
template <typename Attributes>
struct Parts {
  Attributes attributes;
  Shape input, weight, bias, result;
  ElementType input_type = ElementType::Int8, bias_type = ElementType::Int32;
  int64_t input_zp = 1, weight_zp = -1;
};

template <typename Attributes>
std::string complaint_of(OpKind kind, Parts<Attributes> p, const std::function<void(Parts<Attributes>&)>& spoil,
                         const ir::Level& level = ir::kLevel8k) {
  spoil(p);
  GraphBuilder b;
  const auto x = b.input("x", p.input_type, p.input);
  const auto w = b.constant(base::Tensor(ElementType::Int8, p.weight)), bias = b.constant(base::Tensor(p.bias_type, p.bias));
  const auto x_zp = b.scalar(p.input_type, p.input_zp), w_zp = b.scalar(ElementType::Int8, p.weight_zp);
  return complaint(b.build_unverified({b.op(kind, {x, w, bias, x_zp, w_zp}, p.bias_type, p.result, p.attributes)}), level);
}

}  // namespace

TEST_CASE("CONV3D") {
  using P = Parts<ir::ConvAttributes>;
  const P good{{{1, 0, 0, 0, 1, 1}, {1, 2, 1}, {2, 1, 1}, ElementType::Int32},
               {1, 4, 7, 6, 3},
               {5, 2, 3, 3, 3},
               {5},
               {1, 3, 3, 6, 5}};
  const auto with = [&good](const std::function<void(P&)>& spoil, const ir::Level& level = ir::kLevel8k) {
    return complaint_of<ir::ConvAttributes>(OpKind::Conv3d, good, spoil, level);
  };
  CHECK(with([](P&) {}) == "");
  CHECK_THAT(with([](P& p) { p.attributes.pad.pop_back(); }), EndsWith(": pad has 5 values, needed are 6 [WrongAttribute]"));
  CHECK_THAT(with([](P& p) { p.attributes.pad[5] = -1; }), EndsWith(": pad is -1, allowed are 0 to 8192 [PadSmallerZero]"));
  CHECK_THAT(with([](P& p) { p.attributes.stride[2] = 0; }),
             EndsWith(": stride is 0, allowed are 1 to 8192 [StrideSmallerOne]"));
  CHECK_THAT(with([](P& p) { p.attributes.dilation[0] = 0; }),
             EndsWith(": dilation is 0, allowed are 1 to 8192 [DilationSmallerOne]"));
  CHECK(with([](P&) {}, {.max_kernel = 4, .max_stride = 2}) == "");
  CHECK_THAT(with([](P&) {}, {.max_kernel = 3}),
             EndsWith(": dilation times kernel depth is 4, allowed are 1 to 3 [MaxKernelExceeded]"));
  CHECK_THAT(with([](P&) {}, {.max_kernel = 0}), EndsWith(": pad is 1, allowed are 0 to 0 [MaxKernelExceeded]"));
  CHECK_THAT(with([](P&) {}, {.max_stride = 1}), EndsWith(": stride is 2, allowed are 1 to 1 [MaxStrideExceeded]"));
  CHECK_THAT(with([](P& p) { p.attributes.stride[0] = 3; }),
             EndsWith(": the output size along depth is no whole number: (4 - 1 + 1 + 0 - (2 - 1) * 2) / 3 + 1 "
                      "[ConvOutputShapeNonInteger]"));
  CHECK_THAT(with([](P& p) { p.weight[4] = 2; }),
             EndsWith(": the input has 3 channels, the weights 2 [InputDimensionMismatch]"));
  CHECK_THAT(with([](P& p) { p.bias = {2}; }),
             EndsWith(": the bias has 2 elements, allowed are 1 and 5 [ConvBiasShapeMismatch]"));
  CHECK_THAT(
      with([](P& p) { p.result[1] = 4; }),
      EndsWith(": the result is declared [1, 4, 3, 6, 5], the operands give [1, 3, 3, 6, 5] [ConvOutputShapeMismatch]"));
}

TEST_CASE("TRANSPOSE_CONV2D") {
  using P = Parts<ir::TransposeConvAttributes>;
  const P good{{{-2, 1, 0, 2}, {2, 3}, ElementType::Int32}, {1, 4, 5, 3}, {2, 3, 2, 3}, {2}, {1, 8, 16, 2}};
  const auto with = [&good](const std::function<void(P&)>& spoil) {
    return complaint_of<ir::TransposeConvAttributes>(OpKind::TransposeConv2d, good, spoil);
  };
  CHECK(with([](P&) {}) == "");
  CHECK(with([](P& p) { p.bias = {1}; }) == "");
  CHECK_THAT(with([](P& p) { p.attributes.out_pad[0] = -3; }),
             EndsWith(": out_pad is -3, allowed are -2 to 8192 [PadLargerEqualKernel]"));
  CHECK_THAT(with([](P& p) { p.attributes.out_pad[3] = -2; }),
             EndsWith(": out_pad is -2, allowed are -1 to 8192 [PadLargerEqualKernel]"));
  const auto with_size = [&with](int64_t height, int64_t width, const std::function<void(P&)>& spoil) {
    return with([&](P& p) {
      p.result = {1, height, width, 2};
      spoil(p);
    });
  };
  CHECK(with_size(8199, 16, [](P& p) { p.attributes.out_pad[1] = 8192; }) == "");
  CHECK_THAT(with_size(8200, 16, [](P& p) { p.attributes.out_pad[1] = 8193; }),
             EndsWith(": out_pad is 8193, allowed are -2 to 8192 [MaxKernelExceeded]"));
  CHECK_THAT(with([](P& p) { p.attributes.out_pad.clear(); }),
             EndsWith(": out_pad has 0 values, needed are 4 [WrongAttribute]"));
  CHECK_THAT(with([](P& p) { p.attributes.stride[1] = 0; }),
             EndsWith(": stride is 0, allowed are 1 to 8192 [StrideSmallerOne]"));
  CHECK(with_size(8, 32772, [](P& p) { p.attributes.stride[1] = 8192; }) == "");
  CHECK_THAT(with_size(8, 32776, [](P& p) { p.attributes.stride[1] = 8193; }),
             EndsWith(": stride is 8193, allowed are 1 to 8192 [MaxStrideExceeded]"));
  CHECK_THAT(with([](P& p) { p.attributes.stride.pop_back(); }),
             EndsWith(": stride has 1 values, needed are 2 [WrongAttribute]"));
  CHECK_THAT(with_size(8198, 16, [](P& p) { p.weight[1] = 8193; }),
             EndsWith(": the kernel height is 8193, allowed are 1 to 8192 [MaxKernelExceeded]"));
  CHECK(with_size(8, 8206, [](P& p) { p.weight[2] = 8192; }) == "");
  CHECK_THAT(with_size(8, 8207, [](P& p) { p.weight[2] = 8193; }),
             EndsWith(": the kernel width is 8193, allowed are 1 to 8192 [MaxKernelExceeded]"));
  CHECK_THAT(with([](P& p) { p.weight[2] = 8193; }), EndsWith(" [ConvOutputShapeMismatch]"));
  CHECK_THAT(with([](P& p) { p.weight[3] = 1; }),
             EndsWith(": the input has 3 channels, the weights 1 [InputDimensionMismatch]"));
  CHECK_THAT(with([](P& p) { p.bias = {3}; }),
             EndsWith(": the bias has 3 elements, allowed are 1 and 2 [ConvBiasShapeMismatch]"));
  CHECK_THAT(with([](P& p) { p.attributes.acc_type = ElementType::Int48; }),
             EndsWith(": acc_type is int48, needed is int32 [WrongAccumulatorType]"));
  CHECK_THAT(with([](P& p) {
               p.result = {1, 8, 15, 2};
             }),
             EndsWith(": the result is declared [1, 8, 15, 2], the operands give [1, 8, 16, 2] [ConvOutputShapeMismatch]"));
}

TEST_CASE("int16 convolutions: a zero point for the weights alone, accumulators of 48 bits") {
  using P = Parts<ir::ConvAttributes>;
  const P good{{{0, 0, 0, 0}, {1, 1}, {1, 1}, ElementType::Int48},
               {1, 4, 5, 3},
               {2, 1, 1, 3},
               {2},
               {1, 4, 5, 2},
               ElementType::Int16,
               ElementType::Int48,
               0,
               -1};
  const auto with = [&good](const std::function<void(P&)>& spoil) {
    return complaint_of<ir::ConvAttributes>(OpKind::Conv2d, good, spoil);
  };
  CHECK(with([](P&) {}) == "");
  CHECK_THAT(with([](P& p) { p.input_zp = 1; }),
             EndsWith(": input_zp is 1, for int16 it has to be 0 [InputZeroPointNotZero]"));
  CHECK_THAT(with([](P& p) { p.attributes.acc_type = ElementType::Int32; }),
             EndsWith(": acc_type is int32, needed is int48 [WrongAccumulatorType]"));
  CHECK_THAT(with([](P& p) { p.bias_type = ElementType::Int32; }),
             Catch::Contains(": the types are int16 int8 int32 int16 int8 -> int32, allowed are ") &&
                 EndsWith(" [WrongInputType]"));
}

TEST_CASE("MATMUL") {
  const auto matmul = [](const Shape& a, const Shape& b, const Shape& result, ElementType type = ElementType::Int8,
                         int64_t a_zp = 0, int64_t b_zp = 0) {
    GraphBuilder g;
    const auto x = g.input("x", type, a), y = g.input("y", type, b);
    const auto x_zp = g.scalar(type, a_zp), y_zp = g.scalar(type, b_zp);
    const ElementType acc = type == ElementType::Int8 ? ElementType::Int32 : ElementType::Int48;
    return complaint(g.build_unverified({g.op(OpKind::MatMul, {x, y, x_zp, y_zp}, acc, result)}));
  };
  CHECK(matmul({2, 3, 4}, {2, 4, 5}, {2, 3, 5}, ElementType::Int8, 7, -7) == "");
  CHECK(matmul({2, 3, 4}, {2, 4, 5}, {2, 3, 5}, ElementType::Int16) == "");
  CHECK_THAT(matmul({2, 3, 4}, {2, 4, 5}, {2, 3, 5}, ElementType::Int16, 1),
             EndsWith(": a_zp is 1, for int16 it has to be 0 [InputZeroPointNotZero]"));
  CHECK_THAT(matmul({2, 3, 4}, {2, 4, 5}, {2, 3, 5}, ElementType::Int16, 0, 1),
             EndsWith(": b_zp is 1, for int16 it has to be 0 [InputZeroPointNotZero]"));
  constexpr auto kNeeded = " do not multiply: needed are [N, H, C] and [N, C, W] [InputDimensionMismatch]";
  CHECK_THAT(matmul({2, 3, 4}, {2, 5, 4}, {2, 3, 4}),
             EndsWith(std::string(": operands of shapes [2, 3, 4] and [2, 5, 4]") + kNeeded));
  CHECK_THAT(matmul({2, 3, 4}, {1, 4, 5}, {2, 3, 5}),
             EndsWith(std::string(": operands of shapes [2, 3, 4] and [1, 4, 5]") + kNeeded));
  CHECK_THAT(matmul({2, 3, 4}, {2, 4, 5}, {2, 5, 3}),
             EndsWith(": the result is declared [2, 5, 3], the operands give [2, 3, 5] [DimensionMismatch]"));
}

}  // namespace vernier
