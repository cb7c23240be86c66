// SPDX-License-Identifier: Apache-2.0
// Conv on volumes (rank 5), as CONV3D. Groups are sliced and joined again.
#include "compiler/import/quantized/functions/products.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <utility>

namespace vernier::import::quantized {

namespace {

using base::ElementType;
using ir::OpKind;

constexpr int64_t kMostGroups = 64;  // TOSA's MAX_TENSOR_LIST_SIZE
const std::vector<int64_t> kVolumeOrder{0, 2, 3, 4, 1};

/// What all groups share.
struct VolumeConvolution {
  const Node& node;
  Weights weights;  // output channel, input channel of the group, planes, rows, columns
  std::vector<int64_t> bias;
  std::vector<WindowAxis> axes;
  int64_t groups = 1, zero_point = 0;
};

/// The volume without planes, rows and columns that no window reads, and with the channels of one group.
ir::TensorId part_of(Lowering& lowering, const VolumeConvolution& conv, ir::TensorId volume, int64_t group) {
  GraphBuilder& graph = lowering.graph;
  const base::Shape shape = graph.tensor(volume).shape;
  base::Shape size = shape;
  for (size_t i = 0; i < 3; ++i) size[1 + i] -= conv.axes[i].surplus;
  size[4] = conv.weights.shape[1];
  if (size == shape) return volume;
  return graph.add(OpKind::Slice, {}, {volume, graph.add_shape({0, 0, 0, 0, group * size[4]}), graph.add_shape(size)},
                   {graph.tensor(volume).type, size, graph.tensor(volume).name + "_read"}, conv.node.name);
}

ir::TensorId group_of_volume(Lowering& lowering, const VolumeConvolution& conv, ir::TensorId volume, int64_t group) {
  GraphBuilder& graph = lowering.graph;
  const ir::TensorId image = part_of(lowering, conv, volume, group);
  const ElementType type = graph.tensor(image).type, weight_type = weight_type_for(type, conv.weights.type);
  const ElementType sum = type == ElementType::Int16 ? ElementType::Int48 : ElementType::Int32;
  base::Shape shape = conv.weights.shape;
  shape[0] /= conv.groups;
  const int64_t size = base::num_elements(shape);
  const std::vector<int64_t> order{0, 2, 3, 4, 1};
  const auto first = conv.weights.codes.begin() + group * size;
  const auto bias = conv.bias.begin() + group * shape[0];
  ir::ConvAttributes attributes{{}, {}, {}, sum};
  base::Shape result{graph.tensor(image).shape[0]};
  for (const WindowAxis& axis : conv.axes) {
    attributes.pad.insert(attributes.pad.end(), {axis.pad_before, axis.pad_after});
    attributes.stride.push_back(axis.stride);
    attributes.dilation.push_back(axis.dilation);
    result.push_back(axis.output);
  }
  result.push_back(shape[0]);
  const std::vector<ir::TensorId> inputs{
      image,
      graph.add_constant(weight_type, shape_in_order(shape, order),
                         reordered(std::vector<int64_t>(first, first + size), shape, order)),
      graph.add_constant(sum, {shape[0]}, std::vector<int64_t>(bias, bias + shape[0])),
      graph.add_scalar(type, conv.zero_point), graph.add_scalar(weight_type, conv.weights.zero_point)};
  return graph.add(OpKind::Conv3d, attributes, inputs, {sum, result, conv.node.outputs.at(0)}, conv.node.name);
}

}  // namespace

void lower_conv3d(Lowering& lowering, const Node& node) {
  const Value input = lowering.codes(node, 0);
  Weights weights = weights_of(lowering, node, 1, 0);
  const base::Shape shape = weights.shape;
  if (shape.size() != 5)
    refuse("an input of shape {} and weights of shape {}, expected the same rank", base::to_string(input.shape),
           base::to_string(shape));
  const int64_t groups = int_of(node, "group", 1), channels = input.shape[1];
  if (groups < 1 || channels % groups != 0 || shape[0] % groups != 0 || shape[1] != channels / groups)
    refuse("{} groups of {} channels do not fit weights of shape {}", groups, channels, base::to_string(shape));
  if (groups > kMostGroups || (groups > 1 && input.format.bits == 16))
    refuse("{} groups on a volume of {} bits, allowed are {} groups of 8 bits and one of 16", groups, input.format.bits,
           kMostGroups);
  if (input.format.bits == 16 && zero_point_of(input.format) != 0)
    refuse("a volume of 16 bits with a zero point, allowed is one of 8 bits, or without");
  if (std::any_of(weights.codes.begin(), weights.codes.end(), [](int64_t code) { return code < -128 || code > 127; }))
    refuse("the weights '{}' less their zero points are no 256 numbers in a row, as this operator needs", node.inputs[1]);
  const std::vector<double> scales = scales_of_sums(scale_of(input.format), weights.scales);
  Bias bias = bias_of(lowering, node, 2, shape[0], scales);
  const auto per_channel = static_cast<size_t>(base::num_elements(shape) / shape[0]);
  const int64_t magnitude =
      magnitude_of_sums(weights, bias.steps, input.magnitude, [&](size_t i) { return i / per_channel; });
  const std::vector<int64_t> kernel{shape[2], shape[3], shape[4]};
  if (const auto given = ints_of(node, "kernel_shape", kernel); given != kernel)
    refuse("attribute kernel_shape is {}, the weights have {}", base::to_string(given), base::to_string(shape));
  const VolumeConvolution conv{
      node,   std::move(weights),         std::move(bias.steps), window_axes(node, input.shape, kernel),
      groups, zero_point_of(input.format)};
  const ir::TensorId volume = lowering.in_order(input, kVolumeOrder);
  std::vector<ir::TensorId> parts;
  for (int64_t group = 0; group < groups; ++group) parts.push_back(group_of_volume(lowering, conv, volume, group));
  ir::TensorId sums = parts.front();
  GraphBuilder& graph = lowering.graph;
  if (groups > 1) {
    base::Shape joined = graph.tensor(sums).shape;
    joined.back() *= groups;
    sums = graph.add(OpKind::Concat, ir::AxisAttributes{4}, parts,
                     {graph.tensor(sums).type, joined, node.outputs.at(0) + "_groups"}, node.name);
  }
  lowering.leave(sums, std::move(bias.rest));
  const base::Shape result{input.shape[0], shape[0], conv.axes[0].output, conv.axes[1].output, conv.axes[2].output};
  lowering.define(node, sums_value(sums, result, kVolumeOrder, scales, 1, magnitude, node.name));
}

}  // namespace vernier::import::quantized
