// SPDX-License-Identifier: Apache-2.0
// Functions of one number: they are evaluated in float32 for each code of 8 or 16 bits, and become a table at the next
// quantizer. Those of sums wait for it (functions/sum_functions.hpp); limits stay limits.
#include "compiler/import/quantized/functions/float_functions.hpp"
#include "compiler/import/quantized/functions/requantize.hpp"
#include "compiler/import/quantized/functions/sum_functions.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/operators/operators.hpp"
#include "hw/base/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

namespace vernier::import::quantized {

namespace {

struct Limits {
  float low = -kInfinity, high = kInfinity;
};

/// Whether a straight line between two codes may be far from the function: it jumps, or rises without end.
bool may_jump(const std::string& kind) {
  constexpr std::array<std::string_view, 14> kKinds{"Celu",  "Ceil", "Cos",  "Floor", "Log",      "Mish", "Reciprocal",
                                                    "Round", "Selu", "Sign", "Sin",   "Softsign", "Sqrt", "ThresholdedRelu"};
  return std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end();
}

/// What a Relu or Clip lets through; none of another operator.
std::optional<Limits> limits_of(const Lowering& lowering, const Node& node) {
  if (node.kind == "Relu") return Limits{0, kInfinity};
  if (node.kind != "Clip") return std::nullopt;
  return Limits{number_of(lowering, node, "min", 1, -kInfinity), number_of(lowering, node, "max", 2, kInfinity)};
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
  const bool has_limits_only = limits && value.reals.empty() && !value.of_sum && value.format.bits != 8;
  if (has_limits_only) {
    value.low = std::clamp(value.low, limits->low, limits->high);
    value.high = std::clamp(value.high, limits->low, limits->high);
    lowering.define(node, std::move(value));
    return;
  }
  if (value.is_wide() && node.kind == "LeakyRelu" && !value.of_sum)
    return lower_leaky_sums(lowering, node, float_of(node, "alpha", 0.01F));
  const UnaryFunction function =
      limits ? UnaryFunction([limits](float x) { return std::clamp(x, limits->low, limits->high); }) : unary_function(node);
  VERNIER_CHECK(function, "operator {} is no function of one number", node.kind);
  if (!value.is_wide()) return define_function(lowering, node, 0, function, may_jump(node.kind));
  value.layer = node.name;
  lowering.define(node, with_function(std::move(value), function));
}

}  // namespace vernier::import::quantized
