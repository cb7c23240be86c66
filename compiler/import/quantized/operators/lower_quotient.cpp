// SPDX-License-Identifier: Apache-2.0
// Div of two computed values, in integers of 30 bits. With x = X 2^-a and |y| = Y 2^-b, X and Y shifted by amounts of their
// own until they have 31 bits, and 2^60 / Y by Newton's way, the quotient is Q 2^(b - a - 29), where Q has 29 or 30 bits. It
// is shifted to steps of 2^-12 of those that the next quantizer has; what is then still too large for int32 is beyond all
// codes.
#include "compiler/import/quantized/functions/arithmetic.hpp"
#include "compiler/import/quantized/functions/common_steps.hpp"
#include "compiler/import/quantized/functions/products.hpp"
#include "compiler/import/quantized/functions/reciprocal.hpp"
#include "compiler/import/quantized/functions/sums.hpp"
#include "compiler/import/quantized/functions/wide.hpp"
#include "compiler/import/quantized/nodes/constants.hpp"
#include "compiler/import/quantized/nodes/quantizer.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::import::quantized {

namespace {

using Id = ir::TensorId;

constexpr int64_t kFinerBits = 12;
constexpr int64_t kBeyond = int64_t{1} << 29;  // beyond all codes

/// int32 without a zero point, of that order.
Value dividend_or_divisor(Lowering& lowering, const Node& node, size_t index, const std::vector<int64_t>& order) {
  Value value = lowering.is_constant(node, index)
                    ? constant_value(lowering, node, index, order)
                    : ordered_value(lowering, node, codes_or_sums(lowering, node, index), order);
  if (value.format.is_per_axis())
    refuse("'{}' has a scale for each index of an axis, expected one scale", node.inputs[index]);
  return wide_value(lowering, value, 0, node.outputs.at(0));
}

}  // namespace

void lower_quotient(Lowering& lowering, const Node& node) {
  const base::Shape shape = broadcast_shape(lowering.value(node, 0).shape, lowering.value(node, 1).shape);
  const auto after = quantizer_after(lowering, node.outputs.at(0), shape);
  if (!after || after->format.is_per_axis() || after->format.bits > 16)
    refuse("the divisor is computed, and no quantizer of 8 or 16 bits follows at once, expected one");
  std::vector<int64_t> order = source_order(shape.size());
  for (const size_t index : {size_t{1}, size_t{0}}) {
    const Value& value = lowering.value(node, index);
    if (value.kind == Value::Kind::Integers && value.shape.size() == shape.size() && value.order.size() == shape.size() &&
        value.order != source_order(shape.size()))
      order = value.order;
  }
  const Value x = dividend_or_divisor(lowering, node, 0, order), y = dividend_or_divisor(lowering, node, 1, order);
  Arithmetic math(lowering, node);
  const size_t rank = order.size();
  const auto number = [&](int64_t element) { return math.number(rank, element); };
  const Id zero = number(0), one = number(1);
  // Both with 30 bits after the sign; of 0 the shift is 31.
  const Id magnitude = math.abs(x.tensor), divisor = math.abs(y.tensor);
  const Id a = math.sub(math.clz(magnitude), one), b = math.sub(math.clz(divisor), one);
  const Id dividend = math.shift_left(magnitude, a);
  const Id n = math.maximum(math.shift_left(divisor, b), number(int64_t{1} << 30));  // also of 0
  const Id quotient = math.mul(dividend, newton_reciprocal(math, rank, n), 31);
  // Quotient * 2^(b - a - 29) steps of scale / scale, in steps of the next quantizer and 2^-12 of them: the factor of the
  // scales goes into the step, so that only powers of two are left.
  const double ratio = scale_of(x.format) / scale_of(y.format);
  const int halvings =
      static_cast<int>(std::ceil(std::log2(ratio / scale_of(after->format)))) + static_cast<int>(kFinerBits);
  const double step = std::ldexp(ratio, -halvings);
  const Id shift = math.add(math.sub(a, b), number(29 - halvings));
  const Id positive = math.shift_right(quotient, math.minimum(math.maximum(shift, zero), number(31)), true);
  const Id is_beyond = math.greater(zero, shift);
  const Id limited = math.select(is_beyond, number(kBeyond), math.minimum(positive, number(kBeyond)));
  const Id one_sign = math.bit_and(math.add(math.shift_right(x.tensor, number(31), false),  // -1 below 0
                                            math.shift_right(y.tensor, number(31), false)),
                                   one);
  const Id is_negative = math.equal(one_sign, one);
  const Id is_by_zero = math.equal(divisor, zero), is_zero = math.equal(magnitude, zero);
  const Id signed_quotient = math.select(is_negative, math.sub(zero, limited), limited);
  // x / 0 is infinite, 0 / 0 no number, which the quantizer makes its least code; 0 / y is 0.
  const Id infinite = math.select(math.greater(x.tensor, zero), number(kBeyond), number(-kBeyond));
  const Id finite = math.select(is_zero, zero, signed_quotient);
  const Id result = math.select(is_by_zero, infinite, finite);
  lowering.define(node, sums_value(result, shape, order, {step}, 0, kBeyond, node.name));
}

}  // namespace vernier::import::quantized
