// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/computed_parameters.hpp"

#include "hw/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace vernier::passes {
namespace {

using base::ElementType;
using base::Shape;
using ir::OpKind;
using ir::TensorId;

/// Where the zero points of an operator stand: two operands, one after the other; none (-1) for other operators.
int first_zero_point(OpKind kind) {
  switch (kind) {
    case OpKind::AvgPool2d: return 1;
    case OpKind::MatMul: return 2;
    case OpKind::Conv2d:
    case OpKind::Conv3d:
    case OpKind::DepthwiseConv2d:
    case OpKind::TransposeConv2d: return 3;
    default: return -1;
  }
}

base::Tensor filled(ElementType type, const Shape& shape, int64_t value) {
  base::Tensor tensor(type, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.set(i, value);
  return tensor;
}

class ZeroPointRewriter {
 public:
  ZeroPointRewriter(const ir::Graph& source, const std::function<bool(TensorId)>& is_known)
      : source_(source), is_known_(is_known) {}

  std::optional<MergedGraph> run() {
    if (std::ranges::none_of(source_.operators, [&](const ir::Operator& op) { return has_computed(op); })) return {};
    made_.begin(source_);
    for (size_t i = 0; i < source_.operators.size(); ++i) {
      source_op_ = static_cast<ir::OpId>(i);
      const ir::Operator& op = source_.operators[i];
      has_computed(op) ? rewrite(op) : append(op);
    }
    return made_.take();
  }

 private:
  [[nodiscard]] bool has_computed(const ir::Operator& op) const {
    const int first = first_zero_point(op.kind);
    if (first < 0) return false;
    const auto at = static_cast<size_t>(first);
    return !is_known_(op.inputs[at]) || !is_known_(op.inputs[at + 1]);
  }

  [[nodiscard]] const ir::TensorInfo& tensor(TensorId id) const { return made_.tensor(id); }

  void append(ir::Operator op) { made_.add(std::move(op), {source_op_}); }

  /// After the result of the operator that is rewritten.
  std::string new_name() {
    return fmt::format("{}_{}", source_.tensor(source_.operators[source_op_].outputs[0]).name, num_new_++);
  }
  TensorId add_tensor(ElementType type, const Shape& shape) { return made_.add_tensor(new_name(), type, shape); }
  TensorId constant(base::Tensor value) { return made_.add_constant(new_name(), std::move(value)); }
  TensorId zero(ElementType type) { return constant(filled(type, {1}, 0)); }

  /// An operator with a new tensor as its result, or with `result`.
  TensorId add(OpKind kind, std::vector<TensorId> inputs, ElementType type, const Shape& shape,
               ir::Attributes attributes = {}, TensorId result = -1) {
    ir::Operator op;
    op.kind = kind;
    op.attributes = std::move(attributes);
    op.inputs = std::move(inputs);
    op.outputs = {result >= 0 ? result : add_tensor(type, shape)};
    op.location = source_.operators[source_op_].location;
    const TensorId made = op.outputs[0];
    append(std::move(op));
    return made;
  }

  TensorId cast(TensorId id, ElementType type) {
    return tensor(id).type == type ? id : add(OpKind::Cast, {id}, type, tensor(id).shape);
  }

  TensorId reshape(TensorId id, const Shape& shape) {
    base::Tensor operand(ElementType::Shape, {static_cast<int64_t>(shape.size())});
    for (size_t d = 0; d < shape.size(); ++d) operand.set(static_cast<int64_t>(d), shape[d]);
    const ElementType type = tensor(id).type;
    return add(OpKind::Reshape, {id, constant(std::move(operand))}, type, shape);
  }

  /// The operands have int32, and each dimension of the result is as long as the longer one; `result` may be given.
  TensorId binary(OpKind kind, TensorId a, TensorId b, TensorId result = -1) {
    Shape shape = tensor(a).shape;
    for (size_t d = 0; d < shape.size(); ++d) shape[d] = std::max(shape[d], tensor(b).shape[d]);
    std::vector<TensorId> inputs{a, b};
    if (kind == OpKind::Mul) inputs.push_back(zero(ElementType::Int8));
    return add(kind, std::move(inputs), ElementType::Int32, shape, {}, result);
  }

  TensorId scalar32(int64_t value, size_t rank) { return constant(filled(ElementType::Int32, Shape(rank, 1), value)); }

  /// A zero point as int32 with the rank of what it is taken from.
  TensorId widened(TensorId zero_point, size_t rank) {
    return cast(reshape(zero_point, Shape(rank, 1)), ElementType::Int32);
  }

  /// A tensor less its zero point, as int16.
  TensorId less(TensorId id, TensorId zero_point) {
    const size_t rank = tensor(id).shape.size();
    return cast(binary(OpKind::Sub, cast(id, ElementType::Int32), widened(zero_point, rank)), ElementType::Int16);
  }

  void rewrite(const ir::Operator& op) {
    const auto first = static_cast<size_t>(first_zero_point(op.kind));
    const bool is_int16 = source_.tensor(op.inputs[0]).type == ElementType::Int16;
    ir::Operator plain = op;  // with 0 where a zero point is computed
    for (const size_t i : {first, first + 1}) {
      if (!is_known_(op.inputs[i])) plain.inputs[i] = zero(source_.tensor(op.inputs[i]).type);
    }
    if (op.kind == OpKind::AvgPool2d && !is_int16) return average(op);
    const bool has_weights_of_16 = is_int16 && first == 3 && !is_known_(op.inputs[4]);
    if (has_weights_of_16) return convolve_int16(op, std::move(plain));
    if (is_int16) return append(std::move(plain));
    sum_up(op, std::move(plain), first);
  }

  void average(const ir::Operator& op) {
    const Shape& shape = source_.tensor(op.outputs[0]).shape;
    const TensorId mean =
        add(OpKind::AvgPool2d, {less(op.inputs[0], op.inputs[1]), zero(ElementType::Int16), zero(ElementType::Int16)},
            ElementType::Int16, shape, op.attributes);
    const TensorId moved = binary(OpKind::Add, cast(mean, ElementType::Int32), widened(op.inputs[2], shape.size()));
    const TensorId least = scalar32(base::min_value(ElementType::Int8), shape.size());
    const TensorId most = scalar32(base::max_value(ElementType::Int8), shape.size());
    const TensorId clamped = binary(OpKind::Minimum, binary(OpKind::Maximum, moved, least), most);
    add(OpKind::Cast, {clamped}, ElementType::Int8, shape, {}, op.outputs[0]);
  }

  /// Not an operator of TOSA, but of the array.
  void convolve_int16(const ir::Operator& op, ir::Operator plain) {
    plain.inputs[1] = less(op.inputs[1], op.inputs[4]);
    if (op.kind == OpKind::DepthwiseConv2d) {
      plain.kind = OpKind::Conv2d;  // depthwise commands have weights of 8 bits
      plain.inputs[1] = on_diagonal(plain.inputs[1]);
    }
    append(std::move(plain));
  }

  /// Weights [rows][columns][channels][multiplier] of a depthwise convolution as those of a convolution, which are 0 between
  /// different channels.
  TensorId on_diagonal(TensorId weights) {
    const Shape w = tensor(weights).shape;
    const int64_t out = w[2] * w[3];
    const TensorId turned = add(OpKind::Transpose, {weights}, ElementType::Int16, {w[2], w[3], w[0], w[1]},
                                ir::TransposeAttributes{{2, 3, 0, 1}});
    const TensorId column = reshape(turned, {out, w[0], w[1], 1});
    base::Tensor mask(ElementType::Bool, {out, 1, 1, w[2]});
    for (int64_t i = 0; i < out; ++i) mask.set(i * w[2] + i / w[3], 1);
    const TensorId none = constant(filled(ElementType::Int16, {1, 1, 1, 1}, 0));
    return add(OpKind::Select, {constant(std::move(mask)), column, none}, ElementType::Int16, {out, w[0], w[1], w[2]});
  }

  /// MATMUL and convolutions of int8. `plain` is the operator without the zero points that are computed.
  void sum_up(const ir::Operator& op, ir::Operator plain, size_t first) {
    const TensorId result = op.outputs[0];
    const Shape shape = source_.tensor(result).shape;
    const bool has_first = !is_known_(op.inputs[first]);
    const bool has_second = !is_known_(op.inputs[first + 1]) && source_.tensor(op.inputs[1]).type != ElementType::Int4;
    if (!has_first && !has_second) return append(std::move(plain));
    TensorId sum = with(plain, plain.inputs[0], plain.inputs[1], false, shape);
    std::vector<std::pair<OpKind, TensorId>> terms;
    const TensorId a = has_first ? widened(op.inputs[first], shape.size()) : -1;
    const TensorId b = has_second ? widened(op.inputs[first + 1], shape.size()) : -1;
    const TensorId ones_a = has_first ? constant(ones_for_first(op)) : -1;
    const TensorId ones_b = has_second ? constant(ones_for_second(op)) : -1;
    if (has_first) terms.emplace_back(OpKind::Sub, binary(OpKind::Mul, a, with_ones(plain, ones_a, plain.inputs[1])));
    if (has_second) terms.emplace_back(OpKind::Sub, binary(OpKind::Mul, b, with_ones(plain, plain.inputs[0], ones_b)));
    if (has_first && has_second) {
      const TensorId product = binary(OpKind::Mul, a, b);
      terms.emplace_back(OpKind::Add, binary(OpKind::Mul, product, with_ones(plain, ones_a, ones_b)));
    }
    for (size_t i = 0; i < terms.size(); ++i)
      sum = binary(terms[i].first, sum, terms[i].second, i + 1 == terms.size() ? result : -1);
  }

  /// The operator on other operands, with a bias or without.
  TensorId with(const ir::Operator& plain, TensorId first, TensorId second, bool has_no_bias, const Shape& shape) {
    std::vector<TensorId> inputs = plain.inputs;
    inputs[0] = first;
    inputs[1] = second;
    const bool has_bias = plain.kind != OpKind::MatMul;
    if (has_bias && has_no_bias) inputs[2] = zero(ElementType::Int32);
    return add(plain.kind, std::move(inputs), ElementType::Int32, shape, plain.attributes);
  }

  TensorId with_ones(const ir::Operator& plain, TensorId first, TensorId second) {
    const auto at = static_cast<size_t>(first_zero_point(plain.kind));
    ir::Operator op = plain;
    if (first != plain.inputs[0]) op.inputs[at] = zero(ElementType::Int8);
    if (second != plain.inputs[1]) op.inputs[at + 1] = zero(tensor(second).type);
    return with(op, first, second, true, shape_with(plain, tensor(first).shape, tensor(second).shape));
  }

  /// A batch of ones like the first operand. Of a convolution without padding only what one position reads: all positions
  /// are alike.
  [[nodiscard]] base::Tensor ones_for_first(const ir::Operator& op) const {
    Shape shape = source_.tensor(op.inputs[0]).shape;
    if (op.kind == OpKind::MatMul) {
      shape[1] = 1;
    } else {
      shape[0] = 1;
    }
    if (const auto* conv = std::get_if<ir::ConvAttributes>(&op.attributes)) {
      const bool is_padded = std::ranges::any_of(conv->pad, [](int64_t pad) { return pad != 0; });
      for (size_t d = 0; !is_padded && d < conv->dilation.size(); ++d)
        shape[d + 1] = (kernel_of(op, d, source_.tensor(op.inputs[1]).shape) - 1) * conv->dilation[d] + 1;
    }
    return filled(ElementType::Int8, shape, 1);
  }

  /// Ones like the second operand, with one output channel where that is enough.
  [[nodiscard]] base::Tensor ones_for_second(const ir::Operator& op) const {
    Shape shape = source_.tensor(op.inputs[1]).shape;
    if (op.kind == OpKind::MatMul) {
      shape[2] = 1;
    } else if (op.kind != OpKind::DepthwiseConv2d) {
      shape[0] = 1;
    }
    return filled(ElementType::Int8, shape, 1);
  }

  static int64_t kernel_of(const ir::Operator& op, size_t axis, const Shape& weights) {
    return weights[op.kind == OpKind::DepthwiseConv2d ? axis : axis + 1];
  }

  /// The result's shape of the operator with operands of these shapes.
  [[nodiscard]] Shape shape_with(const ir::Operator& op, const Shape& first, const Shape& second) const {
    if (op.kind == OpKind::MatMul) return {first[0], first[1], second[2]};
    Shape shape = source_.tensor(op.outputs[0]).shape;
    shape[0] = first[0];
    shape.back() = op.kind == OpKind::DepthwiseConv2d ? second[2] * second[3] : second[0];
    if (const auto* conv = std::get_if<ir::ConvAttributes>(&op.attributes)) {
      for (size_t d = 0; d < conv->stride.size(); ++d) {
        const int64_t reach = (kernel_of(op, d, second) - 1) * conv->dilation[d];
        shape[d + 1] = (first[d + 1] - 1 + conv->pad[2 * d] + conv->pad[2 * d + 1] - reach) / conv->stride[d] + 1;
      }
    }
    return shape;
  }

  const ir::Graph& source_;
  const std::function<bool(TensorId)>& is_known_;
  MergedGraphBuilder made_;
  ir::OpId source_op_ = -1;  // the operator that is rewritten
  int64_t num_new_ = 0;
};

}  // namespace

std::optional<MergedGraph> rewrite_computed_zero_points(const ir::Graph& source,
                                                        const std::function<bool(TensorId)>& is_known) {
  return ZeroPointRewriter(source, is_known).run();
}

}  // namespace vernier::passes
