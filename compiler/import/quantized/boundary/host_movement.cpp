// SPDX-License-Identifier: Apache-2.0
// Operators that move numbers, as steps of the host.
#include "compiler/import/quantized/boundary/host_emitter.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <numeric>

namespace vernier::import::quantized {

namespace {

using package::HostOperator;

size_t cut_out(const HostEmitter& emitter, size_t value, const Cut& cut) {
  if (cut.step == 1 && cut.count == emitter.shape(value)[cut.axis]) return value;
  return emitter.add(HostOperator::Slice, {value}, {static_cast<int64_t>(cut.axis), cut.begin, cut.step, cut.count});
}

/// The elements of an axis at these indices; -1 stands for a number where there is one.
size_t picked_on_host(const HostEmitter& emitter, size_t value, size_t axis, const std::vector<int64_t>& indices,
                      std::vector<float> outside = {}) {
  std::vector<int64_t> dimensions{static_cast<int64_t>(axis)};
  dimensions.insert(dimensions.end(), indices.begin(), indices.end());
  return emitter.add(HostOperator::Pick, {value}, std::move(dimensions), std::move(outside));
}

}  // namespace

std::vector<size_t> emit_reshape(const HostEmitter& emitter) {
  const size_t value = emitter.operand(0);
  const Node& node = emitter.node;
  const base::Shape& shape = emitter.shape(value);
  if (node.kind == "Transpose") return {emitter.add(HostOperator::Transpose, {value}, permutation_of(node, shape.size()))};
  return {emitter.add(HostOperator::Reshape, {value}, new_shape(emitter.lowering, node, shape))};
}

std::vector<size_t> emit_slice(const HostEmitter& emitter) {
  size_t value = emitter.operand(0);
  const Node& node = emitter.node;
  const base::Shape shape = emitter.shape(value);
  if (node.kind == "Slice") {
    for (const Cut& cut : cuts_of(emitter.lowering, node, shape)) value = cut_out(emitter, value, cut);
    return {value};
  }
  const auto axis = static_cast<size_t>(axis_in(int_of(node, "axis", 0), shape.size()));
  std::vector<size_t> parts;
  int64_t begin = 0;
  for (const int64_t size : split_sizes(emitter.lowering, node, shape, axis)) {
    parts.push_back(cut_out(emitter, value, {axis, begin, size, 1}));
    begin += size;
  }
  return parts;
}

std::vector<size_t> emit_gather(const HostEmitter& emitter) {
  const size_t value = emitter.operand(0);
  const Node& node = emitter.node;
  base::Shape shape = emitter.shape(value);
  const auto axis = static_cast<size_t>(axis_in(int_of(node, "axis", 0), shape.size()));
  const std::vector<int64_t> indices = indices_of(emitter.lowering, node, shape[axis]);
  const size_t result = picked_on_host(emitter, value, axis, indices);
  const base::Shape& of_indices = emitter.lowering.value(node, 1).shape;
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), of_indices.begin(), of_indices.end());
  return {emitter.reshape(result, shape)};
}

std::vector<size_t> emit_concat(const HostEmitter& emitter) {
  std::vector<size_t> parts;
  for (size_t i = 0; i < emitter.node.inputs.size(); ++i) parts.push_back(emitter.operand(i));
  if (parts.empty()) refuse("there is nothing to join");
  const int64_t axis = axis_in(int_of(emitter.node, "axis", 0), emitter.shape(parts[0]).size());
  return {emitter.add(HostOperator::Concat, parts, {axis})};
}

