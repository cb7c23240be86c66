// SPDX-License-Identifier: Apache-2.0
// AVG_POOL2D, MAX_POOL2D, RESIZE, reductions and ARGMAX.
#include "tests/fuzz/makers.hpp"

#include <algorithm>
#include <array>

namespace vernier::tests::fuzz {

using ir::OpKind;
using ir::TensorId;

namespace {

TensorId make_pool(GraphMaker& m, const OpMode& mode, TensorId x) {
  const Shape in = m.shape(x);
  ir::PoolAttributes attributes;
  Shape out{in[0]};
  for (size_t axis = 1; axis < 3; ++axis) {
    int64_t kernel = m.random.chance(15)  ? in[axis]
                     : m.random.chance(2) ? m.random.within(8, m.random.chance(90) ? 70 : kMostExtent)
                                          : m.random.within(1, std::min<int64_t>(7, in[axis] + 1));
    const WindowAxis window = fit_window(m.random, in[axis], kernel, kernel - 1, true);
    attributes.kernel.push_back(kernel);
    attributes.stride.push_back(window.stride);
    attributes.pad.insert(attributes.pad.end(), {window.pad_before, window.pad_after});
    out.push_back(window.out);
  }
  out.push_back(in[3]);
  if (base::num_elements(out) * attributes.kernel[0] * attributes.kernel[1] > kMostMacs) return kDoesNotSuit;
  std::vector<TensorId> operands{x};
  for (size_t i = 1; i < mode.operands.size(); ++i)
    operands.push_back(m.b.scalar(mode.operands[i], m.zero_point(mode.operands[i])));
  return m.b.op(mode.kind, operands, mode.result, out, attributes);
}

struct ResizeAxis {
  int64_t numerator, denominator, offset, border, out;
};

/// A scale that gives a whole number of rows; out is 0 when there is none. Networks double, with or without centres.
ResizeAxis fit_resize(Random& random, int64_t in) {
  const bool is_usual = random.chance(50);
  const int64_t n = is_usual ? random.pick<int64_t>({2, 4, 6, 8}) : random.within(1, 16);
  const int64_t d = is_usual ? 2 : random.within(1, std::min<int64_t>(16 * n - 1, 3 * n));
  ResizeAxis axis{n, d, is_usual ? random.pick<int64_t>({0, -n / 2 + 1, 1 - n / 2}) : random.within(-n, n), 0, 0};
  std::vector<int64_t> borders;
  for (int64_t border = -16 * n; border < n; ++border) {
    const int64_t span = (in - 1) * n - axis.offset + border;
    if (span >= 0 && span % d == 0) borders.push_back(border);
  }
  if (borders.empty()) return axis;
  axis.border = random.chance(70) ? borders.back() : random.pick(borders);
  axis.out = ((in - 1) * n - axis.offset + axis.border) / d + 1;
  return axis;
}

TensorId make_resize(GraphMaker& m, const OpMode& mode, TensorId x) {
  const Shape in = m.shape(x);
  std::vector<int64_t> scale, offset, border;
  Shape out = in;
  for (size_t axis = 0; axis < 2; ++axis) {
    ResizeAxis fit = fit_resize(m.random, in[1 + axis]);
    if (fit.out == 0) fit = {1, 1, 0, 0, in[1 + axis]};
    scale.insert(scale.end(), {fit.numerator, fit.denominator});
    offset.push_back(fit.offset);
    border.push_back(fit.border);
    out[1 + axis] = fit.out;
  }
  if (base::num_elements(out) > kMostElements) return kDoesNotSuit;
  const bool is_bilinear = mode.operands[0] != mode.result;
  return m.b.op(OpKind::Resize, {x, m.b.shape(scale), m.b.shape(offset), m.b.shape(border)}, mode.result, out,
                ir::ResizeAttributes{is_bilinear});
}

TensorId make_reduce(GraphMaker& m, const OpMode& mode, TensorId x) {
  return m.b.reduce(mode.kind, x, m.random.within(0, static_cast<int64_t>(m.shape(x).size()) - 1));
}

TensorId make_argmax(GraphMaker& m, const OpMode& mode, TensorId x) {
  const int64_t axis = m.random.within(0, static_cast<int64_t>(m.shape(x).size()) - 1);
  Shape out = m.shape(x);
  out.erase(out.begin() + axis);
  return m.b.op(OpKind::ArgMax, {x}, mode.result, out, ir::AxisAttributes{axis});
}

constexpr std::array kWindowMakers{Maker{OpKind::AvgPool2d, 4, make_pool},   Maker{OpKind::MaxPool2d, 4, make_pool},
                                   Maker{OpKind::Resize, 3, make_resize},    Maker{OpKind::ReduceAll, 1, make_reduce},
                                   Maker{OpKind::ReduceAny, 1, make_reduce}, Maker{OpKind::ReduceMax, 1, make_reduce},
                                   Maker{OpKind::ReduceMin, 1, make_reduce}, Maker{OpKind::ReduceSum, 3, make_reduce},
                                   Maker{OpKind::ArgMax, 2, make_argmax}};

}  // namespace

std::span<const Maker> window_makers() { return kWindowMakers; }

}  // namespace vernier::tests::fuzz
