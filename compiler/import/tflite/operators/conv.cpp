// SPDX-License-Identifier: Apache-2.0
// CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED: sums of products in int32, and a RESCALE for each output channel.
#include "compiler/import/tflite/operators/operators.hpp"
#include "compiler/import/tflite/operators/products.hpp"
#include "compiler/import/tflite/operators/windows.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace vernier::import::lite {

namespace {

using ir::OpKind;

/// What the two convolutions have in common: `weights` as TOSA orders them.
struct Convolution {
  OpKind kind;
  Id weights;
  const LiteTensor& source;
  int64_t channels;
  WindowSize size;
  tflite::ActivationFunctionType activation;
  tflite::TensorType bias_type = tflite::TensorType::FLOAT32;  // the kernel's choice
};

Id sums_of_products(LiteLowering& lowering, const LiteOperator& op, OpKind kind, const ir::ConvAttributes& attributes,
                    const std::array<Id, 3>& operands, const base::Shape& shape) {
  const LiteTensor& input = lowering.input_codes(op);
  return lowering.add(
      op, kind, attributes,
      {operands[0], operands[1], operands[2], lowering.graph.add_scalar(type_of(input), zero_point_of(input)),
       zero_point_of_weights(lowering, lowering.input(op, 1))},
      attributes.acc_type, shape, "sums");
}

/// A group's part of a constant along its first dimension; the whole one where that is 1.
Id part_of(LiteLowering& lowering, Id constant, int64_t group, int64_t groups) {
  const ir::TensorInfo info = lowering.graph.tensor(constant);
  if (groups == 1 || info.shape[0] == 1) return constant;
  base::Shape shape = info.shape;
  shape[0] /= groups;
  const int64_t count = base::num_elements(shape);
  std::vector<int64_t> elements(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) elements[static_cast<size_t>(i)] = info.constant->at(group * count + i);
  return lowering.graph.add_constant(info.type, shape, elements);
}

/// Of several groups, whose weights see a part of the channels each: one convolution after the other, and their results side
/// by side.
void finish_convolution(LiteLowering& lowering, const LiteOperator& op, const Convolution& convolution, int64_t groups = 1) {
  const LiteTensor& input = lowering.input_codes(op);
  const Window window = window_of(lowering, op, convolution.size);
  const int64_t channels = convolution.channels / groups;
  const base::Shape shape{input.shape[0], window.rows, window.columns, channels};
  const ir::ConvAttributes attributes{window.pad,
                                      {convolution.size.stride_y, convolution.size.stride_x},
                                      {convolution.size.dilation_y, convolution.size.dilation_x},
                                      sums_of(input)};
  const Id bias = bias_of(lowering, op, {2, convolution.channels, sums_of(input)});
  base::Shape of_image = lowering.shape_of(window.input);
  of_image[3] /= groups;  // of CONV_2D, which alone has groups
  std::vector<Id> parts;
  for (int64_t group = 0; group < groups; ++group) {
    const int64_t first = group * channels;
    const Id image = lowering.slice(op, window.input, {0, 0, 0, group * of_image[3]}, of_image, "image");
    const Id weights = part_of(lowering, convolution.weights, group, groups);
    const Id own_bias = part_of(lowering, bias, group, groups);
    const Id sums = sums_by_bias(
        lowering, op, sums_of_products(lowering, op, convolution.kind, attributes, {image, weights, own_bias}, shape),
        convolution.bias_type);
    std::span<const float> scales = convolution.source.scales;
    if (scales.size() > 1) scales = scales.subspan(static_cast<size_t>(first), static_cast<size_t>(channels));
    parts.push_back(codes_of_sums(lowering, op, sums, input, scales, kSumsRounding));
  }
  lowering.finish(op, lowering.joined(op, parts, 3), convolution.activation);
}

/// FULLY_CONNECTED of int16, which the kernel rescales in float64: sums that fit into 32 bits get multipliers of 31 bits,
/// and others of 16, with a warning.
Id codes_of_wide_sums(LiteLowering& lowering, const LiteOperator& op, Id sums, const std::vector<int64_t>& elements) {
  const LiteTensor &input = lowering.input_codes(op), &weights = lowering.input(op, 1);
  const auto codes = [&](Id from) {
    return codes_of_sums(lowering, op, from, input, weights.scales, spec::Rounding::Single);
  };
  if (lowering.rule(op) == Rule::Integer) return codes(sums);
  const std::vector<int64_t> bias =
      lowering.has_input(op, 2) ? lowering.elements(op, 2, "the bias") : std::vector<int64_t>();
  const int64_t channels = weights.shape[0], depth = weights.shape[1];
  for (int64_t channel = 0; channel < channels; ++channel) {
    int64_t most = bias.empty() ? 0 : std::abs(bias[static_cast<size_t>(channel)]);
    for (int64_t i = 0; i < depth; ++i) most += 32768 * std::abs(elements[static_cast<size_t>(channel * depth + i)]);
    if (most < int64_t{1} << 31) continue;
    lowering.warning =
        "its sums may leave 32 bits, so that they are multiplied with 16 bits: results may be one step off those "
        "of LiteRT, which computes in float64";
    return codes(sums);
  }
  return codes(narrow_sums(lowering, op, sums));
}

}  // namespace

