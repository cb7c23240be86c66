// SPDX-License-Identifier: Apache-2.0
// ConvTranspose with one group: TRANSPOSE_CONV2D, whose padding is the source's, taken away.
#include "compiler/import/quantized/attributes.hpp"
#include "compiler/import/quantized/operators.hpp"
#include "compiler/import/quantized/products.hpp"

#include <algorithm>

namespace vernier::import::quantized {

namespace {

/// Two numbers of an attribute, or four.
std::vector<int64_t> sizes_of(const Node& node, const std::string& name, const std::vector<int64_t>& otherwise,
                              int64_t least) {
  const std::vector<int64_t> sizes = ints_of(node, name, otherwise);
  const auto is_good = [&](int64_t size) { return size >= least && size < int64_t{1} << 31; };
  if (sizes.size() != otherwise.size() || !std::all_of(sizes.begin(), sizes.end(), is_good))
    refuse("attribute '{}' is {}, expected {} numbers from {}", name, base::to_string(sizes), otherwise.size(), least);
  return sizes;
}

/// Where the result begins and ends: out_pad of TOSA and the sizes of rows and columns.
struct Frame {
  std::vector<int64_t> stride, out_pad, size;
};

Frame frame_of(const Node& node, const base::Shape& image, const base::Shape& weights) {
  const std::string auto_pad = string_of(node, "auto_pad", "NOTSET");
  if (auto_pad != "NOTSET" && auto_pad != "VALID")
    refuse("attribute auto_pad is '{}', allowed are NOTSET and VALID", auto_pad);
  if (node.attributes.contains("output_shape"))
    refuse("attribute output_shape is given, allowed are pads and output_padding");
  if (sizes_of(node, "dilations", {1, 1}, 1) != std::vector<int64_t>{1, 1})
    refuse("attribute dilations is {}, allowed is 1", base::to_string(ints_of(node, "dilations", {1, 1})));
  const std::vector<int64_t> kernel = sizes_of(node, "kernel_shape", {weights[2], weights[3]}, 1);
  if (kernel[0] != weights[2] || kernel[1] != weights[3])
    refuse("attribute kernel_shape is {}, the weights have {}", base::to_string(kernel), base::to_string(weights));
  const std::vector<int64_t> pads = sizes_of(node, "pads", {0, 0, 0, 0}, 0),
                             more = sizes_of(node, "output_padding", {0, 0}, 0);
  Frame frame{sizes_of(node, "strides", {1, 1}, 1), {}, {}};
  for (size_t i = 0; i < 2; ++i) {
    frame.out_pad.push_back(-pads[i]);
    frame.out_pad.push_back(more[i] - pads[2 + i]);
    if (pads[i] >= kernel[i] || pads[2 + i] - more[i] >= kernel[i])
      refuse("attribute pads is {}, allowed is less than the kernel {}", base::to_string(pads), base::to_string(kernel));
    if (image[2 + i] > kMostElements / frame.stride[i]) refuse("strides {} are too large", base::to_string(frame.stride));
    frame.size.push_back((image[2 + i] - 1) * frame.stride[i] + kernel[i] + more[i] - pads[i] - pads[2 + i]);
  }
  return frame;
}

}  // namespace

void lower_conv_transpose(Lowering& lowering, const Node& node) {
  const Value input = lowering.codes(node, 0);
  const Weights weights = weights_of(lowering, node, 1, 1);
  const base::Shape shape = weights.shape;  // input channel, output channel, rows, columns
  if (input.shape.size() != 4 || shape.size() != 4 || shape[0] != input.shape[1])
    refuse("an input of shape {} and weights of shape {} do not go together", base::to_string(input.shape),
           base::to_string(shape));
  if (int_of(node, "group", 1) != 1) refuse("there are {} groups, allowed is 1", int_of(node, "group", 1));
  if (input.format.bits == 16 && zero_point_of(input.format) != 0)
    refuse("'{}' has 16 bits and is unsigned or has a zero point, allowed here are signed codes with zero point 0",
           node.inputs[0]);
  const Frame frame = frame_of(node, input.shape, shape);
  const std::vector<double> scales = scales_of_sums(scale_of(input.format), weights.scales);
  const std::vector<int64_t> bias = bias_of(lowering, node, 2, shape[1], scales);
  const auto filter = static_cast<size_t>(shape[2] * shape[3]), count = static_cast<size_t>(shape[1]);
  const int64_t magnitude = magnitude_of_sums(weights, bias, input.magnitude, [&](size_t i) { return i / filter % count; });
  GraphBuilder& graph = lowering.graph;
  const ir::TensorId image = lowering.in_order(input, kImageOrder);
  const base::ElementType type = graph.tensor(image).type;
  const base::ElementType sum = type == base::ElementType::Int16 ? base::ElementType::Int48 : base::ElementType::Int32;
  const std::vector<int64_t> order{1, 2, 3, 0};
  const std::vector<ir::TensorId> inputs{
      image,
      graph.add_constant(base::ElementType::Int8, shape_in_order(shape, order), reordered(weights.codes, shape, order)),
      graph.add_constant(sum, {shape[1]}, bias), graph.add_scalar(type, zero_point_of(input.format)),
      graph.add_scalar(base::ElementType::Int8, weights.zero_point)};
  const base::Shape result{input.shape[0], shape[1], frame.size[0], frame.size[1]};
  if (!is_addressable(result)) refuse("the result {} has a dimension of 0, or is too large", base::to_string(result));
  const ir::TensorId sums =
      graph.add(ir::OpKind::TransposeConv2d, ir::TransposeConvAttributes{frame.out_pad, frame.stride, sum}, inputs,
                {sum, shape_in_order(result, kImageOrder), node.outputs.at(0)}, node.name);
  lowering.define(node, sums_value(sums, result, kImageOrder, scales, 1, magnitude, node.name));
}

}  // namespace vernier::import::quantized
