// SPDX-License-Identifier: Apache-2.0
// BatchNormalization of one image or row: each channel times a factor, plus an addend. The factor becomes a part of the
// channel's scale, so that no integer changes; the addend is rounded to a part of a step: 2^-8 of the
// sums' or 2^-20 of the codes', where 29 bits hold that.
#include "compiler/import/quantized/functions/wide.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/nodes/constants.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace vernier::import::quantized {

namespace {

/// factor * x + addend, by channel.
struct Affine {
  std::vector<double> factors, addends;
};

Affine affine_of(const Lowering& lowering, const Node& node, int64_t channels) {
  std::vector<std::vector<float>> lists;
  constexpr std::array<const char*, 4> kNames{"the scale", "the bias", "the mean", "the variance"};
  for (size_t i = 0; i < kNames.size(); ++i) {
    static_cast<void>(lowering.constant(node, i + 1, kNames.at(i)));
    lists.push_back(real_numbers(lowering.value(node, i + 1)));
    if (static_cast<int64_t>(lists.back().size()) != channels)
      refuse("{} has {} elements for {} channels", kNames.at(i), lists.back().size(), channels);
  }
  const double epsilon = static_cast<double>(float_of(node, "epsilon", 1e-5F));
  Affine affine;
  for (size_t i = 0; i < lists[0].size(); ++i) {
    const double factor = static_cast<double>(lists[0][i]) / std::sqrt(static_cast<double>(lists[3][i]) + epsilon);
    const double addend = static_cast<double>(lists[1][i]) - static_cast<double>(lists[2][i]) * factor;
    if (!std::isfinite(factor) || !std::isfinite(addend)) refuse("channel {} is {} x + {}", i, factor, addend);
    affine.factors.push_back(factor);
    affine.addends.push_back(addend);
  }
  return affine;
}

/// What becomes of one channel's numbers: number * factor + addend in steps of the scale.
struct Channel {
  int64_t factor = 0, addend = 0;
  double scale = 1;
};

/// Numbers of up to `magnitude` steps of `scale`, which get as many bits after the point as 29 bits hold, `most_bits` at
/// most.
Channel channel_of(double factor, double addend, double scale, int64_t magnitude, int64_t most_bits) {
  const double own_scale = scale * std::fabs(factor), reach = static_cast<double>(magnitude);
  const double steps = own_scale > 0 ? std::fabs(addend) / own_scale : std::numeric_limits<double>::infinity();
  // What is 2^-24 of the addend at most is nothing in float32 either: the channel is its addend.
  if (reach <= std::ldexp(steps, -24)) {
    const double step = std::ldexp(std::max(std::fabs(addend), 0x1p-60), -24);
    return {0, std::llround(addend / step), step};
  }
  if (reach + steps >= 0x1p31)
    refuse("{:g} is added to numbers of up to {:g}, which is more than 32 bits hold", addend, reach * own_scale);
  int64_t bits = 0;
  while (bits < most_bits && std::ldexp(reach + steps + 1, static_cast<int>(bits + 1)) < 0x1p29) ++bits;
  const double step = std::ldexp(own_scale, -static_cast<int>(bits));
  return {(factor < 0 ? -1 : 1) * (int64_t{1} << bits), std::llround(addend / step), step};
}

/// int32 OP constant along the channels, which stand last.
ir::TensorId combined(Lowering& lowering, const Node& node, ir::OpKind kind, ir::TensorId tensor,
                      const std::vector<int64_t>& constant) {
  GraphBuilder& graph = lowering.graph;
  const base::Shape shape = graph.tensor(tensor).shape;
  base::Shape channels(shape.size(), 1);
  channels.back() = static_cast<int64_t>(constant.size());
  std::vector<ir::TensorId> inputs{tensor, graph.add_constant(base::ElementType::Int32, channels, constant)};
  if (kind == ir::OpKind::Mul) inputs.push_back(graph.add_scalar(base::ElementType::Int8, 0));
  return graph.add(kind, {}, inputs, {base::ElementType::Int32, shape, node.outputs.at(0)}, node.name);
}

}  // namespace

void lower_batch_norm(Lowering& lowering, const Node& node) {
  if (node.outputs.size() > 1 || int_of(node, "training_mode", 0) != 0)
    refuse("statistics are asked for, allowed is what inference computes");
  const Value& found = lowering.value(node, 0);
  const bool is_sum = found.kind == Value::Kind::Integers && found.is_wide() && !found.has_function();
  Value value = is_sum ? narrowed_sums(lowering, found, node.outputs.at(0)) : lowering.codes(node, 0);
  if (value.shape.size() < 2) refuse("an input of shape {}, expected channels in dimension 1", base::to_string(value.shape));
  if (value.format.is_per_axis() && value.format.axis != 1) refuse("scales go along axis {}, expected 1", value.format.axis);
  const int64_t channels = value.shape[1];
  const Affine affine = affine_of(lowering, node, channels);
  std::vector<int64_t> order = source_order(value.shape.size());
  std::rotate(order.begin() + 1, order.begin() + 2, order.end());  // channels last
  value.tensor = lowering.in_order(value, order);
  value.order = order;
  value.layer = node.name;
  value = wide_value(lowering, value, 0, node.outputs.at(0));
  Format& format = value.format;
  format.axis = 1;
  format.scales.resize(static_cast<size_t>(channels), format.scales.front());
  format.zero_points.assign(static_cast<size_t>(channels), 0);
  std::vector<int64_t> factors, addends;
  int64_t magnitude = 0;
  for (size_t i = 0; i < format.scales.size(); ++i) {
    const Channel channel =
        channel_of(affine.factors[i], affine.addends[i], format.scales[i], value.magnitude, is_sum ? 8 : 20);
    format.scales[i] = channel.scale;
    factors.push_back(channel.factor);
    addends.push_back(channel.addend);
    magnitude = std::max(magnitude, value.magnitude * std::abs(channel.factor) + std::abs(channel.addend));
  }
  const auto differ_from = [](int64_t number) { return [number](int64_t one) { return one != number; }; };
  if (std::any_of(factors.begin(), factors.end(), differ_from(1)))
    value.tensor = combined(lowering, node, ir::OpKind::Mul, value.tensor, factors);
  if (std::any_of(addends.begin(), addends.end(), differ_from(0)))
    value.tensor = combined(lowering, node, ir::OpKind::Add, value.tensor, addends);
  value.magnitude = magnitude;
  lowering.define(node, std::move(value));
}

}  // namespace vernier::import::quantized
