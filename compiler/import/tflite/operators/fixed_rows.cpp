// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/operators/fixed_rows.hpp"

namespace vernier::import::lite {

namespace {

using ir::OpKind;

constexpr int64_t kGreatestNumber = (int64_t{1} << 31) - 1;
constexpr int64_t kHalfRootOf2 = 1518500250;  // sqrt(1/2) as parts of 2^31

}  // namespace

Id FixedRows::over_power(Id a, Id bits) {
  const Id part = right(absolute(a), bits, true, "part");
  return select(is_positive(a), part, sub(number(0), part, "part"));
}

Id FixedRows::saturated_left(Id a, Id bits) {
  const Id most = right(number(kGreatestNumber), bits, false, "most");
  const Id is_more = comparison(OpKind::Greater, a, most, "is_more");
  return select(is_more, number(kGreatestNumber), left(a, bits, "shifted"));
}

Id reciprocal(Rows32& rows, Id half) {
  constexpr int64_t k48By17 = 1515870810, k32By17 = 1010580540;  // parts of 2^29
  Id x = rows.add(rows.high_product(half, rows.number(-k32By17), "reciprocal"), rows.number(k48By17), "reciprocal");
  for (int i = 0; i < 3; ++i) {
    const Id error = rows.sub(rows.number(int64_t{1} << 29), rows.high_product(half, x, "reciprocal"), "reciprocal");
    x = rows.add(x, rows.left(rows.high_product(x, error, "reciprocal"), rows.number(2), "reciprocal"), "reciprocal");
  }
  // Twice x, at most 2^31 - 1.
  return rows.add(x, rows.binary(OpKind::Minimum, x, rows.number((int64_t{1} << 30) - 1), "reciprocal"), "reciprocal");
}

InverseRoot inverse_root(FixedRows& rows, Id number) {
  constexpr int64_t kThreeHalves = (int64_t{1} << 28) + (int64_t{1} << 27);  // of parts of 2^28
  constexpr const char* kWhat = "root";
  const Id one = rows.number(1), zero = rows.number(0);
  // So many pairs of bits to the left that the number is from 2^27 to 2^29, of which the first half is a part of 2^28.
  const Id is_great = rows.is_at_least(number, rows.number(int64_t{1} << 29), "is_at_least");
  const Id small = rows.select(is_great, rows.right(number, rows.number(2), false, kWhat), number);
  const Id bits = rows.sub(rows.leading_zeros(small), one, kWhat);
  const Id pairs = rows.sub(rows.right(bits, one, false, kWhat), one, kWhat);
  Id shift = rows.sub(rows.select(is_great, rows.number(12), rows.number(11)), pairs, kWhat);
  const Id placed = rows.left(small, rows.left(pairs, one, kWhat), kWhat);
  const Id half = rows.right(rows.right(placed, one, false, kWhat), one, true, kWhat);
  Id x = rows.number(int64_t{1} << 28);
  for (int i = 0; i < 5; ++i) {
    const Id square = rows.high_product(x, x, kWhat);
    const Id cube = rows.saturated_left(rows.high_product(square, x, kWhat), rows.number(6));
    const Id less =
        rows.sub(rows.high_product(rows.number(kThreeHalves), x, kWhat), rows.high_product(half, cube, kWhat), kWhat);
    x = rows.left(less, rows.number(3), kWhat);
  }
  Id root = rows.high_product(x, rows.number(kHalfRootOf2), kWhat);
  root = rows.left(root, rows.greatest(rows.sub(zero, shift, kWhat), zero), kWhat);
  shift = rows.greatest(shift, zero);
  const Id is_more_than_one = rows.is_at_least(number, rows.number(2), "is_at_least");
  return {rows.select(is_more_than_one, root, rows.number(kGreatestNumber)), rows.select(is_more_than_one, shift, zero)};
}

Id logarithm(FixedRows& rows, Id number) {
  // The kernel's constants, as parts of 2^31: ln 2, 2^-1/4, and the coefficients of a quotient of polynomials.
  constexpr int64_t kLog2 = 1488522236, kRootOfRoot = 1805811301;
  constexpr int64_t kAlphaN = 117049297, kAlphaD = 127690142, kAlphaI = 1057819769, kAlphaF = 638450708;
  constexpr int64_t kIntegerBits = 12, kQuarter = int64_t{1} << 23, kPowerBits = 25;
  constexpr const char* kWhat = "logarithm";
  const auto high = [&](Id a, Id b) { return rows.high_product(a, b, kWhat); };
  const auto add = [&](Id a, Id b) { return rows.add(a, b, kWhat); };
  const Id one = rows.number(1);
  const auto power = [&](Id headroom, int64_t quarter) {
    const Id whole = rows.left(rows.sub(rows.number(kIntegerBits), headroom, kWhat), rows.number(kPowerBits), kWhat);
    return add(whole, rows.number(quarter));
  };
  // The number as r * 2^power, r from 2^-1/2 to 1: twice, with and without a factor of sqrt(1/2).
  const Id zeros = rows.leading_zeros(number);
  const Id placed = rows.left(number, rows.sub(zeros, one, kWhat), kWhat);
  const Id first = rows.saturated_left(high(placed, rows.number(kHalfRootOf2)), one);
  const Id headroom = rows.sub(rows.leading_zeros(high(number, rows.number(kHalfRootOf2))), one, kWhat);
  const Id r = rows.least(first, rows.saturated_left(number, headroom));
  const Id powers = rows.greatest(power(zeros, kQuarter), power(headroom, -kQuarter));
  // ln r, about 2^-1/4.
  const Id p = add(rows.right(r, one, false, kWhat), rows.number((kRootOfRoot + 1) / 2));
  const Id from = rows.sub(r, rows.number(kRootOfRoot), kWhat), q = add(from, from), square = high(q, q);
  const Id numerator = add(high(q, r), high(high(q, square), rows.number(kAlphaN)));
  const Id inner = add(add(rows.number(kAlphaI), q), high(rows.number(kAlphaD), square));
  const Id denominator = add(high(p, inner), high(rows.number(kAlphaF), q));
  const Id half = add(rows.right(denominator, one, false, kWhat), rows.number(int64_t{1} << 30));
  const Id part = high(rows.over_power(numerator, rows.number(6)), reciprocal(rows, half));
  return rows.left(add(high(powers, rows.number(kLog2)), part), one, kWhat);
}

}  // namespace vernier::import::lite
