// SPDX-License-Identifier: Apache-2.0
// Softmax: exp(x - the row's greatest) divided by its sum over the row, in integers of 30 bits. The difference of two codes
// is a whole number of steps, so that exp is a table: of 256 entries for 8 bits; for 16 bits the product of one for the
// high byte of the difference and one for the low byte. The sum's reciprocal is Newton's, as in TensorFlow Lite.
#include "compiler/import/quantized/functions/rows.hpp"
#include "compiler/import/quantized/functions/sum_functions.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace vernier::import::quantized {

namespace {

using Id = ir::TensorId;

constexpr int64_t kExpBits = 30;  // exp(0) is 2^30 - 1

/// exp(-steps * scale), steps from 0.
int64_t exp_code(double scale, int64_t steps) {
  const double exp =
      std::nearbyint(std::ldexp(std::exp(-scale * static_cast<double>(std::max<int64_t>(steps, 0))), kExpBits));
  return std::min((int64_t{1} << kExpBits) - 1, static_cast<int64_t>(exp));
}

/// exp of -below * scale, where `below` has 16 bits.
Id exponentials_of(Arithmetic& math, Id below, double scale) {
  const Id high = math.shift_right(below, math.number(2, 8), false), low = math.bit_and(below, math.number(2, 255));
  return math.mul(math.wide_table(high, [&](int64_t steps) { return exp_code(scale * 256, steps); }),
                  math.wide_table(low, [&](int64_t steps) { return exp_code(scale, steps); }), kExpBits);
}

/// Of sums: what they lack to the greatest is cut off at 16, of which exp is 1e-7, and gets steps of 2^-12.
Id exponentials_of_sums(Lowering& lowering, Arithmetic& math, const Value& value, Id sums) {
  constexpr int64_t kMostBelow = 65535;
  const double step = 0x1p-12, factor = scale_of(value.format) / step;
  const auto limit = static_cast<int64_t>(std::min(std::ceil(0x1p16 / factor), 0x1p30));
  const Id below = math.minimum(math.sub(math.greatest(sums), sums), math.number(2, limit));
  Value difference = value;
  difference.magnitude = limit;
  const Id steps =
      add_rescale(lowering, difference, below, {base::ElementType::Int32, 0, 0, multipliers_of(difference, {factor})},
                  lowering.graph.tensor(sums).name + "_below");
  return exponentials_of(math, math.minimum(steps, math.number(2, kMostBelow)), step);
}

/// exp of what each number lacks to the greatest of its row.
Id exponentials(Lowering& lowering, Arithmetic& math, const Value& value, Id codes) {
  if (value.is_wide()) return exponentials_of_sums(lowering, math, value, codes);
  const double scale = scale_of(value.format);
  const Id numbers = math.widened(value, codes);
  const Id greatest = math.greatest(numbers);
  if (value.format.bits == 8)
    return math.wide_table(math.sub(numbers, greatest), [&](int64_t steps) { return exp_code(scale, -steps); });
  const Id below = math.sub(greatest, numbers);
  return exponentials_of(math, below, scale);
}

/// Sums that no quantizer has met as they are; other numbers as codes.
Value softmax_operand(Lowering& lowering, const Node& node) {
  const Value& value = lowering.value(node, 0);
  const bool is_sum = value.kind == Value::Kind::Integers && value.is_real && value.is_wide() && !value.of_sum;
  return is_sum ? with_one_scale(lowering, value, node.outputs.at(0)) : codes_or_16(lowering, node, 0);
}

/// 2^60 / n for n from 2^30 to 2^31 - 1: with d = n / 2^31 and x near 1 / d, x + x (1 - d x) is nearer. 1 / d has 29 bits
/// after the point; 48/17 - 32/17 d, which is 1/17 off at most, becomes 2^-29 by three steps.
Id reciprocal(Arithmetic& math, Id n) {
  constexpr int64_t k48By17 = 1515870810, k32By17 = 1010580540;  // * 2^29
  const Id one = math.number(2, int64_t{1} << 29);
  Id x = math.sub(math.number(2, k48By17), math.mul(n, math.number(2, k32By17), 31));
  for (int i = 0; i < 3; ++i) x = math.add(x, math.mul(x, math.sub(one, math.mul(n, x, 31)), 29));
  return x;
}

}  // namespace

void lower_softmax(Lowering& lowering, const Node& node) {
  const Value value = softmax_operand(lowering, node);
  const size_t rank = value.shape.size();
  if (rank == 0) refuse("an input of rank 0, expected an axis");
  const bool is_flat = lowering.network.opset < 13;  // until then all dimensions from the axis on were a row
  const int64_t axis = axis_in(int_of(node, "axis", is_flat ? 1 : -1), rank);
  const Rows rows = rows_of(lowering, node, value, axis, is_flat ? static_cast<int64_t>(rank) - 1 : axis);
  Arithmetic math(lowering, node);
  const Id exp = exponentials(lowering, math, value, rows.tensor);
  // Each term loses as many bits as their number has: then the sum is 2^(30 - lost) but for a rounding, up to 2^30.
  const int64_t lost = std::max<int64_t>(std::bit_width(static_cast<uint64_t>(rows.length - 1)), 1);
  const Id sum = math.sum(math.shift_right(exp, math.number(2, lost), true));
  const Id headroom = math.sub(math.clz(sum), math.number(2, 1));
  const Id quotient = math.mul(exp, reciprocal(math, math.shift_left(sum, headroom)), 30);
  const Id part = math.shift_right(quotient, math.sub(math.number(2, lost + 1), headroom), true);
  lowering.define(node, value_of_rows(lowering, node, value, rows, part, 0x1p-29, int64_t{1} << 29));
}

}  // namespace vernier::import::quantized
