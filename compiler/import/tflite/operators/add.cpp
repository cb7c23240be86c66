// SPDX-License-Identifier: Apache-2.0
// ADD, SUB, MUL, SQUARED_DIFFERENCE.
#include "compiler/import/tflite/operators/operators.hpp"
#include "compiler/import/tflite/operators/products.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace vernier::import::lite {

namespace {

using base::ElementType;
using ir::OpKind;

bool are_plain(const LiteLowering& lowering, const LiteOperator& op) {
  return lowering.output(op).type == tflite::TensorType::INT32;
}

/// Operators on numbers of int32, which wrap as the kernels' do.
void finish_plain(LiteLowering& lowering, const LiteOperator& op, OpKind kind, tflite::ActivationFunctionType activation) {
  const Id a = lowering.value(op, 0), b = lowering.value(op, 1);
  const auto pair = lowering.same_rank(op, a, b);
  const Id result = kind == OpKind::Mul
                        ? lowering.product(op, pair.a, pair.b, pair.shape, "result")
                        : lowering.add(op, kind, {}, {pair.a, pair.b}, ElementType::Int32, pair.shape, "result");
  lowering.finish(op, result, activation);
}

/// Both operands' codes less their zero points, with `bits` more, in steps of twice the greater scale.
struct Scaled {
  LiteLowering::Pair pair;
  double step;
};

Id scaled(LiteLowering& lowering, const LiteOperator& op, size_t index, int64_t bits, double step, bool is_negative) {
  const LiteTensor& tensor = lowering.input_codes(op, index);
  const std::string what = index == 0 ? "a" : "b";
  const double ratio = scale_of(tensor) / step;
  const bool is_half = ratio == 0.5;  // the operand that has that scale is halved
  const int64_t more = bits - (is_half ? 1 : 0);
  // RESCALE shifts by more bits than a code has at least.
  const bool is_shifted = is_16_bits(tensor);
  const LiteMultiplier by_power{int64_t{1} << 30, is_shifted ? 30 : 30 - more};
  Id wide = lowering.rescale(op, lowering.value(op, index), {ElementType::Int32, zero_point_of(tensor), 0, {by_power}},
                             what + "_wide");
  if (is_shifted)
    wide = lowering.add(op, OpKind::LogicalLeftShift, {}, {wide, lowering.scalar(tensor.shape.size(), more)},
                        ElementType::Int32, tensor.shape, what + "_shifted");
  // Before it is rounded, so that halves go the same way as the kernel's product with a negative multiplier.
  if (is_negative) {
    const Id zero = lowering.graph.add_scalar(ElementType::Int32, 0);
    wide = lowering.add(op, OpKind::Negate, {}, {wide, zero, zero}, ElementType::Int32, tensor.shape, what + "_negative");
  }
  return is_half ? wide : lowering.rescale(op, wide, {ElementType::Int32, 0, 0, {lite_multiplier(ratio)}}, what + "_scaled");
}

Scaled scaled_pair(LiteLowering& lowering, const LiteOperator& op, int64_t bits, bool is_difference) {
  const LiteTensor &a = lowering.input_codes(op, 0), &b = lowering.input_codes(op, 1);
  if (a.type != b.type || a.type != lowering.output_codes(op).type)
    refuse("{}, {} and {}, expected one type", type_in_file(a), type_in_file(b), type_in_file(lowering.output(op)));
  const double step = 2 * std::max(scale_of(a), scale_of(b));
  const bool is_negative = is_difference && scale_of(b) * 2 != step;
  const Id first = scaled(lowering, op, 0, bits, step, false), second = scaled(lowering, op, 1, bits, step, is_negative);
  Scaled result{lowering.same_rank(op, first, second), step};
  return result;
}

template <typename Options>
void lower_sum(LiteLowering& lowering, const LiteOperator& op, const Options* options, bool is_difference) {
  const auto activation = options == nullptr ? kNoActivation : options->fused_activation_function();
  if (are_plain(lowering, op)) return finish_plain(lowering, op, is_difference ? OpKind::Sub : OpKind::Add, activation);
  const LiteTensor &a = lowering.input_codes(op, 0), &b = lowering.input_codes(op, 1), &output = lowering.output_codes(op);
  const auto is_power = [](const LiteTensor& tensor) {
    int exponent = 0;
    return std::frexp(scale_of(tensor), &exponent) == 0.5;
  };
  if (is_16_bits(output) && (options == nullptr || options->pot_scale_int16()) && is_power(a) && is_power(b) &&
      is_power(output))
    refuse("INT16 with scales that are powers of two and pot_scale_int16, allowed is without: the arithmetic of LSTM cells");
  const int64_t bits = is_16_bits(output) ? 15 : 20;
  const Scaled operands = scaled_pair(lowering, op, bits, is_difference);
  const bool is_negated = is_difference && scale_of(b) * 2 != operands.step;
  const Id sum = lowering.add(op, is_difference && !is_negated ? OpKind::Sub : OpKind::Add, {},
                              {operands.pair.a, operands.pair.b}, ElementType::Int32, operands.pair.shape, "sum");
  const double ratio = operands.step / (std::ldexp(1.0, static_cast<int>(bits)) * scale_of(output));
  lowering.finish(op, lowering.to_codes(op, sum, ratio), activation);
}

}  // namespace

void lower_add(LiteLowering& lowering, const LiteOperator& op) {
  lower_sum(lowering, op, op.source->builtin_options_as_AddOptions(), false);
}
void lower_sub(LiteLowering& lowering, const LiteOperator& op) {
  lower_sum(lowering, op, op.source->builtin_options_as_SubOptions(), true);
}

void lower_mul(LiteLowering& lowering, const LiteOperator& op) {
  const auto* options = op.source->builtin_options_as_MulOptions();
  const auto activation = options == nullptr ? kNoActivation : options->fused_activation_function();
  if (are_plain(lowering, op)) return finish_plain(lowering, op, OpKind::Mul, activation);
  const LiteTensor &a = lowering.input_codes(op, 0), &b = lowering.input_codes(op, 1), &output = lowering.output_codes(op);
  check_same_type(a, b);
  check_same_type(a, output);
  const Id first = lowering.wide(op, 0, "a_wide"), second = lowering.wide(op, 1, "b_wide");
  const auto pair = lowering.same_rank(op, first, second);
  const Id product = lowering.product(op, pair.a, pair.b, pair.shape, "product");
  const float ratio = a.scales.front() * b.scales.front() / output.scales.front();  // the kernel's too is of float32
  if (lowering.rule(op) == Rule::Float32)
    return lowering.finish(op, codes_by_float32(lowering, op, product, std::array{ratio}), activation);
  lowering.finish(op, lowering.to_codes(op, product, static_cast<double>(ratio)), activation);
}

void lower_squared_difference(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor& output = lowering.output_codes(op);
  if (is_16_bits(output) || output.is_unsigned) refuse("{}, allowed is INT8, as the kernel has it", type_in_file(output));
  constexpr int kMoreBits = 7;
  const Scaled operands = scaled_pair(lowering, op, kMoreBits, false);
  const base::Shape& shape = operands.pair.shape;
  const Id difference =
      lowering.add(op, OpKind::Sub, {}, {operands.pair.a, operands.pair.b}, ElementType::Int32, shape, "difference");
  const Id square = lowering.product(op, difference, difference, shape, "square");
  const double ratio = operands.step * operands.step / (std::ldexp(1.0, 2 * kMoreBits) * scale_of(output));
  lowering.finish(op, lowering.to_codes(op, square, ratio));
}

}  // namespace vernier::import::lite
