// SPDX-License-Identifier: Apache-2.0
// QONNX's Trunc, which divides codes by a power of two. By qonnx 1.0.0, src/qonnx/custom_op/general/trunc.py:
// version 1 (5 inputs: x, scale, zero point, input bits, output bits):
//   y = round(round_half_even(x / scale + zero point) / 2^(input bits - output bits)), result (y - zero point) * scale;
// version 2 (6 inputs: x, scale, zero point, input bits, output scale, output bits), with 2^k = output scale / scale:
//   y = round(clamp(round_half_even(x / scale + zero point) / 2^k)), result (y - zero point / 2^k) * output scale.
#include "compiler/import/quantized/functions/divide.hpp"
#include "compiler/import/quantized/functions/requantize.hpp"
#include "compiler/import/quantized/nodes/int_quantizer.hpp"
#include "compiler/import/quantized/operators/operators.hpp"
#include "hw/model/quantize_int.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vernier::import::quantized {

namespace {

constexpr int64_t kMostInput = int64_t{1} << 28;  // the arithmetic of divide.hpp has 29 bits
constexpr double kUlp = 0x1p-23;                  // of float32, relative

/// The codes that go in, how they are divided, and the codes that come out.
struct Trunc {
  Scales input;
  Division division;
  Quantizer output;
};

/// k where the output scale is 2^k times the scale.
int64_t halvings_between(double scale, double output_scale) {
  const double ratio = output_scale / scale;
  const double k = std::nearbyint(std::log2(ratio));
  if (std::fabs(ratio / std::exp2(k) - 1) > kUlp)
    refuse("out_scale / scale is {:g}, which is no power of two: no integer operation gives these numbers", ratio);
  if (std::fabs(k) > 28) refuse("out_scale / scale is 2^{}, allowed are 2^-28 to 2^28", k);
  return static_cast<int64_t>(k);
}

/// What the zero point adds to the steps of a value before they are halved, or after they are doubled.
int64_t added_zero_point(int64_t zero_point, int64_t halvings) {
  return zero_point * (int64_t{1} << std::max<int64_t>(-halvings, 0));
}

/// The zero point of the output: zero point / 2^k.
int64_t output_zero_point(int64_t zero_point, int64_t halvings) {
  if (halvings <= 0) return added_zero_point(zero_point, halvings);
  const int64_t divisor = int64_t{1} << halvings;
  if (zero_point % divisor != 0)
    refuse("the zero point {} divided by 2^{} is no whole number: no integer stands for 0", zero_point, halvings);
  return zero_point / divisor;
}

Trunc version_2(const Lowering& lowering, const Node& node, const base::Shape& shape) {
  Scales input = scales_of(lowering, node, 1, 2, shape);
  const AxisNumbers output_scales = numbers_of(lowering, node, 4, "out_scale", shape);
  const CodeRange range{bits_of(lowering, node, 5, "the output bit width"), flag_of(node, "signed", true),
                        flag_of(node, "narrow", false)};
  if (range.bits > 16) refuse("the output bit width is {}, allowed are 1 to 16", range.bits);
  const size_t count = std::max(input.scales.size(), output_scales.numbers.size());
  if (input.scales.size() == 1) input.axis = output_scales.axis;
  if (output_scales.numbers.size() > 1 && output_scales.axis != input.axis)
    refuse("scales go along axis {} and output scales along axis {}", input.axis, output_scales.axis);
  Division division{{}, {}, input.axis};
  Scales output;
  output.axis = input.axis;
  for (size_t i = 0; i < count; ++i) {
    const size_t from = input.scales.size() > 1 ? i : 0;
    const double output_scale = output_scales.numbers[output_scales.numbers.size() > 1 ? i : 0];
    if (!std::isfinite(output_scale) || !(output_scale > 0))
      refuse("out_scale is {}, allowed are finite numbers above 0", output_scale);
    division.halvings.push_back(halvings_between(input.scales[from], output_scale));
    division.addends.push_back(added_zero_point(input.zero_points[from], division.halvings.back()));
    output.scales.push_back(output_scale);
    output.zero_points.push_back(output_zero_point(input.zero_points[from], division.halvings.back()));
  }
  return {std::move(input), std::move(division), int_quantizer(output, range, rounding_of(node, "FLOOR"))};
}

/// Version 1 has no limits: the output is as wide as its numbers are; of a graph input, 16 bits.
Trunc version_1(const Lowering& lowering, const Node& node, const Value& value, const base::Shape& shape) {
  const Scales input = scales_of(lowering, node, 1, 2, shape);
  const int64_t halvings =
      bits_of(lowering, node, 3, "the input bit width") - bits_of(lowering, node, 4, "the output bit width");
  double greatest = 0;
  for (size_t i = 0; i < input.scales.size(); ++i) {
    const double steps = value.kind == Value::Kind::Input
                             ? 0
                             : static_cast<double>(value.magnitude) *
                                   value.format.scales[value.format.is_per_axis() ? i : 0] / input.scales[i];
    const auto zero = static_cast<double>(std::abs(input.zero_points[i]));
    greatest = std::max({greatest, std::ceil(std::ldexp(steps + zero, -static_cast<int>(halvings))), zero});
  }
  if (greatest >= 0x1p15)
    refuse("numbers of up to {:g} come out, allowed are 16 bits: Trunc of version 1 has no limits", greatest);
  const bool is_narrow = value.kind != Value::Kind::Input && greatest < 0x1p7;
  const CodeRange range{is_narrow ? 8 : 16, true, false};
  Division division{{halvings}, {}, input.axis};
  for (const int64_t zero : input.zero_points) division.addends.push_back(added_zero_point(zero, halvings));
  return {input, std::move(division), int_quantizer(input, range, rounding_of(node, "FLOOR"))};
}

/// The codes of an input: int32, since Trunc's input width limits nothing; fewer of them where the division doubles.
Value truncated_input(Lowering& lowering, const Value& value, const Trunc& trunc) {
  const Scales& scales = trunc.input;
  const auto& halvings = trunc.division.halvings;
  const int64_t doublings = std::max<int64_t>(-*std::min_element(halvings.begin(), halvings.end()), 0);
  const int64_t most = kMostInput >> std::min<int64_t>(doublings, 28);
  Quantizer quantizer(Format{32, scales.scales, scales.zero_points, scales.axis, false});
  quantizer.least = -most;
  quantizer.greatest = most;
  quantizer.adds_zero_point_first = true;
  Value input = lowering.quantized_input(value, quantizer);
  // Other codes may be given than the quantizer makes.
  const base::Shape shape(value.shape.size(), 1);
  for (const auto& [kind, limit] : {std::pair(ir::OpKind::Maximum, -most), std::pair(ir::OpKind::Minimum, most)}) {
    const ir::TensorId constant = lowering.graph.add_constant(base::ElementType::Int32, shape, {limit});
    input.tensor = lowering.graph.add(kind, {}, {input.tensor, constant},
                                      {base::ElementType::Int32, value.shape, input.layer + "_limited"}, input.layer);
  }
  input.magnitude = magnitude_of(quantizer);
  return input;
}

/// The value as whole steps of Trunc's scale, int32: it is rounded half to even where its own scale is another one.
Value on_grid(Lowering& lowering, const Value& value, const Scales& scales, const std::string& name) {
  double greatest = 0;
  bool is_on_grid = true;
  for (size_t i = 0; i < std::max(scales.scales.size(), value.format.scales.size()); ++i) {
    const double factor =
        value.format.scales[value.format.is_per_axis() ? i : 0] / scales.scales[scales.scales.size() > 1 ? i : 0];
    is_on_grid = is_on_grid && std::fabs(factor - 1) <= kUlp;
    greatest = std::max(greatest, factor);
  }
  if (is_on_grid) return value;
  Quantizer quantizer(Format{32, scales.scales, scales.zero_points, scales.axis, false});
  quantizer.adds_zero_point_first = true;
  Value grid = divided(lowering, value, quantizer, name + "_grid");
  grid.magnitude = static_cast<int64_t>(std::ceil(static_cast<double>(value.magnitude) * greatest)) + 1;
  grid.low = value.low;
  grid.high = value.high;
  return grid;
}

/// What Trunc makes of a number, in float32 as its reference implementation does.
int64_t truncated(float real, const Trunc& trunc) {
  const float steps = std::nearbyint(real / static_cast<float>(trunc.input.scales.front()) +
                                     static_cast<float>(trunc.input.zero_points.front()));
  const float quotient = std::ldexp(steps, -static_cast<int>(trunc.division.halvings.front()));
  const auto code = static_cast<int64_t>(std::clamp(model::rounded(quotient, trunc.output.rounding), -0x1p30F, 0x1p30F));
  return std::clamp(code - source_offset(trunc.output.format), trunc.output.least, trunc.output.greatest);
}

}  // namespace

