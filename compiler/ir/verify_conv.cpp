// SPDX-License-Identifier: Apache-2.0
// ERROR_IFs and LEVEL_CHECKs of CONV2D and DEPTHWISE_CONV2D (TOSA 1.0, sections 2.3.3 and 2.3.5).
#include "compiler/ir/verify_context.hpp"

namespace vernier::ir {

namespace {

/// What both share; `weight_zp` may be other than 0 for int8 weights whatever the input's type.
void check_convolution(const VerifyContext& c, int64_t kernel_h, int64_t kernel_w, int64_t input_channels,
                       int64_t output_channels) {
  const auto& a = c.op.attributes_as<ConvAttributes>();
  const base::Shape& in = c.input(0).shape;
  if (a.acc_type != c.output().type) {
    c.fail("acc_type is {}, needed is {}", base::to_string(a.acc_type), base::to_string(c.output().type));
  }
  c.check_list("pad", a.pad, 4, 0, c.level.max_kernel);
  c.check_list("stride", a.stride, 2, 1, c.level.max_stride);
  c.check_list("dilation", a.dilation, 2, 1, c.level.max_kernel);
  c.check_range("dilation times kernel height", a.dilation[0] * kernel_h, 1, c.level.max_kernel);
  c.check_range("dilation times kernel width", a.dilation[1] * kernel_w, 1, c.level.max_kernel);
  c.check_zero_point("input_zp", 3, c.input(0).type);
  c.check_zero_point("weight_zp", 4, c.input(1).type);
  if (in[3] != input_channels) c.fail("the input has {} channels, the weights {}", in[3], input_channels);
  const base::Shape& bias = c.input(2).shape;
  if (bias[0] != 1 && bias[0] != output_channels) {
    c.fail("the bias has {} elements, allowed are 1 and {}", bias[0], output_channels);
  }
  c.check_output_shape({in[0], c.window_output("y", in[1], a.pad[0], a.pad[1], kernel_h, a.dilation[0], a.stride[0]),
                        c.window_output("x", in[2], a.pad[2], a.pad[3], kernel_w, a.dilation[1], a.stride[1]),
                        output_channels});
}

}  // namespace

void check_conv2d(const VerifyContext& c) {
  const base::Shape& weight = c.input(1).shape;  // OC, KH, KW, IC
  check_convolution(c, weight[1], weight[2], weight[3], weight[0]);
}

void check_depthwise_conv2d(const VerifyContext& c) {
  const base::Shape& weight = c.input(1).shape;  // KH, KW, C, M
  check_convolution(c, weight[0], weight[1], weight[2], weight[2] * weight[3]);
}

}  // namespace vernier::ir
