// SPDX-License-Identifier: Apache-2.0
// Random operators whose weights, biases or indices are computed, convolutions in three dimensions, and RESIZE of int16 by
// large scales, on all machines.
#include "tests/support/graph_builder.hpp"
#include "tests/unit/compiler_passes/random_graphs.hpp"

#include <catch2/catch.hpp>

namespace vernier {
namespace {

using base::ElementType;
using base::Shape;
using ir::OpKind;
using ir::TensorId;
using tests::GraphBuilder;
using tests::Random;
using tests::random_constant;
using tests::random_scale;

/// An input, or a part of a larger one, so that it does not lie dense; or a constant.
TensorId random_view(GraphBuilder& b, Random& random, const std::string& name, ElementType type, const Shape& shape) {
  if (random.chance(20)) return random_constant(b, random, type, shape, base::min_value(type), base::max_value(type));
  if (random.chance(60)) return b.input(name, type, shape);
  Shape whole = shape, start = shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    start[d] = random.within(0, 1);
    whole[d] += start[d] + random.within(0, 1);
  }
  return b.slice(b.input(name, type, whole), start, shape);
}

/// Indices into [0, size), some of them perhaps outside.
TensorId random_indices(GraphBuilder& b, Random& random, const Shape& shape, int64_t size) {
  if (random.chance(30)) return random_constant(b, random, ElementType::Int32, shape, -1, size);
  const TensorId any = random_view(b, random, "indices", ElementType::Int32, shape);
  const TensorId most = b.constant(ElementType::Int32, {1, 1}, {size - (random.chance(20) ? 0 : 1)});
  const TensorId least = b.constant(ElementType::Int32, {1, 1}, {random.chance(20) ? -1 : 0});
  const TensorId mask = b.constant(ElementType::Int32, {1, 1}, {31});
  return b.binary(OpKind::Minimum, b.binary(OpKind::Maximum, b.binary(OpKind::BitwiseAnd, any, mask), least), most);
}

TensorId random_gather(GraphBuilder& b, Random& random) {
  const auto type = random.pick<ElementType>({ElementType::Int8, ElementType::Int16, ElementType::Int32});
  const int64_t n = random.within(1, 5), k = random.within(1, 20), w = random.pick<int64_t>({1, 2, 7, 300});
  const int64_t c = random.pick<int64_t>({1, 3, 16, 33, 500});
  const TensorId values = random_view(b, random, "values", type, {n, k, c});
  const TensorId indices = random_indices(b, random, {n, w}, k);
  if (random.chance(50)) return b.op(OpKind::Gather, {values, indices}, type, {n, w, c});
  const TensorId rows = random_view(b, random, "rows", type, {n, w, c});
  return b.op(OpKind::Scatter, {values, indices, rows}, type, {n, k, c});
}

struct Axis {
  int64_t in, kernel, stride = 1, dilation = 1, before = 0, after = 0, out = 0;
};
Axis random_axis(Random& random, int64_t most_in) {
  Axis axis{random.within(1, most_in), random.within(1, 3)};
  axis.stride = random.within(1, 2);
  axis.dilation = random.within(1, 2);
  axis.before = random.within(0, 2);
  const int64_t reach = (axis.kernel - 1) * axis.dilation;
  axis.after = std::max<int64_t>(0, reach - axis.in + 1 - axis.before);
  while ((axis.in - 1 + axis.before + axis.after - reach) % axis.stride != 0) ++axis.after;
  axis.out = (axis.in - 1 + axis.before + axis.after - reach) / axis.stride + 1;
  return axis;
}

struct Operands {
  TensorId x = -1, weight = -1, bias = -1, x_zp = -1, weight_zp = -1;
  ElementType sum = ElementType::Int32;
};
Operands random_operands(GraphBuilder& b, Random& random, const Shape& in, const Shape& kernel, int64_t channels) {
  Operands o;
  const auto type = random.chance(30) ? ElementType::Int16 : ElementType::Int8;
  o.sum = type == ElementType::Int8 ? ElementType::Int32 : ElementType::Int48;
  o.x = random_view(b, random, "x", type, in);
  o.weight = random_view(b, random, "w", ElementType::Int8, kernel);
  const Shape bias{random.chance(30) ? 1 : channels};
  const bool is_constant = random.chance(40) || o.sum == ElementType::Int48;  // int48 is never sliced
  o.bias = is_constant ? random_constant(b, random, o.sum, bias, -100000, 100000)
                       : b.binary(OpKind::ArithmeticRightShift, b.input("bias", o.sum, bias), b.constant(o.sum, {1}, {12}),
                                  ir::ShiftAttributes{false});
  if (o.sum == ElementType::Int48 && random.chance(60)) o.bias = b.input("bias", o.sum, bias);
  const bool has_zero = type == ElementType::Int8;
  o.x_zp = b.scalar(type, has_zero ? random.within(-128, 127) : 0);
  o.weight_zp = b.scalar(ElementType::Int8, random.chance(30) ? random.within(-20, 20) : 0);
  return o;
}

/// A RESCALE and a CLAMP behind it, or nothing.
TensorId random_end(GraphBuilder& b, Random& random, TensorId y) {
  if (random.chance(30)) return y;
  const auto to = random.pick<ElementType>({ElementType::Int8, ElementType::Int16});
  const TensorId z = b.rescale(y, to, random_scale(random, b.type_of(y), to, b.shape_of(y).back()));
  return random.chance(30) ? b.clamp(z, -50, 90) : z;
}

TensorId random_computed_conv(GraphBuilder& b, Random& random) {
  const bool is_depthwise = random.chance(40);
  const Axis y = random_axis(random, 7), x = random_axis(random, 7);
  const int64_t in_channels = random.pick<int64_t>({1, 3, 8, 16, 17, 32}), n = random.within(1, 2);
  const int64_t made = is_depthwise ? random.within(1, 3) : random.pick<int64_t>({1, 3, 8, 16, 33});
  const int64_t channels = is_depthwise ? in_channels * made : made;
  const Shape kernel =
      is_depthwise ? Shape{y.kernel, x.kernel, in_channels, made} : Shape{made, y.kernel, x.kernel, in_channels};
  const Operands o = random_operands(b, random, {n, y.in, x.in, in_channels}, kernel, channels);
  const ir::ConvAttributes attributes{
      {y.before, y.after, x.before, x.after}, {y.stride, x.stride}, {y.dilation, x.dilation}, o.sum};
  return random_end(b, random,
                    b.op(is_depthwise ? OpKind::DepthwiseConv2d : OpKind::Conv2d,
                         {o.x, o.weight, o.bias, o.x_zp, o.weight_zp}, o.sum, {n, y.out, x.out, channels}, attributes));
}

TensorId random_computed_transpose_conv(GraphBuilder& b, Random& random) {
  const int64_t in_channels = random.pick<int64_t>({1, 3, 16, 33}), channels = random.pick<int64_t>({1, 4, 17});
  const Shape in{random.within(1, 2), random.within(1, 5), random.within(1, 5), in_channels};
  const Shape kernel{channels, random.within(1, 4), random.within(1, 4), in_channels};
  const Operands o = random_operands(b, random, in, kernel, channels);
  ir::TransposeConvAttributes attributes{{0, 0, 0, 0}, {1, 1}, o.sum};
  Shape out{in[0], 0, 0, channels};
  for (size_t axis = 0; axis < 2; ++axis) {
    attributes.stride[axis] = random.within(1, 4);
    attributes.out_pad[2 * axis] = random.within(1 - kernel[1 + axis], 2);
    int64_t& last = attributes.out_pad[2 * axis + 1];
    last = random.within(1 - kernel[1 + axis], 2);
    const int64_t size = (in[1 + axis] - 1) * attributes.stride[axis] + attributes.out_pad[2 * axis] + kernel[1 + axis];
    last = std::max(last, 1 - size);
    out[1 + axis] = size + last;
  }
  return random_end(b, random,
                    b.op(OpKind::TransposeConv2d, {o.x, o.weight, o.bias, o.x_zp, o.weight_zp}, o.sum, out, attributes));
}

TensorId random_conv3d(GraphBuilder& b, Random& random) {
  const Axis z = random_axis(random, 5), y = random_axis(random, 5), x = random_axis(random, 5);
  const int64_t in_channels = random.pick<int64_t>({1, 3, 8, 17}), channels = random.pick<int64_t>({1, 3, 8, 17, 33});
  const int64_t n = random.within(1, 2);
  const Operands o = random_operands(b, random, {n, z.in, y.in, x.in, in_channels},
                                     {channels, z.kernel, y.kernel, x.kernel, in_channels}, channels);
  const ir::ConvAttributes attributes{{z.before, z.after, y.before, y.after, x.before, x.after},
                                      {z.stride, y.stride, x.stride},
                                      {z.dilation, y.dilation, x.dilation},
                                      o.sum};
  return random_end(b, random,
                    b.op(OpKind::Conv3d, {o.x, o.weight, o.bias, o.x_zp, o.weight_zp}, o.sum,
                         {n, z.out, y.out, x.out, channels}, attributes));
}

TensorId random_wide_resize(GraphBuilder& b, Random& random) {
  const Shape in{random.within(1, 2), random.within(1, 4), random.within(1, 4), random.pick<int64_t>({1, 3, 16, 33})};
  const int64_t n = random.pick<int64_t>({16, 100, 2047, 2048}), d = n / random.within(1, 3);
  std::vector<int64_t> offset, border;
  Shape out = in;
  for (size_t axis = 0; axis < 2; ++axis) {
    offset.push_back(random.within(-n, n - 1));
    const int64_t span = (in[1 + axis] - 1) * n - offset.back();
    int64_t fits = -16 * n;
    while (fits < n && (span + fits < 0 || (span + fits) % d != 0)) ++fits;
    while (fits + d < n) fits += d;
    border.push_back(fits);
    out[1 + axis] = (span + fits) / d + 1;
  }
  const TensorId x = b.input("x", ElementType::Int16, in);
  return random_end(b, random,
                    b.op(OpKind::Resize, {x, b.shape({n, d, n, d}), b.shape(offset), b.shape(border)}, ElementType::Int48,
                         out, ir::ResizeAttributes{true}));
}

TEST_CASE("random computed operands come out as the reference computes them") {
  const auto family =
      GENERATE(tests::Family{"gather", random_gather}, tests::Family{"convolution", random_computed_conv},
               tests::Family{"transposed", random_computed_transpose_conv}, tests::Family{"three dimensions", random_conv3d},
               tests::Family{"wide resize", random_wide_resize});
  tests::run_family(family);
}

}  // namespace
}  // namespace vernier
