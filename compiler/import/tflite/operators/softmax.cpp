// SPDX-License-Identifier: Apache-2.0
// SOFTMAX of int8: the reference kernel's fixed-point arithmetic, which is exact in integer TOSA. The difference of a code
// to the greatest of its row is one of 256, so that its exponential is a table; three TABLEs of int16 make 31 bits.
#include "compiler/import/tflite/operators/exponentials.hpp"
#include "compiler/import/tflite/operators/operators.hpp"

#include <cmath>

namespace vernier::import::lite {

namespace {

using base::ElementType;

/// Less 35 - headroom bits, halves go up. A shift has 31 at most: sums of 512 terms and more may need two.
Id cut(ExponentialRows& rows, Id product, Id headroom) {
  constexpr int64_t kBits = 31 + kSumBits - 8, kFirst = 8, kMostTerms = 511;
  if (rows.shape().back() <= kMostTerms)
    return rows.right(product, rows.sub(rows.number(kBits), headroom, "bits"), true, "part");
  const Id first = rows.right(product, rows.number(kFirst), false, "part");
  return rows.right(first, rows.sub(rows.number(kBits - kFirst), headroom, "bits"), true, "part");
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
  const std::vector<int64_t> numbers = exponentials(difference_scale(scale_of(input), static_cast<double>(options.beta())));
  ExponentialRows rows(lowering, op, input.shape);
  const Id exponential = rows.looked_up(rows.below_greatest(), numbers, "exponential");
  const Id sum = rows.sum(exponential);
  const Id headroom = rows.leading_zeros(sum);
  const Id half = rows.left(sum, rows.sub(headroom, rows.number(1), "shift"), "half");
  const Id product = rows.high_product(exponential, reciprocal(rows, half), "product");
  const Id part = cut(rows, product, headroom);
  const Id result = lowering.rescale(op, part, {ElementType::Int8, 0, -128}, "codes");
  lowering.finish(op, result, tflite::ActivationFunctionType::NONE);
}

}  // namespace vernier::import::lite
