// SPDX-License-Identifier: Apache-2.0
// MaxPool on codes; averages as sums of codes, of which the next quantizer takes the part.
#include "compiler/import/quantized/attributes.hpp"
#include "compiler/import/quantized/operators.hpp"
#include "compiler/import/quantized/products.hpp"

#include <algorithm>

namespace vernier::import::quantized {

namespace {

constexpr int64_t kMostWeights = int64_t{1} << 22;  // of ones that a file may make us allocate

std::vector<int64_t> kernel_of(const Node& node) {
  const std::vector<int64_t> kernel = ints_of(node, "kernel_shape", {});
  const auto is_size = [](int64_t size) { return size >= 1 && size < int64_t{1} << 31; };
  if (kernel.size() != 2 || !is_size(kernel[0]) || !is_size(kernel[1]))
    refuse("attribute kernel_shape is {}, expected 2 numbers from 1", base::to_string(kernel));
  return kernel;
}

/// The sum over each window and channel of code - zero_point: a depthwise convolution with weights of 1. Steps of the mean
/// are those of the input by the number of elements.
void lower_mean(Lowering& lowering, const Node& node, const Value& input, const Window& window) {
  const int64_t channels = input.shape[1];
  const std::vector<int64_t> kernel = window.kernel();
  const int64_t count = kernel[0] * kernel[1];
  if (count > kMostWeights || count * channels > kMostWeights)
    refuse("a window of {} on {} channels is too large", base::to_string(kernel), channels);
  const Products products{ir::OpKind::DepthwiseConv2d,
                          image_tensor(lowering, input, window),
                          zero_point_of(input.format),
                          {kernel[0], kernel[1], channels, 1},
                          std::vector<int64_t>(static_cast<size_t>(count * channels), 1),
                          0,
                          std::vector<int64_t>(static_cast<size_t>(channels)),
                          window};
  const ir::TensorId sums = add_products(lowering, products, node.outputs.at(0), node.name);
  const base::Shape shape{input.shape[0], channels, window.axes[0].output, window.axes[1].output};
  const double scale = scale_of(input.format) / static_cast<double>(count);
  lowering.define(node, sums_value(sums, shape, kImageOrder, {scale}, 1, count * input.magnitude, node.name));
}

}  // namespace

void lower_max_pool(Lowering& lowering, const Node& node) {
  Value input = lowering.codes(node, 0);
  const Window window = window_of(node, input.shape, kernel_of(node));
  if (window.dilation() != std::vector<int64_t>{1, 1})
    refuse("attribute dilations is {}, allowed is 1", base::to_string(window.dilation()));
  if (node.outputs.size() > 1 && !node.outputs[1].empty()) refuse("the indices of maxima are asked for, allowed are values");
  const ir::TensorId image = image_tensor(lowering, input, window);
  const base::ElementType type = lowering.graph.tensor(image).type;
  input.shape = {input.shape[0], input.shape[1], window.axes[0].output, window.axes[1].output};
  input.tensor = lowering.graph.add(
      ir::OpKind::MaxPool2d, ir::PoolAttributes{window.kernel(), window.stride(), window.pad(), base::ElementType::Int32},
      {image}, {type, shape_in_order(input.shape, kImageOrder), node.outputs.at(0)}, node.name);
  input.order = kImageOrder;
  input.layer = node.name;
  lowering.define(node, std::move(input));
}

void lower_average_pool(Lowering& lowering, const Node& node) {
  const Value input = lowering.codes(node, 0);
  const Window window = window_of(node, input.shape, kernel_of(node));
  if (window.has_padding() && (int_of(node, "count_include_pad", 0) == 0 || int_of(node, "ceil_mode", 0) != 0))
    refuse("windows with padding, of which attribute count_include_pad leaves it out: allowed are equal divisors");
  lower_mean(lowering, node, input, window);
}

namespace {

/// The mean of each channel of an image; without `keeps_dimensions` rows and columns are gone from the source's shape.
void lower_mean_of_image(Lowering& lowering, const Node& node, bool keeps_dimensions) {
  const Value input = lowering.codes(node, 0);
  if (input.shape.size() != 4) refuse("an input of shape {}, allowed is rank 4", base::to_string(input.shape));
  Node whole = node;
  whole.attributes.clear();
  lower_mean(lowering, node, input, window_of(whole, input.shape, {input.shape[2], input.shape[3]}));
  if (keeps_dimensions) return;
  Value mean = lowering.value(node.outputs.at(0));
  mean.shape = {input.shape[0], input.shape[1]};
  mean.order = {0, -1, -1, 1};
  lowering.define(node, std::move(mean));
}

}  // namespace

void lower_global_average_pool(Lowering& lowering, const Node& node) { lower_mean_of_image(lowering, node, true); }

void lower_reduce_mean(Lowering& lowering, const Node& node) {
  const size_t rank = lowering.value(node, 0).shape.size();
  std::vector<int64_t> axes = list_of(lowering, node, "axes", 1).value_or(std::vector<int64_t>());
  for (int64_t& axis : axes) axis = axis_in(axis, rank);
  std::sort(axes.begin(), axes.end());
  if (rank != 4 || axes != std::vector<int64_t>{2, 3})
    refuse("the mean over axes {} of rank {}, allowed are 2 and 3 of rank 4", base::to_string(axes), rank);
  lower_mean_of_image(lowering, node, int_of(node, "keepdims", 1) != 0);
}

}  // namespace vernier::import::quantized
