// SPDX-License-Identifier: Apache-2.0
// One graph for each ERROR_IF and LEVEL_CHECK that ir::verify looks for, operator by operator.
#include "tests/support/graph_builder.hpp"
#include "tests/unit/compiler_ir/complaint.hpp"

#include <catch2/catch.hpp>

#include <functional>

namespace vernier {

using Catch::Matchers::EndsWith;
using tests::complaint;
using tests::ElementType;
using tests::GraphBuilder;
using tests::Shape;

namespace {

/// A convolution of int8 [1, 8, 6, 3] with 5 channels of 3x2, spoilt by `spoil` before it is verified.
struct ConvParts {
  ir::ConvAttributes attributes{{1, 1, 0, 1}, {1, 1}, {1, 1}, ElementType::Int32};
  Shape weight{5, 3, 2, 3}, bias{5}, result{1, 8, 6, 5};
  int64_t input_zp = 1, weight_zp = -1;
};
std::string conv_complaint(const std::function<void(ConvParts&)>& spoil, ir::OpKind kind = ir::OpKind::Conv2d) {
  ConvParts p;
  if (kind == ir::OpKind::DepthwiseConv2d) {
    p.weight = {3, 2, 3, 2};
    p.bias = {6};
    p.result = {1, 8, 6, 6};
  }
  spoil(p);
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 8, 6, 3});
  const auto w = b.constant(base::Tensor(ElementType::Int8, p.weight));
  const auto bias = b.constant(base::Tensor(ElementType::Int32, p.bias));
  const auto x_zp = b.scalar(ElementType::Int8, p.input_zp), w_zp = b.scalar(ElementType::Int8, p.weight_zp);
  return complaint(b.build_unverified({b.op(kind, {x, w, bias, x_zp, w_zp}, ElementType::Int32, p.result, p.attributes)}));
}

std::string pool_complaint(const ir::PoolAttributes& attributes, const Shape& result, ElementType type = ElementType::Int8,
                           int64_t input_zp = 0, int64_t output_zp = 0) {
  GraphBuilder b;
  const auto x = b.input("x", type, {1, 8, 6, 3});
  const auto x_zp = b.scalar(type, input_zp), y_zp = b.scalar(type, output_zp);
  return complaint(b.build_unverified({b.op(ir::OpKind::AvgPool2d, {x, x_zp, y_zp}, type, result, attributes)}));
}

std::string rescale_complaint(ElementType in, ElementType out, const GraphBuilder::Scale& scale,
                              const Shape& shape = {2, 3}) {
  GraphBuilder b;
  return complaint(b.build_unverified({b.rescale(b.input("x", in, shape), out, scale)}));
}

}  // namespace

