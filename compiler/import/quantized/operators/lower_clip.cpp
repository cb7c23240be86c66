// SPDX-License-Identifier: Apache-2.0
// Clip and Relu of codes, between QuantizeLinear and DequantizeLinear: how Brevitas and qonnx write fewer bits than eight,
// and narrow ranges.
#include "compiler/import/quantized/functions/requantize.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <utility>

namespace vernier::import::quantized {

namespace {

/// A limit of codes of the source, input `index` of the node; none where it is left out.
std::optional<int64_t> limit_of(const Lowering& lowering, const Node& node, size_t index, NumberType type) {
  if (!lowering.has_input(node, index)) return std::nullopt;
  const Constant& limit = lowering.constant(node, index, "the limit");
  if (limit.type != type || limit.integers.size() != 1)
    refuse("the limit '{}' is {} of {}, expected one number of the codes' type, {}", node.inputs[index],
           base::to_string(limit.shape), to_string(limit.type), to_string(type));
  return limit.integers.front();
}

}  // namespace

void lower_clip_of_codes(Lowering& lowering, const Node& node) {
  Value value = lowering.value(node, 0);
  if (value.kind == Value::Kind::Input) value = lowering.integer_input(value);
  const bool is_constant = value.kind == Value::Kind::Constant;
  const Format& format = value.format;
  if (!is_constant && value.is_wide())
    refuse("'{}' has codes of {} bits, allowed are 8 and 16", node.inputs[0], format.bits);
  const NumberType type = is_constant ? value.constant->type : NumberType{false, format.bits, !format.is_unsigned};
  const bool is_relu = node.kind == "Relu";  // of the integers that the source has
  const std::optional<int64_t> least = is_relu ? std::optional(int64_t{0}) : limit_of(lowering, node, 1, type);
  const std::optional<int64_t> greatest = limit_of(lowering, node, 2, type);
  if (least && greatest && *least > *greatest) refuse("the limits are {} and {}, expected an interval", *least, *greatest);
  if (is_constant) {
    auto limited = std::make_shared<Constant>(*value.constant);
    for (int64_t& code : limited->integers) {
      if (least) code = std::max(code, *least);
      if (greatest) code = std::min(code, *greatest);
    }
    value.constant = std::move(limited);
    return lowering.define(node, std::move(value));
  }
  const int64_t offset = source_offset(format);
  const int64_t low = std::max(format.least(), least ? *least - offset : format.least());
  const int64_t high = std::min(format.greatest(), greatest ? *greatest - offset : format.greatest());
  if (low != format.least() || high != format.greatest())
    value.tensor = add_clamp(lowering, value, value.tensor, low, high, node.outputs.at(0));
  lowering.define(node, std::move(value));
}

}  // namespace vernier::import::quantized
