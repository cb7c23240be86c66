// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/windows.hpp"

#include "compiler/import/quantized/attributes.hpp"

#include <algorithm>

namespace vernier::import::quantized {

namespace {

constexpr int64_t kLargest = int64_t{1} << 31;  // of any size: products of two stay far from 64 bits

std::vector<int64_t> sizes_of(const Node& node, const std::string& name, const std::vector<int64_t>& otherwise, size_t count,
                              int64_t least) {
  const std::vector<int64_t> sizes = ints_of(node, name, otherwise);
  const auto is_good = [&](int64_t size) { return size >= least && size < kLargest; };
  if (sizes.size() != count || !std::all_of(sizes.begin(), sizes.end(), is_good))
    refuse("attribute '{}' is {}, expected {} numbers from {}", name, base::to_string(sizes), count, least);
  return sizes;
}

/// Sets padding and output by attribute auto_pad: half of what SAME needs at each side, the odd one where its name says.
void pad_same(WindowAxis& axis, bool is_upper) {
  axis.output = (axis.input + axis.stride - 1) / axis.stride;
  const int64_t pad =
      std::max<int64_t>((axis.output - 1) * axis.stride + axis.dilation * (axis.kernel - 1) + 1 - axis.input, 0);
  axis.pad_before = is_upper ? pad / 2 : pad - pad / 2;
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

Window window_of(const Node& node, const base::Shape& image, const std::vector<int64_t>& kernel) {
  if (image.size() != 4) refuse("an input of shape {}, allowed is rank 4", base::to_string(image));
  const std::vector<int64_t> stride = sizes_of(node, "strides", {1, 1}, 2, 1);
  const std::vector<int64_t> dilation = sizes_of(node, "dilations", {1, 1}, 2, 1);
  const std::vector<int64_t> pads = sizes_of(node, "pads", {0, 0, 0, 0}, 4, 0);
  const std::string auto_pad = string_of(node, "auto_pad", "NOTSET");
  const bool is_same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
  if (!is_same && auto_pad != "NOTSET" && auto_pad != "VALID")
    refuse("attribute auto_pad is '{}', allowed are NOTSET, VALID, SAME_UPPER and SAME_LOWER", auto_pad);
  Window window;
  for (size_t i = 0; i < 2; ++i) {
    WindowAxis& axis = window.axes.at(i);
    axis = {image[2 + i], kernel[i], stride[i], dilation[i], pads[i], pads[2 + i], 0, 0};
    if (auto_pad == "VALID") axis.pad_before = axis.pad_after = 0;
    if (is_same) pad_same(axis, auto_pad == "SAME_UPPER");
    fit(axis, int_of(node, "ceil_mode", 0) != 0);
  }
  return window;
}

ir::TensorId image_tensor(Lowering& lowering, const Value& image, const Window& window) {
  const ir::TensorId tensor = lowering.in_order(image, kImageOrder);
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
