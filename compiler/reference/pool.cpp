// SPDX-License-Identifier: Apache-2.0
// AVG_POOL2D and MAX_POOL2D (TOSA 1.0, sections 2.3.2 and 2.3.8): over the elements of the window that are not padding.
#include "compiler/reference/elements.hpp"
#include "compiler/reference/operators.hpp"
#include "compiler/reference/window.hpp"
#include "hw/model/elementwise.hpp"
#include "hw/model/reciprocal.hpp"

namespace vernier::reference {

namespace {

/// One result a window and channel: prepare(number of elements in the window) gives a function, which is called for each
/// channel with a way to visit the channel's elements.
template <typename Prepare>
base::Tensor pool(Task& task, const Prepare& prepare) {
  const auto& a = task.op().attributes_as<ir::PoolAttributes>();
  const base::Shape& in = task.operand(0).shape();
  const Reader input(task.operand(0));
  const Axis y{in[1], a.kernel[0], a.stride[0], a.pad[0], 1}, x{in[2], a.kernel[1], a.stride[1], a.pad[2], 1};
  base::Tensor output = task.make_output();
  const Writer result(output);
  const base::Shape& out = output.shape();
  int64_t index = 0;
  for (int64_t n = 0; n < out[0]; ++n) {
    for (int64_t oy = 0; oy < out[1]; ++oy) {
      const Window wy = y.window(oy);
      for (int64_t ox = 0; ox < out[2]; ++ox) {
        const Window wx = x.window(ox);
        const int64_t num_rows = wy.end_tap - wy.first_tap, num_columns = wx.end_tap - wx.first_tap;
        const auto compute = prepare(num_rows * num_columns);
        for (int64_t c = 0; c < out[3]; ++c) {
          result.set(index++, compute([&](const auto& visit) {
                       for (int64_t iy = wy.start; iy < wy.start + num_rows; ++iy) {
                         for (int64_t ix = wx.start; ix < wx.start + num_columns; ++ix) {
                           visit(input.small(((n * in[1] + iy) * in[2] + ix) * in[3] + c));
                         }
                       }
                     }));
        }
      }
    }
  }
  return output;
}

}  // namespace

base::Tensor avg_pool2d(Task& task) {
  const int32_t input_zp = task.scalar(1), output_zp = task.scalar(2);
  const base::ElementType type = task.output().type;
  return pool(task, [=](int64_t num_elements) {
    const auto scale = model::reciprocal_scale(static_cast<uint32_t>(num_elements));
    return [=](const auto& for_each_element) {
      int32_t acc = 0;
      for_each_element([&](int32_t element) { acc = model::add(acc, model::sub(element, input_zp)); });
      return model::average(acc, scale, output_zp, type);
    };
  });
}

base::Tensor max_pool2d(Task& task) {
  const auto least = static_cast<int32_t>(base::min_value(task.output().type));
  return pool(task, [least](int64_t) {
    return [least](const auto& for_each_element) {
      int32_t greatest = least;
      for_each_element([&](int32_t element) { greatest = model::maximum(greatest, element); });
      return greatest;
    };
  });
}

}  // namespace vernier::reference
