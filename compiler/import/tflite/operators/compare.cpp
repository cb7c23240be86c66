// SPDX-License-Identifier: Apache-2.0
// MAXIMUM and MINIMUM, comparisons, logical operators, SELECT.
#include "compiler/import/tflite/operators/operators.hpp"

#include <array>

namespace vernier::import::lite {

namespace {

using base::ElementType;
using ir::OpKind;
using tflite::BuiltinOperator;

/// Whether the kernel compares codes of int16 as they are, whatever their scales.
bool compares_codes(const LiteOperator& op, const LiteTensor& tensor) {
  const bool is_equality = op.code == BuiltinOperator::EQUAL || op.code == BuiltinOperator::NOT_EQUAL;
  return tensor.type == tflite::TensorType::INT16 && (!is_equality || tensor.scales.empty());
}

/// The operand as int32; codes with eight bits more, times their scale, as the kernel compares them.
Id compared(LiteLowering& lowering, const LiteOperator& op, size_t index) {
  const LiteTensor& tensor = lowering.input(op, index);
  const Id from = lowering.value(op, index);
  if (tensor.type == tflite::TensorType::INT32 && tensor.scales.empty()) return from;
  constexpr int64_t kMoreBits = 8;
  const std::string what = index == 0 ? "a" : "b";
  if (compares_codes(op, tensor)) return lowering.rescale(op, from, {ElementType::Int32}, what + "_wide");
  const LiteTensor& codes = lowering.codes(tensor);
  if (scale_of(codes) >= 1) refuse("'{}' has a scale of {:g}, allowed are less than 1", codes.name, scale_of(codes));
  const Id wide = lowering.rescale(
      op, from, {ElementType::Int32, zero_point_of(codes), 0, {{int64_t{1} << 30, 30 - kMoreBits}}}, what + "_wide");
  return lowering.rescale(op, wide, {ElementType::Int32, 0, 0, {lite_multiplier(scale_of(codes))}}, what + "_scaled");
}

struct Comparison {
  BuiltinOperator code;
  OpKind kind;
  bool is_swapped, is_inverted;
};
constexpr std::array kComparisons{
    Comparison{BuiltinOperator::EQUAL, OpKind::Equal, false, false},
    Comparison{BuiltinOperator::NOT_EQUAL, OpKind::Equal, false, true},
    Comparison{BuiltinOperator::GREATER, OpKind::Greater, false, false},
    Comparison{BuiltinOperator::GREATER_EQUAL, OpKind::GreaterEqual, false, false},
    Comparison{BuiltinOperator::LESS, OpKind::Greater, true, false},
    Comparison{BuiltinOperator::LESS_EQUAL, OpKind::GreaterEqual, true, false},
};

void lower_truth_equality(LiteLowering& lowering, const LiteOperator& op) {
  const Id a = lowering.value(op, 0), b = lowering.value(op, 1);
  const auto pair = lowering.same_rank(op, a, b);
  Id result = lowering.add(op, OpKind::LogicalXor, {}, {pair.a, pair.b}, ElementType::Bool, pair.shape, "differ");
  if (op.code == BuiltinOperator::EQUAL)
    result = lowering.add(op, OpKind::LogicalNot, {}, {result}, ElementType::Bool, pair.shape, "inverted");
  lowering.finish(op, result);
}

}  // namespace

void lower_extreme(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor& output = lowering.output(op);
  const bool is_plain = output.type == tflite::TensorType::INT32;
  for (size_t i = 0; i < 2 && !is_plain; ++i) check_same_scale(lowering.input_codes(op, i), lowering.codes(output));
  const auto operand = [&](size_t index) {
    const Id from = lowering.value(op, index);
    return is_plain ? from : lowering.rescale(op, from, {ElementType::Int32}, index == 0 ? "a_wide" : "b_wide");
  };
  const Id a = operand(0), b = operand(1);
  const auto pair = lowering.same_rank(op, a, b);
  const OpKind kind = op.code == BuiltinOperator::MAXIMUM ? OpKind::Maximum : OpKind::Minimum;
  const Id result = lowering.add(op, kind, {}, {pair.a, pair.b}, ElementType::Int32, pair.shape, "result");
  lowering.finish(op, is_plain ? result : lowering.rescale(op, result, {type_of(output)}, "codes"));
}

void lower_comparison(LiteLowering& lowering, const LiteOperator& op) {
  const auto* row =
      std::find_if(kComparisons.begin(), kComparisons.end(), [&](const Comparison& one) { return one.code == op.code; });
  check_same_type(lowering.input(op, 0), lowering.input(op, 1));
  const bool is_equality = op.code == BuiltinOperator::EQUAL || op.code == BuiltinOperator::NOT_EQUAL;
  if (is_equality && lowering.input(op, 0).type == tflite::TensorType::BOOL) return lower_truth_equality(lowering, op);
  const Id a = compared(lowering, op, 0), b = compared(lowering, op, 1);
  const auto pair = lowering.same_rank(op, a, b);
  const std::vector<Id> operands = row->is_swapped ? std::vector<Id>{pair.b, pair.a} : std::vector<Id>{pair.a, pair.b};
  Id result = lowering.add(op, row->kind, {}, operands, ElementType::Bool, pair.shape, "compared");
  if (row->is_inverted)
    result = lowering.add(op, OpKind::LogicalNot, {}, {result}, ElementType::Bool, pair.shape, "inverted");
  lowering.finish(op, result);
}

void lower_logical(LiteLowering& lowering, const LiteOperator& op) {
  const auto operand = [&](size_t index) {
    const Id from = lowering.value(op, index);
    if (lowering.graph.tensor(from).type != ElementType::Bool)
      refuse("'{}' is {}, allowed is BOOL", lowering.input(op, index).name, type_in_file(lowering.input(op, index)));
    return from;
  };
  if (op.code == BuiltinOperator::LOGICAL_NOT) {
    const Id from = operand(0);
    return lowering.finish(
        op, lowering.add(op, OpKind::LogicalNot, {}, {from}, ElementType::Bool, lowering.shape_of(from), "inverted"));
  }
  const Id a = operand(0), b = operand(1);
  const auto pair = lowering.same_rank(op, a, b);
  const OpKind kind = op.code == BuiltinOperator::LOGICAL_AND ? OpKind::LogicalAnd : OpKind::LogicalOr;
  lowering.finish(op, lowering.add(op, kind, {}, {pair.a, pair.b}, ElementType::Bool, pair.shape, "result"));
}

void lower_select(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor& output = lowering.output(op);
  for (size_t i = 1; i < 3; ++i) check_same_scale(lowering.input(op, i), output);
  Id condition = lowering.value(op, 0);
  if (lowering.graph.tensor(condition).type != ElementType::Bool)
    refuse("the condition is {}, allowed is BOOL", type_in_file(lowering.input(op, 0)));
  const base::Shape& of_condition = lowering.input(op, 0).shape;
  if (op.code == BuiltinOperator::SELECT && of_condition.size() == 1 && output.shape.size() > 1) {  // one for each row
    base::Shape rows(output.shape.size(), 1);
    rows[0] = of_condition[0];
    condition = lowering.reshape(op, condition, rows, "rows");
  }
  const Id a = lowering.value(op, 1), b = lowering.value(op, 2);
  auto pair = lowering.same_rank(op, a, b);
  const auto with_a = lowering.same_rank(op, condition, pair.a);
  pair.b = lowering.same_rank(op, with_a.b, pair.b).b;
  const auto with_b = lowering.same_rank(op, with_a.a, pair.b);
  base::Shape shape = with_a.shape;
  for (size_t i = 0; i < shape.size(); ++i) shape[i] = std::max(shape[i], with_b.shape[i]);
  lowering.finish(op, lowering.add(op, OpKind::Select, {}, {with_a.a, with_a.b, pair.b}, lowering.graph.tensor(pair.a).type,
                                   shape, "selected"));
}

}  // namespace vernier::import::lite
