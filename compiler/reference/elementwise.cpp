// SPDX-License-Identifier: Apache-2.0
// Elementwise operators (TOSA 1.0, sections 2.4 to 2.6) over the functions of hw/model/elementwise.hpp.
#include "hw/model/elementwise.hpp"

#include "compiler/reference/elements.hpp"
#include "compiler/reference/operators.hpp"

namespace vernier::reference {

namespace {

/// Walks over the result in row-major order, with the indices of two operands that broadcast into it.
class BroadcastWalk {
 public:
  BroadcastWalk(const base::Shape& result, const base::Shape& a, const base::Shape& b)
      : shape_(result), coordinates_(result.size()), a_strides_(strides(a)), b_strides_(strides(b)) {}
  [[nodiscard]] int64_t a() const { return a_; }
  [[nodiscard]] int64_t b() const { return b_; }
  void next() {
    for (size_t i = shape_.size(); i-- > 0;) {
      a_ += a_strides_[i];
      b_ += b_strides_[i];
      if (++coordinates_[i] < shape_[i]) return;
      coordinates_[i] = 0;
      a_ -= a_strides_[i] * shape_[i];
      b_ -= b_strides_[i] * shape_[i];
    }
  }

 private:
  /// In elements; 0 along dimensions of 1, which broadcast.
  static base::Shape strides(const base::Shape& shape) {
    base::Shape result(shape.size());
    int64_t stride = 1;
    for (size_t i = shape.size(); i-- > 0;) {
      result[i] = shape[i] == 1 ? 0 : stride;
      stride *= shape[i];
    }
    return result;
  }
  const base::Shape& shape_;
  base::Shape coordinates_, a_strides_, b_strides_;
  int64_t a_ = 0, b_ = 0;
};

/// `compute` of each pair; `is_defined` says whether its REQUIREs hold.
template <typename Compute, typename IsDefined>
base::Tensor map_pairs(Task& task, const Compute& compute, const IsDefined& is_defined, std::string_view require) {
  base::Tensor output = task.make_output();
  const Reader a(task.operand(0)), b(task.operand(1));
  const Writer result(output);
  BroadcastWalk walk(output.shape(), task.operand(0).shape(), task.operand(1).shape());
  for (int64_t i = 0; i < output.size(); ++i, walk.next()) {
    const int32_t x = a.small(walk.a()), y = b.small(walk.b());
    if (!is_defined(x, y)) task.require_violated(fmt::format("{} ({} and {})", require, x, y), i);
    result.set(i, compute(x, y));
  }
  return output;
}

template <typename Compute>
base::Tensor map_pairs(Task& task, const Compute& compute) {
  return map_pairs(
      task, compute, [](int32_t, int32_t) { return true; }, "");
}

template <typename Compute, typename IsDefined>
base::Tensor map_each(Task& task, const Compute& compute, const IsDefined& is_defined) {
  base::Tensor output = task.make_output();
  const Reader input(task.operand(0));
  const Writer result(output);
  for (int64_t i = 0; i < output.size(); ++i) {
    const int32_t x = input.small(i);
    if (!is_defined(x)) task.require_violated(fmt::format("the result overflows int32 (of {})", x), i);
    result.set(i, compute(x));
  }
  return output;
}

template <typename Compute>
base::Tensor map_each(Task& task, const Compute& compute) {
  return map_each(task, compute, [](int32_t) { return true; });
}

base::Tensor shift(Task& task) {
  const base::ElementType type = task.operand(0).type();
  const auto is_defined = [type](int32_t, int32_t amount) { return model::shift_is_defined(amount, type); };
  constexpr std::string_view kRequire = "the shift amount is out of range";
  switch (task.op().kind) {
    case ir::OpKind::LogicalLeftShift:
      return map_pairs(
          task, [type](int32_t x, int32_t s) { return model::logical_left_shift(x, s, type); }, is_defined, kRequire);
    case ir::OpKind::LogicalRightShift:
      return map_pairs(
          task, [type](int32_t x, int32_t s) { return model::logical_right_shift(x, s, type); }, is_defined, kRequire);
    default: {
      const bool is_rounded = task.op().attributes_as<ir::ShiftAttributes>().round;
      const auto compute = [is_rounded](int32_t x, int32_t s) { return model::arithmetic_right_shift(x, s, is_rounded); };
      return map_pairs(task, compute, is_defined, kRequire);
    }
  }
}

base::Tensor mul(Task& task) {
  const int32_t amount = task.scalar(2);
  const base::ElementType type = task.operand(0).type();
  return map_pairs(
      task, [amount](int32_t x, int32_t y) { return model::mul(x, y, amount); },
      [amount, type](int32_t x, int32_t y) { return model::mul_is_defined(x, y, amount, type); },
      fmt::format("the product or its shift of {} is out of range", amount));
}

}  // namespace

base::Tensor select(Task& task) {
  base::Tensor output = task.make_output();
  const Reader condition(task.operand(0)), on_true(task.operand(1)), on_false(task.operand(2));
  const Writer result(output);
  BroadcastWalk conditions(output.shape(), task.operand(0).shape(), task.operand(0).shape());
  BroadcastWalk choices(output.shape(), task.operand(1).shape(), task.operand(2).shape());
  for (int64_t i = 0; i < output.size(); ++i, conditions.next(), choices.next()) {
    result.set(i, model::select(condition.small(conditions.a()), on_true.small(choices.a()), on_false.small(choices.b())));
  }
  return output;
}

base::Tensor elementwise_binary(Task& task) {
  switch (task.op().kind) {
    case ir::OpKind::Add: return map_pairs(task, model::add, model::add_is_defined, "the sum overflows int32");
    case ir::OpKind::Sub: return map_pairs(task, model::sub, model::sub_is_defined, "the difference overflows int32");
    case ir::OpKind::Mul: return mul(task);
    case ir::OpKind::IntDiv: return map_pairs(task, model::intdiv, model::intdiv_is_defined, "the quotient is not defined");
    case ir::OpKind::Equal: return map_pairs(task, model::equal);
    case ir::OpKind::Greater: return map_pairs(task, model::greater);
    case ir::OpKind::GreaterEqual: return map_pairs(task, model::greater_equal);
    case ir::OpKind::LogicalAnd: return map_pairs(task, model::logical_and);
    case ir::OpKind::LogicalOr: return map_pairs(task, model::logical_or);
    case ir::OpKind::LogicalXor: return map_pairs(task, model::logical_xor);
    case ir::OpKind::Maximum: return map_pairs(task, model::maximum);
    case ir::OpKind::Minimum: return map_pairs(task, model::minimum);
    case ir::OpKind::BitwiseAnd: return map_pairs(task, model::bitwise_and);
    case ir::OpKind::BitwiseOr: return map_pairs(task, model::bitwise_or);
    case ir::OpKind::BitwiseXor: return map_pairs(task, model::bitwise_xor);
    default: return shift(task);
  }
}

base::Tensor elementwise_unary(Task& task) {
  switch (task.op().kind) {
    case ir::OpKind::Abs: return map_each(task, model::abs, model::abs_is_defined);
    case ir::OpKind::Clz: return map_each(task, model::clz);
    case ir::OpKind::BitwiseNot: return map_each(task, model::bitwise_not);
    case ir::OpKind::LogicalNot: return map_each(task, model::logical_not);
    case ir::OpKind::Cast: {
      const base::ElementType type = task.output().type;
      return map_each(task, [type](int32_t x) { return model::cast(x, type); });
    }
    case ir::OpKind::Clamp: {
      const auto& a = task.op().attributes_as<ir::ClampAttributes>();
      const auto low = static_cast<int32_t>(a.min), high = static_cast<int32_t>(a.max);
      return map_each(task, [low, high](int32_t x) { return model::clamp(x, low, high); });
    }
    default: {
      VERNIER_CHECK(task.op().kind == ir::OpKind::Negate, "{} is elementwise", to_string(task.op().kind));
      const int32_t input_zp = task.scalar(1), output_zp = task.scalar(2);
      const base::ElementType type = task.output().type;
      return map_each(
          task, [=](int32_t x) { return model::negate(x, input_zp, output_zp, type); },
          [=](int32_t x) { return model::negate_is_defined(x, input_zp, output_zp); });
    }
  }
}

}  // namespace vernier::reference
