// SPDX-License-Identifier: Apache-2.0
// LayerNormalization: (x - mean) / sqrt(variance + epsilon) of each row, times Scale, plus B
// (functions/normalized_rows.hpp).
#include "compiler/import/quantized/functions/normalized_rows.hpp"
#include "compiler/import/quantized/functions/sum_functions.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/nodes/constants.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <cmath>

namespace vernier::import::quantized {

namespace {

/// Numbers of a constant along the row.
std::vector<double> row_constant(const Lowering& lowering, const Node& node, size_t index, int64_t length) {
  static_cast<void>(lowering.constant(node, index, index == 1 ? "the scale" : "the bias"));
  const std::vector<float> reals = real_numbers(lowering.value(node, index));
  if (static_cast<int64_t>(reals.size()) != length)
    refuse("'{}' has {} elements, expected {}", node.inputs[index], reals.size(), length);
  for (const float real : reals) {
    if (!std::isfinite(real)) refuse("'{}' holds {}", node.inputs[index], real);
  }
  return {reals.begin(), reals.end()};
}

}  // namespace

void lower_layer_norm(Lowering& lowering, const Node& node) {
  const Value value = codes_or_16(lowering, node, 0);
  const size_t rank = value.shape.size();
  if (rank == 0) refuse("an input of rank 0, expected an axis");
  if (std::any_of(node.outputs.begin() + 1, node.outputs.end(), [](const std::string& name) { return !name.empty(); }))
    refuse("mean and deviation are asked for, allowed is the normalized value");
  const int64_t axis = axis_in(int_of(node, "axis", -1), rank);
  const double epsilon = static_cast<double>(float_of(node, "epsilon", 1e-5F));
  if (!(epsilon >= 0) || !std::isfinite(epsilon)) refuse("attribute epsilon is {}, expected a number from 0", epsilon);
  const Rows rows = rows_of(lowering, node, value, axis, static_cast<int64_t>(rank) - 1);
  const std::vector<double> scale = row_constant(lowering, node, 1, rows.length);
  std::vector<double> bias(scale.size(), 0);
  if (lowering.has_input(node, 2)) bias = row_constant(lowering, node, 2, rows.length);
  Arithmetic math(lowering, node);
  const NormalizedRows result =
      affine_rows(lowering, math, normalized_rows(math, value, rows, epsilon), {1, rows.length}, scale, bias);
  lowering.define(node, value_of_rows(lowering, node, value, rows, result.tensor, result.step, int64_t{1} << 30));
}

}  // namespace vernier::import::quantized
