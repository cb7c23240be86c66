// SPDX-License-Identifier: Apache-2.0
// ERROR_IFs and LEVEL_CHECKs of CONV2D, CONV3D, DEPTHWISE_CONV2D, TRANSPOSE_CONV2D and MATMUL (TOSA 1.0, sections 2.3.3 to
// 2.3.7 and 2.3.10).
#include "compiler/ir/verify_context.hpp"

namespace vernier::ir {

namespace {

void check_acc_type(const VerifyContext& c, base::ElementType acc_type) {
  const base::ElementType needed = c.output().type;
  if (acc_type != needed)
    c.fail(ErrorIf::WrongAccumulatorType, "acc_type is {}, needed is {}", base::to_string(acc_type),
           base::to_string(needed));
}

void check_input_channels(const VerifyContext& c, int64_t of_weights) {
  const int64_t found = c.input(0).shape.back();
  if (found != of_weights)
    c.fail(ErrorIf::InputDimensionMismatch, "the input has {} channels, the weights {}", found, of_weights);
}

void check_bias_length(const VerifyContext& c, int64_t output_channels) {
  const int64_t found = c.input(2).shape[0];
  if (found != 1 && found != output_channels)
    c.fail(ErrorIf::ConvBiasShapeMismatch, "the bias has {} elements, allowed are 1 and {}", found, output_channels);
}

/// What all convolutions share; `weight_zp` may be other than 0 for int8 weights whatever the input's type.
void check_operands(const VerifyContext& c, base::ElementType acc_type, int64_t input_channels, int64_t output_channels) {
  check_acc_type(c, acc_type);
  c.check_zero_point("input_zp", 3, c.input(0).type, ErrorIf::InputZeroPointNotZero);
  c.check_zero_point("weight_zp", 4, c.input(1).type, ErrorIf::WeightZeroPointNotZero);
  check_input_channels(c, input_channels);
  check_bias_length(c, output_channels);
}

/// An axis of the kernel, in the order of the attributes.
struct KernelAxis {
  std::string_view name, size_name;
  int64_t taps;
};

void check_convolution(const VerifyContext& c, const std::vector<KernelAxis>& kernel, int64_t input_channels,
                       int64_t output_channels) {
  const auto& a = c.op.attributes_as<ConvAttributes>();
  const base::Shape& in = c.input(0).shape;
  const Allowed pads{0, c.level.max_kernel, ErrorIf::PadSmallerZero, ErrorIf::MaxKernelExceeded};
  const Allowed strides{1, c.level.max_stride, ErrorIf::StrideSmallerOne, ErrorIf::MaxStrideExceeded};
  const Allowed dilations{1, c.level.max_kernel, ErrorIf::DilationSmallerOne, ErrorIf::MaxKernelExceeded};
  c.check_count("pad", a.pad, 2 * kernel.size(), ErrorIf::WrongAttribute);
  c.check_count("stride", a.stride, kernel.size(), ErrorIf::WrongAttribute);
  c.check_count("dilation", a.dilation, kernel.size(), ErrorIf::WrongAttribute);
  c.check_least("pad", a.pad, pads);
  c.check_least("stride", a.stride, strides);
  c.check_least("dilation", a.dilation, dilations);
  check_operands(c, a.acc_type, input_channels, output_channels);
  base::Shape expected{in[0]};
  for (size_t i = 0; i < kernel.size(); ++i) {
    expected.push_back(c.window_output(kernel[i].name, in[1 + i], a.pad[2 * i], a.pad[2 * i + 1], kernel[i].taps,
                                       a.dilation[i], a.stride[i], kConvWindow));
  }
  expected.push_back(output_channels);
  c.check_output_shape(expected, kConvWindow.mismatch);
  c.check_most("pad", a.pad, pads);
  c.check_most("stride", a.stride, strides);
  for (size_t i = 0; i < kernel.size(); ++i)
    c.check_range(fmt::format("dilation times kernel {}", kernel[i].size_name), a.dilation[i] * kernel[i].taps, dilations);
}

}  // namespace

void check_conv2d(const VerifyContext& c) {
  const base::Shape& weight = c.input(1).shape;  // OC, KH, KW, IC
  check_convolution(c, {{"y", "height", weight[1]}, {"x", "width", weight[2]}}, weight[3], weight[0]);
}

void check_conv3d(const VerifyContext& c) {
  const base::Shape& weight = c.input(1).shape;  // OC, KD, KH, KW, IC
  check_convolution(c, {{"depth", "depth", weight[1]}, {"y", "height", weight[2]}, {"x", "width", weight[3]}}, weight[4],
                    weight[0]);
}

void check_depthwise_conv2d(const VerifyContext& c) {
  const base::Shape& weight = c.input(1).shape;  // KH, KW, C, M
  check_convolution(c, {{"y", "height", weight[0]}, {"x", "width", weight[1]}}, weight[2], weight[2] * weight[3]);
}

void check_transpose_conv2d(const VerifyContext& c) {
  const auto& a = c.op.attributes_as<TransposeConvAttributes>();
  const base::Shape& in = c.input(0).shape;
  const base::Shape& weight = c.input(1).shape;  // OC, KH, KW, IC
  const auto pads = [&](size_t axis) {
    return Allowed{1 - weight[1 + axis], c.level.max_kernel, ErrorIf::PadLargerEqualKernel, ErrorIf::MaxKernelExceeded};
  };
  const Allowed strides{1, c.level.max_stride, ErrorIf::StrideSmallerOne, ErrorIf::MaxStrideExceeded};
  const Allowed kernels{1, c.level.max_kernel, ErrorIf::KernelSmallerOne, ErrorIf::MaxKernelExceeded};
  c.check_count("out_pad", a.out_pad, 4, ErrorIf::WrongAttribute);
  c.check_count("stride", a.stride, 2, ErrorIf::WrongAttribute);
  for (size_t i = 0; i < 4; ++i) c.check_least("out_pad", {a.out_pad[i]}, pads(i / 2));
  c.check_least("stride", a.stride, strides);
  check_operands(c, a.acc_type, weight[3], weight[0]);
  const auto size = [&](size_t axis) {
    return (in[1 + axis] - 1) * a.stride[axis] + a.out_pad[2 * axis] + a.out_pad[2 * axis + 1] + weight[1 + axis];
  };
  c.check_output_shape({in[0], size(0), size(1), weight[0]}, kConvWindow.mismatch);
  c.check_most("stride", a.stride, strides);
  c.check_range("the kernel height", weight[1], kernels);
  c.check_range("the kernel width", weight[2], kernels);
  for (size_t i = 0; i < 4; ++i) c.check_most("out_pad", {a.out_pad[i]}, pads(i / 2));
}

void check_matmul(const VerifyContext& c) {
  const base::Shape& a = c.input(0).shape;  // N, H, C
  const base::Shape& b = c.input(1).shape;  // N, C, W
  c.check_zero_point("a_zp", 2, c.input(0).type, ErrorIf::InputZeroPointNotZero);
  c.check_zero_point("b_zp", 3, c.input(1).type, ErrorIf::InputZeroPointNotZero);
  if (a[0] != b[0] || a[2] != b[1]) {
    c.fail(ErrorIf::InputDimensionMismatch,
           "operands of shapes {} and {} do not multiply: needed are [N, H, C] and [N, C, W]", base::to_string(a),
           base::to_string(b));
  }
  c.check_output_shape({a[0], a[1], b[2]});
}

}  // namespace vernier::ir
