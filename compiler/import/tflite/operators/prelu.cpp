// SPDX-License-Identifier: Apache-2.0
// PRELU: codes below the zero point times a tensor of factors.
#include "compiler/import/tflite/operators/operators.hpp"
#include "compiler/import/tflite/operators/rows32.hpp"

namespace vernier::import::lite {

void lower_prelu(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor &input = lowering.input_codes(op), &alpha = lowering.input_codes(op, 1),
                   &output = lowering.output_codes(op);
  check_same_type(input, output);
  if (is_16_bits(alpha)) refuse("the factors '{}' are INT16, allowed is INT8, as the kernel reads them", alpha.name);
  if (!is_16_bits(input)) check_same_type(input, alpha);
  const Id codes = lowering.wide(op, 0, "wide"), factors = lowering.wide(op, 1, "factors");
  const auto pair = lowering.same_rank(op, codes, factors);
  const Id product = lowering.product(op, pair.a, pair.b, pair.shape, "product");
  const float same = input.scales.front() / output.scales.front();
  const float less = input.scales.front() * alpha.scales.front() / output.scales.front();
  Rows32 rows(lowering, op, pair.shape);
  const Id is_positive = rows.is_positive(pair.a);
  const Id yes = lowering.to_codes(op, pair.a, static_cast<double>(same)),
           no = lowering.to_codes(op, product, static_cast<double>(less));
  lowering.finish(op, rows.select(is_positive, yes, no));
}

}  // namespace vernier::import::lite
