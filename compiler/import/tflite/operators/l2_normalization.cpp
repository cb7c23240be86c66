// SPDX-License-Identifier: Apache-2.0
// L2_NORMALIZATION of int8: each row times one over the root of its sum of squares, which the kernel computes in 31 bits.
#include "compiler/import/tflite/operators/fixed_rows.hpp"
#include "compiler/import/tflite/operators/operators.hpp"

namespace vernier::import::lite {

void lower_l2_normalization(LiteLowering& lowering, const LiteOperator& op) {
  using base::ElementType;
  const auto& options = options_of(op, &tflite::Operator::builtin_options_as_L2NormOptions);
  const LiteTensor &input = lowering.input_codes(op), &output = lowering.output_codes(op);
  check_same_type(input, output);
  if (is_16_bits(input)) refuse("'{}' is INT16, allowed is INT8, as the kernel has it", input.name);
  if (options.fused_activation_function() != kNoActivation) refuse("a fused activation, allowed is none");
  if (output.scales.front() != 1.0F / 128 || zero_point_of(output) != 0)
    refuse("the result's scale is {} and its zero point {}, expected 1/128 and {}", output.scales.front(),
           zero_point_of(output) + (output.is_unsigned ? 128 : 0), output.is_unsigned ? 128 : 0);
  constexpr int64_t kMostTerms = ((int64_t{1} << 31) - 1) / (255 * 255);
  if (input.shape.empty() || input.shape.back() > kMostTerms)
    refuse("rows of {}, allowed are 1 to {} numbers", base::to_string(input.shape), kMostTerms);
  FixedRows rows(lowering, op, input.shape);
  const Id wide = lowering.wide(op, 0, "wide");
  const Id sum = rows.reduced(ir::OpKind::ReduceSum, lowering.product(op, wide, wide, input.shape, "squares"), "sum");
  FixedRows row(lowering, op, lowering.shape_of(sum));
  const auto [multiplier, shift] = inverse_root(row, sum);
  // The result has 7 bits after the point. That of uint8 is shifted left by 7 and then right, that of int8 by the rest.
  const Id bits = row.number(7), zero = row.number(0);
  const Id up = output.is_unsigned ? bits : row.greatest(row.sub(bits, shift, "bits"), zero);
  const Id down = output.is_unsigned ? shift : row.greatest(row.sub(shift, bits, "bits"), zero);
  const Id product = rows.high_product(rows.left(wide, up, "shifted"), multiplier, "product");
  lowering.finish(op, lowering.rescale(op, rows.over_power(product, down), {ElementType::Int8}, "codes"));
}

}  // namespace vernier::import::lite
