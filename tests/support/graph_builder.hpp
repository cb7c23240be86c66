// SPDX-License-Identifier: Apache-2.0
// Graphs in a few lines, for tests:
//   GraphBuilder b;
//   const auto x = b.input("x", ElementType::Int8, {1, 8, 8, 3});
//   const auto y = b.conv2d(x, b.constant(ElementType::Int8, {4, 3, 3, 3}, values), b.constant(ElementType::Int32, {4},
//   bias)); const ir::Graph graph = b.build({b.rescale(y, ElementType::Int8, {.multipliers = {1 << 30}, .shifts = {38}})});
#pragma once

#include "compiler/ir/graph.hpp"
#include "hw/base/error.hpp"

#include <fmt/format.h>

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace vernier::tests {

using base::ElementType;
using base::Shape;

/// A tensor of those values, in row-major order.
inline base::Tensor make_tensor(ElementType type, const Shape& shape, const std::vector<int64_t>& values) {
  base::Tensor tensor(type, shape);
  VERNIER_CHECK(tensor.size() == static_cast<int64_t>(values.size()), "{} values for {}", values.size(),
                base::to_string(shape));
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.set(i, values[static_cast<size_t>(i)]);
  return tensor;
}

/// Uniform values in [least, most]; the same seed gives the same tensor everywhere (no standard distribution is used).
inline base::Tensor random_tensor(ElementType type, const Shape& shape, uint64_t seed, int64_t least, int64_t most) {
  std::mt19937_64 engine(seed);
  base::Tensor tensor(type, shape);
  const uint64_t span = static_cast<uint64_t>(most) - static_cast<uint64_t>(least) + 1;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const uint64_t offset = span == 0 ? engine() : engine() % span;
    tensor.set(i, static_cast<int64_t>(static_cast<uint64_t>(least) + offset));
  }
  return tensor;
}
/// Uniform over the whole type.
inline base::Tensor random_tensor(ElementType type, const Shape& shape, uint64_t seed) {
  return random_tensor(type, shape, seed, base::min_value(type), base::max_value(type));
}

class GraphBuilder {
 public:
  using TensorId = ir::TensorId;

  struct Window {  // of convolutions and pools
    std::vector<int64_t> pad{0, 0, 0, 0}, stride{1, 1}, dilation{1, 1};
    int64_t input_zp = 0, other_zp = 0;  // other: the weights' zero point, or the pool's output's
  };
  struct Scale {
    std::vector<int64_t> multipliers{1 << 30}, shifts{30};  // more than one: per channel
    int64_t input_zp = 0, output_zp = 0;
    ir::RescaleAttributes attributes{};
  };

  /// Operators added from now on carry this location.
  void set_location(std::string location) { location_ = std::move(location); }

  TensorId input(const std::string& name, ElementType type, const Shape& shape) {
    const TensorId id = add_tensor(name, type, shape);
    graph_.inputs.push_back(id);
    return id;
  }
  TensorId constant(const base::Tensor& value, const std::string& name = "") {
    const TensorId id = add_tensor(name, value.type(), value.shape());
    graph_.tensors.back().constant = std::make_shared<const base::Tensor>(value);
    return id;
  }
  TensorId constant(ElementType type, const Shape& shape, const std::vector<int64_t>& values, const std::string& name = "") {
    return constant(make_tensor(type, shape, values), name);
  }
  /// A one-element constant of rank 1: zero points, shifts.
  TensorId scalar(ElementType type, int64_t value) { return constant(type, {1}, {value}); }
  /// A constant shape operand.
  TensorId shape(const std::vector<int64_t>& values) {
    return constant(ElementType::Shape, {static_cast<int64_t>(values.size())}, values);
  }

