// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/elementwise.hpp"

#include "compiler/passes/rounding_forms.hpp"

#include <array>

namespace vernier::passes {

using base::ElementType;
using ir::OpKind;
using spec::VectorOp;
using spec::VectorStep;

Value Emitter::operand(size_t operand_idx) { return value_of(op_.inputs.at(operand_idx)); }

Value Emitter::value_of(ir::TensorId id) {
  if (const auto value = source_.computed(id)) return *value;
  if (const auto value = lowering_.uniform_value(id)) return program_.constant(*value);
  return source_.load(id, false, 0, 0);
}

std::optional<Value> Emitter::operand_to_round_to_even() {
  if (!source_.is_computed(op_.inputs[0])) return std::nullopt;
  const std::optional<EvenTies> ties = find_even_ties(lowering_, lowering_.producer(op_.outputs[0]));
  if (!ties) return std::nullopt;
  for (const ir::OpId op : ties->ops) source_.leave_out(op);
  return value_of(ties->value);
}

bool Emitter::is_loaded(size_t operand_idx) const {
  const ir::TensorId id = op_.inputs.at(operand_idx);
  return !source_.computed(id) && !lowering_.uniform_value(id);
}

Value Emitter::load_shifted(size_t operand_idx, bool is_unsigned, int64_t zero_point, int64_t shift) {
  return source_.load(op_.inputs.at(operand_idx), is_unsigned, zero_point, shift);
}

Value Emitter::operand_less(size_t operand_idx, int64_t zero_point, bool is_unsigned) {
  const ir::TensorId id = op_.inputs.at(operand_idx);
  if (is_loaded(operand_idx)) return source_.load(id, is_unsigned, zero_point, 0);
  Value value = operand(operand_idx);
  if (is_unsigned) {
    const int bits = base::info(lowering_.type(id)).bits;
    value = step(VectorStep{.op = VectorOp::And}, value, (int64_t{1} << bits) - 1);
  }
  return zero_point == 0 ? value : step(VectorStep{.op = VectorOp::Sub}, value, zero_point);
}

std::optional<int64_t> Emitter::immediate(size_t operand_idx) const {
  return lowering_.uniform_value(op_.inputs.at(operand_idx));
}

Emitter::ZeroPoint Emitter::zero_point(size_t operand_idx, ElementType type, bool is_unsigned) {
  const int64_t values = int64_t{1} << base::info(type).bits;
  if (is_known(operand_idx)) {
    const int64_t stored = *immediate(operand_idx);
    return {is_unsigned ? base::floor_mod(stored, values) : stored};
  }
  const bool can_be_other = type == ElementType::Int8 || (type == ElementType::Int16 && is_unsigned);
  if (!can_be_other) return {};
  return {0, operand_less(operand_idx, 0, is_unsigned)};
}

Value Emitter::step(VectorOp op, Value a) { return program_.step(VectorStep{.op = op}, a); }

Value Emitter::step(VectorStep step, Value a, int64_t immediate) {
  step.b_is_immediate = true;
  step.imm0 = immediate;
  return program_.step(step, a);
}

Value Emitter::binary(VectorStep step, bool commutes) {
  if (const auto second = immediate(1)) return this->step(step, operand(0), *second);
  if (commutes) {
    if (const auto first = immediate(0)) return this->step(step, operand(1), *first);
  }
  const Value a = operand(0);
  return program_.step(step, a, operand(1));
}

namespace {

Value emit_shift(Emitter& e, VectorStep step) {
  step.type = e.input_type();
  // An amount that TOSA does not allow uses its low bits, as the lanes do (hw/model/elementwise.hpp).
  if (const auto amount = e.immediate(1)) return e.step(step, e.operand(0), *amount & 31);
  return e.binary(step, false);
}

Value emit_add(Emitter& e) { return e.binary({.op = VectorOp::Add}, true); }
Value emit_sub(Emitter& e) { return e.binary({.op = VectorOp::Sub}, false); }
Value emit_maximum(Emitter& e) { return e.binary({.op = VectorOp::Maximum}, true); }
Value emit_minimum(Emitter& e) { return e.binary({.op = VectorOp::Minimum}, true); }
Value emit_and(Emitter& e) { return e.binary({.op = VectorOp::And}, true); }
Value emit_or(Emitter& e) { return e.binary({.op = VectorOp::Or}, true); }
Value emit_xor(Emitter& e) { return e.binary({.op = VectorOp::Xor}, true); }
Value emit_not(Emitter& e) { return e.step(VectorOp::Not, e.operand(0)); }
Value emit_abs(Emitter& e) { return e.step(VectorOp::Abs, e.operand(0)); }
Value emit_clz(Emitter& e) { return e.step(VectorOp::Clz, e.operand(0)); }

/// A shift that is computed is a register of Rescale, which for every shift from 0 to 63 does to int32 what MUL does; int8
/// and int16 have no shift but 0.
Value emit_mul(Emitter& e) {
  constexpr int64_t kShiftBits = 63;
  if (e.is_known(2)) return e.binary({.op = VectorOp::Mul, .shift = *e.immediate(2) & kShiftBits}, true);
  if (e.input_type() != ElementType::Int32) return e.binary({.op = VectorOp::Mul}, true);
  const Value a = e.operand(0), b = e.operand(1);
  return e.program().step({.op = VectorOp::Rescale, .c_is_shift = true, .type = ElementType::Int32}, a, b, e.operand(2));
}

Value emit_shift_right(Emitter& e) {
  return emit_shift(e, {.op = VectorOp::ShiftRight, .round = e.op().attributes_as<ir::ShiftAttributes>().round});
}
Value emit_shift_left(Emitter& e) { return emit_shift(e, {.op = VectorOp::ShiftLeft}); }
Value emit_shift_right_logical(Emitter& e) { return emit_shift(e, {.op = VectorOp::ShiftRightLogical}); }

Value emit_clamp(Emitter& e) {
  const auto& clamp = e.op().attributes_as<ir::ClampAttributes>();
  return e.program().step({.op = VectorOp::Clamp, .imm0 = clamp.min, .imm1 = clamp.max}, e.operand(0));
}

Value emit_negate(Emitter& e) {
  const ElementType type = e.output_type();
  const Emitter::ZeroPoint input_zp = e.zero_point(1, type, false), output_zp = e.zero_point(2, type, false);
  Value value = e.operand_less(0, input_zp.known, false);
  if (input_zp.computed) {
    value = e.program().step({.op = VectorOp::Sub}, *input_zp.computed, value);
  } else {
    value = e.step(VectorOp::Negate, value);
  }
  if (output_zp.known != 0) value = e.step(VectorStep{.op = VectorOp::Add}, value, output_zp.known);
  if (output_zp.computed) value = e.program().step({.op = VectorOp::Add}, value, *output_zp.computed);
  if (type == ElementType::Int32) return value;
  return e.program().step({.op = VectorOp::Clamp, .imm0 = base::min_value(type), .imm1 = base::max_value(type)}, value);
}

Value emit_table(Emitter& e) {
  const Value index = e.operand(0);
  const TableId table = e.lowering().add_table(e.op().inputs[1]);
  return e.program().step({.op = VectorOp::Table, .slot = e.program().table(table), .type = e.input_type()}, index);
}

Value emit_int_div(Emitter& e) { return e.binary({.op = VectorOp::IntDiv}, false); }
Value emit_equal(Emitter& e) { return e.binary({.op = VectorOp::Equal}, true); }
Value emit_greater(Emitter& e) { return e.binary({.op = VectorOp::Greater}, false); }
Value emit_greater_equal(Emitter& e) { return e.binary({.op = VectorOp::GreaterEqual}, false); }
Value emit_logical_not(Emitter& e) { return e.step(VectorStep{.op = VectorOp::Xor}, e.operand(0), 1); }

Value emit_select(Emitter& e) {
  const Value condition = e.operand(0), on_true = e.operand(1);
  return e.program().step({.op = VectorOp::Select}, on_true, e.operand(2), condition);
}

Value emit_cast(Emitter& e) {
  const ElementType from = e.input_type(), to = e.output_type();
  const bool is_wider =
      from == ElementType::Bool || (to != ElementType::Bool && base::info(to).bits > base::info(from).bits);
  if (is_wider) return e.operand(0);  // registers hold it as it is
  return e.program().step({.op = VectorOp::Wrap, .type = to}, e.operand(0));
}

struct ElementwiseOp {
  OpKind kind;
  EmitFunction emit;
};

constexpr std::array kElementwiseOps{
    ElementwiseOp{OpKind::Add, emit_add},
    ElementwiseOp{OpKind::Sub, emit_sub},
    ElementwiseOp{OpKind::Mul, emit_mul},
    ElementwiseOp{OpKind::Maximum, emit_maximum},
    ElementwiseOp{OpKind::Minimum, emit_minimum},
    ElementwiseOp{OpKind::ArithmeticRightShift, emit_shift_right},
    ElementwiseOp{OpKind::LogicalLeftShift, emit_shift_left},
    ElementwiseOp{OpKind::LogicalRightShift, emit_shift_right_logical},
    ElementwiseOp{OpKind::BitwiseAnd, emit_and},
    ElementwiseOp{OpKind::BitwiseOr, emit_or},
    ElementwiseOp{OpKind::BitwiseXor, emit_xor},
    ElementwiseOp{OpKind::BitwiseNot, emit_not},
    ElementwiseOp{OpKind::IntDiv, emit_int_div},
    ElementwiseOp{OpKind::Equal, emit_equal},
    ElementwiseOp{OpKind::Greater, emit_greater},
    ElementwiseOp{OpKind::GreaterEqual, emit_greater_equal},
    ElementwiseOp{OpKind::Select, emit_select},
    ElementwiseOp{OpKind::LogicalAnd, emit_and},
    ElementwiseOp{OpKind::LogicalOr, emit_or},
    ElementwiseOp{OpKind::LogicalXor, emit_xor},
    ElementwiseOp{OpKind::LogicalNot, emit_logical_not},
    ElementwiseOp{OpKind::Cast, emit_cast},
    ElementwiseOp{OpKind::Abs, emit_abs},
    ElementwiseOp{OpKind::Clz, emit_clz},
    ElementwiseOp{OpKind::Negate, emit_negate},
    ElementwiseOp{OpKind::Clamp, emit_clamp},
    ElementwiseOp{OpKind::Table, emit_table},
    ElementwiseOp{OpKind::Rescale, emit_rescale},
};

}  // namespace

EmitFunction find_emit_function(OpKind kind) {
  for (const ElementwiseOp& op : kElementwiseOps) {
    if (op.kind == kind) return op.emit;
  }
  return nullptr;
}

}  // namespace vernier::passes
