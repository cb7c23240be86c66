// SPDX-License-Identifier: Apache-2.0
// SOFTMAX of int8: the reference kernel's fixed-point arithmetic, which is exact in integer TOSA. The difference of a code
// to the greatest of its row is one of 256, so that its exponential is a table; three TABLEs of int16 make 31 bits.
#include "compiler/import/tflite/operators/operators.hpp"
#include "compiler/import/tflite/operators/rows32.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace vernier::import::lite {

namespace {

using base::ElementType;
using ir::OpKind;

constexpr int64_t kGreatest32 = (int64_t{1} << 31) - 1;
constexpr int kDifferenceBits = 26, kSumBits = 12;  // after the point of a difference; that a term of the sum loses

/// e^a as parts of 2^31, for a from -32 to 0 as parts of 2^26: a polynomial of what is above -1/4, and a product for each
/// bit.
int64_t exponential(int64_t a) {
  if (a == 0) return kGreatest32;
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

/// The exponential of each difference from -255 to 0.
std::vector<int64_t> exponentials(double scale, double beta) {
  const double ratio = std::min(beta * scale * std::ldexp(1.0, kDifferenceBits), static_cast<double>(kGreatest32));
  const auto [multiplier, exponent] = lite_scale(ratio);
  if (multiplier == 0 || exponent < 0)
    refuse("a scale of {:g} and a beta of {:g} are less than one part of 2^26", scale, beta);
  const auto least = -static_cast<int64_t>(std::floor(31.0 * std::ldexp(1.0, kDifferenceBits) / std::ldexp(1.0, exponent)));
  std::vector<int64_t> result;
  for (int64_t difference = -255; difference <= 0; ++difference)
    result.push_back(difference < least ? 0 : exponential(doubling_high(difference * (int64_t{1} << exponent), multiplier)));
  return result;
}

/// The operators that SOFTMAX of int8 needs besides.
class Rows : public Rows32 {
 public:
  using Rows32::Rows32;

  /// 256 numbers from 0 to 2^31 - 1, for int16 indices from -255 * 128 to 0. A TABLE of int16 gives 128 times an entry where
  /// the index is a multiple of 128, and wants entries side by side that are less than 2^15 apart: three for 9, 15 and 7
  /// bits.
  Id table(Id index, const std::vector<int64_t>& numbers, const char* what) {
    constexpr int kTableBits = 7, kDigitBits = 15;
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

  /// Less 35 - headroom bits, halves go up. A shift has 31 at most: sums of 512 terms and more may need two.
  Id cut(Id product, Id headroom) {
    constexpr int64_t kBits = 31 + kSumBits - 8, kFirst = 8, kMostTerms = 511;
    if (shape().back() <= kMostTerms) return right(product, sub(number(kBits), headroom, "bits"), true, "part");
    const Id first = right(product, number(kFirst), false, "part");
    return right(first, sub(number(kBits - kFirst), headroom, "bits"), true, "part");
  }
};

/// Twice 2^60 / n, n from 2^30 on, as parts of 2^31: 1 / d with d from 1/2, by Newton's steps from 48/17 - 32/17 d.
Id reciprocal(Rows& rows, Id half) {
  constexpr int64_t k48By17 = 1515870810, k32By17 = 1010580540;  // parts of 2^29
  Id x = rows.add(rows.high_product(half, rows.number(-k32By17), "reciprocal"), rows.number(k48By17), "reciprocal");
  for (int i = 0; i < 3; ++i) {
    const Id error = rows.sub(rows.number(int64_t{1} << 29), rows.high_product(half, x, "reciprocal"), "reciprocal");
    x = rows.add(x, rows.left(rows.high_product(x, error, "reciprocal"), rows.number(2), "reciprocal"), "reciprocal");
  }
  // Twice x, at most 2^31 - 1.
  return rows.add(x, rows.binary(OpKind::Minimum, x, rows.number((int64_t{1} << 30) - 1), "reciprocal"), "reciprocal");
}

}  // namespace

void lower_softmax(LiteLowering& lowering, const LiteOperator& op) {
  const auto& options = options_of(op, &tflite::Operator::builtin_options_as_SoftmaxOptions);
  const LiteTensor& input = lowering.input_codes(op);
  const LiteTensor& output = lowering.output_codes(op);
  check_same_type(input, output);
  if (is_16_bits(input)) return lower_softmax16(lowering, op);
  if (input.shape.empty()) refuse("the input has no dimension, expected a row");
  if (output.scales.front() != 1.0F / 256 || zero_point_of(output) != -128)
    refuse("the result's scale is {} and its zero point {}, expected 1/256 and -128", output.scales.front(),
           zero_point_of(output));
  if (!(options.beta() > 0) || !std::isfinite(options.beta()))
    refuse("beta is {}, allowed are finite numbers above 0", options.beta());
  const std::vector<int64_t> exp = exponentials(scale_of(input), static_cast<double>(options.beta()));
  if (input.shape.back() >= int64_t{1} << kSumBits)
    refuse("rows of {}, whose sum may be more than 31 bits hold; allowed are less than {}", input.shape.back(),
           int64_t{1} << kSumBits);
  Rows rows(lowering, op, input.shape);
  const Id wide = lowering.rescale(op, lowering.value(op, 0), {ElementType::Int32}, "wide");
  const Id below = rows.sub(wide, rows.reduced(OpKind::ReduceMax, wide, "greatest"), "below");
  const Id index = lowering.rescale(op, below, {ElementType::Int16, 0, 0, {{int64_t{1} << 30, 30 - 7}}}, "index");
  const Id exponential = rows.table(index, exp, "exponential");
  const Id terms = rows.right(exponential, rows.number(kSumBits), true, "terms");
  const Id sum = rows.reduced(OpKind::ReduceSum, terms, "sum");
  const Id headroom = lowering.add(op, OpKind::Clz, {}, {sum}, ElementType::Int32, lowering.shape_of(sum), "headroom");
  const Id half = rows.left(sum, rows.sub(headroom, rows.number(1), "shift"), "half");
  const Id product = rows.high_product(exponential, reciprocal(rows, half), "product");
  const Id part = rows.cut(product, headroom);
  const Id result = lowering.rescale(op, part, {ElementType::Int8, 0, -128}, "codes");
  lowering.finish(op, result, tflite::ActivationFunctionType::NONE);
}

}  // namespace vernier::import::lite
