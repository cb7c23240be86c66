// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/operators/exponentials.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace vernier::import::lite {

namespace {

using base::ElementType;
using ir::OpKind;

constexpr int64_t kGreatestPart = (int64_t{1} << 31) - 1;

/// e^a as parts of 2^31, for a from -32 to 0 as parts of 2^26: a polynomial of what is above -1/4, and a product for each
/// bit.
int64_t exponential(int64_t a) {
  if (a == 0) return kGreatestPart;
  constexpr int64_t kQuarter = int64_t{1} << (kDifferenceBits - 2);
  constexpr int64_t kExpOfMinusEighth = 1895147668, kThird = 715827883;
  const int64_t above = (a & (kQuarter - 1)) - kQuarter;
  const int64_t x = above * 32 + (int64_t{1} << 28);  // 5 bits more, and 1/8
  const int64_t x2 = doubling_high(x, x), x3 = doubling_high(x2, x), x4 = doubling_high(x2, x2);
  const int64_t rest = divided_by_power(doubling_high(divided_by_power(x4, 2) + x3, kThird) + x2, 1);
  int64_t result = kExpOfMinusEighth + doubling_high(kExpOfMinusEighth, x + rest);
  const int64_t left = above - a;
  // e^-(1/4), e^-(1/2), e^-1 and so on to e^-16.
  constexpr std::array<int64_t, 7> kFactors{1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  for (size_t i = 0; i < kFactors.size(); ++i) {
    if ((left >> (kDifferenceBits - 2 + static_cast<int>(i)) & 1) != 0) result = doubling_high(result, kFactors.at(i));
  }
  return result;
}

}  // namespace

DifferenceScale difference_scale(double scale, double beta) {
  const double ratio = std::min(beta * scale * std::ldexp(1.0, kDifferenceBits), static_cast<double>(kGreatestPart));
  const LiteScale parts = lite_scale(ratio);
  if (parts.multiplier == 0 || parts.exponent < 0)
    refuse("a scale of {:g} and a beta of {:g} are less than one part of 2^26", scale, beta);
  const double most = std::floor(31.0 * std::ldexp(1.0, kDifferenceBits) / std::ldexp(1.0, parts.exponent));
  return {parts, -static_cast<int64_t>(most)};
}

std::vector<int64_t> exponentials(const DifferenceScale& scale) {
  std::vector<int64_t> result;
  for (int64_t difference = -255; difference <= 0; ++difference) {
    const int64_t parts = doubling_high(difference * (int64_t{1} << scale.scale.exponent), scale.scale.multiplier);
    result.push_back(difference < scale.least ? 0 : exponential(parts));
  }
  return result;
}

Id ExponentialRows::below_greatest() {
  const Id wide = lowering().rescale(op(), lowering().value(op(), 0), {ElementType::Int32}, "wide");
  return sub(wide, reduced(OpKind::ReduceMax, wide, "greatest"), "below");
}

Id ExponentialRows::looked_up(Id below, const std::vector<int64_t>& numbers, const char* what) {
  // A TABLE of int16 gives 128 times an entry where the index is a multiple of 128, and wants entries side by side that are
  // less than 2^15 apart: three for 9, 15 and 7 bits.
  constexpr int kTableBits = 7, kDigitBits = 15;
  const Id index =
      lowering().rescale(op(), below, {ElementType::Int16, 0, 0, {{int64_t{1} << 30, 30 - kTableBits}}}, "index");
  const auto digit = [&](int first_bit, int bits) {
    std::vector<int64_t> entries(513);
    for (size_t i = 0; i < numbers.size(); ++i) entries[1 + i] = numbers[i] >> first_bit & ((int64_t{1} << bits) - 1);
    const Id constant = lowering().graph.add_constant(ElementType::Int16, {std::ssize(entries)}, entries);
    return lowering().add(op(), OpKind::Table, {}, {index, constant}, ElementType::Int32, shape(), what);
  };
  const Id high = left(digit(kTableBits + kDigitBits, kDigitBits), number(kDigitBits), what);
  const Id low = right(digit(0, kTableBits), number(kTableBits), false, what);
  return add(add(high, digit(kTableBits, kDigitBits), what), low, what);
}

Id ExponentialRows::sum(Id exponential) {
  if (shape().back() >= int64_t{1} << kSumBits)
    refuse("rows of {}, whose sum may be more than 31 bits hold; allowed are less than {}", shape().back(),
           int64_t{1} << kSumBits);
  return reduced(OpKind::ReduceSum, right(exponential, number(kSumBits), true, "terms"), "sum");
}

}  // namespace vernier::import::lite
