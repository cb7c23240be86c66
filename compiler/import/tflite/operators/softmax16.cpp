// SPDX-License-Identifier: Apache-2.0
// SOFTMAX of int16: the reference kernel's two tables of 513 entries, of e^x from -10 to 0 and of 1 / (1 + x) from 0 to 1.
#include "compiler/import/tflite/operators/operators.hpp"
#include "compiler/import/tflite/operators/rows32.hpp"
#include "compiler/import/tflite/operators/table16.hpp"

#include <cmath>

namespace vernier::import::lite {

void lower_softmax16(LiteLowering& lowering, const LiteOperator& op) {
  using base::ElementType;
  using ir::OpKind;
  const auto& options = options_of(op, &tflite::Operator::builtin_options_as_SoftmaxOptions);
  const LiteTensor &input = lowering.input_codes(op), &output = lowering.output_codes(op);
  if (std::abs(output.scales.front() * 32768 - 1) > 0.001F)
    refuse("the result's scale is {}, expected 1/32768", output.scales.front());
  const std::vector<int64_t> exponentials = unit_table([](double x) { return std::exp(x); }, -10, 0);
  const std::vector<int64_t> reciprocals = unit_table([](double x) { return 1 / (1 + x); }, 0, 1);
  constexpr double kReach = 10, kCodes = 65535;  // of the table of exponentials
  const double ratio = static_cast<double>(input.scales.front() * options.beta()) / (kReach / kCodes);
  if (!(ratio > 0) || !std::isfinite(ratio)) refuse("beta is {}, allowed are finite numbers above 0", options.beta());
  constexpr int64_t kMostTerms = int64_t{1} << 16;
  if (input.shape.empty() || input.shape.back() >= kMostTerms)
    refuse("rows of {}, allowed are 1 to {}", base::to_string(input.shape), kMostTerms - 1);
  Rows32 rows(lowering, op, input.shape);
  const auto as_code = [&](Id from, const char* what) { return lowering.rescale(op, from, {ElementType::Int16}, what); };
  const Id wide = lowering.rescale(op, lowering.value(op, 0), {ElementType::Int32}, "wide");
  const Id below = rows.sub(wide, rows.reduced(OpKind::ReduceMax, wide, "greatest"), "below");
  const Id scaled = lowering.rescale(op, below, {ElementType::Int32, 0, 0, {lite_multiplier(ratio)}}, "scaled");
  const Id index = as_code(rows.add(scaled, rows.number(32767), "index"), "index");
  const Id exponential =
      lowering.rescale(op, looked_up(lowering, op, index, exponentials), {ElementType::Int32}, "exponential");
  const Id sum = rows.reduced(OpKind::ReduceSum, exponential, "sum");
  const Id headroom = lowering.add(op, OpKind::Clz, {}, {sum}, ElementType::Int32, lowering.shape_of(sum), "headroom");
  // The sum from 1 to 2 as parts of 2^16, less one and a half.
  const Id shifted = rows.left(sum, rows.sub(headroom, rows.number(1), "shift"), "shifted");
  const Id part = rows.right(shifted, rows.number(14), true, "part");
  const Id centered = as_code(rows.sub(part, rows.number((1 << 16) + (1 << 15)), "centered"), "centered");
  const Id reciprocal =
      lowering.rescale(op, looked_up(lowering, op, centered, reciprocals), {ElementType::Int32}, "reciprocal");
  const Id product = lowering.product(op, exponential, reciprocal, input.shape, "product");
  const Id result = as_code(rows.right(product, rows.sub(rows.number(31), headroom, "bits"), true, "codes"), "codes");
  lowering.finish(op, lowering.add(op, OpKind::Clamp, ir::ClampAttributes{0, 32767}, {result}, ElementType::Int16,
                                   input.shape, "limited"));
}

}  // namespace vernier::import::lite
