// SPDX-License-Identifier: Apache-2.0
// LayerNormalization: (x - mean) / sqrt(variance + epsilon) of each row, times Scale, plus B, in integers of 30 bits.
// With n numbers x of a row, c = n x - sum is exact. c 2^h has 29 bits, by a shift of the row's own; U is the sum of its
// squares / 2^(30 + l), with 2^l >= n, plus epsilon in the same steps. The result is c 2^h sqrt(n) / sqrt(2^(30 + l) U).
#include "compiler/import/quantized/functions/rows.hpp"
#include "compiler/import/quantized/functions/sum_functions.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/nodes/constants.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace vernier::import::quantized {

namespace {

using Id = ir::TensorId;
constexpr int64_t kOne = 1;

/// Numbers of a constant along the row.
std::vector<double> row_constant(const Lowering& lowering, const Node& node, size_t index, int64_t length) {
  static_cast<void>(lowering.constant(node, index, index == 1 ? "the scale" : "the bias"));
  const std::vector<float> reals = real_numbers(lowering.value(node, index));
  if (static_cast<int64_t>(reals.size()) != length)
    refuse("'{}' has {} elements, expected {}", node.inputs[index], reals.size(), length);
  for (const float real : reals) {
    if (!std::isfinite(real)) refuse("'{}' holds {}", node.inputs[index], real);
  }
  return {reals.begin(), reals.end()};
}

/// 2^29 / sqrt(d) for d = n / 2^31 from 1/4 to 1: a table of 2^14 / sqrt(d), then x (3 - d x^2) / 2 once.
Id reciprocal_root(Arithmetic& math, Id n) {
  const Id index = math.sub(math.shift_right(n, math.number(2, 15), false), math.number(2, kOne << 15));
  const Id first = math.table(index, [](int64_t i) {
    const double d = std::max(static_cast<double>(i + 256) / 512, 0.25);
    return std::min<int64_t>(std::llround(0x1p14 / std::sqrt(d)), 32767);
  });
  const Id x = math.shift_left(first, math.number(2, 8));
  const Id square = math.mul(n, math.mul(x, x, 31), 29);
  return math.mul(x, math.sub(math.number(2, 3 * (kOne << 29)), square), 30);
}

/// The sum over each row of a^2 / 2^(30 + l), l >= 0: high and low bits of the squares are summed apart.
Id sum_of_squares(Arithmetic& math, Id a, int64_t l) {
  const Id square = math.mul(a, a, 30), bits = math.number(2, l);
  const Id high = math.sum(math.shift_right(square, bits, false));
  const Id low = math.sum(math.bit_and(square, math.number(2, (kOne << l) - 1)));
  return math.add(high, math.shift_right(low, bits, true));
}

/// Rows that are normalized, and what a step of them is.
struct Normalized {
  Id tensor = -1;
  double step = 0;
};

Normalized normalized(Arithmetic& math, const Value& value, const Rows& rows, double epsilon) {
  const int64_t n = rows.length;
  const int64_t l = std::bit_width(static_cast<uint64_t>(n - 1));
  const int64_t range = value.format.greatest() - value.format.least();
  if (n > (kOne << 30) / range)
    refuse("rows of {} codes of {} bits, allowed are {}", n, value.format.bits, (kOne << 30) / range);
  const Id x = math.widened(value, rows.tensor);
  const Id c = math.sub(math.mul(x, math.number(2, n), 0), math.sum(x));
  // epsilon is m 2^e in steps of the squares where h is 0. h stays so small that it is m at most.
  const double count = static_cast<double>(n), scale = scale_of(value.format);
  int e = 0;
  const double fraction =
      std::frexp(std::ldexp(epsilon * count * count * count / (scale * scale), static_cast<int>(-30 - l)), &e);
  const auto m = static_cast<int64_t>(std::ldexp(fraction, 30));
  e -= 30;
  const int64_t most = epsilon > 0 ? (e > 0 ? -1 : -e / 2) : 30;
  if (most < 0) refuse("epsilon is {:g}, which hides all of numbers in steps of {:g}", epsilon, scale);
  Id h = math.sub(math.clz(math.greatest(math.abs(c))), math.number(2, 2));
  h = math.minimum(h, math.number(2, std::min<int64_t>(most, 30)));
  const Id shifted = math.shift_left(c, h);
  Id u = sum_of_squares(math, shifted, l);
  if (m > 0) {
    const Id halvings = math.sub(math.number(2, -e), math.shift_left(h, math.number(2, 1)));
    u = math.add(u, math.shift_right(math.number(2, m), math.minimum(halvings, math.number(2, 31)), false));
  }
  u = math.maximum(u, math.number(2, 1));
  // An even shift, half of which is the root's.
  const Id even = math.bit_and(math.sub(math.clz(u), math.number(2, 1)), math.number(2, 30));
  const Id root = reciprocal_root(math, math.shift_left(u, even));
  const int64_t most_halves = (l + 2) / 2;
  const Id halves = math.sub(math.number(2, most_halves), math.shift_right(even, math.number(2, 1), false));
  const Id result = math.shift_right(math.mul(shifted, root, 30), math.maximum(halves, math.number(2, 0)), true);
  return {result, std::exp2(static_cast<double>(most_halves + 1) - static_cast<double>(61 + l) / 2) * std::sqrt(count)};
}

}  // namespace

void lower_layer_norm(Lowering& lowering, const Node& node) {
  const Value value = codes_or_16(lowering, node, 0);
  const size_t rank = value.shape.size();
  if (rank == 0) refuse("an input of rank 0, expected an axis");
  if (node.outputs.size() > 1) refuse("mean and deviation are asked for, allowed is the normalized value");
  const int64_t axis = axis_in(int_of(node, "axis", -1), rank);
  const double epsilon = static_cast<double>(float_of(node, "epsilon", 1e-5F));
  if (!(epsilon >= 0) || !std::isfinite(epsilon)) refuse("attribute epsilon is {}, expected a number from 0", epsilon);
  const Rows rows = rows_of(lowering, node, value, axis, static_cast<int64_t>(rank) - 1);
  const std::vector<double> scale = row_constant(lowering, node, 1, rows.length);
  std::vector<double> bias(scale.size(), 0);
  if (lowering.has_input(node, 2)) bias = row_constant(lowering, node, 2, rows.length);
  Arithmetic math(lowering, node);
  const Normalized rowwise = normalized(math, value, rows, epsilon);
  const auto magnitude_of = [](const std::vector<double>& list) {
    double greatest = 0;
    for (const double one : list) greatest = std::max(greatest, std::fabs(one));
    return greatest;
  };
  const double greatest = magnitude_of(scale) > 0 ? magnitude_of(scale) : 1;
  // Numbers times scale / greatest, of half the steps; more bits go where the bias needs them.
  int64_t shift = 31;
  double step = rowwise.step * greatest * 2;
  for (; magnitude_of(bias) / step >= 0x1p29; step *= 2) ++shift;
  std::vector<int64_t> factors, addends;
  for (size_t i = 0; i < scale.size(); ++i) {
    factors.push_back(std::llround(std::ldexp(scale[i] / greatest, 30)));
    addends.push_back(std::llround(bias[i] / step));
  }
  if (shift > 61)
    refuse("the bias is {:g} times the scale, which leaves no bit of the numbers", magnitude_of(bias) / greatest);
  Id result = math.mul(rowwise.tensor, math.numbers(2, factors), shift);
  if (magnitude_of(bias) > 0) result = math.add(result, math.numbers(2, addends));
  lowering.define(node, value_of_rows(lowering, node, value, rows, result, step, kOne << 30));
}

}  // namespace vernier::import::quantized
