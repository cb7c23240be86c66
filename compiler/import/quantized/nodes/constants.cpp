// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/nodes/constants.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace vernier::import::quantized {

namespace {

constexpr double kGreatestBias = 0x1p31 - 1;
constexpr double kNoise = 0x1p-22;  // of float32, relative
/// Of the scales of biases, which are meant to be those of the products.
constexpr double kScaleNoise = 0x1p-18;

int64_t unsigned_offset(const Value& value) { return source_offset(value.format); }

}  // namespace

std::vector<float> real_numbers(const Value& value) {
  const Constant& constant = *value.constant;
  if (constant.type.is_float) return constant.floats;
  std::vector<float> reals(constant.integers.size());
  const Format& format = value.format;
  const bool is_per_axis = format.is_per_axis();
  for_each_on_axis(value.shape, is_per_axis ? format.axis : 0, [&](size_t i, size_t at) {
    reals[i] = value.is_real ? real_of(constant.integers[i] - unsigned_offset(value), format, is_per_axis ? at : 0)
                             : static_cast<float>(constant.integers[i]);
  });
  return reals;
}

namespace {

/// The type that TOSA has for them where the input is int8.
base::ElementType type_of(const Weights& weights, const Constant& source) {
  constexpr int kInt4Bits = 4;
  const auto is_int4 = [](int64_t code) { return code >= -7 && code <= 7; };
  const bool has_4_bits = source.type.bits <= kInt4Bits || source.has_few_codes;
  const bool all_are = has_4_bits && weights.zero_point == 0 && std::ranges::all_of(weights.codes, is_int4);
  return all_are ? base::ElementType::Int4 : base::ElementType::Int8;
}

/// They stand for themselves, and the operator of sums adds them in two parts.
Weights weights_of_9_bits(Weights weights) {
  weights.zero_point = 0;
  return weights;
}

}  // namespace

Weights weights_of(const Lowering& lowering, const Node& node, size_t index, int64_t axis) {
  const Constant& constant = lowering.constant(node, index, "the weights");
  const Value& value = lowering.value(node, index);
  const std::string& name = node.inputs[index];
  if (constant.type.is_float || !value.is_real) refuse("the weights '{}' are not quantized", name);
  if (constant.integers.empty()) refuse("the weights '{}' {} are empty", name, base::to_string(value.shape));
  const Format& format = value.format;
  if (format.bits > 8) refuse("the weights '{}' have {} bits, allowed are up to 8", name, format.bits);
  if (format.is_per_axis() && format.axis != axis)
    refuse("the weights '{}' have scales along axis {}, expected axis {}", name, format.axis, axis);
  const auto& zeros = format.zero_points;
  Weights weights{value.shape, constant.integers, zeros.front(), format.scales};
  for (int64_t& code : weights.codes) code -= unsigned_offset(value);
  if (std::all_of(zeros.begin(), zeros.end(), [&](int64_t zero) { return zero == zeros.front(); })) {
    weights.type = type_of(weights, constant);
    return weights;
  }
  // TOSA has one: the others are subtracted here. What is left are 8 bits with some zero point.
  for_each_on_axis(value.shape, axis, [&](size_t i, size_t at) { weights.codes[i] -= zeros[at]; });
  const auto [least, most] = std::minmax_element(weights.codes.begin(), weights.codes.end());
  if (*most - *least > 255) return weights_of_9_bits(std::move(weights));
  weights.zero_point = *least < -128 ? -128 - *least : std::min<int64_t>(127 - *most, 0);
  for (int64_t& code : weights.codes) code += weights.zero_point;
  return weights;
}

