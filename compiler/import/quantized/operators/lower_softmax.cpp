// SPDX-License-Identifier: Apache-2.0
// Softmax: exp(x - the row's greatest) divided by its sum over the row, in integers of 30 bits. The difference of two codes
// is a whole number of steps, so that exp is a table: of 256 entries for 8 bits; for 16 bits the product of one for the
// high byte of the difference and one for the low byte. The sum's reciprocal is Newton's, as in TensorFlow Lite.
// LogSoftmax: the same sum, of which a table gives the logarithm.
#include "compiler/import/quantized/functions/reciprocal.hpp"
#include "compiler/import/quantized/functions/rows.hpp"
#include "compiler/import/quantized/functions/sum_functions.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

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

/// exp of each number of the rows less the greatest of its row, and their sum. Each term loses as many bits as their number
/// has: then the sum is 2^(30 - lost) but for a rounding, up to 2^30. Shifted left by the headroom it has 31 bits.
struct Exponentials {
  Id exp = -1, sum = -1, headroom = -1;
  int64_t lost = 0;
};

Exponentials summed_exponentials(Lowering& lowering, Arithmetic& math, const Value& value, const Rows& rows) {
  Exponentials result;
  result.exp = exponentials(lowering, math, value, rows.tensor);
  result.lost = std::max<int64_t>(std::bit_width(static_cast<uint64_t>(rows.length - 1)), 1);
  result.sum = math.sum(math.shift_right(result.exp, math.number(2, result.lost), true));
  result.headroom = math.sub(math.clz(result.sum), math.number(2, 1));
  return result;
}

Rows softmax_rows(Lowering& lowering, const Node& node, const Value& value) {
  const size_t rank = value.shape.size();
  if (rank == 0) refuse("an input of rank 0, expected an axis");
  // QLinearSoftmax has an opset of its own. Before 13 all dimensions from the axis on were a row.
  const bool is_flat = int_of(node, "opset", lowering.network.opset) < 13;
  const int64_t axis = axis_in(int_of(node, "axis", is_flat ? 1 : -1), rank);
  return rows_of(lowering, node, value, axis, is_flat ? static_cast<int64_t>(rank) - 1 : axis);
}

/// log(n / 2^30) for n from 2^30 to 2^31 - 1, in steps of 2^-30: with the upper 9 bits h and r = n / (h 2^22) - 1, which is
/// below 2^-8, it is log(h / 2^8) + r - r^2 / 2, within 2^-25.
Id logarithm(Arithmetic& math, Id n) {
  const Id upper = math.sub(math.shift_right(n, math.number(2, 22), false), math.number(2, 256));
  const Id rest = math.bit_and(n, math.number(2, (int64_t{1} << 22) - 1));
  const auto of_upper = [](int64_t i) { return static_cast<double>(256 + std::max<int64_t>(i, 0)); };
  const Id log =
      math.wide_table(upper, [&](int64_t i) { return std::llround(std::ldexp(std::log(of_upper(i) / 256), 30)); });
  const Id inverse = math.wide_table(upper, [&](int64_t i) { return std::llround(0x1p37 / of_upper(i)); });
  const Id r = math.mul(rest, inverse, 29);
  return math.add(log, math.sub(r, math.mul(r, r, 31)));
}

}  // namespace

void lower_softmax(Lowering& lowering, const Node& node) {
  const Value value = softmax_operand(lowering, node);
  const Rows rows = softmax_rows(lowering, node, value);
  Arithmetic math(lowering, node);
  const auto [exp, sum, headroom, lost] = summed_exponentials(lowering, math, value, rows);
  const Id quotient = math.mul(exp, newton_reciprocal(math, 2, math.shift_left(sum, headroom)), 30);
  const Id part = math.shift_right(quotient, math.sub(math.number(2, lost + 1), headroom), true);
  lowering.define(node, value_of_rows(lowering, node, value, rows, part, 0x1p-29, int64_t{1} << 29));
}

void lower_log_softmax(Lowering& lowering, const Node& node) {
  const Value value = lowering.codes(node, 0);
  const Rows rows = softmax_rows(lowering, node, value);
  Arithmetic math(lowering, node);
  const auto [exp, sum, headroom, lost] = summed_exponentials(lowering, math, value, rows);
  // Steps of 2^-22, or larger ones where 29 bits do not hold the greatest difference.
  const double codes = static_cast<double>(value.format.greatest() - value.format.least());
  const double reach = codes * scale_of(value.format) + std::log(static_cast<double>(rows.length)) + 1;
  const int coarser = std::max(static_cast<int>(std::ceil(std::log2(reach))) - 7, 0);
  if (coarser > 20) refuse("numbers differ by up to {:g}, of which 32 bits hold no logarithm", reach);
  const double step = std::ldexp(1.0, coarser - 22);
  const Id numbers = math.widened(value, rows.tensor);
  const Id below = math.scaled(math.sub(math.greatest(numbers), numbers), scale_of(value.format) / step);
  const Id of_sum = math.shift_right(logarithm(math, math.shift_left(sum, headroom)), math.number(2, 8 + coarser), true);
  const Id of_two = math.number(2, std::llround(std::numbers::ln2 / step));
  const Id halvings = math.mul(math.sub(math.number(2, lost), headroom), of_two, 0);
  const Id result = math.sub(math.number(2, 0), math.add(below, math.add(of_sum, halvings)));
  lowering.define(node, value_of_rows(lowering, node, value, rows, result, step, int64_t{1} << 29));
}

}  // namespace vernier::import::quantized
