// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/nodes/windows.hpp"

#include "compiler/import/quantized/nodes/attributes.hpp"

#include <algorithm>

namespace vernier::import::quantized {

namespace {

constexpr int64_t kLargest = int64_t{1} << 31;  // of any size: products of two stay far from 64 bits

/// Sets padding and output by attribute auto_pad: half of what SAME needs at each side, the odd one where its name says.
/// Where strides leave two or more elements unread, some tools leave out those at the end, others as many at each side.
void pad_same(WindowAxis& axis, const std::string& auto_pad) {
  axis.output = (axis.input + axis.stride - 1) / axis.stride;
  const int64_t needed = (axis.output - 1) * axis.stride + axis.dilation * (axis.kernel - 1) + 1 - axis.input;
  if (needed < -1)
    refuse(
        "attribute auto_pad is '{}', and {} of {} elements are in no window, of which tools leave out other ones; pads tell",
        auto_pad, -needed, axis.input);
  const int64_t pad = std::max<int64_t>(needed, 0);
  axis.pad_before = auto_pad == "SAME_UPPER" ? pad / 2 : pad - pad / 2;
  axis.pad_after = pad - axis.pad_before;
}

/// What is left over behind the last window goes: padding first, then input.
void fit(WindowAxis& axis, bool rounds_up) {
  const int64_t reach = axis.dilation * (axis.kernel - 1) + 1;
  const int64_t room = axis.input + axis.pad_before + axis.pad_after - reach;
  if (room < 0) refuse("a kernel of {} does not fit on an input of {} with its padding", reach, axis.input);
  axis.output = room / axis.stride + 1;
  // A last window that begins inside of the input or its leading padding, and ends behind the trailing padding.
  if (rounds_up && room % axis.stride != 0 && axis.output * axis.stride < axis.input + axis.pad_before) ++axis.output;
  const int64_t rest = room - (axis.output - 1) * axis.stride;
  axis.pad_after -= rest;
  axis.surplus = std::max<int64_t>(-axis.pad_after, 0);
  axis.pad_after = std::max<int64_t>(axis.pad_after, 0);
}

}  // namespace

const std::vector<int64_t>& image_order(size_t rank) {
  static const std::vector<int64_t> kLineOrder{0, -1, 2, 1};
  return rank == 3 ? kLineOrder : kImageOrder;
}

base::Shape with_rows(base::Shape shape) {
  if (shape.size() == 3) shape.insert(shape.begin() + 2, 1);
  return shape;
}

base::Shape as_source(base::Shape image, size_t rank) {
  if (rank == 3) image.erase(image.begin() + 2);
  return image;
}

std::vector<int64_t> axis_numbers(const Node& node, const std::string& name, int64_t otherwise, size_t rank, int64_t least,
                                  size_t count) {
  const size_t num_axes = rank - 2;
  std::vector<int64_t> numbers = ints_of(node, name, std::vector<int64_t>(num_axes * count, otherwise));
  const auto is_good = [&](int64_t number) { return number >= least && number < kLargest; };
  if (numbers.size() != num_axes * count || !std::all_of(numbers.begin(), numbers.end(), is_good))
    refuse("attribute '{}' is {}, expected {} numbers from {}", name, base::to_string(numbers), num_axes * count, least);
  if (rank == 3) {
    for (size_t list = 0; list < count; ++list)
      numbers.insert(numbers.begin() + static_cast<std::ptrdiff_t>(2 * list), otherwise);
  }
  return numbers;
}

std::vector<int64_t> kernel_of_weights(const Node& node, const base::Shape& weights) {
  std::vector<int64_t> kernel(weights.begin() + 2, weights.end());
  const std::vector<int64_t> given = ints_of(node, "kernel_shape", kernel);
  if (given != kernel)
    refuse("attribute kernel_shape is {}, the weights have {}", base::to_string(given), base::to_string(weights));
  if (kernel.size() == 1) kernel.insert(kernel.begin(), 1);
  return kernel;
}

std::vector<WindowAxis> window_axes(const Node& node, const base::Shape& input, const std::vector<int64_t>& kernel) {
  const size_t rank = input.size(), num_axes = kernel.size();
  const std::vector<int64_t> stride = axis_numbers(node, "strides", 1, rank, 1);
  const std::vector<int64_t> dilation = axis_numbers(node, "dilations", 1, rank, 1);
  const std::vector<int64_t> pads = axis_numbers(node, "pads", 0, rank, 0, 2);
  const std::string auto_pad = string_of(node, "auto_pad", "NOTSET");
  const bool is_same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
  if (!is_same && auto_pad != "NOTSET" && auto_pad != "VALID")
    refuse("attribute auto_pad is '{}', allowed are NOTSET, VALID, SAME_UPPER and SAME_LOWER", auto_pad);
  const base::Shape shape = with_rows(input);
  std::vector<WindowAxis> axes(num_axes);
  for (size_t i = 0; i < num_axes; ++i) {
    WindowAxis& axis = axes[i];
    axis = {shape[2 + i], kernel[i], stride[i], dilation[i], pads[i], pads[num_axes + i], 0, 0, 0};
    if (auto_pad == "VALID") axis.pad_before = axis.pad_after = 0;
    if (is_same) pad_same(axis, auto_pad);
    axis.padded_end = axis.input + axis.pad_after;
    fit(axis, int_of(node, "ceil_mode", 0) != 0);
  }
  return axes;
}

Window window_of(const Node& node, const base::Shape& image, const std::vector<int64_t>& kernel) {
  const size_t rank = image.size();
  if (rank != 3 && rank != 4) refuse("an input of shape {}, allowed are ranks 3 and 4", base::to_string(image));
  const std::vector<WindowAxis> axes = window_axes(node, image, kernel);
  return {{axes[0], axes[1]}};
}

ir::TensorId image_tensor(Lowering& lowering, const Value& image, const Window& window) {
  const ir::TensorId tensor = lowering.in_order(image, image_order(image.shape.size()));
  if (window.axes[0].surplus == 0 && window.axes[1].surplus == 0) return tensor;
  GraphBuilder& graph = lowering.graph;
  base::Shape size = graph.tensor(tensor).shape;
  size[1] -= window.axes[0].surplus;
  size[2] -= window.axes[1].surplus;
  const std::vector<ir::TensorId> inputs{tensor, graph.add_shape({0, 0, 0, 0}), graph.add_shape(size)};
  return graph.add(ir::OpKind::Slice, {}, inputs, {graph.tensor(tensor).type, size, graph.tensor(tensor).name + "_read"},
                   image.layer);
}

}  // namespace vernier::import::quantized