TEST_CASE("CONV2D") {
  CHECK(conv_complaint([](ConvParts&) {}) == "");
  CHECK(conv_complaint([](ConvParts& p) { p.bias = {1}; }) == "");
  CHECK_THAT(conv_complaint([](ConvParts& p) { p.bias = {4}; }),
             EndsWith(": the bias has 4 elements, allowed are 1 and 5 [ConvBiasShapeMismatch]"));
  CHECK_THAT(conv_complaint([](ConvParts& p) { p.weight[3] = 4; }),
             EndsWith(": the input has 3 channels, the weights 4 [InputDimensionMismatch]"));
  CHECK_THAT(conv_complaint([](ConvParts& p) { p.attributes.pad[2] = -1; }),
             EndsWith(": pad is -1, allowed are 0 to 8192 [PadSmallerZero]"));
  const auto with_pad = [](int64_t pad, int64_t width) {
    return conv_complaint([&](ConvParts& p) {
      p.attributes.pad[3] = pad;
      p.result[2] = width;
    });
  };
  CHECK(with_pad(8192, 8197) == "");
  CHECK_THAT(with_pad(8193, 8198), EndsWith(": pad is 8193, allowed are 0 to 8192 [MaxKernelExceeded]"));
  CHECK_THAT(with_pad(8193, 6), EndsWith(" [ConvOutputShapeMismatch]"));  // an ERROR_IF goes before a level check
  CHECK_THAT(conv_complaint([](ConvParts& p) { p.attributes.pad.pop_back(); }),
             EndsWith(": pad has 3 values, needed are 4 [WrongAttribute]"));
  CHECK_THAT(conv_complaint([](ConvParts& p) { p.attributes.stride[0] = 0; }),
             EndsWith(": stride is 0, allowed are 1 to 8192 [StrideSmallerOne]"));
  CHECK_THAT(conv_complaint([](ConvParts& p) { p.attributes.stride.clear(); }),
             EndsWith(": stride has 0 values, needed are 2 [WrongAttribute]"));
  CHECK_THAT(conv_complaint([](ConvParts& p) { p.attributes.dilation[1] = 0; }),
             EndsWith(": dilation is 0, allowed are 1 to 8192 [DilationSmallerOne]"));
  CHECK_THAT(conv_complaint([](ConvParts& p) {
               p.attributes.pad = {2800, 2800, 0, 1};
               p.attributes.dilation[0] = 2731;
               p.result[1] = 146;
             }),
             EndsWith(": dilation times kernel height is 8193, allowed are 1 to 8192 [MaxKernelExceeded]"));
  CHECK_THAT(conv_complaint([](ConvParts& p) { p.attributes.acc_type = ElementType::Int48; }),
             EndsWith(": acc_type is int48, needed is int32 [WrongAccumulatorType]"));
  CHECK_THAT(conv_complaint([](ConvParts& p) { p.attributes.stride[0] = 2; }),
             EndsWith(": the output size along y is no whole number: (8 - 1 + 1 + 1 - (3 - 1) * 1) / 2 + 1 "
                      "[ConvOutputShapeNonInteger]"));
  CHECK_THAT(
      conv_complaint([](ConvParts& p) { p.attributes.dilation[1] = 9; }),
      EndsWith(": the kernel (2 taps, dilation 9) is larger than the padded input along x [ConvOutputShapeMismatch]"));
  CHECK_THAT(conv_complaint([](ConvParts& p) {
               p.result = {1, 8, 6, 4};
             }),
             EndsWith(": the result is declared [1, 8, 6, 4], the operands give [1, 8, 6, 5] [ConvOutputShapeMismatch]"));
}

TEST_CASE("DEPTHWISE_CONV2D") {
  constexpr auto kKind = ir::OpKind::DepthwiseConv2d;
  CHECK(conv_complaint([](ConvParts&) {}, kKind) == "");
  CHECK_THAT(conv_complaint([](ConvParts& p) { p.bias = {3}; }, kKind),
             EndsWith(": the bias has 3 elements, allowed are 1 and 6 [ConvBiasShapeMismatch]"));
  CHECK_THAT(conv_complaint([](ConvParts& p) { p.weight[2] = 2; }, kKind),
             EndsWith(": the input has 3 channels, the weights 2 [InputDimensionMismatch]"));
  CHECK_THAT(conv_complaint([](ConvParts& p) { p.result[3] = 3; }, kKind),
             EndsWith(": the result is declared [1, 8, 6, 3], the operands give [1, 8, 6, 6] [ConvOutputShapeMismatch]"));
}

