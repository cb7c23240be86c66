// SPDX-License-Identifier: Apache-2.0
// MaxPool on codes; AveragePool as sums of codes, of which the next quantizer takes the part.
#include "compiler/import/quantized/attributes.hpp"
#include "compiler/import/quantized/operators.hpp"
#include "compiler/import/quantized/products.hpp"
#include "compiler/import/quantized/wide.hpp"

#include <algorithm>
#include <numeric>

namespace vernier::import::quantized {

namespace {

/// Attribute kernel_shape; a line's kernel has one row.
std::vector<int64_t> kernel_of(const Node& node, size_t rank) {
  if (rank != 3 && rank != 4) refuse("an input of rank {}, allowed are 3 and 4", rank);
  if (!node.attributes.contains("kernel_shape")) refuse("attribute kernel_shape is missing");
  return axis_numbers(node, "kernel_shape", 1, rank, 1);
}

/// How many elements of the input each window has along an axis.
std::vector<int64_t> elements_of_windows(const WindowAxis& axis) {
  std::vector<int64_t> counts;
  for (int64_t i = 0; i < axis.output; ++i) {
    int64_t count = 0;
    for (int64_t tap = 0; tap < axis.kernel; ++tap) {
      const int64_t at = i * axis.stride - axis.pad_before + tap * axis.dilation;
      count += at >= 0 && at < axis.input ? 1 : 0;
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
Value means_of_unequal(Lowering& lowering, const Node& node, const Value& sums, const Window& window) {
  std::vector<std::vector<int64_t>> counts;
  int64_t multiple = 1;
  for (const WindowAxis& axis : window.axes) {
    counts.push_back(elements_of_windows(axis));
    multiple *= common_multiple(counts.back());
  }
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

}  // namespace

void lower_max_pool(Lowering& lowering, const Node& node) {
  Value input = lowering.codes(node, 0);
  const size_t rank = input.shape.size();
  const Window window = window_of(node, input.shape, kernel_of(node, rank));
  if (window.dilation() != std::vector<int64_t>{1, 1})
    refuse("attribute dilations is {}, allowed is 1", base::to_string(window.dilation()));
  if (node.outputs.size() > 1 && !node.outputs[1].empty()) refuse("the indices of maxima are asked for, allowed are values");
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
  const Value input = lowering.codes(node, 0);
  const Window window = window_of(node, input.shape, kernel_of(node, input.shape.size()));
  const bool counts_padding = int_of(node, "count_include_pad", 0) != 0;
  if (window.has_padding() && counts_padding && int_of(node, "ceil_mode", 0) != 0)
    refuse("attributes count_include_pad and ceil_mode are both 1 with padding, of which tools count other parts");
  Value sums = sums_of_windows(lowering, node, input, window);
  if (window.has_padding() && !counts_padding) return lowering.define(node, means_of_unequal(lowering, node, sums, window));
  sums.format.scales.front() /= static_cast<double>(window.axes[0].kernel * window.axes[1].kernel);
  lowering.define(node, std::move(sums));
}

}  // namespace vernier::import::quantized
