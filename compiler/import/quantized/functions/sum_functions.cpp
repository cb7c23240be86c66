// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/functions/sum_functions.hpp"

#include "compiler/import/quantized/functions/requantize.hpp"
#include "compiler/import/quantized/functions/sums.hpp"
#include "compiler/import/quantized/functions/wide.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace vernier::import::quantized {

namespace {

constexpr int64_t kSamples = 1 << 15;  // on either side of 0
constexpr double kGreatest16 = 32767;
constexpr int kOneScaleBits = 29;

/// The greatest number that a sum can stand for.
double reach_of(const Value& sums) {
  const double scale = *std::max_element(sums.format.scales.begin(), sums.format.scales.end());
  return static_cast<double>(sums.magnitude) * scale;
}

/// Beyond which numbers on either side the codes stay as they are at the ends: no more than `reach`.
double range_of_change(const std::function<float(float)>& function, const Quantizer& quantizer, double reach) {
  const auto code = [&](double x) { return code_of(function(static_cast<float>(x)), quantizer); };
  for (double range = reach;;) {
    const int64_t low = code(-reach), high = code(reach);
    int64_t last = 0;
    for (int64_t i = 1; i <= kSamples; ++i) {
      const double x = range * static_cast<double>(i) / static_cast<double>(kSamples);
      if (code(-x) != low || code(x) != high) last = i;
    }
    const double next = std::min(range, range * static_cast<double>(last + 2) / static_cast<double>(kSamples));
    if (next > range * 0.75 || last == 0) return next;
    range = next;
  }
}

/// The greatest part of a step of the quantizer between the function of a code and of the numbers half a code beside it.
double error_of_rounding(const std::function<float(float)>& function, const Quantizer& quantizer, const Format& codes) {
  const auto steps = [&](double x) {
    const double number = static_cast<double>(function(static_cast<float>(x))) / scale_of(quantizer.format) +
                          static_cast<double>(zero_point_of(quantizer.format));
    return std::clamp(number, static_cast<double>(quantizer.least), static_cast<double>(quantizer.greatest));
  };
  double error = 0, before = steps(scale_of(codes) * (static_cast<double>(codes.least()) - 0.5));
  for (int64_t code = codes.least(); code <= codes.greatest(); ++code) {
    const double after = steps(scale_of(codes) * (static_cast<double>(code) + 0.5));
    error = std::max(error, std::fabs(after - before) / 2);
    before = after;
  }
  return error;
}

Value without_function(const Value& value) {
  Value plain = value;
  plain.of_sum = nullptr;
  plain.low = -kInfinity;
  plain.high = kInfinity;
  return plain;
}

Format format16(double range) { return {16, {static_cast<double>(static_cast<float>(range / kGreatest16))}, {0}, 0, false}; }

}  // namespace

std::function<float(float)> pending_function(const Value& sums) {
  return [before = sums.of_sum, low = sums.low, high = sums.high](float x) {
    return std::clamp(before ? (*before)(x) : x, low, high);
  };
}

Value with_function(Value sums, const std::function<float(float)>& function) {
  sums.of_sum = std::make_shared<const std::function<float(float)>>(
      [before = pending_function(sums), function](float x) { return function(before(x)); });
  sums.low = -kInfinity;
  sums.high = kInfinity;
  return sums;
}

namespace {

/// `error`: the greatest part of a step that the 16 bits of the sums make.
Value coded_function(Lowering& lowering, const Value& sums, const Quantizer& quantizer, const std::string& name,
                     double& error) {
  if (quantizer.format.bits > 16 || quantizer.format.is_per_axis())
    refuse("a function of sums is quantized to {} bits{}, allowed are 8 and 16 with one scale", quantizer.format.bits,
           quantizer.format.is_per_axis() ? " with several scales" : "");
  const std::function<float(float)> function = pending_function(sums);
  const double range = range_of_change(function, quantizer, reach_of(sums));
  if (!(range > 0)) refuse("'{}' is the same code for all sums", name);
  const Format codes = format16(range);
  error = error_of_rounding(function, quantizer, codes);
  Value narrow = requantize(lowering, without_function(sums), Quantizer(codes), name + "_sums16");
  for (int64_t code = codes.least(); code <= codes.greatest(); ++code)
    narrow.reals.push_back(function(real_of(code, codes)));
  return requantize(lowering, narrow, quantizer, name);
}

}  // namespace

Value quantized_function(Lowering& lowering, const Value& sums, const Quantizer& quantizer, const std::string& name) {
  double error = 0;
  Value codes = coded_function(lowering, sums, quantizer, name, error);
  lowering.add_sum_function(sums.layer, error);
  return codes;
}

