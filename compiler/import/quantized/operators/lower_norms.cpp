// SPDX-License-Identifier: Apache-2.0
// InstanceNormalization and GroupNormalization: LayerNormalization of the pixels of a channel, or of a group of channels,
// times a factor of each channel, plus an addend of each. LpNormalization: each row divided by its length.
#include "compiler/import/quantized/functions/normalized_rows.hpp"
#include "compiler/import/quantized/functions/products.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/nodes/constants.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <cmath>

namespace vernier::import::quantized {

namespace {

/// One number for each channel; of a list of fewer each one for as many channels in a row.
std::vector<double> channel_numbers(const Lowering& lowering, const Node& node, size_t index, int64_t channels,
                                    int64_t expected) {
  static_cast<void>(lowering.constant(node, index, index == 1 ? "the scale" : "the bias"));
  const std::vector<float> reals = real_numbers(lowering.value(node, index));
  if (static_cast<int64_t>(reals.size()) != expected)
    refuse("'{}' has {} elements, expected {}", node.inputs[index], reals.size(), expected);
  std::vector<double> numbers;
  for (int64_t channel = 0; channel < channels; ++channel) {
    const float real = reals[static_cast<size_t>(channel / (channels / expected))];
    if (!std::isfinite(real)) refuse("'{}' holds {}", node.inputs[index], real);
    numbers.push_back(static_cast<double>(real));
  }
  return numbers;
}

/// The value with groups of channels as dimension 1, in the source's order.
Value grouped(Lowering& lowering, const Node& node, const Value& given, int64_t groups) {
  Value value = given;
  const int64_t batch = value.shape[0], size = base::num_elements(value.shape) / batch / groups;
  value.tensor = lowering.in_source_order(given);
  value.shape = {batch, groups, size};
  value.order = source_order(3);
  value.tensor =
      lowering.graph.add(ir::OpKind::Reshape, {}, {value.tensor, lowering.graph.add_shape(value.shape)},
                         {lowering.graph.tensor(value.tensor).type, value.shape, node.outputs.at(0) + "_groups"}, node.name);
  return value;
}

void lower_group_norm_of(Lowering& lowering, const Node& node, int64_t groups, int64_t expected) {
  const Value value = lowering.codes(node, 0);
  const int64_t channels = value.shape[1];
  const double epsilon = static_cast<double>(float_of(node, "epsilon", 1e-5F));
  if (!(epsilon >= 0) || !std::isfinite(epsilon)) refuse("attribute epsilon is {}, expected a number from 0", epsilon);
  const std::vector<double> scale = channel_numbers(lowering, node, 1, channels, expected);
  const std::vector<double> bias = channel_numbers(lowering, node, 2, channels, expected);
  if (value.shape[0] > kMostIndices / channels)
    refuse("{} images of {} channels, of which 2^22 together are allowed", value.shape[0], channels);
  std::vector<double> factors, addends;  // of each batch and channel
  for (int64_t i = 0; i < value.shape[0]; ++i) {
    factors.insert(factors.end(), scale.begin(), scale.end());
    addends.insert(addends.end(), bias.begin(), bias.end());
  }
  const Rows rows = rows_of(lowering, node, grouped(lowering, node, value, groups), 2, 2);
  Arithmetic math(lowering, node);
  NormalizedRows result = normalized_rows(math, value, rows, epsilon);
  const int64_t count = value.shape[0] * channels;
  result.tensor = math.reshaped(result.tensor, {count, base::num_elements(value.shape) / count});
  result = affine_rows(lowering, math, result, {count, 1}, factors, addends);
  lowering.define(node, sums_value(math.reshaped(result.tensor, value.shape), value.shape, source_order(value.shape.size()),
                                   {result.step}, 0, int64_t{1} << 30, node.name));
}

}  // namespace

void lower_instance_norm(Lowering& lowering, const Node& node) {
  const base::Shape& shape = lowering.value(node, 0).shape;
  if (shape.size() < 3) refuse("an input of rank {}, expected batch, channels and more", shape.size());
  const int64_t channels = shape[1];
  lower_group_norm_of(lowering, node, channels, channels);
}

void lower_group_norm(Lowering& lowering, const Node& node) {
  const base::Shape& shape = lowering.value(node, 0).shape;
  if (shape.size() < 2) refuse("an input of rank {}, expected batch and channels", shape.size());
  const int64_t channels = shape[1], groups = int_of(node, "num_groups", 0);
  if (groups < 1 || channels % groups != 0)
    refuse("attribute num_groups is {}, expected a divisor of the {} channels", groups, channels);
  constexpr int64_t kPerChannel = 21;  // the opset; until then one number for each group
  lower_group_norm_of(lowering, node, groups, lowering.network.opset < kPerChannel ? groups : channels);
}

void lower_lp_norm(Lowering& lowering, const Node& node) {
  const Value value = lowering.codes(node, 0);
  const size_t rank = value.shape.size();
  if (rank == 0) refuse("an input of rank 0, expected an axis");
  if (const int64_t p = int_of(node, "p", 2); p != 2) refuse("attribute p is {}, allowed is 2", p);
  const int64_t axis = axis_in(int_of(node, "axis", -1), rank);
  const Rows rows = rows_of(lowering, node, value, axis, axis);
  Arithmetic math(lowering, node);
  const NormalizedRows result = rows_of_length_one(math, value, rows);
  lowering.define(node, value_of_rows(lowering, node, value, rows, result.tensor, result.step, int64_t{1} << 30));
}

}  // namespace vernier::import::quantized
