// SPDX-License-Identifier: Apache-2.0
// TOSA RESCALE on the vector unit: both scales, all roundings, unsigned ends, zero points, per channel. One that multiplies
// by a power of two is a shift in the load path and leaves the rescale lanes alone.
#include "compiler/passes/elementwise.hpp"

#include <bit>

namespace vernier::passes {
namespace {

using base::ElementType;
using spec::VectorOp;
using spec::VectorStep;

/// n where a RESCALE is x 2^n, n >= 0, and nothing else, for every value that its input less `zero_point` can hold, in 32
/// bits. The product with the multiplier is then a multiple of 2^shift, so that no rounding changes it.
std::optional<int64_t> exact_left_shift(const Emitter& e, int64_t zero_point) {
  const auto& attributes = e.op().attributes_as<ir::RescaleAttributes>();
  const auto multiplier = e.immediate(1), shift = e.immediate(2);
  const ElementType type = e.input_type();
  constexpr auto kType = ElementType::Int32;
  if (e.output_type() != kType || attributes.output_unsigned || !multiplier || !shift) return std::nullopt;
  if (type != ElementType::Int8 && type != ElementType::Int16 && type != kType) return std::nullopt;
  if (*multiplier <= 0 || !std::has_single_bit(static_cast<uint64_t>(*multiplier)) || *shift < 2) return std::nullopt;
  const int64_t left = std::countr_zero(static_cast<uint64_t>(*multiplier)) - *shift;
  if (left < 0) return std::nullopt;
  const int64_t span = base::max_value(type) - base::min_value(type);
  const int64_t least = (attributes.input_unsigned ? 0 : base::min_value(type)) - zero_point;
  const bool fits = least * (int64_t{1} << left) >= base::min_value(kType) &&
                    (least + span) * (int64_t{1} << left) <= base::max_value(kType);
  return fits ? std::optional(left) : std::nullopt;
}

/// `scaled`, of 32 bits, plus a zero point that is computed, saturated to the result's type.
Value with_zero_point(Emitter& e, Value scaled, Value zero_point, bool is_unsigned) {
  const ElementType type = e.output_type();
  const int64_t least = is_unsigned ? 0 : base::min_value(type);
  const int64_t most = is_unsigned ? base::max_value(type) - base::min_value(type) : base::max_value(type);
  const Value sum = e.program().step({.op = VectorOp::Add}, scaled, zero_point);
  return e.program().step({.op = VectorOp::Clamp, .imm0 = least, .imm1 = most}, sum);
}

}  // namespace

Value emit_rescale(Emitter& e) {
  const auto& attributes = e.op().attributes_as<ir::RescaleAttributes>();
  const Emitter::ZeroPoint input_zp = e.zero_point(3, e.input_type(), attributes.input_unsigned);
  const Emitter::ZeroPoint output_zp = e.zero_point(4, e.output_type(), attributes.output_unsigned);
  const int64_t subtrahend = input_zp.known;
  const bool may_shift = output_zp.is_zero() && !input_zp.computed;
  const auto left = may_shift ? exact_left_shift(e, subtrahend) : std::nullopt;
  // What is scaled up, or by 1, has no ties.
  const auto to_even = left ? std::nullopt : e.operand_to_round_to_even();
  if (left && e.is_loaded(0)) return e.load_shifted(0, attributes.input_unsigned, subtrahend, *left);
  Value value = to_even ? *to_even : e.operand_less(0, subtrahend, attributes.input_unsigned);
  if (input_zp.computed) value = e.program().step({.op = VectorOp::Sub}, value, *input_zp.computed);
  if (left == 0) return value;
  if (left && e.prefers_shifts()) return e.step({.op = VectorOp::ShiftLeft, .type = ElementType::Int32}, value, *left);
  VectorStep step;
  step.op = VectorOp::Rescale;
  step.type = output_zp.computed ? ElementType::Int32 : e.output_type();
  step.is_unsigned = attributes.output_unsigned && !output_zp.computed;
  step.scale32 = attributes.scale32;
  step.rounding = to_even ? spec::Rounding::HalfEven : attributes.rounding;
  step.imm1 = output_zp.known;
  // Immediates hold what TOSA REQUIREs of a scale; anything else goes through a register.
  const auto uniform_multiplier = e.immediate(1), uniform_shift = e.immediate(2);
  Value multiplier = -1, shift = -1;
  if (uniform_multiplier && *uniform_multiplier >= 0) {
    step.b_is_immediate = true;
    step.imm0 = *uniform_multiplier;
  } else {
    multiplier = e.operand(1);
  }
  if (uniform_shift && *uniform_shift >= 2 && *uniform_shift <= 62) {
    step.shift = *uniform_shift;
  } else {
    step.c_is_shift = true;
    shift = e.operand(2);
  }
  Value result = e.program().step(step, value, multiplier, shift);
  if (output_zp.computed) result = with_zero_point(e, result, *output_zp.computed, attributes.output_unsigned);
  if (!attributes.output_unsigned) return result;
  // As its tensor stores it.
  return e.program().step({.op = VectorOp::Wrap, .type = e.output_type()}, result);
}

}  // namespace vernier::passes
