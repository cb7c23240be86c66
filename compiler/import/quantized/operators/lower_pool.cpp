// SPDX-License-Identifier: Apache-2.0
// MaxPool on codes; AveragePool as sums of codes, of which the next quantizer takes the part.
#include "compiler/import/quantized/functions/products.hpp"
#include "compiler/import/quantized/functions/sum_functions.hpp"
#include "compiler/import/quantized/functions/wide.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace vernier::import::quantized {

namespace {

/// Attribute kernel_shape; a line's kernel has one row.
std::vector<int64_t> kernel_of(const Node& node, size_t rank) {
  if (rank != 3 && rank != 4) refuse("an input of rank {}, allowed are 3 and 4", rank);
  if (!node.attributes.contains("kernel_shape")) refuse("attribute kernel_shape is missing");
  return axis_numbers(node, "kernel_shape", 1, rank, 1);
}

constexpr int64_t kMostTaps = int64_t{1} << 22;  // of all windows along an axis: what a file may make us allocate

void check_size(const WindowAxis& axis) {
  if (axis.output > kMostTaps / axis.kernel)
    refuse("{} windows of {} elements along an axis, allowed are {} elements", axis.output, axis.kernel, kMostTaps);
}

/// What the mean of each window along an axis divides by: elements of the input; and of the padding that the node asks for,
/// but not of what ceil_mode adds to it. So has it onnxruntime.
std::vector<int64_t> elements_of_windows(const WindowAxis& axis, bool counts_padding) {
  check_size(axis);
  const int64_t end = counts_padding ? axis.padded_end : axis.input;
  std::vector<int64_t> counts;
  for (int64_t i = 0; i < axis.output; ++i) {
    int64_t count = 0;
    for (int64_t tap = 0; tap < axis.kernel; ++tap) {
      const int64_t at = i * axis.stride - axis.pad_before + tap * axis.dilation;
      count += (counts_padding || at >= 0) && at < end ? 1 : 0;
    }
    if (count == 0) refuse("a window lies in the padding as a whole");
    counts.push_back(count);
  }
  return counts;
}

int64_t common_multiple(const std::vector<int64_t>& counts) {
  constexpr int64_t kMost = int64_t{1} << 24;
  int64_t multiple = 1;
  for (const int64_t count : counts) multiple = std::min(std::lcm(multiple, count), kMost);
  return multiple;
}

/// Means over windows of several sizes: with the common multiple m of the sizes, sums times m / size are in steps of
/// scale / m. Exact.
Value means_of_unequal(Lowering& lowering, const Node& node, const Value& sums, const Window& window,
                       const std::array<std::vector<int64_t>, 2>& counts) {
  const int64_t multiple = common_multiple(counts[0]) * common_multiple(counts[1]);
  std::vector<int64_t> factors;
  for (const int64_t rows : counts[0]) {
    for (const int64_t columns : counts[1]) factors.push_back(multiple / (rows * columns));
  }
  Value result = narrowed_sums(lowering, sums, node.outputs.at(0));
  const int64_t most = window.axes[0].kernel * window.axes[1].kernel;
  const bool fits = multiple < int64_t{1} << 31 && result.magnitude / most + 1 <= ((int64_t{1} << 30) / multiple);
  if (!fits) refuse("windows of so many sizes that {} is a common multiple, which is more than 32 bits hold", multiple);
  result.format.scales.front() /= static_cast<double>(multiple);
  result.magnitude = (result.magnitude / most + 1) * multiple;
  if (std::all_of(factors.begin(), factors.end(), [](int64_t factor) { return factor == 1; })) return result;
  GraphBuilder& graph = lowering.graph;
  const base::Shape shape = graph.tensor(result.tensor).shape;
  const ir::TensorId factor = graph.add_constant(base::ElementType::Int32, {1, shape[1], shape[2], 1}, factors);
  result.tensor = graph.add(ir::OpKind::Mul, {}, {result.tensor, factor, graph.add_scalar(base::ElementType::Int8, 0)},
                            {base::ElementType::Int32, shape, node.outputs[0] + "_weighted"}, node.name);
  return result;
}

/// What the windows along an axis read, one window after the other. A maximum may read an element twice: the first one of
/// the window that is in the input stands for those in the padding.
std::vector<int64_t> taps_of(const WindowAxis& axis) {
  check_size(axis);
  std::vector<int64_t> taps;
  for (int64_t i = 0; i < axis.output; ++i) {
    const int64_t start = i * axis.stride - axis.pad_before;
    const int64_t first = start < 0 ? (axis.dilation - 1 - start) / axis.dilation : 0;
    const int64_t inside = start + first * axis.dilation;
    if (first >= axis.kernel || inside >= axis.input) refuse("a window lies in the padding as a whole");
    for (int64_t tap = 0; tap < axis.kernel; ++tap) {
      const int64_t at = start + tap * axis.dilation;
      taps.push_back(at >= 0 && at < axis.input ? at : inside);
    }
  }
  return taps;
}

/// For windows with dilation, which MAX_POOL2D has not: an image of their elements side by side, on which they have none.
Value side_by_side(Lowering& lowering, const Node& node, const Value& input, Window& window) {
  const bool is_line = input.shape.size() == 3;
  Value value = permuted(input, is_line ? std::vector<int64_t>{0, 2, 1} : kImageOrder);
  for (size_t i = is_line ? 1 : 0; i < 2; ++i) {
    WindowAxis& axis = window.axes.at(i);
    value = picked(lowering, node, value, is_line ? 1 : 1 + i, taps_of(axis));
    axis = {axis.output * axis.kernel, axis.kernel, axis.kernel, 1, 0, 0, axis.output, 0, axis.output * axis.kernel};
  }
  return permuted(std::move(value), is_line ? std::vector<int64_t>{0, 2, 1} : std::vector<int64_t>{0, 3, 1, 2});
}

}  // namespace

