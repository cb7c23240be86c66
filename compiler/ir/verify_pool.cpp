// SPDX-License-Identifier: Apache-2.0
// ERROR_IFs and LEVEL_CHECKs of AVG_POOL2D and MAX_POOL2D (TOSA 1.0, sections 2.3.2 and 2.3.8).
#include "compiler/ir/verify_context.hpp"

namespace vernier::ir {

namespace {

void check_pads_against_kernel(const VerifyContext& c, const PoolAttributes& a) {
  for (size_t i = 0; i < 4; ++i) {
    if (a.pad[i] >= a.kernel[i / 2])
      c.fail(ErrorIf::PadLargerEqualKernel, "pad {} is not less than the kernel's {}", a.pad[i], a.kernel[i / 2]);
  }
}

void check_acc_type_of_average(const VerifyContext& c) {
  const base::ElementType found = c.op.attributes_as<PoolAttributes>().acc_type;
  if (found != base::ElementType::Int32)
    c.fail(ErrorIf::WrongAccumulatorType, "acc_type is {}, needed is int32", base::to_string(found));
}

void check_window(const VerifyContext& c) {
  const auto& a = c.op.attributes_as<PoolAttributes>();
  const base::Shape& in = c.input(0).shape;
  const Allowed kernels{1, c.level.max_kernel, ErrorIf::KernelSmallerOne, ErrorIf::MaxKernelExceeded};
  const Allowed strides{1, c.level.max_stride, ErrorIf::StrideSmallerOne, ErrorIf::MaxStrideExceeded};
  const Allowed pads{0, c.level.max_kernel, ErrorIf::PadSmallerZero, ErrorIf::MaxKernelExceeded};
  c.check_count("kernel", a.kernel, 2, ErrorIf::WrongAttribute);
  c.check_count("stride", a.stride, 2, ErrorIf::WrongAttribute);
  c.check_count("pad", a.pad, 4, ErrorIf::WrongAttribute);
  c.check_least("kernel", a.kernel, kernels);
  c.check_least("stride", a.stride, strides);
  c.check_least("pad", a.pad, pads);
  check_pads_against_kernel(c, a);
  const int64_t height = c.window_output("y", in[1], a.pad[0], a.pad[1], a.kernel[0], 1, a.stride[0], kPoolWindow);
  const int64_t width = c.window_output("x", in[2], a.pad[2], a.pad[3], a.kernel[1], 1, a.stride[1], kPoolWindow);
  c.check_output_shape({in[0], height, width, in[3]}, kPoolWindow.mismatch);
  c.check_most("kernel", a.kernel, kernels);
  c.check_most("stride", a.stride, strides);
  c.check_most("pad", a.pad, pads);
}

}  // namespace

void check_avg_pool2d(const VerifyContext& c) {
  check_acc_type_of_average(c);
  c.check_zero_point("input_zp", 1, c.input(0).type, ErrorIf::InputZeroPointNotZero);
  c.check_zero_point("output_zp", 2, c.output().type, ErrorIf::OutputZeroPointNotZero);
  check_window(c);
}

void check_max_pool2d(const VerifyContext& c) { check_window(c); }

}  // namespace vernier::ir
