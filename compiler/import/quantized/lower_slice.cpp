// SPDX-License-Identifier: Apache-2.0
// Slice and Split: boxes of a value.
#include "compiler/import/quantized/attributes.hpp"
#include "compiler/import/quantized/operators.hpp"

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

/// Sizes of the parts of an axis of `length`.
std::vector<int64_t> split_sizes(const Lowering& lowering, const Node& node, int64_t length) {
  if (const auto sizes = list_of(lowering, node, "split", 1)) return *sizes;
  const auto count = static_cast<int64_t>(node.outputs.size());
  if (int_of(node, "num_outputs", count) != count) refuse("attribute num_outputs is not the {} outputs", count);
  const int64_t size = (length + count - 1) / count;  // the last part is smaller where they are not equal
  std::vector<int64_t> sizes(static_cast<size_t>(count), size);
  sizes.back() = length - size * (count - 1);
  return sizes;
}

}  // namespace

void lower_slice(Lowering& lowering, const Node& node) {
  const Value value = lowering.codes(node, 0);
  const auto starts = list_of(lowering, node, "starts", 1), ends = list_of(lowering, node, "ends", 2);
  if (!starts || !ends || starts->size() != ends->size()) refuse("starts and ends are missing, or of different lengths");
  const std::vector<int64_t> axes = list_of(lowering, node, "axes", 3).value_or(source_order(starts->size()));
  const auto steps = list_of(lowering, node, "steps", 4);
  if (axes.size() != starts->size()) refuse("{} axes stand beside {} starts", axes.size(), starts->size());
  if (steps && std::any_of(steps->begin(), steps->end(), [](int64_t step) { return step != 1; }))
    refuse("the steps are {}, allowed is 1", base::to_string(*steps));
  Box box{std::vector<int64_t>(value.shape.size(), 0), value.shape};
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(axis_in(axes[i], value.shape.size()));
    const int64_t size = value.shape[axis];
    const auto place = [&](int64_t index) {
      return std::clamp<int64_t>(index < 0 ? std::max(index, -size) + size : index, 0, size);
    };
    box.begin[axis] = place((*starts)[i]);
    box.shape[axis] = place((*ends)[i]) - box.begin[axis];
  }
  define_box(lowering, node, value, box, 0);
}

void lower_split(Lowering& lowering, const Node& node) {
  const Value value = lowering.codes(node, 0);
  const auto axis = static_cast<size_t>(axis_in(int_of(node, "axis", 0), value.shape.size()));
  const int64_t length = value.shape[axis];
  const std::vector<int64_t> sizes = split_sizes(lowering, node, length);
  int64_t left = length;
  for (const int64_t size : sizes) {
    if (size < 1 || size > left)
      refuse("parts {} do not fit axis {} of {}", base::to_string(sizes), axis, base::to_string(value.shape));
    left -= size;
  }
  if (left != 0 || sizes.size() != node.outputs.size())
    refuse("parts {} for {} outputs do not make axis {} of {}", base::to_string(sizes), node.outputs.size(), axis,
           base::to_string(value.shape));
  Box box{std::vector<int64_t>(value.shape.size(), 0), value.shape};
  for (size_t i = 0; i < sizes.size(); ++i) {
    box.shape[axis] = sizes[i];
    define_box(lowering, node, value, box, i);
    box.begin[axis] += sizes[i];
  }
}

}  // namespace vernier::import::quantized
