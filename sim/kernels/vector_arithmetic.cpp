// SPDX-License-Identifier: Apache-2.0
#include "hw/model/elementwise.hpp"
#include "hw/model/rescale.hpp"
#include "sim/kernels/table_look_up.hpp"
#include "sim/kernels/vector_strip.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace vernier::kernels {
namespace {

using spec::VectorOp;
using spec::VectorStep;

/// One step on one strip. An element of dst depends on the same element of its operands only, so that dst may be one of
/// them: that is what the ivdep pragmas tell the compiler.
class ArithmeticStep {
 public:
  ArithmeticStep(const VectorStep& step, int64_t lanes, const TableMemory& tables, const StripShape& shape,
                 StripRegisters& registers)
      : step_(step),
        lanes_(lanes),
        tables_(tables),
        shape_(shape),
        registers_(registers),
        dst_(registers.narrow(step.dst)),
        a_(registers.narrow(step.a)),
        b_(registers.narrow(step.b)),
        c_(registers.narrow(step.c)),
        immediate_(model::wrap32(step.imm0)) {}

  void execute(const LaneStepProbe& probe) {
    if (probe && (step_.op == VectorOp::Rescale || step_.op == VectorOp::Table)) {
      compute_probed(probe);
    } else {
      compute();
    }
    if (!registers_.has_wide()) return;
    int64_t* wide = registers_.wide(step_.dst);
    shape_.for_each_run([&](int64_t first, int64_t count) { std::copy_n(dst_ + first, count, wide + first); });
  }

 private:
  void compute() {
    if (!execute_binary() && !execute_unary()) execute_special();
  }

  /// The operands are taken before the step, which may write over them.
  void compute_probed(const LaneStepProbe& probe) {
    std::vector<int64_t> values;
    std::vector<int32_t> multipliers, shifts, results;
    visit_wide_operand([&](const auto* a) {
      shape_.for_each_run([&](int64_t first, int64_t count) { values.insert(values.end(), a + first, a + first + count); });
    });
    if (step_.op == VectorOp::Rescale) {
      shape_.for_each_run([&](int64_t first, int64_t count) {
        for (int64_t i = first; i < first + count; ++i) {
          multipliers.push_back(step_.b_is_immediate ? immediate_ : b_[i]);
          shifts.push_back(step_.c_is_shift ? c_[i] : static_cast<int32_t>(step_.shift));
        }
      });
    }
    compute();
    shape_.for_each_run(
        [&](int64_t first, int64_t count) { results.insert(results.end(), dst_ + first, dst_ + first + count); });
    probe({step_, values, multipliers, shifts, results});
    int64_t next = 0;
    shape_.for_each_run([&](int64_t first, int64_t count) {
      std::copy_n(results.begin() + next, count, dst_ + first);
      next += count;
    });
  }

  bool execute_binary() {
    const base::ElementType type = step_.type;
    switch (step_.op) {
      case VectorOp::Add: return binary([](int32_t a, int32_t b) { return model::add(a, b); });
      case VectorOp::Sub: return binary([](int32_t a, int32_t b) { return model::sub(a, b); });
      case VectorOp::Minimum: return binary([](int32_t a, int32_t b) { return model::minimum(a, b); });
      case VectorOp::Maximum: return binary([](int32_t a, int32_t b) { return model::maximum(a, b); });
      case VectorOp::And: return binary([](int32_t a, int32_t b) { return model::bitwise_and(a, b); });
      case VectorOp::Or: return binary([](int32_t a, int32_t b) { return model::bitwise_or(a, b); });
      case VectorOp::Xor: return binary([](int32_t a, int32_t b) { return model::bitwise_xor(a, b); });
      case VectorOp::Equal: return binary([](int32_t a, int32_t b) { return model::equal(a, b); });
      case VectorOp::Greater: return binary([](int32_t a, int32_t b) { return model::greater(a, b); });
      case VectorOp::GreaterEqual: return binary([](int32_t a, int32_t b) { return model::greater_equal(a, b); });
      case VectorOp::IntDiv: return binary([](int32_t a, int32_t b) { return model::intdiv(a, b); });
      case VectorOp::ShiftLeft:
        return binary([type](int32_t a, int32_t b) { return model::logical_left_shift(a, b, type); });
      case VectorOp::ShiftRightLogical:
        return binary([type](int32_t a, int32_t b) { return model::logical_right_shift(a, b, type); });
      case VectorOp::ShiftRight: {
        const bool is_rounded = step_.round;
        return binary([is_rounded](int32_t a, int32_t b) { return model::arithmetic_right_shift(a, b, is_rounded); });
      }
      case VectorOp::Mul: {
        const auto shift = static_cast<int32_t>(step_.shift);
        return binary([shift](int32_t a, int32_t b) { return model::mul(a, b, shift); });
      }
      case VectorOp::Select: {
        const int32_t* c = c_;  // by element: the condition lies beside the operands
        return indexed_binary([c](int64_t i, int32_t a, int32_t b) { return model::select(c[i], a, b); });
      }
      default: return false;
    }
  }

  bool execute_unary() {
    const auto low = immediate_, high = model::wrap32(step_.imm1);
    switch (step_.op) {
      case VectorOp::Move: {
        const bool is_immediate = step_.b_is_immediate;
        return unary([is_immediate, low](int32_t a) { return is_immediate ? low : a; });
      }
      case VectorOp::Clamp: return unary([low, high](int32_t a) { return model::clamp(a, low, high); });
      case VectorOp::Abs: return unary([](int32_t a) { return model::abs(a); });
      case VectorOp::Negate: return unary([](int32_t a) { return model::negate(a, 0, 0, base::ElementType::Int32); });
      case VectorOp::Not: return unary([](int32_t a) { return model::bitwise_not(a); });
      case VectorOp::Clz: return unary([](int32_t a) { return model::clz(a); });
      case VectorOp::Table:
        visit_table(tables_[static_cast<size_t>(step_.slot)], step_.type, [&](auto look_up) { unary(look_up); });
        return true;
      default: return false;
    }
  }

