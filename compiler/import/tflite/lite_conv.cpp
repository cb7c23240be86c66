// SPDX-License-Identifier: Apache-2.0
// CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED: sums of products in int32, and a RESCALE for each output channel.
#include "compiler/import/tflite/lite_lowering.hpp"
#include "compiler/import/tflite/windows.hpp"

#include <algorithm>

namespace vernier::import::lite {

namespace {

using base::ElementType;
using ir::OpKind;

/// Constant codes of int8 without a zero point, with one scale or one for each output channel.
const LiteTensor& weights_of(const LiteLowering& lowering, const LiteOperator& op, int64_t axis) {
  const LiteTensor& weights = lowering.input(op, 1);
  if (!weights.is_constant) refuse("the weights '{}' are computed, expected a constant", weights.name);
  if (weights.type != tflite::TensorType::INT8)
    refuse("the weights '{}' are {}, allowed is INT8", weights.name, to_string(weights.type));
  if (weights.scales.empty()) refuse("the weights '{}' have no scale", weights.name);
  if (std::any_of(weights.zero_points.begin(), weights.zero_points.end(), [](int64_t zero) { return zero != 0; }))
    refuse("the weights '{}' have a zero point, allowed is 0", weights.name);
  if (weights.scales.size() > 1 && weights.axis != axis)
    refuse("the weights '{}' have scales along dimension {}, expected {}", weights.name, weights.axis, axis);
  return weights;
}

Id bias_of(LiteLowering& lowering, const LiteOperator& op, int64_t channels) {
  if (!lowering.has_input(op, 2)) return lowering.graph.add_constant(ElementType::Int32, {1}, {0});
  const LiteTensor& bias = lowering.input(op, 2);
  if (bias.type != tflite::TensorType::INT32)
    refuse("the bias '{}' is {}, allowed is INT32", bias.name, to_string(bias.type));
  const std::vector<int64_t> elements = lowering.elements(op, 2, "the bias");
  if (std::ssize(elements) != channels)
    refuse("the bias '{}' has {} elements, expected {}", bias.name, elements.size(), channels);
  return lowering.graph.add_constant(ElementType::Int32, {channels}, elements);
}

/// Sums as codes of the operator's result.
Id codes_of_sums(LiteLowering& lowering, const LiteOperator& op, Id sums, const LiteTensor& weights,
                 spec::Rounding rounding) {
  const LiteTensor& input = lowering.codes(lowering.input(op, 0));
  const LiteTensor& output = lowering.codes(lowering.output(op));
  LiteLowering::Rescale rescale{ElementType::Int8, 0, zero_point_of(output), {}, rounding};
  for (const float scale : weights.scales)
    rescale.multipliers.push_back(lite_multiplier(scale_of(input) * static_cast<double>(scale) / scale_of(output)));
  return lowering.rescale(op, sums, rescale, "codes");
}

/// What the two convolutions have in common: `weights` as TOSA orders them.
struct Convolution {
  OpKind kind;
  Id weights;
  const LiteTensor& source;
  int64_t channels;
  WindowSize size;
  tflite::ActivationFunctionType activation;
};

void finish_convolution(LiteLowering& lowering, const LiteOperator& op, const Convolution& convolution) {
  const LiteTensor& input = lowering.codes(lowering.input(op, 0));
  const Window window = window_of(lowering, op, convolution.size);
  const base::Shape shape{input.shape[0], window.rows, window.columns, convolution.channels};
  const ir::ConvAttributes attributes{window.pad,
                                      {convolution.size.stride_y, convolution.size.stride_x},
                                      {convolution.size.dilation_y, convolution.size.dilation_x},
                                      ElementType::Int32};
  const Id sums = lowering.add(
      op, convolution.kind, attributes,
      {window.input, convolution.weights, bias_of(lowering, op, convolution.channels),
       lowering.graph.add_scalar(ElementType::Int8, zero_point_of(input)), lowering.graph.add_scalar(ElementType::Int8, 0)},
      ElementType::Int32, shape, "sums");
  lowering.finish(op, codes_of_sums(lowering, op, sums, convolution.source, kSumsRounding), convolution.activation);
}

void check_image(const LiteTensor& tensor, const char* what) {
  if (tensor.shape.size() != 4)
    refuse("{} '{}' is {}, expected 4 dimensions", what, tensor.name, base::to_string(tensor.shape));
}

}  // namespace

void lower_conv(LiteLowering& lowering, const LiteOperator& op) {
  const auto* options = op.source->builtin_options_as_Conv2DOptions();
  if (options == nullptr) refuse("has no options of its kind");
  const LiteTensor& weights = weights_of(lowering, op, 0);
  const LiteTensor& input = lowering.input(op, 0);
  check_image(input, "the input");
  check_image(weights, "the weights");
  if (weights.shape[3] != input.shape[3])
    refuse("{} channels and weights for {}, allowed are as many: groups are not read", input.shape[3], weights.shape[3]);
  finish_convolution(lowering, op,
                     {OpKind::Conv2d,
                      lowering.value(op, 1),
                      weights,
                      weights.shape[0],
                      {weights.shape[1], weights.shape[2], options->stride_h(), options->stride_w(),
                       options->dilation_h_factor(), options->dilation_w_factor(), options->padding()},
                      options->fused_activation_function()});
}

void lower_depthwise(LiteLowering& lowering, const LiteOperator& op) {
  const auto* options = op.source->builtin_options_as_DepthwiseConv2DOptions();
  if (options == nullptr) refuse("has no options of its kind");
  const LiteTensor& weights = weights_of(lowering, op, 3);
  const LiteTensor& input = lowering.input(op, 0);
  check_image(input, "the input");
  check_image(weights, "the weights");
  const int64_t channels = input.shape[3], results = weights.shape[3];
  if (weights.shape[0] != 1 || results % channels != 0)
    refuse("weights {} for {} channels, expected one row of a multiple of them", base::to_string(weights.shape), channels);
  const Id reshaped =
      lowering.graph.add_constant(ElementType::Int8, {weights.shape[1], weights.shape[2], channels, results / channels},
                                  lowering.elements(op, 1, "the weights"));
  finish_convolution(lowering, op,
                     {OpKind::DepthwiseConv2d,
                      reshaped,
                      weights,
                      results,
                      {weights.shape[1], weights.shape[2], options->stride_h(), options->stride_w(),
                       options->dilation_h_factor(), options->dilation_w_factor(), options->padding()},
                      options->fused_activation_function()});
}

void lower_fully_connected(LiteLowering& lowering, const LiteOperator& op) {
  const auto* options = op.source->builtin_options_as_FullyConnectedOptions();
  if (options == nullptr) refuse("has no options of its kind");
  if (options->weights_format() != 0) refuse("weights_format is {}, allowed is 0", options->weights_format());
  const LiteTensor& weights = weights_of(lowering, op, 0);
  const LiteTensor& input = lowering.codes(lowering.input(op, 0));
  if (weights.shape.size() != 2)
    refuse("the weights '{}' are {}, expected 2 dimensions", weights.name, base::to_string(weights.shape));
  const int64_t channels = weights.shape[0], depth = weights.shape[1];
  const int64_t size = base::num_elements(input.shape);
  if (size % depth != 0) refuse("{} elements are no rows of {}", size, depth);
  const int64_t rows = size / depth;
  const Id from = lowering.reshape(op, lowering.value(op, 0), {rows, 1, 1, depth}, "rows");
  const Id matrix =
      lowering.graph.add_constant(ElementType::Int8, {channels, 1, 1, depth}, lowering.elements(op, 1, "the weights"));
  const Id sums = lowering.add(
      op, OpKind::Conv2d, ir::ConvAttributes{{0, 0, 0, 0}, {1, 1}, {1, 1}, ElementType::Int32},
      {from, matrix, bias_of(lowering, op, channels), lowering.graph.add_scalar(ElementType::Int8, zero_point_of(input)),
       lowering.graph.add_scalar(ElementType::Int8, 0)},
      ElementType::Int32, {rows, 1, 1, channels}, "sums");
  const Id codes = codes_of_sums(lowering, op, sums, weights, kFullyConnectedRounding);
  lowering.finish(op, lowering.reshape(op, codes, lowering.output(op).shape, "shaped"),
                  options->fused_activation_function());
}

}  // namespace vernier::import::lite