std::vector<size_t> emit_pad(const HostEmitter& emitter) {
  size_t value = emitter.operand(0);
  const Node& node = emitter.node;
  const std::string mode = string_of(node, "mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap")
    refuse("attribute mode is '{}', allowed are constant reflect edge wrap", mode);
  const bool is_constant = mode == "constant";
  const std::vector<float> outside(is_constant ? 1 : 0, number_of(emitter.lowering, node, "value", 2, 0));
  const Pads pads = pads_of(emitter.lowering, node, emitter.shape(value).size());
  for (size_t axis = 0; axis < pads.before.size(); ++axis) {
    const int64_t size = emitter.shape(value)[axis], before = pads.before[axis], after = pads.after[axis];
    if (before == 0 && after == 0) continue;
    // Pads below 0 take numbers away first.
    const int64_t first = std::max<int64_t>(-before, 0), left = size - first - std::max<int64_t>(-after, 0);
    if (left < 1 || left + std::max<int64_t>(before, 0) + std::max<int64_t>(after, 0) > kMostIndices)
      refuse("{} and {} numbers beside {} are too few or too many", before, after, size);
    if (mode == "reflect" && (before >= left || after >= left))
      refuse("{} numbers are reflected to {} and {} more, allowed are fewer than there are", left, before, after);
    std::vector<int64_t> indices;
    for (int64_t at = std::min<int64_t>(-before, 0); at < left + std::max<int64_t>(after, 0); ++at) {
      const bool is_inside = at >= 0 && at < left;
      indices.push_back(is_constant && !is_inside ? -1 : first + (is_inside ? at : padded_from(at, left, mode)));
    }
    value = picked_on_host(emitter, value, axis, indices, outside);
  }
  return {value};
}

std::vector<size_t> emit_repeat(const HostEmitter& emitter) {
  size_t value = emitter.operand(0);
  const Node& node = emitter.node;
  const bool is_tile = node.kind == "Tile";
  const auto wanted = list_of(emitter.lowering, node, is_tile ? "repeats" : "shape", 1);
  const base::Shape from = emitter.shape(value);
  if (!wanted || (is_tile && wanted->size() != from.size())) refuse("the shape is missing, or has another rank");
  base::Shape shape = from;
  if (is_tile) {
    for (size_t i = 0; i < shape.size(); ++i) {
      if ((*wanted)[i] < 1 || (*wanted)[i] > kMostIndices / shape[i])
        refuse("dimension {} of {} is repeated {} times", i, base::to_string(from), (*wanted)[i]);
      shape[i] *= (*wanted)[i];
    }
  } else {
    const auto together = package::shape_together(from, *wanted);
    if (!together) refuse("{} does not become {}", base::to_string(from), base::to_string(*wanted));
    shape = *together;
  }
  base::Shape start = from;
  start.insert(start.begin(), shape.size() - from.size(), 1);
  value = emitter.reshape(value, start);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == start[i]) continue;
    if (shape[i] < 1 || shape[i] > kMostIndices) refuse("dimension {} becomes {}", i, shape[i]);
    std::vector<int64_t> indices;
    for (int64_t at = 0; at < shape[i]; ++at) indices.push_back(at % start[i]);
    value = picked_on_host(emitter, value, i, indices);
  }
  return {value};
}

std::vector<size_t> emit_depth(const HostEmitter& emitter) {
  const size_t value = emitter.operand(0);
  const Node& node = emitter.node;
  const base::Shape from = emitter.shape(value);
  const int64_t block = block_of(node, from);
  const int64_t n = from[0], c = from[1], h = from[2], w = from[3], rest = c / (block * block);
  const auto moved = [&](const base::Shape& seen, const std::vector<int64_t>& perm, const base::Shape& to) {
    return emitter.reshape(emitter.add(HostOperator::Transpose, {emitter.reshape(value, seen)}, perm), to);
  };
  if (node.kind == "SpaceToDepth")
    return {
        moved({n, c, h / block, block, w / block, block}, {0, 3, 5, 1, 2, 4}, {n, c * block * block, h / block, w / block})};
  const base::Shape to{n, rest, h * block, w * block};
  if (string_of(node, "mode", "DCR") == "CRD") return {moved({n, rest, block, block, h, w}, {0, 1, 4, 2, 5, 3}, to)};
  return {moved({n, block, block, rest, h, w}, {0, 3, 4, 1, 5, 2}, to)};
}

}  // namespace vernier::import::quantized