void lower_trunc(Lowering& lowering, const Node& node) {
  if (node.inputs.size() != 5 && node.inputs.size() != 6)
    refuse("there are {} inputs, expected 5 (version 1) or 6 (version 2)", node.inputs.size());
  Value value = lowering.value(node, 0);
  if (value.kind == Value::Kind::Constant) refuse("'{}' is a constant, expected a value that is computed", node.inputs[0]);
  if (!value.is_real) refuse("'{}' holds integers, expected numbers", node.inputs[0]);
  const Trunc trunc =
      node.inputs.size() == 6 ? version_2(lowering, node, value.shape) : version_1(lowering, node, value, value.shape);
  const std::string& name = node.outputs.at(0);
  const bool has_one_scale = trunc.input.scales.size() == 1 && trunc.output.format.scales.size() == 1;
  if (value.kind == Value::Kind::Integers && value.format.bits == 8 && !value.format.is_per_axis() && has_one_scale &&
      trunc.output.format.bits == 8) {
    std::vector<int64_t> codes;
    for (const float real : reals_of(value)) codes.push_back(truncated(real, trunc));
    return lowering.define(node, with_codes(lowering, value, trunc.output, codes, name));
  }
  if (value.kind == Value::Kind::Input) {
    value = truncated_input(lowering, value, trunc);
  } else if (!value.reals.empty()) {
    const std::optional<Value> settled = settle(lowering, value, name + "_settled");
    if (!settled) refuse("'{}' is not quantized after the function that gives it", node.inputs[0]);
    value = *settled;
  }
  Value result = divided_by(lowering, on_grid(lowering, value, trunc.input, name), trunc.division, trunc.output, name);
  result.is_real = true;
  result.layer = node.name;
  lowering.define(node, std::move(result));
}

}  // namespace vernier::import::quantized
