// SPDX-License-Identifier: Apache-2.0
// ADD and QUANTIZE.
#include "compiler/import/tflite/lite_lowering.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::import::lite {

namespace {

using base::ElementType;
using ir::OpKind;

constexpr int64_t kAddBits = 20;  // more than a code has, before the scales are made equal

/// Codes less their zero point with more bits, in steps of twice the greater scale. The operand that has that scale is
/// halved.
Id operand_of(LiteLowering& lowering, const LiteOperator& op, size_t index, size_t rank, double step) {
  const LiteTensor& tensor = lowering.codes(lowering.input(op, index));
  base::Shape shape = tensor.shape;
  shape.insert(shape.begin(), rank - shape.size(), 1);  // numpy's rule
  const std::string what = index == 0 ? "a" : "b";
  const Id from = lowering.reshape(op, lowering.value(op, index), shape, what + "_shaped");
  const double ratio = scale_of(tensor) / step;
  const bool is_half = ratio == 0.5;
  const LiteMultiplier more{int64_t{1} << 30, 30 - kAddBits + (is_half ? 1 : 0)};
  const Id wide = lowering.rescale(op, from, {ElementType::Int32, zero_point_of(tensor), 0, {more}}, what + "_wide");
  return is_half ? wide : lowering.rescale(op, wide, {ElementType::Int32, 0, 0, {lite_multiplier(ratio)}}, what + "_scaled");
}

}  // namespace

void lower_add(LiteLowering& lowering, const LiteOperator& op) {
  const auto* options = op.source->builtin_options_as_AddOptions();
  const LiteTensor& a = lowering.codes(lowering.input(op, 0));
  const LiteTensor& b = lowering.codes(lowering.input(op, 1));
  const LiteTensor& output = lowering.codes(lowering.output(op));
  const size_t rank = std::max(a.shape.size(), b.shape.size());
  const double step = 2 * std::max(scale_of(a), scale_of(b));
  const Id first = operand_of(lowering, op, 0, rank, step), second = operand_of(lowering, op, 1, rank, step);
  base::Shape shape = lowering.graph.tensor(first).shape;
  const base::Shape& other = lowering.graph.tensor(second).shape;
  for (size_t i = 0; i < rank; ++i) {
    if (shape[i] != other[i] && shape[i] != 1 && other[i] != 1)
      refuse("{} and {} have no shape together", base::to_string(a.shape), base::to_string(b.shape));
    shape[i] = std::max(shape[i], other[i]);
  }
  const Id sum = lowering.add(op, OpKind::Add, {}, {first, second}, ElementType::Int32, shape, "sum");
  const double ratio = step / (std::ldexp(1.0, static_cast<int>(kAddBits)) * scale_of(output));
  const Id codes =
      lowering.rescale(op, sum, {ElementType::Int8, 0, zero_point_of(output), {lite_multiplier(ratio)}}, "codes");
  lowering.finish(op, codes,
                  options == nullptr ? tflite::ActivationFunctionType::NONE : options->fused_activation_function());
}

void lower_quantize(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor& input = lowering.input(op, 0);
  if (input.type == tflite::TensorType::FLOAT32)
    refuse("'{}' is FLOAT32, allowed is INT8: inputs of codes, as inference_input_type=tf.int8 of the converter gives them",
           input.name);
  const LiteTensor& from = lowering.codes(input);
  const LiteTensor& to = lowering.codes(lowering.output(op));
  const Id codes = lowering.rescale(
      op, lowering.value(op, 0),
      {ElementType::Int8, zero_point_of(from), zero_point_of(to), {lite_multiplier(scale_of(from) / scale_of(to))}},
      "codes");
  lowering.finish(op, codes, tflite::ActivationFunctionType::NONE);
}

}  // namespace vernier::import::lite
