// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/nodes/quantizer.hpp"

#include "compiler/import/quantized/nodes/attributes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

namespace vernier::import::quantized {

namespace {

constexpr NumberType kDefaultCodes{false, 8, false};  // of QuantizeLinear without a zero point

}  // namespace

std::optional<NumberType> output_type(const Node& node) {
  switch (int_of(node, "output_dtype", 0)) {  // of TensorProto
    case 2: return NumberType{false, 8, false};
    case 3: return NumberType{false, 8, true};
    case 4: return NumberType{false, 16, false};
    case 5: return NumberType{false, 16, true};
    case 21: return NumberType{false, 4, false};
    case 22: return NumberType{false, 4, true};
    default: return std::nullopt;
  }
}

NumberType type_of_codes(const Lowering& lowering, const Node& node) {
  if (lowering.has_input(node, 2)) return lowering.constant(node, 2, "the zero point").type;
  return output_type(node).value_or(kDefaultCodes);
}

Format format_of(const Lowering& lowering, const Node& node, const base::Shape& shape, NumberType type) {
  const Constant& scale = lowering.constant(node, 1, "the scale");
  if (!scale.type.is_float || scale.floats.empty()) refuse("the scale '{}' is not float32", node.inputs[1]);
  const size_t count = scale.floats.size();
  Format format;
  std::vector<int64_t> zeros(count, 0);
  if (lowering.has_input(node, 2)) {
    const Constant& zero = lowering.constant(node, 2, "the zero point");
    if (zero.type.is_float) refuse("the codes are {}, allowed are integers", to_string(zero.type));
    if (zero.integers.size() != count)
      refuse("{} zero points stand beside {} scales, expected as many", zero.integers.size(), count);
    type = zero.type;
    zeros = zero.integers;
  }
  for (const float one : scale.floats) {
    if (!std::isfinite(one) || !(one > 0))
      refuse("the scale '{}' holds {}, allowed are finite numbers above 0", node.inputs[1], one);
  }
  if (const int64_t block = int_of(node, "block_size", 0); block != 0)
    refuse(
        "attribute block_size is {}: {} codes on axis {} of {} share a scale, allowed is one scale for each index of an "
        "axis",
        block, block, int_of(node, "axis", 1), base::to_string(shape));
  if (type.bits > 32) refuse("the codes are {}, allowed are integers of up to 32 bits", to_string(type));
  format.bits = type.bits <= 8 ? 8 : type.bits;
  format.is_unsigned = !type.is_signed;
  format.scales.assign(scale.floats.begin(), scale.floats.end());
  format.zero_points = zeros;
  for (int64_t& zero : format.zero_points) zero += format.is_unsigned ? format.least() : 0;
  if (count > 1) {
    format.axis = axis_in(int_of(node, "axis", 1), shape.size());
    if (shape[static_cast<size_t>(format.axis)] != static_cast<int64_t>(count))
      refuse("{} scales stand beside dimension {} of {}, expected as many", count, format.axis, base::to_string(shape));
  }
  return format;
}

std::optional<Quantizer> quantizer_after(const Lowering& lowering, const std::string& name, const base::Shape& shape) {
  std::optional<Quantizer> quantizer;
  for (const Node& node : lowering.network.nodes) {
    if (std::find(node.inputs.begin(), node.inputs.end(), name) == node.inputs.end()) continue;
    if ((node.kind != "QuantizeLinear" && node.quantizer == nullptr) || node.inputs[0] != name) return std::nullopt;
    const Quantizer one =
        node.quantizer != nullptr ? *node.quantizer : format_of(lowering, node, shape, type_of_codes(lowering, node));
    if (quantizer && *quantizer != one) return std::nullopt;
    quantizer = one;
  }
  return quantizer;
}

std::optional<Format> format_downstream(const Lowering& lowering, const std::string& name, NumberType type) {
  constexpr std::array<std::string_view, 18> kCarry{
      "Clip",      "Concat",    "DepthToSpace", "Expand",  "Flatten", "Gather", "Identity", "MaxPool",   "Pad",
      "ReduceMax", "ReduceMin", "Relu",         "Reshape", "Slice",   "Split",  "Squeeze",  "Transpose", "Unsqueeze"};
  std::set<std::string> reached{name};
  for (const Node& node : lowering.network.nodes) {  // each after those that it reads
    if (node.inputs.empty() || std::none_of(node.inputs.begin(), node.inputs.end(),
                                            [&](const std::string& input) { return reached.contains(input); }))
      continue;
    if (node.kind == "DequantizeLinear" && reached.contains(node.inputs[0])) {
      const auto scale =
          node.inputs.size() > 1 ? lowering.network.constants.find(node.inputs[1]) : lowering.network.constants.end();
      const bool has_one = scale != lowering.network.constants.end() && scale->second.floats.size() == 1;
      const bool has_zero = node.inputs.size() < 3 || lowering.network.constants.contains(node.inputs[2]);
      if (has_one && has_zero) return format_of(lowering, node, {}, type);
    } else if (std::find(kCarry.begin(), kCarry.end(), node.kind) != kCarry.end()) {
      reached.insert(node.outputs.begin(), node.outputs.end());
    }
  }
  return std::nullopt;
}

}  // namespace vernier::import::quantized
