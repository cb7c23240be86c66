// SPDX-License-Identifier: Apache-2.0
// LOG_SOFTMAX of int8: the reference kernel's fixed-point arithmetic. The logarithm of a row's sum of exponentials is
// computed by operators on one number for each row.
#include "compiler/import/tflite/operators/exponentials.hpp"
#include "compiler/import/tflite/operators/operators.hpp"

#include <cmath>

namespace vernier::import::lite {

namespace {

using base::ElementType;

/// The differences whose distance to the logarithm leaves 32 bits are this one or less.
Id limit_of(FixedRows& row, Id logarithm, const DifferenceScale& difference) {
  const LiteScale& scale = difference.scale;
  const LiteScale inverse = lite_scale(std::ldexp(1.0, 31 - scale.exponent) / static_cast<double>(scale.multiplier));
  const Id room = row.add(logarithm, row.number(-(int64_t{1} << 31)), "room");
  const Id steps = row.high_product(room, row.number(inverse.multiplier), "steps");
  const Id rounded = row.over_power(steps, row.number(-inverse.exponent));
  return row.greatest(row.number(difference.least - 1), rounded);
}

}  // namespace

void lower_log_softmax(LiteLowering& lowering, const LiteOperator& op) {
  constexpr int64_t kZeroPoint = 127, kResultBits = 4;
  const LiteTensor &input = lowering.input_codes(op), &output = lowering.output_codes(op);
  check_same_type(input, output);
  if (is_16_bits(input)) refuse("'{}' is INT16, allowed is INT8, as the kernel has it", input.name);
  if (input.shape.empty()) refuse("the input has no dimension, expected a row");
  if (output.scales.front() != 1.0F / 16 || zero_point_of(output) != kZeroPoint)
    refuse("the result's scale is {} and its zero point {}, expected 1/16 and {}", output.scales.front(),
           zero_point_of(output), kZeroPoint);
  const DifferenceScale difference = difference_scale(scale_of(input), 1);
  if (difference.scale.exponent < 1 || difference.scale.exponent > 30)
    refuse("a scale of {:g}, allowed are 2^-26 to 8", scale_of(input));
  ExponentialRows rows(lowering, op, input.shape);
  const Id below = rows.below_greatest();
  const Id sum = rows.sum(rows.looked_up(below, exponentials(difference), "exponential"));
  FixedRows row(lowering, op, lowering.shape_of(sum));
  const Id log = logarithm(row, sum), limit = limit_of(row, log, difference);
  // What is below the limit gets the least code; it is limited before that, so that nothing leaves 32 bits.
  const Id after_limit = row.add(limit, row.number(1), "least");
  const Id usable = rows.greatest(below, after_limit);
  const Id shifted = rows.left(usable, rows.number(difference.scale.exponent), "shifted");
  const Id parts = rows.high_product(shifted, rows.number(difference.scale.multiplier), "parts");
  const Id steps = rows.over_power(rows.sub(parts, log, "result"), rows.number(kDifferenceBits - kResultBits));
  const Id result = rows.select(rows.is_at_least(below, after_limit, "is_at_least"), steps, rows.number(-128 - kZeroPoint));
  lowering.finish(op, lowering.rescale(op, result, {ElementType::Int8, 0, kZeroPoint}, "codes"));
}

}  // namespace vernier::import::lite