  /// Any operator with one result.
  TensorId op(ir::OpKind kind, std::vector<TensorId> inputs, ElementType type, const Shape& shape,
              ir::Attributes attributes = {}) {
    const TensorId id = add_tensor("", type, shape);
    graph_.operators.push_back({kind, std::move(attributes), std::move(inputs), {id}, location_});
    return id;
  }
  /// Elementwise with one operand; also IDENTITY.
  TensorId unary(ir::OpKind kind, TensorId x) { return op(kind, {x}, type_of(x), shape_of(x)); }
  /// Elementwise with two operands that broadcast; ARITHMETIC_RIGHT_SHIFT takes its attribute.
  TensorId binary(ir::OpKind kind, TensorId a, TensorId b, ir::Attributes attributes = {}) {
    return op(kind, {a, b}, type_of(a), broadcast(a, b), std::move(attributes));
  }
  TensorId mul(TensorId a, TensorId b, int64_t shift = 0) {
    const TensorId shift_id = scalar(ElementType::Int8, shift);
    return op(ir::OpKind::Mul, {a, b, shift_id}, ElementType::Int32, broadcast(a, b));
  }
  TensorId clamp(TensorId x, int64_t min, int64_t max) {
    return op(ir::OpKind::Clamp, {x}, type_of(x), shape_of(x), ir::ClampAttributes{min, max});
  }
  TensorId table(TensorId x, TensorId values) {
    return op(ir::OpKind::Table, {x, values}, type_of(x) == ElementType::Int8 ? ElementType::Int8 : ElementType::Int32,
              shape_of(x));
  }
  TensorId rescale(TensorId x, ElementType type, const Scale& scale) {
    ir::RescaleAttributes attributes = scale.attributes;
    const auto n = static_cast<int64_t>(scale.multipliers.size());
    if (n > 1) attributes.per_channel = true;
    const TensorId m = constant(attributes.scale32 ? ElementType::Int32 : ElementType::Int16, {n}, scale.multipliers);
    const TensorId s = constant(ElementType::Int8, {static_cast<int64_t>(scale.shifts.size())}, scale.shifts);
    const TensorId in_zp = scalar(type_of(x), scale.input_zp), out_zp = scalar(type, scale.output_zp);
    return op(ir::OpKind::Rescale, {x, m, s, in_zp, out_zp}, type, shape_of(x), attributes);
  }
  TensorId conv2d(TensorId x, TensorId weight, TensorId bias, const Window& window) {
    const Shape& w = shape_of(weight);
    return convolution(ir::OpKind::Conv2d, x, weight, bias, window, w[1], w[2], w[0]);
  }
  TensorId depthwise_conv2d(TensorId x, TensorId weight, TensorId bias, const Window& window) {
    const Shape& w = shape_of(weight);
    return convolution(ir::OpKind::DepthwiseConv2d, x, weight, bias, window, w[0], w[1], w[2] * w[3]);
  }
  TensorId avg_pool2d(TensorId x, const std::vector<int64_t>& kernel, const Window& window) {
    const TensorId in_zp = scalar(type_of(x), window.input_zp), out_zp = scalar(type_of(x), window.other_zp);
    const Shape out = window_shape(x, window, kernel[0], kernel[1], shape_of(x)[3]);
    return op(ir::OpKind::AvgPool2d, {x, in_zp, out_zp}, type_of(x), out,
              ir::PoolAttributes{kernel, window.stride, window.pad, ElementType::Int32});
  }
  TensorId reduce(ir::OpKind kind, TensorId x, int64_t axis) {
    Shape out = shape_of(x);
    out[static_cast<size_t>(axis)] = 1;
    return op(kind, {x}, type_of(x), out, ir::AxisAttributes{axis});
  }
  TensorId reshape(TensorId x, const Shape& to) {
    const TensorId operand = shape(to);
    return op(ir::OpKind::Reshape, {x, operand}, type_of(x), to);
  }
  TensorId slice(TensorId x, const std::vector<int64_t>& start, const std::vector<int64_t>& size) {
    const TensorId start_id = shape(start), size_id = shape(size);
    return op(ir::OpKind::Slice, {x, start_id, size_id}, type_of(x), size);
  }

  [[nodiscard]] ElementType type_of(TensorId id) const { return graph_.tensor(id).type; }
  [[nodiscard]] const Shape& shape_of(TensorId id) const { return graph_.tensor(id).shape; }
  /// To spoil things before build_unverified().
  [[nodiscard]] ir::Graph& graph() { return graph_; }

  [[nodiscard]] ir::Graph build_unverified(const std::vector<TensorId>& outputs) {
    graph_.outputs = outputs;
    return graph_;
  }
  [[nodiscard]] ir::Graph build(const std::vector<TensorId>& outputs) {
    ir::Graph graph = build_unverified(outputs);
    ir::verify(graph, "test", ir::kLevel8k);
    return graph;
  }

 private:
  TensorId add_tensor(const std::string& name, ElementType type, const Shape& shape) {
    const auto id = static_cast<TensorId>(graph_.tensors.size());
    graph_.tensors.push_back({name.empty() ? fmt::format("t{}", id) : name, type, shape, nullptr});
    return id;
  }
  [[nodiscard]] Shape broadcast(TensorId a, TensorId b) const {
    Shape out = shape_of(a);
    for (size_t i = 0; i < out.size(); ++i) out[i] = out[i] == 1 ? shape_of(b).at(i) : out[i];
    return out;
  }
  [[nodiscard]] Shape window_shape(TensorId x, const Window& w, int64_t kernel_h, int64_t kernel_w, int64_t channels) const {
    const Shape& in = shape_of(x);
    const auto size = [&](size_t axis, int64_t kernel) {
      const int64_t pads = w.pad[2 * axis] + w.pad[2 * axis + 1];
      return (in[1 + axis] - 1 + pads - (kernel - 1) * w.dilation[axis]) / w.stride[axis] + 1;
    };
    return {in[0], size(0, kernel_h), size(1, kernel_w), channels};
  }
  TensorId convolution(ir::OpKind kind, TensorId x, TensorId weight, TensorId bias, const Window& window, int64_t kernel_h,
                       int64_t kernel_w, int64_t channels) {
    const ElementType acc = type_of(x) == ElementType::Int16 ? ElementType::Int48 : ElementType::Int32;
    const TensorId x_zp = scalar(type_of(x), window.input_zp), w_zp = scalar(type_of(weight), window.other_zp);
    const Shape out = window_shape(x, window, kernel_h, kernel_w, channels);
    return op(kind, {x, weight, bias, x_zp, w_zp}, acc, out,
              ir::ConvAttributes{window.pad, window.stride, window.dilation, acc});
  }

  ir::Graph graph_;
  std::string location_;
};

}  // namespace vernier::tests