void lower_max_pool(Lowering& lowering, const Node& node) {
  Value input = lowering.moved_codes(node, 0);
  if (input.format.bits != 8 && input.format.bits != 16)
    refuse("'{}' holds integers of {} bits, allowed are codes of 8 and 16", node.inputs[0], input.format.bits);
  const size_t rank = input.shape.size();
  Window window = window_of(node, input.shape, kernel_of(node, rank));
  if (node.outputs.size() > 1 && !node.outputs[1].empty()) refuse("the indices of maxima are asked for, allowed are values");
  if (window.dilation() != std::vector<int64_t>{1, 1}) input = side_by_side(lowering, node, input, window);
  const ir::TensorId image = image_tensor(lowering, input, window);
  const base::ElementType type = lowering.graph.tensor(image).type;
  const base::Shape shape{input.shape[0], input.shape[1], window.axes[0].output, window.axes[1].output};
  input.tensor = lowering.graph.add(
      ir::OpKind::MaxPool2d, ir::PoolAttributes{window.kernel(), window.stride(), window.pad(), base::ElementType::Int32},
      {image}, {type, shape_in_order(shape, kImageOrder), node.outputs.at(0)}, node.name);
  input.shape = as_source(shape, rank);
  input.order = image_order(rank);
  input.layer = node.name;
  lowering.define(node, std::move(input));
}

void lower_average_pool(Lowering& lowering, const Node& node) {
  const Value input = codes_or_16(lowering, node, 0);
  const Window window = window_of(node, input.shape, kernel_of(node, input.shape.size()));
  const bool counts_padding = int_of(node, "count_include_pad", 0) != 0;
  Value sums = sums_of_windows(lowering, node, input, window);
  const auto& [rows, columns] = window.axes;
  if (window.has_padding()) {
    const std::array counts{elements_of_windows(rows, counts_padding), elements_of_windows(columns, counts_padding)};
    const auto all = [](const std::vector<int64_t>& list, int64_t count) {
      return std::all_of(list.begin(), list.end(), [&](int64_t one) { return one == count; });
    };
    if (!all(counts[0], rows.kernel) || !all(counts[1], columns.kernel))
      return lowering.define(node, means_of_unequal(lowering, node, sums, window, counts));
  }
  sums.format.scales.front() /= static_cast<double>(rows.kernel * columns.kernel);
  lowering.define(node, std::move(sums));
}

}  // namespace vernier::import::quantized