namespace {

/// The step of the first quantizer that comes after a node, at once or later.
std::optional<double> step_after(const Lowering& lowering, const Node& from) {
  std::set<std::string> reached(from.outputs.begin(), from.outputs.end());
  for (const Node& node : lowering.network.nodes) {
    if (std::none_of(node.inputs.begin(), node.inputs.end(),
                     [&](const std::string& name) { return reached.contains(name); }))
      continue;
    if (node.quantizer != nullptr) return scale_of(node.quantizer->format);
    const bool has_scale = node.kind == "QuantizeLinear" || node.kind == "Quant";
    const auto scale = has_scale && node.inputs.size() > 1 ? lowering.network.constants.find(node.inputs[1])
                                                           : lowering.network.constants.end();
    if (scale != lowering.network.constants.end() && !scale->second.floats.empty())
      return static_cast<double>(scale->second.floats.front());
    reached.insert(node.outputs.begin(), node.outputs.end());
  }
  return std::nullopt;
}

}  // namespace

Value as_codes16(Lowering& lowering, const Value& value, const Node& node, const std::string& name) {
  double range = 0;
  if (value.is_wide()) {
    const std::function<float(float)> function = pending_function(value);
    const double reach = reach_of(value);
    for (int64_t i = -kSamples; i <= kSamples; ++i) {
      const double x = reach * static_cast<double>(i) / static_cast<double>(kSamples);
      range = std::max(range, static_cast<double>(std::fabs(function(static_cast<float>(x)))));
    }
  } else {
    for (const float real : reals_of(value)) range = std::max(range, static_cast<double>(std::fabs(real)));
  }
  if (!(range > 0 && std::isfinite(range))) refuse("'{}' is up to {}, expected finite numbers", name, range);
  const Format codes = format16(range);
  const std::optional<double> step = step_after(lowering, node);
  if (step && scale_of(codes) > *step)
    refuse(
        "'{}' is not quantized after what gives it, and 16 bits on its range, up to {:g}, have steps of {:.3g}, more than "
        "those "
        "of the next quantizer, {:g}",
        name, range, scale_of(codes), *step);
  lowering.add_open_value(name, step ? scale_of(codes) / *step / 2 : 0);
  double error = 0;  // at most one step of the 16 bits
  Value result = value.of_sum ? coded_function(lowering, value, Quantizer(codes), name + "_16", error)
                              : requantize(lowering, value, Quantizer(codes), name + "_16");
  result.is_real = true;
  return result;
}

Value codes_or_16(Lowering& lowering, const Node& node, size_t index) {
  const Value found = lowering.value(node, index);
  const std::string& name = node.inputs[index];
  const bool is_open = found.kind == Value::Kind::Integers && found.is_real &&
                       (lowering.reaches_quantizer(node) || lowering.gives_integers(node)) &&
                       (found.is_wide() || (found.has_function() && !settle(lowering, found, name)));
  if (!is_open) return lowering.codes(node, index);
  // A quantizer that reads the value later reads it as it is.
  if (const Value* known = lowering.codes16(name)) return *known;
  return lowering.remember_codes16(name, as_codes16(lowering, found, node, name));
}

Value with_one_scale(Lowering& lowering, const Value& sums, const std::string& name) {
  Value value = narrowed_sums(lowering, without_function(sums), name);
  if (Rest* rest = lowering.left(value.tensor)) value = with_rest(lowering, value, *rest, name);
  if (value.format.is_per_axis()) {
    if (value.order.back() != value.format.axis)
      refuse("scales go along dimension {}, expected the channels", value.format.axis);
    const double reach = reach_of(value),
                 greatest = *std::max_element(value.format.scales.begin(), value.format.scales.end());
    const double step = std::ldexp(greatest, static_cast<int>(std::floor(std::log2(reach / greatest))) + 1 - kOneScaleBits);
    std::vector<double> factors;
    for (const double scale : value.format.scales) factors.push_back(scale / step);
    value.tensor = add_rescale(lowering, value, value.tensor,
                               {base::ElementType::Int32, 0, 0, multipliers_of(value, factors)}, name + "_one_scale");
    value.format = {32, {step}, {0}, 0, false};
    value.magnitude = int64_t{1} << kOneScaleBits;
  }
  if (value.magnitude >= int64_t{1} << 30) {  // the difference of two of them has to fit 32 bits
    value.tensor = add_rescale(lowering, value, value.tensor, {base::ElementType::Int32, 0, 0, {{int64_t{1} << 30, 31}}},
                               name + "_halved");
    value.format.scales.front() *= 2;
    value.magnitude = value.magnitude / 2 + 1;
  }
  const auto steps = [&](float limit) {
    const double number = static_cast<double>(limit) / scale_of(value.format);
    return static_cast<int64_t>(
        std::clamp(std::nearbyint(number), static_cast<double>(-value.magnitude), static_cast<double>(value.magnitude)));
  };
  const auto limited = [&](ir::OpKind kind, float limit) {
    const base::Shape shape = lowering.graph.tensor(value.tensor).shape;
    const ir::TensorId number =
        lowering.graph.add_constant(base::ElementType::Int32, base::Shape(shape.size(), 1), {steps(limit)});
    value.tensor = lowering.graph.add(kind, {}, {value.tensor, number}, {base::ElementType::Int32, shape, name + "_limited"},
                                      value.layer);
  };
  if (sums.low != -kInfinity) limited(ir::OpKind::Maximum, sums.low);
  if (sums.high != kInfinity) limited(ir::OpKind::Minimum, sums.high);
  return value;
}

}  // namespace vernier::import::quantized
