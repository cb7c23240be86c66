// SPDX-License-Identifier: Apache-2.0
// CONV2D, DEPTHWISE_CONV2D, CONV3D, TRANSPOSE_CONV2D, MATMUL: every number at its ends as well as in between.
#include "tests/fuzz/makers.hpp"

#include <algorithm>
#include <array>

namespace vernier::tests::fuzz {

using ir::OpKind;
using ir::TensorId;

WindowAxis fit_window(Random& random, int64_t in, int64_t& kernel, int64_t most_pad, bool is_pool) {
  WindowAxis axis;
  axis.stride = random.chance(50)   ? 1
                : random.chance(90) ? random.within(2, 3)
                : random.chance(75) ? random.within(4, 9)
                                    : random.within(10, random.chance(80) ? 60 : kMostExtent);
  axis.dilation = is_pool || random.chance(60) ? 1 : random.within(2, random.chance(95) ? 3 : 20);
  axis.dilation = std::min(axis.dilation, kMostExtent / kernel);
  const auto reach = [&] { return (kernel - 1) * axis.dilation; };
  most_pad = std::min(most_pad, kMostExtent);
  axis.pad_before = random.chance(50) ? std::min(most_pad, reach() / 2) : random.within(0, most_pad);
  const auto least_after = [&] { return std::max<int64_t>(0, reach() - (in - 1 + axis.pad_before)); };
  axis.pad_after = std::max(least_after(), random.chance(50) ? axis.pad_before : random.within(0, most_pad));
  while ((in - 1 + axis.pad_before + axis.pad_after - reach()) % axis.stride != 0) ++axis.pad_after;
  if (!is_pool && axis.pad_after > kMostExtent) {
    axis.stride = 1;
    axis.pad_after = least_after();
  }
  if (is_pool && axis.pad_after > most_pad) {
    axis.stride = 1;
    axis.pad_after = least_after();
    if (axis.pad_after > most_pad) {
      kernel = 1;
      axis.pad_before = axis.pad_after = 0;
    }
  }
  axis.out = (in - 1 + axis.pad_before + axis.pad_after - reach()) / axis.stride + 1;
  return axis;
}

namespace {

int64_t kernel_extent(Random& random) {
  const int64_t style = random.within(1, 1000);
  if (style <= 10) return random.within(16, style <= 9 ? 100 : kMostExtent);
  if (style <= 350) return 1;
  if (style > 970) return random.within(8, 15);
  return style <= 650 ? 3 : random.within(1, 7);
}

/// A graph that is connected likes results that other operators can be added to. Lanes are split in many ways between
/// half a block of one machine and one and a half of another.
int64_t out_channels(GraphMaker& m, int64_t in_channels, int64_t macs_a_channel) {
  const int64_t wanted = m.is_connected() && m.random.chance(50) ? in_channels
                         : m.random.chance(6)                    ? m.random.within(60, 600)
                         : m.random.chance(20)                   ? m.random.within(17, 48)
                                                                 : m.channels();
  return std::clamp<int64_t>(wanted, 1, std::max<int64_t>(1, kMostMacs / macs_a_channel));
}

TensorId weights(GraphMaker& m, const OpMode& mode, const Shape& shape) {
  if (m.random.chance(3)) return m.operand(mode.operands[1], shape, true);
  return m.constant(mode.operands[1], shape);
}

TensorId bias(GraphMaker& m, const OpMode& mode, int64_t channels) {
  const ElementType type = mode.operands[2];
  const Shape shape{m.random.chance(20) ? 1 : channels};
  if (m.random.chance(3)) return m.operand(type, shape, true);
  if (m.random.chance(10)) return m.constant(type, shape);
  const int64_t most = type == ElementType::Int48 ? int64_t{1} << m.random.within(10, 40) : 100'000;
  return m.constant(type, shape, {-most, most});
}

TensorId add_convolution(GraphMaker& m, const OpMode& mode, TensorId x, const Shape& weight_shape, const Shape& out,
                         const ir::Attributes& attributes) {
  const TensorId w = weights(m, mode, weight_shape), b = bias(m, mode, out.back());
  const TensorId x_zp = m.b.scalar(mode.operands[3], m.zero_point(mode.operands[3]));
  const int64_t weight_zero = m.random.chance(70) ? 0 : m.zero_point(mode.operands[4]);
  const TensorId w_zp = m.b.scalar(mode.operands[4], weight_zero);
  return m.b.op(mode.kind, {x, w, b, x_zp, w_zp}, mode.result, out, attributes);
}

/// Windows along the spatial axes of x, smaller kernels where the work would be too much.
TensorId make_conv(GraphMaker& m, const OpMode& mode, TensorId x) {
  const Shape in = m.shape(x);
  const bool is_depthwise = mode.kind == OpKind::DepthwiseConv2d;
  ir::ConvAttributes attributes;
  attributes.acc_type = mode.result;
  Shape kernel, out{in[0]};
  int64_t macs = in[0] * in.back();
  for (size_t axis = 1; axis + 1 < in.size(); ++axis) {
    int64_t taps = macs * in[axis] > kMostMacs / 50 ? m.random.pick<int64_t>({1, 2, 3}) : kernel_extent(m.random);
    const WindowAxis window = fit_window(m.random, in[axis], taps, taps + 1, false);
    attributes.pad.insert(attributes.pad.end(), {window.pad_before, window.pad_after});
    attributes.stride.push_back(window.stride);
    attributes.dilation.push_back(window.dilation);
    kernel.push_back(taps);
    out.push_back(window.out);
    macs *= window.out * taps;
  }
  const int64_t multiplier = m.random.chance(60) ? 1 : m.random.within(1, 4);
  const int64_t channels = is_depthwise ? in.back() * multiplier : out_channels(m, in.back(), macs);
  out.push_back(channels);
  if (macs > kMostMacs || base::num_elements(out) > kMostElements) return kDoesNotSuit;
  Shape weight = kernel;
  if (is_depthwise) {
    weight.insert(weight.end(), {in.back(), multiplier});
  } else {
    weight.insert(weight.begin(), channels);
    weight.push_back(in.back());
  }
  return add_convolution(m, mode, x, weight, out, attributes);
}

}  // namespace

TensorId make_same_conv(GraphMaker& m, ir::OpKind kind, TensorId x, int64_t channels) {
  const Shape in = m.shape(x);
  const bool is_narrow = m.b.type_of(x) == ElementType::Int8, is_depthwise = kind == OpKind::DepthwiseConv2d;
  const OpMode& mode = find_mode(kind, m.b.type_of(x), is_narrow ? ElementType::Int32 : ElementType::Int48);
  const int64_t macs = base::num_elements(in) * (is_depthwise ? 1 : channels);
  const int64_t taps = 9 * macs <= kMostMacs && m.random.chance(60) ? 3 : 1, pad = taps / 2;
  Shape out = in;
  out.back() = is_depthwise ? in[3] : std::clamp<int64_t>(kMostElements * in[3] / base::num_elements(in), 1, channels);
  const Shape weight = is_depthwise ? Shape{taps, taps, in[3], 1} : Shape{out[3], taps, taps, in[3]};
  if (macs > kMostMacs) return kDoesNotSuit;
  return add_convolution(m, mode, x, weight, out, ir::ConvAttributes{{pad, pad, pad, pad}, {1, 1}, {1, 1}, mode.result});
}

namespace {

TensorId make_transpose_conv(GraphMaker& m, const OpMode& mode, TensorId x) {
  const Shape in = m.shape(x);
  ir::TransposeConvAttributes attributes{{}, {}, mode.result};
  Shape kernel, out{in[0]};
  for (size_t axis = 1; axis < 3; ++axis) {
    const int64_t taps = kernel_extent(m.random), stride = m.random.within(1, m.random.chance(96) ? 3 : 40);
    const int64_t most_pad = m.random.chance(96) ? 3 : 50;
    const auto pad = [&] { return m.random.chance(40) ? 0 : m.random.within(1 - taps, most_pad); };
    const int64_t before = pad(), inner = (in[axis] - 1) * stride + taps + before;
    const int64_t after = std::max(pad(), 1 - inner);
    attributes.out_pad.insert(attributes.out_pad.end(), {before, after});
    attributes.stride.push_back(stride);
    kernel.push_back(taps);
    out.push_back(inner + after);
  }
  const int64_t macs = base::num_elements(in) * kernel[0] * kernel[1];
  out.push_back(out_channels(m, in[3], macs));
  if (macs > kMostMacs || base::num_elements(out) > kMostElements) return kDoesNotSuit;
  return add_convolution(m, mode, x, {out[3], kernel[0], kernel[1], in[3]}, out, attributes);
}

TensorId make_matmul(GraphMaker& m, const OpMode& mode, TensorId x) {
  const Shape in = m.shape(x);
  const int64_t macs = base::num_elements(in);
  const int64_t width = m.is_connected() && m.random.chance(40) ? in[1] : m.channels();
  const Shape other{in[0], in[2], width}, out{in[0], in[1], width};
  if (macs * width > kMostMacs || base::num_elements(out) > kMostElements || base::num_elements(other) > kMostElements)
    return kDoesNotSuit;
  const TensorId y = m.operand(mode.operands[1], other);
  const TensorId x_zp = m.b.scalar(mode.operands[2], m.zero_point(mode.operands[2]));
  const TensorId y_zp = m.b.scalar(mode.operands[3], m.zero_point(mode.operands[3]));
  return m.b.op(OpKind::MatMul, {x, y, x_zp, y_zp}, mode.result, out);
}

// The machine's main work comes more often.
constexpr std::array kConvolutionMakers{
    Maker{OpKind::Conv2d, 16, make_conv}, Maker{OpKind::DepthwiseConv2d, 12, make_conv}, Maker{OpKind::Conv3d, 1, make_conv},
    Maker{OpKind::TransposeConv2d, 6, make_transpose_conv}, Maker{OpKind::MatMul, 6, make_matmul}};

}  // namespace

std::span<const Maker> convolution_makers() { return kConvolutionMakers; }

}  // namespace vernier::tests::fuzz
