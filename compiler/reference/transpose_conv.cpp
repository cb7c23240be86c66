// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE_CONV2D (TOSA 1.0, section 2.3.10): each input pixel adds its products with the kernel, as it stands (OHWI), to
// the window of the result that begins at pixel * stride + out_pad; what falls outside is dropped. The bias comes last.
#include "compiler/reference/convolution_operands.hpp"

namespace vernier::reference {

base::Tensor transpose_conv2d(Task& task) {
  const auto& a = task.op().attributes_as<ir::TransposeConvAttributes>();
  const base::Shape& in = task.operand(0).shape();
  const base::Shape& kernel = task.operand(1).shape();  // OC, KH, KW, IC
  const std::vector<int16_t> input = without_zero_point(task.operand(0), task.scalar(3));
  const std::vector<int16_t> weights = without_zero_point(task.operand(1), task.scalar(4));
  base::Tensor output = task.make_output();
  const base::Shape& out = output.shape();
  std::vector<int64_t> acc(static_cast<size_t>(output.size()));
  for (int64_t pixel = 0; pixel < in[0] * in[1] * in[2]; ++pixel) {
    const int64_t n = pixel / (in[1] * in[2]), iy = pixel / in[2] % in[1], ix = pixel % in[2];
    for (int64_t ky = 0; ky < kernel[1]; ++ky) {
      for (int64_t kx = 0; kx < kernel[2]; ++kx) {
        const int64_t oy = iy * a.stride[0] + a.out_pad[0] + ky, ox = ix * a.stride[1] + a.out_pad[2] + kx;
        if (oy < 0 || oy >= out[1] || ox < 0 || ox >= out[2]) continue;
        for (int64_t oc = 0; oc < out[3]; ++oc) {
          const int16_t* taps = weights.data() + ((oc * kernel[1] + ky) * kernel[2] + kx) * kernel[3];
          acc[static_cast<size_t>(((n * out[1] + oy) * out[2] + ox) * out[3] + oc)] +=
              dot(input.data() + pixel * in[3], taps, in[3]);
        }
      }
    }
  }
  const AccumulatorWriter result(task, output, task.operand(2));
  for (int64_t i = 0; i < output.size(); ++i) result.set(i, acc[static_cast<size_t>(i)], i % out[3]);
  return output;
}

}  // namespace vernier::reference
