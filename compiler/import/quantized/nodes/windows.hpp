// SPDX-License-Identifier: Apache-2.0
// Windows of convolutions and pools on images, by ONNX's attributes, as TOSA takes them.
#pragma once

#include "compiler/import/quantized/lowering.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace vernier::import::quantized {

/// The order of an image's dimensions in the graph: batch, rows, columns, channels.
inline const std::vector<int64_t> kImageOrder{0, 2, 3, 1};
/// The same for a source of rank 3 (batch, channels, columns), which is an image of one row; kImageOrder for rank 4.
const std::vector<int64_t>& image_order(size_t rank);
/// The shape with one row where it has rank 3; and a shape with rows again as the source of that rank has it.
base::Shape with_rows(base::Shape shape);
base::Shape as_source(base::Shape image, size_t rank);

/// One axis (rows, columns) of a window.
struct WindowAxis {
  int64_t input = 0, kernel = 1, stride = 1, dilation = 1, pad_before = 0, pad_after = 0;
  int64_t output = 0;
  int64_t surplus = 0;     // rows at the end of the input that no window reads, and that TOSA does not allow
  int64_t padded_end = 0;  // rows of the input, and of the padding after it that the node asks for
};
struct Window {
  std::array<WindowAxis, 2> axes;

  [[nodiscard]] std::vector<int64_t> kernel() const { return {axes[0].kernel, axes[1].kernel}; }
  [[nodiscard]] std::vector<int64_t> stride() const { return {axes[0].stride, axes[1].stride}; }
  [[nodiscard]] std::vector<int64_t> dilation() const { return {axes[0].dilation, axes[1].dilation}; }
  [[nodiscard]] std::vector<int64_t> pad() const {
    return {axes[0].pad_before, axes[0].pad_after, axes[1].pad_before, axes[1].pad_after};
  }
  [[nodiscard]] bool has_padding() const { return pad() != std::vector<int64_t>(4); }
};

/// The kernel of a node with weights of that shape (output and input channels, then the kernel), rows and columns.
/// NodeMistake where attribute kernel_shape says something else.
std::vector<int64_t> kernel_of_weights(const Node& node, const base::Shape& weights);

/// The axes of a window, in the order of the kernel, on an input with batch and channels first: two of ranks 3 and 4, three
/// of rank 5.
std::vector<WindowAxis> window_axes(const Node& node, const base::Shape& input, const std::vector<int64_t>& kernel);

/// The window of a node on an image of rank 4, or of rank 3, whose kernel and window have one row. NodeMistake for other
/// ranks and attributes that do not fit.
Window window_of(const Node& node, const base::Shape& image, const std::vector<int64_t>& kernel);

/// A list of one number for each axis of the image that is not below `least`, with 1 number for the row of rank 3, which the
/// file does not have; `count` lists of them: pads have two.
std::vector<int64_t> axis_numbers(const Node& node, const std::string& name, int64_t otherwise, size_t rank, int64_t least,
                                  size_t count = 1);

/// The image's tensor in image_order, without the rows and columns that no window reads.
ir::TensorId image_tensor(Lowering& lowering, const Value& image, const Window& window);

}  // namespace vernier::import::quantized
