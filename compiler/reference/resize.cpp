// SPDX-License-Identifier: Apache-2.0
// RESIZE (TOSA 1.0, "Image operators") over hw/model/resize.hpp. BILINEAR is not divided: a RESCALE follows it.
#include "hw/model/resize.hpp"

#include "compiler/reference/elements.hpp"
#include "compiler/reference/operators.hpp"

namespace vernier::reference {

namespace {

struct ResizeAxis {
  int32_t numerator, denominator, offset, size;

  ResizeAxis(const Task& task, int64_t axis)
      : numerator(static_cast<int32_t>(task.operand(1).at(2 * axis))),
        denominator(static_cast<int32_t>(task.operand(1).at(2 * axis + 1))),
        offset(static_cast<int32_t>(task.operand(2).at(axis))),
        size(static_cast<int32_t>(task.operand(0).shape()[static_cast<size_t>(1 + axis)])) {}
  [[nodiscard]] model::ResizePosition position(int64_t output) const {
    return model::resize_position(static_cast<int32_t>(output), numerator, denominator, offset, size);
  }
};

}  // namespace

base::Tensor resize(Task& task) {
  const bool is_bilinear = task.op().attributes_as<ir::ResizeAttributes>().bilinear;
  const base::Shape& in = task.operand(0).shape();
  const Reader input(task.operand(0));
  const ResizeAxis y(task, 0), x(task, 1);
  base::Tensor output = task.make_output();
  const Writer result(output);
  const base::Shape& out = output.shape();
  int64_t index = 0;
  for (int64_t row = 0; row < out[0] * out[1]; ++row) {
    const model::ResizePosition py = y.position(row % out[1]);
    for (int64_t ox = 0; ox < out[2]; ++ox) {
      const model::ResizePosition px = x.position(ox);
      for (int64_t c = 0; c < out[3]; ++c) {
        const auto at = [&](int64_t iy, int64_t ix) {
          return input[((row / out[1] * in[1] + iy) * in[2] + ix) * in[3] + c];
        };
        const auto blend_row = [&](int64_t iy) {
          return model::resize_blend(at(iy, px.first), at(iy, px.second), px.fraction, x.numerator);
        };
        result.set(index++, is_bilinear
                                ? model::resize_blend(blend_row(py.first), blend_row(py.second), py.fraction, y.numerator)
                                : at(model::resize_nearest(py, y.numerator), model::resize_nearest(px, x.numerator)));
      }
    }
  }
  return output;
}

}  // namespace vernier::reference
