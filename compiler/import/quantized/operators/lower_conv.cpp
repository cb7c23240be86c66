// SPDX-License-Identifier: Apache-2.0
// Conv on images and on lines (rank 3), of any groups; on volumes lower_conv3d.cpp's. The sums have steps of input scale *
// weight scale; the next quantizer takes them.
#include "compiler/import/quantized/functions/products.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <utility>

namespace vernier::import::quantized {

namespace {

constexpr int64_t kMostParts = 64;                       // TOSA's MAX_TENSOR_LIST_SIZE
constexpr int64_t kMostDenseWeights = int64_t{1} << 22;  // that a file may make us allocate

/// What a whole Conv and each of its groups share.
struct Convolution {
  const Node& node;
  const Value& input;
  Weights weights;  // output channel, input channel of the group, rows, columns
  std::vector<int64_t> bias;
  Window window;
  int64_t groups = 1;
};

/// Each input channel has filters of its own: TOSA has rows, columns, input channel, filter of that channel.
ir::TensorId depthwise(Lowering& lowering, const Convolution& conv, ir::TensorId image) {
  const base::Shape& shape = conv.weights.shape;
  const base::Shape split{conv.groups, shape[0] / conv.groups, shape[2], shape[3]};
  const std::vector<int64_t> order{2, 3, 0, 1};
  const Products products{ir::OpKind::DepthwiseConv2d,
                          image,
                          zero_point_of(conv.input.format),
                          shape_in_order(split, order),
                          reordered(conv.weights.codes, split, order),
                          conv.weights.zero_point,
                          conv.bias,
                          conv.window,
                          conv.weights.type};
  return add_products(lowering, products, conv.node.outputs.at(0), conv.node.name);
}

/// The channels of one group of the image.
ir::TensorId channels_of(Lowering& lowering, const Convolution& conv, ir::TensorId image, int64_t group) {
  if (conv.groups == 1) return image;
  GraphBuilder& graph = lowering.graph;
  base::Shape size = graph.tensor(image).shape;
  size[3] = conv.weights.shape[1];
  const std::vector<ir::TensorId> inputs{image, graph.add_shape({0, 0, 0, group * size[3]}), graph.add_shape(size)};
  return graph.add(ir::OpKind::Slice, {}, inputs, {graph.tensor(image).type, size, graph.tensor(image).name + "_group"},
                   conv.node.name);
}

ir::TensorId one_group(Lowering& lowering, const Convolution& conv, ir::TensorId image, int64_t group) {
  base::Shape shape = conv.weights.shape;
  shape[0] /= conv.groups;
  const int64_t size = base::num_elements(shape);
  const auto first = conv.weights.codes.begin() + group * size;
  const auto bias = conv.bias.begin() + group * shape[0];
  const std::vector<int64_t> order{0, 2, 3, 1};
  const Products products{ir::OpKind::Conv2d,
                          channels_of(lowering, conv, image, group),
                          zero_point_of(conv.input.format),
                          shape_in_order(shape, order),
                          reordered(std::vector<int64_t>(first, first + size), shape, order),
                          conv.weights.zero_point,
                          {bias, bias + shape[0]},
                          conv.window,
                          conv.weights.type};
  return add_products(lowering, products, conv.node.outputs.at(0), conv.node.name);
}

/// The groups one by one, side by side in the result.
ir::TensorId all_groups(Lowering& lowering, const Convolution& conv, ir::TensorId image) {
  std::vector<ir::TensorId> parts;
  for (int64_t group = 0; group < conv.groups; ++group) parts.push_back(one_group(lowering, conv, image, group));
  if (parts.size() == 1) return parts.front();
  GraphBuilder& graph = lowering.graph;
  const ir::TensorInfo& part = graph.tensor(parts.front());
  base::Shape shape = part.shape;
  shape[3] *= conv.groups;
  return graph.add(ir::OpKind::Concat, ir::AxisAttributes{3}, parts, {part.type, shape, conv.node.outputs.at(0) + "_groups"},
                   conv.node.name);
}

/// The same convolution in one group: weights of other groups' channels are zero.
Convolution in_one_group(const Convolution& conv) {
  Convolution result = conv;
  base::Shape& shape = result.weights.shape;
  const int64_t filter = base::num_elements({shape.begin() + 1, shape.end()}), per_group = shape[0] / conv.groups;
  shape[1] *= conv.groups;
  if (base::num_elements(shape) > kMostDenseWeights)
    refuse("{} groups of 16-bit data or more than {} groups, with weights of {} elements as one group, allowed are {}",
           conv.groups, kMostParts, base::num_elements(shape), kMostDenseWeights);
  result.weights.codes.assign(static_cast<size_t>(base::num_elements(shape)), conv.weights.zero_point);
  for (int64_t out = 0; out < shape[0]; ++out)
    std::copy_n(conv.weights.codes.begin() + out * filter, filter,
                result.weights.codes.begin() + (out * conv.groups + out / per_group) * filter);
  result.groups = 1;
  return result;
}

ir::TensorId sums_of(Lowering& lowering, const Convolution& conv) {
  const ir::TensorId image = image_tensor(lowering, conv.input, conv.window);
  if (conv.groups > 1 && conv.groups == with_rows(conv.input.shape)[1]) return depthwise(lowering, conv, image);
  // int48 has no CONCAT, and CONCAT no more operands than that.
  const bool is_dense = conv.groups > kMostParts || (conv.groups > 1 && conv.input.format.bits == 16);
  return all_groups(lowering, is_dense ? in_one_group(conv) : conv, image);
}

}  // namespace

void lower_conv(Lowering& lowering, const Node& node) {
  if (lowering.value(node, 0).shape.size() == 5) return lower_conv3d(lowering, node);
  const Value input = lowering.codes(node, 0);
  Weights weights = weights_of(lowering, node, 1, 0);
  const size_t rank = input.shape.size();
  if ((rank != 3 && rank != 4) || weights.shape.size() != rank)
    refuse("an input of shape {} and weights of shape {}, allowed are ranks 3, 4 and 5", base::to_string(input.shape),
           base::to_string(weights.shape));
  const std::vector<int64_t> kernel = kernel_of_weights(node, weights.shape);
  weights.shape = with_rows(weights.shape);
  const base::Shape shape = weights.shape;
  const int64_t groups = int_of(node, "group", 1), channels = input.shape[1];
  if (groups < 1 || channels % groups != 0 || shape[0] % groups != 0 || shape[1] != channels / groups)
    refuse("{} groups of {} channels do not fit weights of shape {}", groups, channels, base::to_string(shape));
  const std::vector<double> scales = scales_of_sums(scale_of(input.format), weights.scales);
  Bias bias = bias_of(lowering, node, 2, shape[0], scales);
  const int64_t per_channel = base::num_elements(shape) / shape[0];
  const int64_t magnitude = magnitude_of_sums(weights, bias.steps, input.magnitude,
                                              [&](size_t i) { return i / static_cast<size_t>(per_channel); });
  const Convolution conv{node,  input, std::move(weights), std::move(bias.steps), window_of(node, input.shape, kernel),
                         groups};
  const base::Shape result{input.shape[0], shape[0], conv.window.axes[0].output, conv.window.axes[1].output};
  const ir::TensorId sums = sums_of(lowering, conv);
  lowering.leave(sums, std::move(bias.rest));
  lowering.define(node, sums_value(sums, as_source(result, rank), image_order(rank), scales, 1, magnitude, node.name));
}

}  // namespace vernier::import::quantized
