// SPDX-License-Identifier: Apache-2.0
// REDUCE_PROD: the kernel multiplies one code after the other, each time by the same ratio with 16 bits, so that products
// stay small. A MUL with a shift does both, because it has 64 bits before the shift.
#include "compiler/import/tflite/operators/axes.hpp"
#include "compiler/import/tflite/operators/operators.hpp"

#include <cmath>

namespace vernier::import::lite {

void lower_reduced_product(LiteLowering& lowering, const LiteOperator& op) {
  using base::ElementType;
  const LiteTensor &input = lowering.input(op, 0), &output = lowering.output(op);
  if (input.is_unsigned || element_type_of(input.type) == ElementType::Int32) lower_known(lowering, op);
  static_cast<void>(lowering.codes(input)), static_cast<void>(lowering.codes(output));
  check_same_type(input, output);
  const std::vector<int64_t> axes = axes_of(lowering, op);
  std::vector<int64_t> order;
  int64_t count = 1;
  for (int64_t i = 0; i < std::ssize(input.shape); ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) order.push_back(i);
  }
  order.insert(order.end(), axes.begin(), axes.end());
  for (const int64_t axis : axes) count *= input.shape[static_cast<size_t>(axis)];
  constexpr int64_t kMostFactors = 1024;
  if (count > kMostFactors) refuse("{} factors in one product, allowed are up to {}", count, kMostFactors);
  const double ratio = scale_of(input) / std::pow(scale_of(output), 1.0 / static_cast<double>(count));
  const LiteScale scale = lite_scale(ratio);
  if (scale.multiplier == 0 || scale.exponent > 7)
    refuse("each product is multiplied by {:g}, allowed are 2^-32 to 128", ratio);
  const LiteMultiplier step = lite_multiplier16(scale);
  const int64_t rows = base::num_elements(input.shape) / count;
  const Id ordered = lowering.transpose(op, lowering.value(op, 0), order, "ordered");
  const Id flat = lowering.reshape(op, ordered, {rows, count}, "factors");
  const Id wide = lowering.rescale(op, flat, {ElementType::Int32, zero_point_of(input)}, "wide");
  const Id steps = lowering.product(op, wide, lowering.scalar(2, step.multiplier), {rows, count}, "steps");
  Id result = lowering.slice(op, wide, {0, 0}, {rows, 1}, "first");
  for (int64_t i = 1; i < count; ++i) {
    const Id factor = lowering.slice(op, steps, {0, i}, {rows, 1}, "factor");
    result = lowering.product(op, result, factor, {rows, 1}, "product", step.shift);
  }
  const LiteLowering::Rescale last{
      type_of(output), 0, zero_point_of(output), {lite_more_bits(step)}, spec::Rounding::Single};
  lowering.finish(op, lowering.reshape(op, lowering.rescale(op, result, last, "codes"), output.shape, "shaped"));
}

}  // namespace vernier::import::lite
