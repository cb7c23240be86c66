// SPDX-License-Identifier: Apache-2.0
// Operators that work element by element, as steps of the vector unit. A new one is a row of the table in elementwise.cpp
// and an emit function.
#pragma once

#include "compiler/passes/lowering.hpp"
#include "compiler/passes/microprogram.hpp"

#include <optional>

namespace vernier::passes {

/// Where operands come from.
class OperandSource {
 public:
  virtual ~OperandSource() = default;
  /// The value of a tensor that is computed in the same command, else nothing.
  virtual std::optional<Value> computed(ir::TensorId id) = 0;
  /// Whether a tensor is computed in the same command.
  [[nodiscard]] virtual bool is_computed(ir::TensorId id) const = 0;
  /// The operator needs no steps of its own: another one does its work.
  virtual void leave_out(ir::OpId op) = 0;
  /// Of memory: the elements, less `subtract`, times 2^shift.
  virtual Value load(ir::TensorId id, bool is_unsigned, int64_t subtract, int64_t shift) = 0;
  /// Whether to shift where a scale by a power of two does the same: another slot of the unit.
  [[nodiscard]] virtual bool prefers_shifts() const = 0;
};

/// What an emit function sees: one operator, its operands as values, a program to append to. Registers hold what a tensor of
/// the operand's type stores, as a signed number.
class Emitter {
 public:
  Emitter(Lowering& lowering, const ir::Operator& op, Microprogram& program, OperandSource& source)
      : lowering_(lowering), op_(op), program_(program), source_(source) {}

  [[nodiscard]] const ir::Operator& op() const { return op_; }
  [[nodiscard]] base::ElementType input_type() const { return lowering_.type(op_.inputs[0]); }
  [[nodiscard]] base::ElementType output_type() const { return lowering_.type(op_.outputs[0]); }
  /// The value of an operand, computed by an operator of the same command, loaded, or an immediate in a register.
  Value operand(size_t operand_idx);
  /// The same read as unsigned, less a zero point.
  Value operand_less(size_t operand_idx, int64_t zero_point, bool is_unsigned);
  /// Whether an operand comes from memory, and so through the load path.
  [[nodiscard]] bool is_loaded(size_t operand_idx) const;
  /// Such an operand, less a zero point, times 2^shift.
  Value load_shifted(size_t operand_idx, bool is_unsigned, int64_t zero_point, int64_t shift);
  /// Before RESCALE: the number that operators of this command make round half to even (rounding_forms.hpp), which the
  /// RESCALE then does by itself. Nothing where there are none.
  std::optional<Value> operand_to_round_to_even();
  /// The operand if it is one constant for all elements.
  [[nodiscard]] std::optional<int64_t> immediate(size_t operand_idx) const;
  [[nodiscard]] bool prefers_shifts() const { return source_.prefers_shifts(); }
  /// Whether the value of an operand is known at compile time.
  [[nodiscard]] bool is_known(size_t operand_idx) const { return lowering_.value(op_.inputs.at(operand_idx)) != nullptr; }
  /// A zero point of `type` as the data that it belongs to is extended: a number where it is known, 0 where TOSA allows no
  /// other one, else a value.
  struct ZeroPoint {
    int64_t known = 0;
    std::optional<Value> computed{};
    [[nodiscard]] bool is_zero() const { return known == 0 && !computed; }
  };
  ZeroPoint zero_point(size_t operand_idx, base::ElementType type, bool is_unsigned);

  Value step(spec::VectorOp op, Value a);
  /// dst = a op immediate
  Value step(spec::VectorStep step, Value a, int64_t immediate);
  /// dst = operand 0 op operand 1, with an immediate where the second one is a constant (or the first, if they commute).
  Value binary(spec::VectorStep step, bool commutes);
  Microprogram& program() { return program_; }
  Lowering& lowering() { return lowering_; }

 private:
  Value value_of(ir::TensorId id);

  Lowering& lowering_;
  const ir::Operator& op_;
  Microprogram& program_;
  OperandSource& source_;
};

using EmitFunction = Value (*)(Emitter& emitter);
/// Null for operators that are not elementwise.
EmitFunction find_emit_function(ir::OpKind kind);

/// RESCALE in full (elementwise_rescale.cpp).
Value emit_rescale(Emitter& emitter);

}  // namespace vernier::passes