void lower_conv(LiteLowering& lowering, const LiteOperator& op) {
  const auto& options = options_of(op, &tflite::Operator::builtin_options_as_Conv2DOptions);
  const LiteTensor& weights = weights_of(lowering, op, {1, 0});
  const LiteTensor& input = lowering.input(op, 0);
  check_image(input, "the input");
  check_image(weights, "the weights");
  const Convolution convolution{OpKind::Conv2d,
                                lowering.value(op, 1),
                                weights,
                                weights.shape[0],
                                {weights.shape[1], weights.shape[2], options.stride_h(), options.stride_w(),
                                 options.dilation_h_factor(), options.dilation_w_factor(), options.padding()},
                                options.fused_activation_function(),
                                options.quantized_bias_type()};
  const int64_t groups = input.shape[3] / weights.shape[3];
  if (input.shape[3] % weights.shape[3] != 0 || weights.shape[0] % groups != 0)
    refuse("{} channels and weights {}, which are no groups of them", input.shape[3], base::to_string(weights.shape));
  finish_convolution(lowering, op, convolution, groups);
}

void lower_depthwise(LiteLowering& lowering, const LiteOperator& op) {
  const auto& options = options_of(op, &tflite::Operator::builtin_options_as_DepthwiseConv2DOptions);
  const LiteTensor& weights = weights_of(lowering, op, {1, 3});
  const LiteTensor& input = lowering.input(op, 0);
  check_image(input, "the input");
  check_image(weights, "the weights");
  const int64_t channels = input.shape[3], results = weights.shape[3];
  if (weights.shape[0] != 1 || results % channels != 0)
    refuse("weights {} for {} channels, expected one row of a multiple of them", base::to_string(weights.shape), channels);
  const Id reshaped = lowering.graph.add_constant(*element_type_of(weights.type),
                                                  {weights.shape[1], weights.shape[2], channels, results / channels},
                                                  lowering.elements(op, 1, "the weights"));
  finish_convolution(lowering, op,
                     {OpKind::DepthwiseConv2d,
                      reshaped,
                      weights,
                      results,
                      {weights.shape[1], weights.shape[2], options.stride_h(), options.stride_w(),
                       options.dilation_h_factor(), options.dilation_w_factor(), options.padding()},
                      options.fused_activation_function()});
}

void lower_fully_connected(LiteLowering& lowering, const LiteOperator& op) {
  const auto& options = options_of(op, &tflite::Operator::builtin_options_as_FullyConnectedOptions);
  if (options.weights_format() != 0) refuse("weights_format is {}, allowed is 0", options.weights_format());
  const LiteTensor& weights = weights_of(lowering, op, {1, 0});
  const LiteTensor& input = lowering.input_codes(op);
  if (weights.shape.size() != 2)
    refuse("the weights '{}' are {}, expected 2 dimensions", weights.name, base::to_string(weights.shape));
  const int64_t channels = weights.shape[0], depth = weights.shape[1];
  const int64_t size = base::num_elements(input.shape);
  if (size % depth != 0) refuse("{} elements are no rows of {}", size, depth);
  const int64_t rows = size / depth;
  const Id from = lowering.reshape(op, lowering.value(op, 0), {rows, 1, 1, depth}, "rows");
  const std::vector<int64_t> elements = lowering.elements(op, 1, "the weights");
  const Id matrix = lowering.graph.add_constant(*element_type_of(weights.type), {channels, 1, 1, depth}, elements);
  const ir::ConvAttributes attributes{{0, 0, 0, 0}, {1, 1}, {1, 1}, sums_of(input)};
  const Id sums =
      sums_of_products(lowering, op, OpKind::Conv2d, attributes,
                       {from, matrix, bias_of(lowering, op, {2, channels, sums_of(input)})}, {rows, 1, 1, channels});
  const Id codes = is_16_bits(input) ? codes_of_wide_sums(lowering, op, sums, elements)
                                     : codes_of_sums(lowering, op, sums, input, weights.scales, kFullyConnectedRounding);
  lowering.finish(op, lowering.reshape(op, codes, lowering.output(op).shape, "shaped"), options.fused_activation_function());
}

}  // namespace vernier::import::lite