TEST_CASE("AVG_POOL2D") {
  const ir::PoolAttributes good{{2, 3}, {2, 1}, {0, 0, 1, 1}, ElementType::Int32};
  const auto with = [&good](const std::function<void(ir::PoolAttributes&)>& spoil) {
    ir::PoolAttributes spoilt = good;
    spoil(spoilt);
    return pool_complaint(spoilt, {1, 4, 6, 3});
  };
  CHECK(with([](ir::PoolAttributes&) {}) == "");
  CHECK_THAT(with([](ir::PoolAttributes& a) { a.kernel[0] = 0; }),
             EndsWith(": kernel is 0, allowed are 1 to 8192 [KernelSmallerOne]"));
  CHECK_THAT(with([](ir::PoolAttributes& a) { a.stride[0] = 0; }),
             EndsWith(": stride is 0, allowed are 1 to 8192 [StrideSmallerOne]"));
  CHECK_THAT(with([](ir::PoolAttributes& a) { a.pad[0] = -1; }),
             EndsWith(": pad is -1, allowed are 0 to 8192 [PadSmallerZero]"));
  CHECK_THAT(with([](ir::PoolAttributes& a) { a.pad[1] = 2; }),
             EndsWith(": pad 2 is not less than the kernel's 2 [PadLargerEqualKernel]"));
  CHECK_THAT(with([](ir::PoolAttributes& a) { a.pad[3] = 3; }),
             EndsWith(": pad 3 is not less than the kernel's 3 [PadLargerEqualKernel]"));
  CHECK_THAT(with([](ir::PoolAttributes& a) { a.acc_type = ElementType::Int48; }),
             EndsWith(": acc_type is int48, needed is int32 [WrongAccumulatorType]"));
  CHECK_THAT(with([](ir::PoolAttributes& a) { a.kernel[0] = 3; }),
             EndsWith(": the output size along y is no whole number: (8 - 1 + 0 + 0 - (3 - 1) * 1) / 2 + 1 "
                      "[PoolingOutputShapeNonInteger]"));
  CHECK_THAT(pool_complaint(good, {1, 4, 6, 2}),
             EndsWith(": the result is declared [1, 4, 6, 2], the operands give [1, 4, 6, 3] [PoolingOutputShapeMismatch]"));
  CHECK(pool_complaint(good, {1, 4, 6, 3}, ElementType::Int16) == "");
  CHECK_THAT(pool_complaint(good, {1, 4, 6, 3}, ElementType::Int16, 1),
             EndsWith(": input_zp is 1, for int16 it has to be 0 [InputZeroPointNotZero]"));
  CHECK_THAT(pool_complaint(good, {1, 4, 6, 3}, ElementType::Int16, 0, 1),
             EndsWith(": output_zp is 1, for int16 it has to be 0 [OutputZeroPointNotZero]"));
}

TEST_CASE("levels of pools") {
  // A row, or a column, of 8192 or 8193 elements that one window takes.
  const auto pool = [](const Shape& shape, const ir::PoolAttributes& attributes) {
    GraphBuilder b;
    const auto x = b.input("x", ElementType::Int8, shape);
    return complaint(b.build_unverified({b.op(ir::OpKind::MaxPool2d, {x}, ElementType::Int8, {1, 1, 1, 1}, attributes)}));
  };
  CHECK(pool({1, 1, 8192, 1}, {{1, 8192}, {1, 1}, {0, 0, 0, 0}}) == "");
  CHECK_THAT(pool({1, 1, 8193, 1}, {{1, 8193}, {1, 1}, {0, 0, 0, 0}}),
             EndsWith(": kernel is 8193, allowed are 1 to 8192 [MaxKernelExceeded]"));
  CHECK_THAT(pool({1, 1, 8192, 1}, {{1, 8193}, {1, 1}, {0, 0, 0, 0}}), EndsWith(" [PoolingOutputShapeMismatch]"));
  CHECK(pool({1, 1, 1, 1}, {{1, 1}, {8192, 1}, {0, 0, 0, 0}}) == "");
  CHECK_THAT(pool({1, 1, 1, 1}, {{1, 1}, {8193, 1}, {0, 0, 0, 0}}),
             EndsWith(": stride is 8193, allowed are 1 to 8192 [MaxStrideExceeded]"));
  CHECK_THAT(pool({1, 1, 1, 1}, {{8195, 1}, {1, 1}, {8194, 0, 0, 0}}), EndsWith(" [MaxKernelExceeded]"));
}

