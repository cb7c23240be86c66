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

/// One axis (rows, columns) of a window.
struct WindowAxis {
  int64_t input = 0, kernel = 1, stride = 1, dilation = 1, pad_before = 0, pad_after = 0;
  int64_t output = 0;
  int64_t surplus = 0;  // rows at the end of the input that no window reads, and that TOSA does not allow
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

/// The window of a node on an image (rank 4). NodeMistake for other ranks and attributes that do not fit.
Window window_of(const Node& node, const base::Shape& image, const std::vector<int64_t>& kernel);

/// The image's tensor in kImageOrder, without the rows and columns that no window reads.
ir::TensorId image_tensor(Lowering& lowering, const Value& image, const Window& window);

}  // namespace vernier::import::quantized
