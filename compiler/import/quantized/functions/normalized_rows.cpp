// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/functions/normalized_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace vernier::import::quantized {

namespace {

using Id = ir::TensorId;
constexpr int64_t kOne = 1;

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

/// epsilon in steps of the squares of numbers that are not shifted: m 2^e. Numbers are shifted by `most` at most, so that m
/// holds it.
struct Epsilon {
  int64_t m = 0, e = 0, most = 30;
};

/// c / sqrt(the sum of the squares of each row, and epsilon), of rows of up to 2^l numbers.
NormalizedRows divided_by_length(Arithmetic& math, Id c, int64_t l, const Epsilon& epsilon) {
  Id h = math.sub(math.clz(math.greatest(math.abs(c))), math.number(2, 2));
  h = math.minimum(h, math.number(2, std::min<int64_t>(epsilon.most, 30)));
  const Id shifted = math.shift_left(c, h);
  Id u = sum_of_squares(math, shifted, l);
  if (epsilon.m > 0) {
    const Id halvings = math.sub(math.number(2, -epsilon.e), math.shift_left(h, math.number(2, 1)));
    u = math.add(u, math.shift_right(math.number(2, epsilon.m), math.minimum(halvings, math.number(2, 31)), false));
  }
  u = math.maximum(u, math.number(2, 1));
  // An even shift, half of which is the root's.
  const Id even = math.bit_and(math.sub(math.clz(u), math.number(2, 1)), math.number(2, 30));
  const Id root = reciprocal_root(math, math.shift_left(u, even));
  const int64_t most_halves = (l + 2) / 2;
  const Id halves = math.sub(math.number(2, most_halves), math.shift_right(even, math.number(2, 1), false));
  const Id result = math.shift_right(math.mul(shifted, root, 30), math.maximum(halves, math.number(2, 0)), true);
  return {result, std::exp2(static_cast<double>(most_halves + 1) - static_cast<double>(61 + l) / 2)};
}

double greatest_of(const std::vector<double>& list) {
  double greatest = 0;
  for (const double one : list) greatest = std::max(greatest, std::fabs(one));
  return greatest;
}

}  // namespace

// High and low bits of the squares are summed apart.
Id sum_of_squares(Arithmetic& math, Id a, int64_t l) {
  const Id square = math.mul(a, a, 30), bits = math.number(2, l);
  const Id high = math.sum(math.shift_right(square, bits, false));
  const Id low = math.sum(math.bit_and(square, math.number(2, (kOne << l) - 1)));
  return math.add(high, math.shift_right(low, bits, true));
}

NormalizedRows normalized_rows(Arithmetic& math, const Value& value, const Rows& rows, double epsilon) {
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
  NormalizedRows result = divided_by_length(math, c, l, {m, e, most});
  result.step *= std::sqrt(count);
  return result;
}

NormalizedRows rows_of_length_one(Arithmetic& math, const Value& value, const Rows& rows) {
  const Id codes = math.widened(value, rows.tensor);
  const int64_t zero_point = zero_point_of(value.format);
  const Id c = zero_point == 0 ? codes : math.sub(codes, math.number(2, zero_point));
  return divided_by_length(math, c, std::bit_width(static_cast<uint64_t>(rows.length - 1)), {});
}

NormalizedRows affine_rows(Lowering& lowering, Arithmetic& math, const NormalizedRows& rows, const base::Shape& shape,
                           const std::vector<double>& factors, const std::vector<double>& addends) {
  const double greatest = greatest_of(factors) > 0 ? greatest_of(factors) : 1;
  // Numbers times scale / greatest, of half the steps; more bits go where the addends need them.
  int64_t shift = 31;
  double step = rows.step * greatest * 2;
  for (; greatest_of(addends) / step >= 0x1p29; step *= 2) ++shift;
  std::vector<int64_t> products, sums;
  for (size_t i = 0; i < factors.size(); ++i) {
    products.push_back(std::llround(std::ldexp(factors[i] / greatest, 30)));
    sums.push_back(std::llround(addends[i] / step));
  }
  if (shift > 61)
    refuse("the bias is {:g} times the scale, which leaves no bit of the numbers", greatest_of(addends) / greatest);
  const auto constant = [&](const std::vector<int64_t>& elements) {
    return lowering.graph.add_constant(base::ElementType::Int32, shape, elements);
  };
  Id result = math.mul(rows.tensor, constant(products), shift);
  if (greatest_of(addends) > 0) result = math.add(result, constant(sums));
  return {result, step};
}

}  // namespace vernier::import::quantized