TEST_CASE("elementwise operators: broadcasting and shapes") {
  const auto add = [](const Shape& a, const Shape& b, const Shape& result) {
    GraphBuilder g;
    const auto x = g.input("x", ElementType::Int32, a), y = g.input("y", ElementType::Int32, b);
    return complaint(g.build_unverified({g.op(ir::OpKind::Add, {x, y}, ElementType::Int32, result)}));
  };
  CHECK(add({2, 1, 3}, {1, 4, 3}, {2, 4, 3}) == "");
  CHECK(add({}, {}, {}) == "");
  CHECK_THAT(add({2, 3}, {3}, {2, 3}),
             EndsWith(": operands of shapes [2, 3] and [3] do not broadcast: the ranks differ [RankMismatch]"));
  CHECK_THAT(add({2, 3}, {2, 2}, {2, 3}),
             EndsWith(": operands of shapes [2, 3] and [2, 2] do not broadcast in dimension 1 [BroadcastShapesMismatch]"));
  CHECK_THAT(add({2, 1}, {1, 3}, {2, 1}),
             EndsWith(": the result is declared [2, 1], the operands give [2, 3] [DimensionMismatch]"));

  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int32, {2});
  const auto shift = b.constant(ElementType::Int8, {2}, {0, 0});
  CHECK_THAT(complaint(b.build_unverified({b.op(ir::OpKind::Mul, {x, x, shift}, ElementType::Int32, {2})})),
             EndsWith(": shift has shape [2], needed is [1] [OperandLengthMismatch]"));
}

TEST_CASE("CLAMP, TABLE, NEGATE, REDUCE_*") {
  GraphBuilder b;
  const auto x8 = b.input("x8", ElementType::Int8, {2, 3}), x16 = b.input("x16", ElementType::Int16, {2, 3});
  const auto x32 = b.input("x32", ElementType::Int32, {2, 3});
  const auto one = [&b](ir::TensorId y) {
    const std::string text = complaint(b.build_unverified({y}));
    b.graph().operators.clear();
    return text;
  };
  CHECK(one(b.clamp(x8, 3, 3)) == "");
  CHECK_THAT(one(b.clamp(x8, 3, 2)), EndsWith(": max_val 2 is less than min_val 3 [MaxSmallerMin]"));
  CHECK_THAT(one(b.clamp(x8, -129, 2)), EndsWith(": min_val is -129, allowed are -128 to 127 [WrongAttribute]"));
  CHECK_THAT(one(b.clamp(x16, 0, 32768)), EndsWith(": max_val is 32768, allowed are -32768 to 32767 [WrongAttribute]"));
  const auto table8 = b.constant(base::Tensor(ElementType::Int8, {255}));
  const auto table16 = b.constant(base::Tensor(ElementType::Int16, {513}));
  CHECK(one(b.table(x16, table16)) == "");
  CHECK_THAT(one(b.table(x8, table8)), EndsWith(": the table has shape [255], needed is [256] [OperandLengthMismatch]"));
  const auto zp8 = b.scalar(ElementType::Int8, 3), zp16 = b.scalar(ElementType::Int16, 3),
             zero16 = b.scalar(ElementType::Int16, 0);
  CHECK(one(b.op(ir::OpKind::Negate, {x8, zp8, zp8}, ElementType::Int8, {2, 3})) == "");
  CHECK_THAT(one(b.op(ir::OpKind::Negate, {x16, zp16, zero16}, ElementType::Int16, {2, 3})),
             EndsWith(": input_zp is 3, for int16 it has to be 0 [InputZeroPointNotZero]"));
  CHECK_THAT(one(b.op(ir::OpKind::Negate, {x16, zero16, zp16}, ElementType::Int16, {2, 3})),
             EndsWith(": output_zp is 3, for int16 it has to be 0 [OutputZeroPointNotZero]"));
  const auto reduce = [&](int64_t axis, const Shape& shape) {
    return one(b.op(ir::OpKind::ReduceMax, {x32}, ElementType::Int32, shape, ir::AxisAttributes{axis}));
  };
  CHECK(reduce(1, {2, 1}) == "");
  CHECK_THAT(reduce(2, {2, 3}), EndsWith(": axis is 2, allowed are 0 to 1 [AxisLargerRank]"));
  CHECK_THAT(reduce(-1, {2, 1}), EndsWith(": axis is -1, allowed are 0 to 1 [AxisSmallerZero]"));
  CHECK_THAT(reduce(0, {2, 3}), EndsWith(": the result is declared [2, 3], the operands give [1, 3] [ShapeOfAxisNotOne]"));
}

