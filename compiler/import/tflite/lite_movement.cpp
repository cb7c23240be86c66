// SPDX-License-Identifier: Apache-2.0
// RESHAPE, TRANSPOSE, PAD, CONCATENATION: codes that stay as they are.
#include "compiler/import/tflite/lite_lowering.hpp"

#include <algorithm>

namespace vernier::import::lite {

namespace {

using base::ElementType;
using ir::OpKind;
constexpr auto kNone = tflite::ActivationFunctionType::NONE;

void check_same_scale(const LiteTensor& a, const LiteTensor& b) {
  if (a.scales != b.scales || a.zero_points != b.zero_points)
    refuse("'{}' and '{}' have other scales or zero points, expected the same", a.name, b.name);
}

/// Whether all that read the result are convolutions without padding of their own: they pad with the zero point too.
bool is_read_by_convolutions(const LiteNetwork& network, int32_t tensor) {
  const auto is_it = [&](int32_t index) { return index == tensor; };
  if (std::any_of(network.outputs.begin(), network.outputs.end(), is_it)) return false;
  return std::all_of(network.operators.begin(), network.operators.end(), [&](const LiteOperator& op) {
    if (std::none_of(op.inputs.begin(), op.inputs.end(), is_it)) return true;
    const auto* conv = op.source->builtin_options_as_Conv2DOptions();
    const auto* depthwise = op.source->builtin_options_as_DepthwiseConv2DOptions();
    const bool is_valid = (conv != nullptr && conv->padding() == tflite::Padding::VALID) ||
                          (depthwise != nullptr && depthwise->padding() == tflite::Padding::VALID);
    return is_valid && op.inputs[0] == tensor && std::count_if(op.inputs.begin(), op.inputs.end(), is_it) == 1;
  });
}

}  // namespace

void lower_reshape(LiteLowering& lowering, const LiteOperator& op) {
  check_same_scale(lowering.codes(lowering.input(op, 0)), lowering.codes(lowering.output(op)));
  lowering.finish(op, lowering.reshape(op, lowering.value(op, 0), lowering.output(op).shape, "shaped"), kNone);
}

void lower_transpose(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor& input = lowering.codes(lowering.input(op, 0));
  check_same_scale(input, lowering.codes(lowering.output(op)));
  const std::vector<int64_t> order = lowering.elements(op, 1, "the order");
  std::vector<int64_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  bool is_order = order.size() == input.shape.size();
  for (size_t i = 0; is_order && i < sorted.size(); ++i) is_order = sorted[i] == static_cast<int64_t>(i);
  if (!is_order)
    refuse("the order {} is none of the dimensions of {}", base::to_string(order), base::to_string(input.shape));
  base::Shape shape;
  for (const int64_t dimension : order) shape.push_back(input.shape[static_cast<size_t>(dimension)]);
  lowering.finish(op,
                  lowering.add(op, OpKind::Transpose, ir::TransposeAttributes{order}, {lowering.value(op, 0)},
                               ElementType::Int8, shape, "moved"),
                  kNone);
}

void lower_pad(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor& input = lowering.codes(lowering.input(op, 0));
  const LiteTensor& output = lowering.codes(lowering.output(op));
  check_same_scale(input, output);
  const std::vector<int64_t> padding = lowering.elements(op, 1, "the padding");
  if (padding.size() != 2 * input.shape.size() ||
      std::any_of(padding.begin(), padding.end(), [](int64_t one) { return one < 0 || one >= int64_t{1} << 31; }))
    refuse("the padding {} is no pair of numbers from 0 to 2^31 - 1 for each dimension of {}", base::to_string(padding),
           base::to_string(input.shape));
  const bool is_image =
      input.shape.size() == 4 && !input.is_constant && padding[0] + padding[1] + padding[6] + padding[7] == 0;
  if (is_image && is_read_by_convolutions(lowering.network, op.outputs[0])) {
    const auto [tensor, pad] = lowering.image(op);
    if (pad == std::vector<int64_t>{0, 0, 0, 0})
      return lowering.define_padded(op.outputs[0], {op.inputs[0], {padding[2], padding[3], padding[4], padding[5]}});
  }
  base::Shape shape = input.shape;
  for (size_t i = 0; i < shape.size(); ++i) shape[i] += padding[2 * i] + padding[2 * i + 1];
  lowering.finish(op,
                  lowering.add(op, OpKind::Pad, {},
                               {lowering.value(op, 0), lowering.graph.add_shape(padding),
                                lowering.graph.add_scalar(ElementType::Int8, zero_point_of(output))},
                               ElementType::Int8, shape, "padded"),
                  kNone);
}

void lower_concatenation(LiteLowering& lowering, const LiteOperator& op) {
  const auto* options = op.source->builtin_options_as_ConcatenationOptions();
  if (options == nullptr) refuse("has no options of its kind");
  const LiteTensor& output = lowering.codes(lowering.output(op));
  const auto rank = std::ssize(output.shape);
  const int64_t axis = options->axis() < 0 ? options->axis() + rank : options->axis();
  if (axis < 0 || axis >= rank) refuse("axis {} of {}", options->axis(), base::to_string(output.shape));
  std::vector<Id> parts;
  base::Shape shape = output.shape;
  shape[static_cast<size_t>(axis)] = 0;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const LiteTensor& part = lowering.codes(lowering.input(op, i));
    check_same_scale(part, output);
    if (std::ssize(part.shape) != rank)
      refuse("'{}' is {}, expected {} dimensions", part.name, base::to_string(part.shape), rank);
    shape[static_cast<size_t>(axis)] += part.shape[static_cast<size_t>(axis)];
    parts.push_back(lowering.value(op, i));
  }
  lowering.finish(op, lowering.add(op, OpKind::Concat, ir::AxisAttributes{axis}, parts, ElementType::Int8, shape, "joined"),
                  options->fused_activation_function());
}

}  // namespace vernier::import::lite
