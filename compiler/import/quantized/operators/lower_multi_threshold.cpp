// SPDX-License-Identifier: Apache-2.0
// QONNX's MultiThreshold: out_scale * (how many thresholds a number reaches) + out_bias (qonnx 1.0.0,
// src/qonnx/custom_op/general/multithreshold.py).
#include "compiler/import/quantized/functions/thresholds.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/nodes/constants.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vernier::import::quantized {

namespace {

constexpr int64_t kMostLevels = 255;  // of codes of 8 bits

/// The dimension that the channels have, as qonnx takes it from the layout or the rank.
int64_t channel_axis(const Node& node, size_t rank) {
  std::string layout = string_of(node, "data_layout", "");
  if (layout.empty() && rank == 3) layout = "NWC";
  const size_t place = layout.find('C');
  const int64_t axis = place == std::string::npos ? 1 : static_cast<int64_t>(place);
  return axis_in(axis, rank);
}

/// The codes that counts become: least + step * count, of which each stands for scale times itself.
struct Output {
  double scale = 1;
  int64_t least = 0, step = 1;
};
Output output_of(const Node& node) {
  const float scale = float_of(node, "out_scale", 1), bias = float_of(node, "out_bias", 0);
  if (!std::isfinite(scale) || !(scale > 0)) refuse("attribute out_scale is {}, allowed are finite numbers above 0", scale);
  const auto steps = static_cast<double>(bias) / static_cast<double>(scale);
  if (std::fabs(steps) <= 255 && steps == std::nearbyint(steps))
    return {static_cast<double>(scale), static_cast<int64_t>(steps), 1};
  if (std::fabs(steps) <= 127 && 2 * steps == std::nearbyint(2 * steps))  // bipolar: 2 * count - 1
    return {static_cast<double>(scale) / 2, static_cast<int64_t>(2 * steps), 2};
  refuse("attribute out_bias is {}, allowed are whole multiples of out_scale / 2, which is {}", bias, scale / 2);
}

}  // namespace

void lower_multi_threshold(Lowering& lowering, const Node& node) {
  const Value& found = lowering.value(node, 0);
  const bool is_sum = found.kind == Value::Kind::Integers && found.is_wide() && !found.has_function();
  Value value = is_sum ? found : lowering.codes(node, 0);
  value.layer = node.name;
  count_thresholds(lowering, node, std::move(value), {});
}

void count_thresholds(Lowering& lowering, const Node& node, Value value, const NumbersBefore& before) {
  if (node.inputs.size() != 2) refuse("there are {} inputs, expected a value and thresholds", node.inputs.size());
  const Constant& list = lowering.constant(node, 1, "the thresholds");
  const std::vector<float> numbers = real_numbers(lowering.value(node, 1));
  if (list.shape.size() != 2 || numbers.empty())
    refuse("the thresholds have shape {}, expected channels and levels for a value {}", base::to_string(list.shape),
           base::to_string(value.shape));
  const int64_t axis = channel_axis(node, value.shape.size());
  const int64_t rows = list.shape[0], num_levels = list.shape[1];
  if (rows != 1 && rows != value.shape[static_cast<size_t>(axis)])
    refuse("the thresholds have shape {}, dimension {} of {} has the channels", base::to_string(list.shape), axis,
           base::to_string(value.shape));
  if (num_levels > kMostLevels) refuse("there are {} thresholds, allowed are up to {}", num_levels, kMostLevels);
  if (value.format.is_per_axis() && value.format.axis != axis)
    refuse("scales go along axis {} and thresholds along axis {}", value.format.axis, axis);
  if (before.axis && *before.axis != axis)
    refuse("operands before it go along axis {} of {} and thresholds along axis {}", *before.axis,
           base::to_string(value.shape), axis);
  const Output output = output_of(node);
  const int64_t greatest = output.least + output.step * num_levels;
  if (output.least < -128 || greatest > 255 || (output.least < 0 && greatest > 127))
    refuse("codes are from {} to {}, allowed are those of int8 or uint8", output.least, greatest);

  const bool is_per_axis = rows > 1 || value.format.is_per_axis() || before.axis;
  const auto reached = [&](int64_t steps, size_t index) {
    const double scale = value.format.scales[value.format.is_per_axis() ? index : 0];
    auto number = static_cast<float>(static_cast<double>(steps) * scale);
    if (before.function) number = before.function(number, index);
    const auto row = numbers.begin() + (rows > 1 ? static_cast<int64_t>(index) : 0) * num_levels;
    return std::count_if(row, row + num_levels, [&](float threshold) { return number >= threshold; });
  };
  std::vector<int64_t> firsts;
  for (int64_t level = 1; level <= num_levels; ++level) firsts.push_back(level);
  const size_t count = is_per_axis ? static_cast<size_t>(value.shape[static_cast<size_t>(axis)]) : 1;
  Thresholds thresholds = find_thresholds(reached, firsts, value.magnitude, count);
  thresholds.axis = axis;

  Format format;
  format.scales = {output.scale};
  format.is_unsigned = output.least >= 0;
  format.zero_points = {format.is_unsigned ? format.least() : 0};
  Quantizer quantizer(format);
  quantizer.least = output.least - source_offset(format);
  quantizer.greatest = greatest - source_offset(format);
  quantizer.adds_zero_point_first = true;
  value = counted(lowering, value, thresholds, quantizer, quantizer.least, output.step, node.outputs.at(0));
  value.is_real = true;
  lowering.define(node, std::move(value));
}

}  // namespace vernier::import::quantized
