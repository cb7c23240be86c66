// SPDX-License-Identifier: Apache-2.0
// DEPTHWISE_CONV2D (TOSA 1.0, section 2.3.5): input NHWC, weights [KH, KW, C, M], output channel c * M + m.
#include "compiler/reference/convolution_operands.hpp"

namespace vernier::reference {

namespace {

/// Adds one tap to the accumulators of one pixel.
void add_tap(std::vector<int64_t>& acc, const int16_t* pixel, const int16_t* tap, int64_t channels, int64_t multiplier) {
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t m = 0; m < multiplier; ++m) {
      const int64_t i = c * multiplier + m;
      acc[static_cast<size_t>(i)] += pixel[c] * tap[i];
    }
  }
}

}  // namespace

base::Tensor depthwise_conv2d(Task& task) {
  const base::Shape& in = task.operand(0).shape();
  const base::Shape& kernel = task.operand(1).shape();
  const Axis y = convolution_axis(task, 0, kernel[0]), x = convolution_axis(task, 1, kernel[1]);
  const std::vector<int16_t> input = without_zero_point(task.operand(0), task.scalar(3));
  const std::vector<int16_t> weights = without_zero_point(task.operand(1), task.scalar(4));
  base::Tensor output = task.make_output();
  const base::Shape& out = output.shape();
  const AccumulatorWriter result(task, output, task.operand(2));
  int64_t index = 0;
  std::vector<int64_t> acc(static_cast<size_t>(out[3]));
  for (int64_t n = 0; n < out[0]; ++n) {
    for (int64_t oy = 0; oy < out[1]; ++oy) {
      const Window wy = y.window(oy);
      for (int64_t ox = 0; ox < out[2]; ++ox) {
        const Window wx = x.window(ox);
        std::fill(acc.begin(), acc.end(), 0);
        for (int64_t ky = wy.first_tap; ky < wy.end_tap; ++ky) {
          const int64_t iy = wy.start + (ky - wy.first_tap) * y.dilation;
          for (int64_t kx = wx.first_tap; kx < wx.end_tap; ++kx) {
            const int64_t ix = wx.start + (kx - wx.first_tap) * x.dilation;
            add_tap(acc, input.data() + ((n * in[1] + iy) * in[2] + ix) * in[3],
                    weights.data() + (ky * kernel[1] + kx) * out[3], in[3], kernel[3]);
          }
        }
        for (int64_t c = 0; c < out[3]; ++c) result.set(index++, acc[static_cast<size_t>(c)], c);
      }
    }
  }
  return output;
}

}  // namespace vernier::reference
