// SPDX-License-Identifier: Apache-2.0
// Functions of one number. Of codes of 8 and 16 bits any: they are evaluated in float32 for each code, and become a table at
// the next quantizer. Of sums those that clamp.
#include "compiler/import/quantized/functions/requantize.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/operators/float_functions.hpp"
#include "compiler/import/quantized/operators/operators.hpp"
#include "hw/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace vernier::import::quantized {

namespace {

using Function = std::function<float(float)>;

struct Limits {
  float low = -kInfinity, high = kInfinity;
};

/// What a Relu or Clip lets through; none of another operator.
std::optional<Limits> limits_of(const Lowering& lowering, const Node& node) {
  if (node.kind == "Relu") return Limits{0, kInfinity};
  if (node.kind != "Clip") return std::nullopt;
  return Limits{number_of(lowering, node, "min", 1, -kInfinity), number_of(lowering, node, "max", 2, kInfinity)};
}

float sigmoid(float x) { return 1.0F / (1.0F + std::exp(-x)); }

float gelu(const Node& node, float x) {
  const std::string approximate = string_of(node, "approximate", "none");
  if (approximate == "none") return 0.5F * x * (1.0F + std::erf(x / std::numbers::sqrt2_v<float>));
  if (approximate != "tanh") refuse("attribute approximate is '{}', allowed are none and tanh", approximate);
  const float inner = 2.0F * std::numbers::inv_sqrtpi_v<float> / std::numbers::sqrt2_v<float>;
  return 0.5F * x * (1.0F + std::tanh(inner * (x + 0.044715F * x * x * x)));
}

/// The function of the node in float32, attributes' defaults as ONNX says.
Function function_of(const Node& node) {
  const std::string& kind = node.kind;
  if (const Function further = float_function(node)) return further;
  if (kind == "Sigmoid") return sigmoid;
  if (kind == "Tanh") return [](float x) { return std::tanh(x); };
  if (kind == "Abs") return [](float x) { return std::fabs(x); };
  if (kind == "Neg") return [](float x) { return -x; };
  if (kind == "Exp") return [](float x) { return std::exp(x); };
  if (kind == "Erf") return [](float x) { return std::erf(x); };
  if (kind == "Softplus") return [](float x) { return std::log1p(std::exp(x)); };
  if (kind == "HardSwish") return [](float x) { return x * std::clamp(x / 6.0F + 0.5F, 0.0F, 1.0F); };
  if (kind == "LeakyRelu") {
    const float alpha = float_of(node, "alpha", 0.01F);
    return [=](float x) { return x >= 0 ? x : alpha * x; };
  }
  if (kind == "Elu") {
    const float alpha = float_of(node, "alpha", 1);
    return [=](float x) { return x >= 0 ? x : alpha * (std::exp(x) - 1.0F); };
  }
  if (kind == "HardSigmoid") {
    const float alpha = float_of(node, "alpha", 0.2F), beta = float_of(node, "beta", 0.5F);
    return [=](float x) { return std::clamp(alpha * x + beta, 0.0F, 1.0F); };
  }
  VERNIER_CHECK(kind == "Gelu", "operator {} is no function of one number", kind);
  return [&node](float x) { return gelu(node, x); };
}

}  // namespace

void lower_unary(Lowering& lowering, const Node& node) {
  Value value = lowering.value(node, 0);
  if (node.kind == "Pow") return lower_pow(lowering, node);
  if (!value.is_real && (node.kind == "Clip" || node.kind == "Relu")) return lower_clip_of_codes(lowering, node);
  if (value.kind != Value::Kind::Integers) refuse("'{}' is not quantized", node.inputs.at(0));
  const std::optional<Limits> limits = limits_of(lowering, node);
  if (limits && !(limits->low <= limits->high))
    refuse("the limits are {} and {}, expected an interval", limits->low, limits->high);
  const bool has_limits_only = limits && value.reals.empty() && value.format.bits != 8;
  if (has_limits_only) {
    value.low = std::clamp(value.low, limits->low, limits->high);
    value.high = std::clamp(value.high, limits->low, limits->high);
    lowering.define(node, std::move(value));
    return;
  }
  if (value.is_wide() && node.kind == "LeakyRelu") return lower_leaky_sums(lowering, node, float_of(node, "alpha", 0.01F));
  if (value.is_wide()) refuse("'{}' is not quantized, allowed are codes of 8 and 16 bits", node.inputs[0]);
  if (value.format.is_per_axis()) refuse("'{}' has a scale for each index of an axis, expected one scale", node.inputs[0]);
  const Function function =
      limits ? Function([&](float x) { return std::clamp(x, limits->low, limits->high); }) : function_of(node);
  value.reals = reals_of(value);
  for (float& real : value.reals) {
    real = function(std::clamp(real, value.low, value.high));
    if (std::isnan(real) && value.format.bits == 16) real = -kInfinity;  // as it is quantized; tables need an order
  }
  value.has_jumps = value.has_jumps || float_function(node) != nullptr;
  value.low = -kInfinity;
  value.high = kInfinity;
  value.layer = node.name;
  lowering.define(node, std::move(value));
}

}  // namespace vernier::import::quantized