TEST_CASE("RESCALE") {
  using enum ElementType;
  using Attributes = ir::RescaleAttributes;
  CHECK(rescale_complaint(Int32, Int8, {.output_zp = -5}) == "");
  CHECK(rescale_complaint(Int8, Int8, {.input_zp = 3, .attributes = {.input_unsigned = true}}) == "");
  CHECK(rescale_complaint(Int16, Int8, {.input_zp = -32768, .attributes = {.input_unsigned = true}}) == "");
  CHECK(rescale_complaint(Int48, Int32, {.multipliers = {1}, .attributes = {.scale32 = false}}) == "");
  CHECK(rescale_complaint(Int32, Int8, {.multipliers = {1, 2, 3}, .shifts = {2, 3, 4}}) == "");
  CHECK_THAT(rescale_complaint(Int32, Int8, {.multipliers = {1, 2}, .shifts = {2, 3}}),
             EndsWith(": the multiplier has shape [2], needed is [3] [OperandLengthMismatch]"));
  CHECK_THAT(rescale_complaint(Int32, Int8, {.multipliers = {1, 2, 3}, .shifts = {2}}),
             EndsWith(": the shift has shape [1], needed is [3] [OperandLengthMismatch]"));
  CHECK_THAT(rescale_complaint(Int48, Int32, {}),
             EndsWith(": scale32 is set for an int48 input, which takes 16-bit multipliers only [ScaleTrue]"));
  CHECK_THAT(rescale_complaint(Int32, Int8, {.attributes = {.scale32 = false, .rounding = spec::Rounding::Double}}),
             EndsWith(": DOUBLE_ROUND needs scale32 [ScaleNotTrue]"));
  CHECK_THAT(rescale_complaint(Int32, Int8, {.input_zp = 1}),
             EndsWith(": input_zp is 1, for int32 it has to be 0 [InputZeroPointNotZero]"));
  CHECK_THAT(rescale_complaint(Int16, Int8, {.input_zp = 1}),
             EndsWith(": input_zp is 1, for int16 it has to be 0 [InputZeroPointNotZero]"));
  CHECK_THAT(rescale_complaint(Int8, Int16, {.output_zp = 1}),
             EndsWith(": output_zp is 1, for int16 it has to be 0 [OutputZeroPointNotZero]"));
  CHECK_THAT(rescale_complaint(Int8, Int16, {.output_zp = -1, .attributes = {.output_unsigned = true}}),
             EndsWith(": output_zp is 65535, for unsigned int16 allowed are 0 and 32768 [U16OutputZeroPointNotValid]"));
  CHECK_THAT(rescale_complaint(Int8, Int8, {.attributes = {.input_unsigned = true, .output_unsigned = true}}),
             EndsWith(": input_unsigned and output_unsigned are both set [RescaleInputUnsignedOutputUnsigned]"));
  struct Wide {
    ElementType in, out;
    bool is_input;  // input_unsigned is set, else output_unsigned
    std::string name;
  };
  for (const Wide& wide : std::vector<Wide>{{Int32, Int8, false, "RescaleI32InputOutputUnsigned"},
                                            {Int32, Int8, true, "RescaleI32InputUnsigned"},
                                            {Int8, Int32, false, "RescaleI32OutputUnsigned"},
                                            {Int8, Int32, true, "RescaleI32OutputInputUnsigned"},
                                            {Int48, Int8, false, "RescaleI48InputOutputUnsigned"},
                                            {Int48, Int8, true, "RescaleI48InputUnsigned"}}) {
    const Attributes attributes{
        .scale32 = wide.in != Int48, .input_unsigned = wide.is_input, .output_unsigned = !wide.is_input};
    CHECK_THAT(
        rescale_complaint(wide.in, wide.out, {.multipliers = {1}, .attributes = attributes}),
        EndsWith(fmt::format(": input_unsigned and output_unsigned are for int8 and int16 at both ends, found {} to {} [{}]",
                             base::to_string(wide.in), base::to_string(wide.out), wide.name)));
  }
  CHECK_THAT(rescale_complaint(Int16, Int8, {.input_zp = 1, .attributes = {.input_unsigned = true}}),
             EndsWith(": input_zp is 1, for unsigned int16 allowed are 0 and 32768 [U16InputZeroPointNotValid]"));
  CHECK_THAT(rescale_complaint(Int32, Int8, {.attributes = {.per_channel = true}}, {}),
             EndsWith(": per_channel needs an input of rank 1 or more [RescalePerChannelRank0]"));
  GraphBuilder b;
  const auto x = b.input("x", Int32, {1});
  const auto m = b.constant(Int16, {1}, {1}), s = b.scalar(Int8, 2), zp = b.scalar(Int32, 0), zp8 = b.scalar(Int8, 0);
  CHECK_THAT(complaint(b.build_unverified({b.op(ir::OpKind::Rescale, {x, m, s, zp, zp8}, Int8, {1}, Attributes{})})),
             EndsWith(": the multiplier is int16, with scale32 = true it has to be int32 [WrongInputType]"));
}

