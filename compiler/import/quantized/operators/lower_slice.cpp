// SPDX-License-Identifier: Apache-2.0
// Slice and Split: boxes of a value.
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>

namespace vernier::import::quantized {

namespace {

/// Where a box begins, by dimension of the source, and its shape.
struct Box {
  std::vector<int64_t> begin;
  base::Shape shape;
};

void define_box(Lowering& lowering, const Node& node, const Value& value, const Box& box, size_t output) {
  if (output >= node.outputs.size() || node.outputs[output].empty()) return;
  if (std::any_of(box.shape.begin(), box.shape.end(), [](int64_t size) { return size < 1; }))
    refuse("the part {} of {} is empty", base::to_string(box.shape), base::to_string(value.shape));
  std::vector<int64_t> begin;
  for (const int64_t dimension : value.order) begin.push_back(dimension < 0 ? 0 : box.begin[static_cast<size_t>(dimension)]);
  const base::Shape size = shape_in_order(box.shape, value.order);
  GraphBuilder& graph = lowering.graph;
  Value part = value;
  part.shape = box.shape;
  part.tensor = graph.add(ir::OpKind::Slice, {}, {value.tensor, graph.add_shape(begin), graph.add_shape(size)},
                          {graph.tensor(value.tensor).type, size, node.outputs[output]}, node.name);
  part.layer = node.name;
  lowering.define(node, std::move(part), output);
}

Cut cut_of(int64_t start, int64_t end, int64_t step, int64_t size) {
  if (step == 0) refuse("a step is 0, allowed are others");
  step = std::clamp(step, -size, size);  // a longer step takes one number too
  // From the end of the axis where they are below 0; then at its ends.
  const auto place = [&](int64_t at, int64_t least, int64_t most) {
    return std::clamp<int64_t>(at < 0 ? std::max(at, -size - 1) + size : at, least, most);
  };
  if (step > 0) {
    const int64_t begin = place(start, 0, size), last = place(end, 0, size);
    return {0, begin, std::max<int64_t>((last - begin + step - 1) / step, 0), step};
  }
  const int64_t begin = place(start, 0, size - 1), last = place(end, -1, size - 1);
  return {0, begin, std::max<int64_t>((begin - last - step - 1) / -step, 0), step};
}

}  // namespace

std::vector<int64_t> split_sizes(const Lowering& lowering, const Node& node, const base::Shape& shape, size_t axis) {
  const int64_t length = shape[axis];
  const auto count = static_cast<int64_t>(node.outputs.size());
  std::vector<int64_t> sizes(node.outputs.size(), (length + count - 1) / count);
  sizes.back() = length - sizes.front() * (count - 1);  // the last part is smaller where they are not equal
  if (const auto given = list_of(lowering, node, "split", 1)) {
    sizes = *given;
  } else if (int_of(node, "num_outputs", count) != count) {
    refuse("attribute num_outputs is not the {} outputs", count);
  }
  int64_t left = length;
  for (const int64_t size : sizes) {
    if (size < 1 || size > left)
      refuse("parts {} do not fit axis {} of {}", base::to_string(sizes), axis, base::to_string(shape));
    left -= size;
  }
  if (left != 0 || sizes.size() != node.outputs.size())
    refuse("parts {} for {} outputs do not make axis {} of {}", base::to_string(sizes), node.outputs.size(), axis,
           base::to_string(shape));
  return sizes;
}

std::vector<Cut> cuts_of(const Lowering& lowering, const Node& node, const base::Shape& shape) {
  const auto starts = list_of(lowering, node, "starts", 1), ends = list_of(lowering, node, "ends", 2);
  if (!starts || !ends || starts->size() != ends->size()) refuse("starts and ends are missing, or of different lengths");
  const std::vector<int64_t> axes = list_of(lowering, node, "axes", 3).value_or(source_order(starts->size()));
  const std::vector<int64_t> steps = list_of(lowering, node, "steps", 4).value_or(std::vector<int64_t>(starts->size(), 1));
  if (axes.size() != starts->size() || steps.size() != starts->size())
    refuse("{} axes and {} steps stand beside {} starts", axes.size(), steps.size(), starts->size());
  std::vector<Cut> cuts;
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(axis_in(axes[i], shape.size()));
    Cut cut = cut_of((*starts)[i], (*ends)[i], steps[i], shape[axis]);
    if (cut.count < 1) refuse("the part of dimension {} of {} is empty", axis, base::to_string(shape));
    cut.axis = axis;
    cuts.push_back(cut);
  }
  return cuts;
}

void lower_slice(Lowering& lowering, const Node& node) {
  Value value = lowering.moved_codes(node, 0);
  Box box{std::vector<int64_t>(value.shape.size(), 0), value.shape};
  for (const Cut& cut : cuts_of(lowering, node, value.shape)) {
    const size_t axis = cut.axis;
    if (cut.step == 1) {
      box.begin[axis] = cut.begin;
      box.shape[axis] = cut.count;
      continue;
    }
    std::vector<int64_t> indices;
    for (int64_t index = 0; index < cut.count; ++index) indices.push_back(cut.begin + index * cut.step);
    value = picked(lowering, node, value, axis, indices);
    box.shape[axis] = cut.count;
  }
  if (box.shape == value.shape) return lowering.define(node, std::move(value));
  define_box(lowering, node, value, box, 0);
}

void lower_split(Lowering& lowering, const Node& node) {
  const Value value = lowering.moved_codes(node, 0);
  const auto axis = static_cast<size_t>(axis_in(int_of(node, "axis", 0), value.shape.size()));
  const std::vector<int64_t> sizes = split_sizes(lowering, node, value.shape, axis);
  Box box{std::vector<int64_t>(value.shape.size(), 0), value.shape};
  for (size_t i = 0; i < sizes.size(); ++i) {
    box.shape[axis] = sizes[i];
    define_box(lowering, node, value, box, i);
    box.begin[axis] += sizes[i];
  }
}

}  // namespace vernier::import::quantized
