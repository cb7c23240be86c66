// SPDX-License-Identifier: Apache-2.0
// Random graphs of the operators that the MAC array runs beside convolutions, and of those that only move elements.
#include "tests/unit/compiler_passes/random_graphs.hpp"

#include <catch2/catch.hpp>

namespace vernier {
namespace {

using base::ElementType;
using base::Shape;
using ir::OpKind;
using tests::GraphBuilder;
using tests::Random;
using tests::random_constant;
using tests::random_scale;

/// A RESCALE and a CLAMP behind a sum, sometimes.
ir::TensorId random_rescaled_end(GraphBuilder& b, Random& random, ir::TensorId sum) {
  if (random.chance(30)) return sum;
  const auto type = random.pick<ElementType>({ElementType::Int8, ElementType::Int8, ElementType::Int16});
  const auto from = b.type_of(sum);
  auto scale = random_scale(random, from, type, 1);
  scale.attributes.per_channel = false;
  const auto y = b.rescale(sum, type, scale);
  return type == ElementType::Int8 && random.chance(40) ? b.clamp(y, -100, 90) : y;
}

ir::TensorId random_matmul(GraphBuilder& b, Random& random) {
  const auto type = random.chance(70) ? ElementType::Int8 : ElementType::Int16;
  const auto sum = type == ElementType::Int8 ? ElementType::Int32 : ElementType::Int48;
  const int64_t n = random.within(1, 3), h = random.pick<int64_t>({1, 3, 9, 49, 70}),
                c = random.pick<int64_t>({1, 5, 16, 33, 64}), w = random.pick<int64_t>({1, 3, 8, 9, 16, 40});
  const auto x = b.input("x", type, {n, h, c});
  const auto y = random.chance(30)
                     ? random_constant(b, random, type, {n, c, w}, base::min_value(type), base::max_value(type))
                     : b.input("y", type, {n, c, w});
  const bool has_zero = type == ElementType::Int8;
  const auto x_zp = b.scalar(type, has_zero ? random.within(-128, 127) : 0);
  const auto y_zp = b.scalar(type, has_zero ? random.within(-128, 127) : 0);
  const auto z = random_rescaled_end(b, random, b.op(OpKind::MatMul, {x, y, x_zp, y_zp}, sum, {n, h, w}));
  if (random.chance(30) && b.type_of(z) != ElementType::Int48) return b.reshape(z, {n * h, w});
  return z;
}

ir::TensorId random_transpose_conv(GraphBuilder& b, Random& random) {
  const auto type = random.chance(75) ? ElementType::Int8 : ElementType::Int16;
  const auto sum = type == ElementType::Int8 ? ElementType::Int32 : ElementType::Int48;
  const Shape in{random.within(1, 2), random.within(1, 6), random.within(1, 6), random.pick<int64_t>({1, 3, 16, 32})};
  const int64_t channels = random.pick<int64_t>({1, 3, 8, 16, 33});
  ir::TransposeConvAttributes attributes{{0, 0, 0, 0}, {1, 1}, sum};
  Shape out{in[0], 0, 0, channels}, kernel{channels, 1, 1, in[3]};
  for (size_t axis = 0; axis < 2; ++axis) {
    kernel[1 + axis] = random.within(1, 4);
    attributes.stride[axis] = random.within(1, 3);
    for (size_t side = 0; side < 2; ++side) attributes.out_pad[2 * axis + side] = random.within(1 - kernel[1 + axis], 3);
    int64_t& last = attributes.out_pad[2 * axis + 1];
    const auto size = [&] {
      return (in[1 + axis] - 1) * attributes.stride[axis] + attributes.out_pad[2 * axis] + last + kernel[1 + axis];
    };
    while (size() < 1) ++last;
    out[1 + axis] = size();
  }
  const auto x = b.input("x", type, in);
  const auto w = random_constant(b, random, ElementType::Int8, kernel, -128, 127);
  const auto bias = random_constant(b, random, sum, {random.chance(30) ? 1 : channels}, -5000, 5000);
  const bool has_zero = type == ElementType::Int8;
  const auto x_zp = b.scalar(type, has_zero ? random.within(-128, 127) : 0);
  const auto w_zp = b.scalar(ElementType::Int8, has_zero && random.chance(30) ? random.within(-20, 20) : 0);
  return random_rescaled_end(b, random, b.op(OpKind::TransposeConv2d, {x, w, bias, x_zp, w_zp}, sum, out, attributes));
}

ir::TensorId random_resize(GraphBuilder& b, Random& random) {
  const bool is_bilinear = random.chance(60);
  const auto type = random.chance(75) ? ElementType::Int8 : ElementType::Int16;
  const Shape in{random.within(1, 2), random.within(1, 6), random.within(1, 6), random.pick<int64_t>({1, 3, 16, 33})};
  std::vector<int64_t> scale, offset, border;
  Shape out = in;
  for (size_t axis = 0; axis < 2; ++axis) {
    // Sums of int16 have 48 bits, which only the array holds: small scales.
    const bool is_small = is_bilinear && type == ElementType::Int16;
    const int64_t n = random.within(1, is_small ? 11 : 16), d = random.within(1, std::min<int64_t>(16 * n - 1, 2 * n));
    scale.insert(scale.end(), {n, d});
    offset.push_back(random.within(-n, n));
    int64_t least = -16 * n;
    const int64_t base_span = (in[1 + axis] - 1) * n - offset.back();
    while (base_span + least < 0 || (base_span + least) % d != 0) ++least;
    int64_t most = least;
    while (most + d < n) most += d;
    border.push_back(most);
    out[1 + axis] = (base_span + most) / d + 1;
    if (most >= n) return b.unary(OpKind::Identity, b.input("x", type, in));  // no border gives a whole number
  }
  const auto sum = !is_bilinear ? type : type == ElementType::Int8 ? ElementType::Int32 : ElementType::Int48;
  const auto x = b.input("x", type, in);
  const auto y = b.op(OpKind::Resize, {x, b.shape(scale), b.shape(offset), b.shape(border)}, sum, out,
                      ir::ResizeAttributes{is_bilinear});
  return is_bilinear ? random_rescaled_end(b, random, y) : y;
}

ir::TensorId random_move(GraphBuilder& b, Random& random) {
  const auto type = random.pick<ElementType>({ElementType::Bool, ElementType::Int8, ElementType::Int16, ElementType::Int32});
  Shape shape = random.shape(1);
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t axis = random.within(0, rank - 1);
  const auto x = b.input("x", type, shape);
  switch (random.within(0, 5)) {
    case 0: {
      std::vector<ir::TensorId> pieces{x, x};
      Shape other = shape;
      other[static_cast<size_t>(axis)] = random.within(1, 4);
      pieces.push_back(b.input("y", type, other));
      if (random.chance(30)) pieces.push_back(random_constant(b, random, type, other, 0, 1));
      Shape out = shape;
      out[static_cast<size_t>(axis)] = 0;
      for (const auto piece : pieces) out[static_cast<size_t>(axis)] += b.shape_of(piece)[static_cast<size_t>(axis)];
      return b.op(OpKind::Concat, pieces, type, out, ir::AxisAttributes{axis});
    }
    case 1: {
      std::vector<int64_t> padding;
      for (int64_t& extent : shape) {
        padding.push_back(random.within(0, 2));
        padding.push_back(random.within(0, 2));
        extent += padding.back() + padding[padding.size() - 2];
      }
      const int64_t value = type == ElementType::Bool ? 1 : random.within(base::min_value(type), base::max_value(type));
      return b.op(OpKind::Pad, {x, b.shape(padding), b.scalar(type, value)}, type, shape);
    }
    case 2: return b.op(OpKind::Reverse, {x}, type, shape, ir::AxisAttributes{axis});
    case 3: {
      std::vector<int64_t> times;
      for (int64_t& extent : shape) {
        times.push_back(random.within(1, 2));
        extent *= times.back();
      }
      return b.op(OpKind::Tile, {x, b.shape(times)}, type, shape);
    }
    default: {
      std::vector<int64_t> perms;
      for (int64_t d = 0; d < rank; ++d) perms.insert(perms.begin() + random.within(0, d), d);
      Shape out;
      for (const int64_t d : perms) out.push_back(shape[static_cast<size_t>(d)]);
      const auto y = b.op(OpKind::Transpose, {x}, type, out, ir::TransposeAttributes{perms});
      if (random.chance(50)) return y;
      return b.op(OpKind::Reverse, {y}, type, out, ir::AxisAttributes{axis});
    }
  }
}

ir::TensorId random_logic(GraphBuilder& b, Random& random) {
  const Shape shape = random.shape(1);
  const int64_t axis = random.within(0, static_cast<int64_t>(shape.size()) - 1);
  const auto operand = [&](const std::string& name, ElementType type) {
    return tests::random_operand(b, random, name, type, shape, base::min_value(type), base::max_value(type), false);
  };
  switch (random.within(0, 6)) {
    case 0: {
      const auto kind = random.pick<OpKind>({OpKind::Equal, OpKind::Greater, OpKind::GreaterEqual});
      const auto x = operand("x", ElementType::Int32), y = operand("y", ElementType::Int32);
      Shape out = b.shape_of(x);
      for (size_t d = 0; d < out.size(); ++d) out[d] = std::max(out[d], b.shape_of(y)[d]);
      return b.op(kind, {x, y}, ElementType::Bool, out);
    }
    case 1:
      return b.binary(random.pick<OpKind>({OpKind::LogicalAnd, OpKind::LogicalOr, OpKind::LogicalXor}),
                      operand("x", ElementType::Bool), operand("y", ElementType::Bool));
    case 2: {
      const auto type =
          random.pick<ElementType>({ElementType::Bool, ElementType::Int8, ElementType::Int16, ElementType::Int32});
      return b.op(OpKind::Select,
                  {b.input("c", ElementType::Bool, shape), b.input("x", type, shape), b.input("y", type, shape)}, type,
                  shape);
    }
    case 3: {
      const auto from =
          random.pick<ElementType>({ElementType::Bool, ElementType::Int8, ElementType::Int16, ElementType::Int32});
      auto to = from;
      while (to == from)
        to = random.pick<ElementType>({ElementType::Bool, ElementType::Int8, ElementType::Int16, ElementType::Int32});
      return b.op(OpKind::Cast, {b.input("x", from, shape)}, to, shape);
    }
    case 4: {
      const auto x = b.unary(OpKind::LogicalNot, b.input("x", ElementType::Bool, shape));
      return b.reduce(random.chance(50) ? OpKind::ReduceAll : OpKind::ReduceAny, x, axis);
    }
    case 5: {
      const auto x = b.input("x", ElementType::Int32, shape);
      return b.binary(OpKind::IntDiv, x, random_constant(b, random, ElementType::Int32, shape, 1, 1000));
    }
    default: {
      Shape out = shape;
      out.erase(out.begin() + axis);
      const auto x = b.input("x", random.pick<ElementType>({ElementType::Int8, ElementType::Int16}), shape);
      return b.op(OpKind::ArgMax, {x}, ElementType::Int32, out, ir::AxisAttributes{axis});
    }
  }
}

TEST_CASE("random matrices, phases and movements come out as the reference computes them") {
  const auto family = GENERATE(tests::Family{"matmul", random_matmul}, tests::Family{"transposed", random_transpose_conv},
                               tests::Family{"resize", random_resize}, tests::Family{"move", random_move},
                               tests::Family{"logic", random_logic});
  tests::run_family(family);
}

}  // namespace
}  // namespace vernier