Bias bias_of(Lowering& lowering, const Node& node, size_t index, int64_t num_channels, const std::vector<double>& scales,
             double factor) {
  Bias bias{std::vector<int64_t>(static_cast<size_t>(num_channels)), {}};
  if (!lowering.has_input(node, index)) return bias;
  const Constant& constant = lowering.constant(node, index, "the bias");
  const Value& value = lowering.value(node, index);
  const int64_t count = base::num_elements(value.shape);
  if (count != 1 && count != num_channels)
    refuse("the bias '{}' has {} elements, expected {}", node.inputs[index], count, num_channels);
  const std::vector<float> reals = real_numbers(value);
  const Format& format = value.format;
  std::vector<double> rest(bias.steps.size());
  double most_lost = 0, its_ratio = 1;
  for (size_t channel = 0; channel < bias.steps.size(); ++channel) {
    const size_t entry = count == 1 ? 0 : channel;
    const double scale = scales.size() == 1 ? scales.front() : scales[channel];
    const bool is_quantized = !constant.type.is_float && value.is_real;
    const double own_scale = is_quantized ? format.scales[format.is_per_axis() ? entry : 0] : 0;
    const int64_t zero_point = is_quantized ? format.zero_points[format.is_per_axis() ? entry : 0] : 0;
    const bool is_same =  // scales are float32
        is_quantized && factor == 1 && static_cast<float>(own_scale) == static_cast<float>(scale);
    const double exact = is_same ? static_cast<double>(constant.integers[entry] - unsigned_offset(value) - zero_point)
                                 : factor * static_cast<double>(reals[entry]) / scale;
    const double steps = std::nearbyint(exact), lost = std::fabs(exact - steps);
    if (lost > (is_quantized ? kScaleNoise : kNoise) * std::fabs(exact)) rest[channel] = exact - steps;
    if (is_quantized && factor == 1 && rest[channel] != 0 && lost > most_lost) {
      most_lost = lost;
      its_ratio = own_scale / scale;
    }
    if (!(std::fabs(steps) <= kGreatestBias))
      refuse("the bias '{}' is {} steps of the products in channel {}, which is more than 32 bits hold", node.inputs[index],
             steps, channel);
    bias.steps[channel] = static_cast<int64_t>(steps);
  }
  bias.rest.steps = std::move(rest);
  if (most_lost > 0)
    bias.rest.line = fmt::format(
        "node '{}' ({}): the bias '{}' has steps of {:g} times those of the products; it is rounded to whole steps of the "
        "products, by up to {:.2g} of one",
        node.name, node.kind, node.inputs[index], its_ratio, most_lost);
  return bias;
}

Value constant_codes(Lowering& lowering, const Node& node, size_t index, const Quantizer& quantizer, bool is_real,
                     const std::vector<int64_t>& order) {
  const Value& found = lowering.value(node, index);
  const Format& format = quantizer.format;
  std::vector<int64_t> codes;
  if (is_real) {
    if (!found.is_real) refuse("the constant '{}' holds integers, expected numbers", node.inputs[index]);
    for (const float real : real_numbers(found)) codes.push_back(code_of(real, quantizer));
  } else {
    const NumberType type{false, format.bits, format.bits != kBoolBits && !format.is_unsigned};
    if (found.is_real || (found.constant->type != type && format.bits <= 16))
      refuse("the constant '{}' is {}, expected {}, which the others are", node.inputs[index],
             found.is_real ? "of numbers" : to_string(found.constant->type), to_string(type));
    for (const int64_t code : found.constant->integers) {
      if (format.bits > 16 && code != static_cast<int32_t>(code))
        refuse("the constant '{}' holds {}, which int32 does not hold", node.inputs[index], code);
    }
    codes = found.constant->integers;
    for (int64_t& code : codes) code -= source_offset(format);
  }
  Value value;
  value.kind = Value::Kind::Integers;
  value.shape = found.shape;
  value.shape.insert(value.shape.begin(), order.size() - std::min(order.size(), value.shape.size()), 1);
  value.is_real = is_real;
  value.format = format;
  value.order = order;
  value.tensor = lowering.graph.add_constant(element_type(format.bits), shape_in_order(value.shape, order),
                                             reordered(codes, value.shape, order));
  value.magnitude = magnitude_of(quantizer);
  value.layer = node.name;
  return value;
}

Value constant_value(Lowering& lowering, const Node& node, size_t index, const std::vector<int64_t>& order) {
  const Value& found = lowering.value(node, index);
  if (found.constant->type.is_float || !found.is_real || found.format.bits > 16)
    refuse("the constant '{}' is not quantized to 8 or 16 bits", node.inputs[index]);
  if (found.format.is_per_axis())
    refuse("the constant '{}' has a scale for each index of an axis, expected one", node.inputs[index]);
  Value value = found;
  value.kind = Value::Kind::Integers;
  value.shape.insert(value.shape.begin(), order.size() - std::min(order.size(), value.shape.size()), 1);
  std::vector<int64_t> codes = found.constant->integers;
  for (int64_t& code : codes) code -= unsigned_offset(found);
  value.order = order;
  value.tensor = lowering.graph.add_constant(element_type(found.format.bits), shape_in_order(value.shape, order),
                                             reordered(codes, value.shape, order));
  value.magnitude = magnitude_of(value.format);
  value.layer = node.name;
  return value;
}

}  // namespace vernier::import::quantized
