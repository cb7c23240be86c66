// SPDX-License-Identifier: Apache-2.0
// CONV2D (TOSA 1.0, section 2.3.3): input NHWC, weights OHWI. Taps in padding contribute nothing, the bias comes last.
#include "compiler/reference/convolution_operands.hpp"

namespace vernier::reference {

namespace {

struct Geometry {
  Axis y, x;
  int64_t width, channels, kernel_w;
};

/// One output element: `image` is one batch of the input, `kernel` the weights of one output channel.
uint32_t accumulate(const Geometry& g, const int16_t* image, const int16_t* kernel, const Window& wy, const Window& wx) {
  uint32_t acc = 0;
  const int64_t num_taps = wx.end_tap - wx.first_tap;
  for (int64_t ky = wy.first_tap; ky < wy.end_tap; ++ky) {
    const int64_t iy = wy.start + (ky - wy.first_tap) * g.y.dilation;
    const int16_t* row = image + (iy * g.width + wx.start) * g.channels;
    const int16_t* taps = kernel + (ky * g.kernel_w + wx.first_tap) * g.channels;
    if (g.x.dilation == 1) {  // neighbouring taps are neighbours in both
      acc += dot(row, taps, num_taps * g.channels);
      continue;
    }
    for (int64_t k = 0; k < num_taps; ++k)
      acc += dot(row + k * g.x.dilation * g.channels, taps + k * g.channels, g.channels);
  }
  return acc;
}

}  // namespace

base::Tensor conv2d(Task& task) {
  const base::Shape& in = task.operand(0).shape();
  const base::Shape& kernel = task.operand(1).shape();  // OC, KH, KW, IC
  const Geometry g{convolution_axis(task, 0, kernel[1]), convolution_axis(task, 1, kernel[2]), in[2], in[3], kernel[2]};
  const std::vector<int16_t> input = without_zero_point(task.operand(0), task.scalar(3));
  const std::vector<int16_t> weights = without_zero_point(task.operand(1), task.scalar(4));
  base::Tensor output = task.make_output();
  const base::Shape& out = output.shape();
  const int64_t image_elems = in[1] * in[2] * in[3], kernel_elems = kernel[1] * kernel[2] * kernel[3];
  int32_t* result = output.as<int32_t>().data();
  for (int64_t n = 0; n < out[0]; ++n) {
    for (int64_t oy = 0; oy < out[1]; ++oy) {
      const Window wy = g.y.window(oy);
      for (int64_t ox = 0; ox < out[2]; ++ox) {
        const Window wx = g.x.window(ox);
        for (int64_t oc = 0; oc < out[3]; ++oc) {
          const uint32_t acc = accumulate(g, input.data() + n * image_elems, weights.data() + oc * kernel_elems, wy, wx);
          *result++ = static_cast<int32_t>(acc + bias_of(task.operand(2), oc));
        }
      }
    }
  }
  return output;
}

}  // namespace vernier::reference
