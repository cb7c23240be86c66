// SPDX-License-Identifier: Apache-2.0
// Pad: with a constant by PAD; with numbers of the value itself (reflect, edge, wrap) by picking them, axis after axis.
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/nodes/quantizer.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::import::quantized {

namespace {

constexpr int64_t kMostPad = int64_t{1} << 31;

}  // namespace

Pads pads_of(const Lowering& lowering, const Node& node, size_t rank) {
  std::vector<int64_t> axes = source_order(rank);
  if (lowering.has_input(node, 3)) {
    const Constant& list = lowering.constant(node, 3, "the list of axes");
    if (list.type.is_float) refuse("'{}' is a list of floats, expected integers", node.inputs[3]);
    axes = list.integers;
  }
  const auto pads = list_of(lowering, node, "pads", 1);
  const auto is_pad = [](int64_t pad) { return pad > -kMostPad && pad < kMostPad; };
  if (!pads || pads->size() != 2 * axes.size() || !std::all_of(pads->begin(), pads->end(), is_pad))
    refuse("the pads are {}, expected {} numbers", pads ? base::to_string(*pads) : "missing", 2 * axes.size());
  Pads result{std::vector<int64_t>(rank, 0), std::vector<int64_t>(rank, 0)};
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto at = static_cast<size_t>(axis_in(axes[i], rank));
    result.before[at] += (*pads)[i];
    result.after[at] += (*pads)[axes.size() + i];
  }
  return result;
}

int64_t padded_from(int64_t at, int64_t size, const std::string& mode) {
  if (mode == "edge") return std::clamp<int64_t>(at, 0, size - 1);
  if (mode == "wrap") return ((at % size) + size) % size;
  return at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at;
}

namespace {

/// The code that Pad adds: that of a real number, or where codes are padded one of them.
int64_t padding_code(const Lowering& lowering, const Node& node, const Value& value) {
  const float real = number_of(lowering, node, "value", 2, 0);
  const Format& format = value.format;
  const int64_t code =
      value.is_real
          ? code_of(real, format)
          : static_cast<int64_t>(std::clamp(std::round(static_cast<double>(real)), -0x1p40, 0x1p40)) - source_offset(format);
  const bool is_code = code >= format.least() && code <= format.greatest();
  if (!is_code || (value.is_real && real_of(code, format) != real))
    refuse("the padding is {}, which is no code of '{}'", real, node.inputs[0]);
  return code;
}

/// The value without the numbers that pads below 0 take away, which then are 0.
Value cropped(Lowering& lowering, const Node& node, Value value, Pads& pads) {
  base::Shape shape = value.shape;
  std::vector<int64_t> begin(shape.size(), 0);
  for (size_t i = 0; i < shape.size(); ++i) {
    begin[i] = std::max<int64_t>(-pads.before[i], 0);
    shape[i] -= begin[i] + std::max<int64_t>(-pads.after[i], 0);
    if (shape[i] < 1) refuse("pads take all of dimension {} of {}", i, base::to_string(value.shape));
    pads.before[i] = std::max<int64_t>(pads.before[i], 0);
    pads.after[i] = std::max<int64_t>(pads.after[i], 0);
  }
  if (shape == value.shape) return value;
  std::vector<int64_t> first;
  for (const int64_t dimension : value.order) first.push_back(dimension < 0 ? 0 : begin[static_cast<size_t>(dimension)]);
  GraphBuilder& graph = lowering.graph;
  const base::Shape size = shape_in_order(shape, value.order);
  value.tensor = graph.add(ir::OpKind::Slice, {}, {value.tensor, graph.add_shape(first), graph.add_shape(size)},
                           {graph.tensor(value.tensor).type, size, node.outputs.at(0) + "_cropped"}, node.name);
  value.shape = shape;
  return value;
}

Value with_constant(Lowering& lowering, const Node& node, Value value, const Pads& pads) {
  const int64_t code = padding_code(lowering, node, value);
  std::vector<int64_t> padding;
  for (const int64_t dimension : value.order) {
    const auto at = static_cast<size_t>(dimension);
    padding.push_back(dimension < 0 ? 0 : pads.before[at]);
    padding.push_back(dimension < 0 ? 0 : pads.after[at]);
  }
  for (size_t i = 0; i < value.shape.size(); ++i) value.shape[i] += pads.before[i] + pads.after[i];
  const base::ElementType type = element_type(value.format.bits);
  value.tensor = lowering.graph.add(ir::OpKind::Pad, {},
                                    {value.tensor, lowering.graph.add_shape(padding), lowering.graph.add_scalar(type, code)},
                                    {type, shape_in_order(value.shape, value.order), node.outputs.at(0)}, node.name);
  value.layer = node.name;
  return value;
}

Value with_own_numbers(Lowering& lowering, const Node& node, Value value, const Pads& pads, const std::string& mode) {
  for (size_t axis = 0; axis < value.shape.size(); ++axis) {
    const int64_t size = value.shape[axis], before = pads.before[axis], after = pads.after[axis];
    if (before == 0 && after == 0) continue;
    if (mode == "reflect" && (before >= size || after >= size))
      refuse("{} numbers are reflected to {} and {} more, allowed are fewer than there are", size, before, after);
    if (before + after > kMostElements / std::max<int64_t>(base::num_elements(value.shape) / size, 1))
      refuse("{} and {} numbers more are larger than the machine's memory", before, after);
    if (size + before + after > kMostIndices) refuse("{} and {} numbers more are too many", before, after);
    std::vector<int64_t> indices;
    for (int64_t at = -before; at < size + after; ++at) indices.push_back(padded_from(at, size, mode));
    value = picked(lowering, node, value, axis, indices);
  }
  return value;
}

}  // namespace

void lower_pad(Lowering& lowering, const Node& node) {
  Value value = lowering.moved_codes(node, 0);
  const std::string mode = string_of(node, "mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap")
    refuse("attribute mode is '{}', allowed are constant reflect edge wrap", mode);
  Pads pads = pads_of(lowering, node, value.shape.size());
  value = cropped(lowering, node, std::move(value), pads);
  const auto is_nothing = [](int64_t pad) { return pad == 0; };
  const bool is_cropped = value.shape != lowering.value(node, 0).shape;
  if (is_cropped && std::all_of(pads.before.begin(), pads.before.end(), is_nothing) &&
      std::all_of(pads.after.begin(), pads.after.end(), is_nothing))
    return lowering.define(node, std::move(value));
  lowering.define(node, mode == "constant" ? with_constant(lowering, node, value, pads)
                                           : with_own_numbers(lowering, node, value, pads, mode));
}

}  // namespace vernier::import::quantized