  void execute_special() {
    switch (step_.op) {
      case VectorOp::Wrap: return wrap();
      case VectorOp::Rescale: return rescale();
      case VectorOp::ReduceAdd: return reduce([](int32_t a, int32_t b) { return model::add(a, b); });
      case VectorOp::ReduceMax: return reduce([](int32_t a, int32_t b) { return model::maximum(a, b); });
      case VectorOp::ReduceMin: return reduce([](int32_t a, int32_t b) { return model::minimum(a, b); });
      default: VERNIER_CHECK(false, "vector operation {} is not arithmetic", static_cast<int>(step_.op));
    }
  }

  template <typename Function>
  bool indexed_binary(Function function) {
    shape_.for_each_run([&](int64_t first, int64_t count) {
      int32_t* dst = dst_;
      const int32_t *a = a_, *b = b_, immediate = immediate_;
      if (step_.b_is_immediate) {
#pragma GCC ivdep
        for (int64_t i = first; i < first + count; ++i) dst[i] = function(i, a[i], immediate);
      } else {
#pragma GCC ivdep
        for (int64_t i = first; i < first + count; ++i) dst[i] = function(i, a[i], b[i]);
      }
    });
    return true;
  }
  template <typename Function>
  bool binary(Function function) {
    return indexed_binary([&](int64_t, int32_t a, int32_t b) { return function(a, b); });
  }
  template <typename Function>
  bool unary(Function function) {
    shape_.for_each_run([&](int64_t first, int64_t count) {
      int32_t* dst = dst_;
      const int32_t* a = a_;
#pragma GCC ivdep
      for (int64_t i = first; i < first + count; ++i) dst[i] = function(a[i]);
    });
    return true;
  }

  /// Calls visit(values) with register a, in 48 bits where the program has such values.
  template <typename Visitor>
  void visit_wide_operand(Visitor&& visit) {
    if (registers_.has_wide()) {
      visit(static_cast<const int64_t*>(registers_.wide(step_.a)));
    } else {
      visit(static_cast<const int32_t*>(a_));
    }
  }

  void wrap() {
    const bool is_bool = step_.type == base::ElementType::Bool;
    const int bits = base::info(step_.type).bits;
    visit_wide_operand([&](const auto* a) {
      shape_.for_each_run([&](int64_t first, int64_t count) {
        for (int64_t i = first; i < first + count; ++i) {
          dst_[i] = is_bool ? int32_t{a[i] != 0} : model::wrap32(model::sign_extend(a[i], bits));
        }
      });
    });
  }

  void rescale() {
    switch (step_.rounding) {
      case spec::Rounding::Double: return rescale_rounded<spec::Rounding::Double>();
      case spec::Rounding::HalfEven: return rescale_rounded<spec::Rounding::HalfEven>();
      default: return rescale_rounded<spec::Rounding::Single>();
    }
  }

  template <spec::Rounding kRounding>
  void rescale_rounded() {
    const int bits = base::info(step_.type).bits;
    const int64_t low = step_.is_unsigned ? 0 : base::min_value(step_.type);
    const int64_t high = step_.is_unsigned ? (int64_t{1} << bits) - 1 : base::max_value(step_.type);
    const auto shift = static_cast<int32_t>(step_.shift);
    const bool has_multipliers = !step_.b_is_immediate, has_shifts = step_.c_is_shift, is_scale32 = step_.scale32;
    visit_wide_operand([&](const auto* a) {
      shape_.for_each_run([&](int64_t first, int64_t count) {
        for (int64_t i = first; i < first + count; ++i) {
          const int32_t multiplier = has_multipliers ? b_[i] : immediate_;
          const int32_t amount = has_shifts ? c_[i] : shift;
          const int32_t scaled = is_scale32 ? model::apply_scale_32(model::wrap32(a[i]), multiplier, amount, kRounding)
                                            : model::apply_scale_16(a[i], multiplier, amount, kRounding);
          const int64_t biased = model::wrap32(scaled + step_.imm1);
          dst_[i] = model::wrap32(std::min(std::max(biased, low), high));
        }
      });
    });
  }

  /// Across the active lanes of each vector of N.
  template <typename Function>
  void reduce(Function function) {
    for (int64_t segment = 0; segment < shape_.num_segments; ++segment) {
      for (int64_t lane = 0; lane < shape_.active; lane += lanes_) {
        const int64_t first = segment * shape_.pitch + lane, count = std::min(lanes_, shape_.active - lane);
        int32_t result = a_[first];
        for (int64_t i = 1; i < count; ++i) result = function(result, a_[first + i]);
        std::fill_n(dst_ + first, count, result);
      }
    }
  }

  const VectorStep& step_;
  int64_t lanes_;
  const TableMemory& tables_;
  const StripShape& shape_;
  StripRegisters& registers_;
  int32_t* dst_;
  const int32_t *a_, *b_, *c_;
  int32_t immediate_;
};

}  // namespace

void execute_arithmetic(const VectorStep& step, int64_t lanes, const TableMemory& tables, const StripShape& shape,
                        StripRegisters& registers, const LaneStepProbe& probe) {
  ArithmeticStep(step, lanes, tables, shape, registers).execute(probe);
}

}  // namespace vernier::kernels