TEST_CASE("RESHAPE and SLICE") {
  const auto reshape = [](const std::vector<int64_t>& operand, const Shape& result) {
    GraphBuilder b;
    const auto x = b.input("x", ElementType::Int8, {2, 3});
    const auto shape = b.shape(operand);
    return complaint(b.build_unverified({b.op(ir::OpKind::Reshape, {x, shape}, ElementType::Int8, result)}));
  };
  CHECK(reshape({6}, {6}) == "");
  CHECK_THAT(reshape({6}, {6, 1}),
             EndsWith(": the shape operand is [6], the result is declared [6, 1] [ReshapeNewShapeOutputMismatch]"));
  CHECK_THAT(reshape({-1}, {6}),
             EndsWith(": the shape operand is [-1], the result is declared [6] [ReshapeNewShapeOutputMismatch]"));
  CHECK_THAT(reshape({2, 4}, {2, 4}), EndsWith(": [2, 3] has 6 elements, [2, 4] has 8 [TensorSizeInputOutputMismatch]"));

  const auto slice = [](const std::vector<int64_t>& start, const std::vector<int64_t>& size, const Shape& result) {
    GraphBuilder b;
    const auto x = b.input("x", ElementType::Int8, {2, 3});
    const auto start_id = b.shape(start), size_id = b.shape(size);
    return complaint(b.build_unverified({b.op(ir::OpKind::Slice, {x, start_id, size_id}, ElementType::Int8, result)}));
  };
  CHECK(slice({1, 1}, {1, 2}, {1, 2}) == "");
  CHECK_THAT(slice({1}, {1, 2}, {1, 2}), EndsWith(": start has 1 values, needed are 2 [InputSizeStartLengthMismatch]"));
  CHECK_THAT(slice({1, 0}, {1}, {1, 2}), EndsWith(": size has 1 values, needed are 2 [InputSizeStartLengthMismatch]"));
  CHECK_THAT(slice({0, -1}, {1, 2}, {1, 2}),
             EndsWith(": start is -1, allowed are 0 to 9223372036854775807 [StartSmallerZero]"));
  CHECK_THAT(slice({0, 0}, {1, 0}, {1, 2}),
             EndsWith(": size is 0, allowed are 1 to 9223372036854775807 [SizeSmallerEqualZero]"));
  CHECK_THAT(slice({0, 2}, {1, 2}, {1, 2}),
             EndsWith(": start 2 and size 2 go beyond dimension 1, which has 3 [StartSizeOutsideBounds]"));
  CHECK_THAT(slice({0, INT64_MAX}, {1, INT64_MAX}, {1, 2}),
             EndsWith(": start 9223372036854775807 and size 9223372036854775807 go beyond dimension 1, which has 3 "
                      "[StartSizeOutsideBounds]"));
  CHECK_THAT(slice({0, 0}, {1, 2}, {2, 2}),
             EndsWith(": the result is declared [2, 2], the operands give [1, 2] [SizeOutputShapeMismatch]"));
}

}  // namespace vernier
