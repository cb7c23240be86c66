// SPDX-License-Identifier: Apache-2.0
// CONV2D and CONV3D (TOSA 1.0, sections 2.3.3 and 2.3.4): input N(D)HWC, weights O(D)HWI. Taps in padding contribute
// nothing, the bias comes last. CONV2D is CONV3D with one plane.
#include "compiler/reference/convolution_operands.hpp"

namespace vernier::reference {

namespace {

struct Geometry {
  Axis z, y, x;
  int64_t channels;
};

/// The taps of one plane of one output element: `plane` and `kernel` start at the first row of both.
int64_t accumulate(const Geometry& g, const int16_t* plane, const int16_t* kernel, const Window& wy, const Window& wx) {
  int64_t acc = 0;
  const int64_t num_taps = wx.end_tap - wx.first_tap;
  for (int64_t ky = wy.first_tap; ky < wy.end_tap; ++ky) {
    const int64_t iy = wy.start + (ky - wy.first_tap) * g.y.dilation;
    const int16_t* row = plane + (iy * g.x.size + wx.start) * g.channels;
    const int16_t* taps = kernel + (ky * g.x.kernel + wx.first_tap) * g.channels;
    if (g.x.dilation == 1) {  // neighbouring taps are neighbours in both
      acc += dot(row, taps, num_taps * g.channels);
      continue;
    }
    for (int64_t k = 0; k < num_taps; ++k)
      acc += dot(row + k * g.x.dilation * g.channels, taps + k * g.channels, g.channels);
  }
  return acc;
}

int64_t accumulate(const Geometry& g, const int16_t* image, const int16_t* kernel, const Window& wz, const Window& wy,
                   const Window& wx) {
  const int64_t plane_elems = g.y.size * g.x.size * g.channels, kernel_elems = g.y.kernel * g.x.kernel * g.channels;
  int64_t acc = 0;
  for (int64_t kz = wz.first_tap; kz < wz.end_tap; ++kz) {
    const int64_t iz = wz.start + (kz - wz.first_tap) * g.z.dilation;
    acc += accumulate(g, image + iz * plane_elems, kernel + kz * kernel_elems, wy, wx);
  }
  return acc;
}

/// `out` is N, D, H, W, OC. Along a row of the result, one output channel after the other, so that its weights stay near.
base::Tensor convolve(Task& task, const Geometry& g, const base::Shape& out) {
  const std::vector<int16_t> input = without_zero_point(task.operand(0), task.scalar(3));
  const std::vector<int16_t> weights = without_zero_point(task.operand(1), task.scalar(4));
  base::Tensor output = task.make_output();
  const AccumulatorWriter result(task, output, task.operand(2));
  const int64_t image_elems = g.z.size * g.y.size * g.x.size * g.channels;
  const int64_t kernel_elems = g.z.kernel * g.y.kernel * g.x.kernel * g.channels;
  for (int64_t row = 0; row < out[0] * out[1] * out[2]; ++row) {
    const int16_t* image = input.data() + row / (out[1] * out[2]) * image_elems;
    const Window wz = g.z.window(row / out[2] % out[1]), wy = g.y.window(row % out[2]);
    for (int64_t oc = 0; oc < out[4]; ++oc) {
      const int16_t* kernel = weights.data() + oc * kernel_elems;
      for (int64_t ox = 0; ox < out[3]; ++ox) {
        result.set((row * out[3] + ox) * out[4] + oc, accumulate(g, image, kernel, wz, wy, g.x.window(ox)), oc);
      }
    }
  }
  return output;
}

}  // namespace

base::Tensor conv2d(Task& task) {
  const base::Shape& kernel = task.operand(1).shape();  // OC, KH, KW, IC
  const base::Shape& out = task.output().shape;
  const Geometry g{{1, 1, 1, 0, 1}, convolution_axis(task, 0, kernel[1]), convolution_axis(task, 1, kernel[2]), kernel[3]};
  return convolve(task, g, {out[0], 1, out[1], out[2], out[3]});
}

base::Tensor conv3d(Task& task) {
  const base::Shape& kernel = task.operand(1).shape();  // OC, KD, KH, KW, IC
  const Geometry g{convolution_axis(task, 0, kernel[1]), convolution_axis(task, 1, kernel[2]),
                   convolution_axis(task, 2, kernel[3]), kernel[4]};
  return convolve(task, g, task.output().shape);
}

}  // namespace vernier::reference
