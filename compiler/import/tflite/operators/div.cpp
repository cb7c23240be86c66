// SPDX-License-Identifier: Apache-2.0
// DIV of codes: the kernel's reciprocal of the divisor in 31 bits, times the dividend with all bits that 32 have room for.
// A divisor of 0 and a shift of more than 31 bits, of quotients that are almost 0, are undefined in the kernel; here the
// latter is 31 bits.
#include "compiler/import/tflite/operators/fixed_rows.hpp"
#include "compiler/import/tflite/operators/operators.hpp"

namespace vernier::import::lite {

void lower_div(LiteLowering& lowering, const LiteOperator& op) {
  using base::ElementType;
  using ir::OpKind;
  const auto& options = options_of(op, &tflite::Operator::builtin_options_as_DivOptions);
  if (lowering.output(op).type == tflite::TensorType::INT32) {
    const auto pair = lowering.same_rank(op, lowering.value(op, 0), lowering.value(op, 1));
    const Id result = lowering.add(op, OpKind::IntDiv, {}, {pair.a, pair.b}, ElementType::Int32, pair.shape, "quotient");
    return lowering.finish(op, result, options.fused_activation_function());
  }
  const LiteTensor &a = lowering.input_codes(op), &b = lowering.input_codes(op, 1), &output = lowering.output_codes(op);
  check_same_type(a, output), check_same_type(b, output);
  const float ratio = a.scales.front() / (b.scales.front() * output.scales.front());
  constexpr float kMostRatio = 1 << 29;
  if (!(ratio < kMostRatio)) refuse("a ratio of scales is {:g}, allowed are less than 2^29", ratio);
  const LiteScale scale = lite_scale(static_cast<double>(ratio));
  const auto pair = lowering.same_rank(op, lowering.wide(op, 0, "dividend"), lowering.wide(op, 1, "divisor"));
  FixedRows rows(lowering, op, pair.shape), divisors(lowering, op, lowering.shape_of(pair.b));
  const Id zero = rows.number(0), one = rows.number(1);
  // 1 / divisor, and how many bits it has before the point.
  const Id size = divisors.absolute(pair.b), zeros = divisors.leading_zeros(size);
  const Id inverse = reciprocal(divisors, divisors.left(size, divisors.sub(zeros, one, "bits"), "divisor"));
  // The sign is that of the dividend.
  const Id positive = rows.is_at_least(pair.b, zero, "is_at_least");
  const Id dividend = rows.select(positive, pair.a, rows.sub(zero, pair.a, "negated"));
  const Id inverted = lowering.add(op, OpKind::BitwiseNot, {}, {dividend}, ElementType::Int32, pair.shape, "inverted");
  const Id bits = rows.select(rows.is_positive(dividend), dividend, inverted);
  const Id headroom = rows.sub(rows.leading_zeros(bits), one, "headroom");
  const Id quotient = rows.high_product(rows.left(dividend, headroom, "shifted"), inverse, "quotient");
  const Id scaled = rows.high_product(quotient, rows.number(scale.multiplier), "scaled");
  const Id shift = rows.add(rows.sub(rows.number(31 - scale.exponent), zeros, "shift"), headroom, "shift");
  const Id right = rows.greatest(rows.least(shift, rows.number(31)), zero);
  const LiteLowering::Rescale codes{type_of(output), 0, zero_point_of(output)};
  lowering.finish(op, lowering.rescale(op, rows.over_power(scaled, right), codes, "codes"),
                  options.fused_activation_function());
}

}  // namespace vernier::import::lite
