// SPDX-License-Identifier: Apache-2.0
// ConvTranspose on images and on lines (rank 3), as TRANSPOSE_CONV2D, whose padding is the source's, taken away. Dilation
// puts zeros into the kernel, groups are one group with zeros as the weights of other groups' channels. Of 16-bit codes with
// a zero point, which TOSA has not: the image with that code between its pixels and around them, and a CONV2D. Weights of
// floats, which onnxruntime's tools leave here, are 16 bits in two operators.
#include "compiler/import/quantized/functions/products.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/nodes/quantizer.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace vernier::import::quantized {

namespace {

constexpr int64_t kMostWeights = int64_t{1} << 22;  // with the zeros: that a file may make us allocate

/// One axis: output position = input position * stride + tap * dilation - pad_before.
struct ScatterAxis {
  int64_t input = 0, kernel = 1, stride = 1, dilation = 1, pad_before = 0, pad_after = 0;  // the kernel without its zeros
  int64_t output = 0;

  [[nodiscard]] int64_t reach() const { return dilation * (kernel - 1) + 1; }
};
using Frame = std::array<ScatterAxis, 2>;

/// Padding where the size of the output is given: half of it at each side, the odd one where SAME_UPPER says after, else
/// before.
void pad_for_size(ScatterAxis& axis, int64_t size, int64_t more, bool is_upper) {
  const int64_t total = std::max<int64_t>((axis.input - 1) * axis.stride + more + axis.reach() - size, 0);
  axis.pad_before = is_upper ? total / 2 : total - total / 2;
  axis.output = size;
}

Frame frame_of(const Node& node, const base::Shape& image, const std::vector<int64_t>& kernel) {
  const size_t rank = image.size();
  const base::Shape shape = with_rows(image);
  const std::string auto_pad = string_of(node, "auto_pad", "NOTSET");
  const bool is_same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
  if (!is_same && auto_pad != "NOTSET" && auto_pad != "VALID")
    refuse("attribute auto_pad is '{}', allowed are NOTSET, VALID, SAME_UPPER and SAME_LOWER", auto_pad);
  const std::vector<int64_t> strides = axis_numbers(node, "strides", 1, rank, 1),
                             dilations = axis_numbers(node, "dilations", 1, rank, 1),
                             pads = axis_numbers(node, "pads", 0, rank, 0, 2),
                             more = axis_numbers(node, "output_padding", 0, rank, 0);
  std::vector<int64_t> sizes;
  if (node.attributes.contains("output_shape")) sizes = axis_numbers(node, "output_shape", 1, rank, 1);
  Frame frame;
  for (size_t i = 0; i < 2; ++i) {
    ScatterAxis& axis = frame.at(i);
    axis = {shape[2 + i], kernel[i], strides[i], dilations[i], pads[i], pads[2 + i], 0};
    if (axis.input > kMostElements / axis.stride || axis.kernel > kMostElements / axis.dilation)
      refuse("strides {} or dilations {} are too large", base::to_string(strides), base::to_string(dilations));
    if (auto_pad == "VALID") axis.pad_before = axis.pad_after = 0;
    const int64_t whole = (axis.input - 1) * axis.stride + axis.reach() + more[i];
    if (!sizes.empty()) {
      pad_for_size(axis, sizes[i], more[i], auto_pad == "SAME_UPPER");
    } else if (is_same) {
      // There the definition gives input * stride rows, onnxruntime fewer.
      if (axis.reach() + more[i] < axis.stride)
        refuse("attribute auto_pad is '{}' with strides of {} and a kernel of {}, allowed are strides up to the kernel",
               auto_pad, axis.stride, axis.reach());
      pad_for_size(axis, axis.input * axis.stride, more[i], auto_pad == "SAME_UPPER");
    } else {
      axis.output = whole - axis.pad_before - axis.pad_after;
    }
    axis.pad_after = whole - more[i] - axis.pad_before - axis.output;  // below 0: rows that no tap reaches
    if (axis.pad_before >= axis.reach() || axis.pad_after >= axis.reach())
      refuse("padding of {} and {} is taken away, allowed is less than the kernel's {}", axis.pad_before, axis.pad_after,
             axis.reach());
  }
  return frame;
}

/// Weights as TRANSPOSE_CONV2D has them, with the zeros of dilation and groups: output channel, rows, columns, input
/// channel. `shape`: input channel, output channel of the group, rows, columns.
Weights scattered_weights(const Weights& weights, const Frame& frame, int64_t groups) {
  const base::Shape& shape = weights.shape;
  const int64_t rows = frame[0].reach(), columns = frame[1].reach(), num_out = shape[1] * groups, num_in = shape[0];
  const bool fits = rows <= kMostWeights && columns <= kMostWeights / rows && num_out <= kMostWeights / (rows * columns) &&
                    num_in <= kMostWeights / (rows * columns * num_out);
  const bool is_plain = groups == 1 && rows == shape[2] && columns == shape[3];
  if (!fits && !is_plain) refuse("weights with the zeros between them have more than {} elements", kMostWeights);
  Weights result = weights;
  if (weights.scales.size() > 1) {  // which the groups share
    for (int64_t group = 1; group < groups; ++group)
      result.scales.insert(result.scales.end(), weights.scales.begin(), weights.scales.end());
  }
  result.shape = {num_out, rows, columns, num_in};
  result.codes.assign(static_cast<size_t>(base::num_elements(result.shape)), weights.zero_point);
  size_t from = 0;
  for (int64_t in = 0; in < num_in; ++in) {
    const int64_t first = in / (num_in / groups) * shape[1];
    for (int64_t out = first; out < first + shape[1]; ++out) {
      for (int64_t y = 0; y < rows; y += frame[0].dilation) {
        for (int64_t x = 0; x < columns; x += frame[1].dilation)
          result.codes[static_cast<size_t>(((out * rows + y) * columns + x) * num_in + in)] = weights.codes[from++];
      }
    }
  }
  return result;
}

ir::TensorId scattered(Lowering& lowering, const Node& node, const Value& input, const Weights& weights,
                       const std::vector<int64_t>& bias, const Frame& frame) {
  GraphBuilder& graph = lowering.graph;
  const ir::TensorId image = lowering.in_order(input, image_order(input.shape.size()));
  const base::ElementType type = graph.tensor(image).type;
  const base::ElementType sum = type == base::ElementType::Int16 ? base::ElementType::Int48 : base::ElementType::Int32;
  const auto& [y, x] = frame;
  const base::ElementType weight_type = weight_type_for(type, weights.type);
  if (std::any_of(weights.codes.begin(), weights.codes.end(), [](int64_t code) { return code < -128 || code > 127; }))
    refuse(
        "the weights '{}' have several zero points, and less those they are no 256 numbers in a row, as this operator needs",
        node.inputs.at(1));
  const std::vector<ir::TensorId> inputs{image, graph.add_constant(weight_type, weights.shape, weights.codes),
                                         graph.add_constant(sum, {weights.shape[0]}, bias),
                                         graph.add_scalar(type, zero_point_of(input.format)),
                                         graph.add_scalar(weight_type, weights.zero_point)};
  const ir::TransposeConvAttributes attributes{
      {-y.pad_before, -y.pad_after, -x.pad_before, -x.pad_after}, {y.stride, x.stride}, sum};
  return graph.add(ir::OpKind::TransposeConv2d, attributes, inputs,
                   {sum, {graph.tensor(image).shape[0], y.output, x.output, weights.shape[0]}, node.outputs.at(0)},
                   node.name);
}

/// stride - 1 zero points after each row and column of the image, the last ones too.
ir::TensorId spread(Lowering& lowering, const Node& node, const Value& input, const Frame& frame) {
  GraphBuilder& graph = lowering.graph;
  const auto& [y, x] = frame;
  ir::TensorId tensor = lowering.in_order(input, image_order(input.shape.size()));
  const base::Shape shape = graph.tensor(tensor).shape;
  const auto reshaped = [&](const base::Shape& to) {
    return graph.add(ir::OpKind::Reshape, {}, {tensor, graph.add_shape(to)},
                     {base::ElementType::Int16, to, node.outputs.at(0) + "_spread"}, node.name);
  };
  tensor = reshaped({shape[0], shape[1], 1, shape[2], 1, shape[3]});
  tensor = graph.add(
      ir::OpKind::Pad, {},
      {tensor, graph.add_shape({0, 0, 0, 0, 0, y.stride - 1, 0, 0, 0, x.stride - 1, 0, 0}),
       graph.add_scalar(base::ElementType::Int16, zero_point_of(input.format))},
      {base::ElementType::Int16, {shape[0], shape[1], y.stride, shape[2], x.stride, shape[3]}, node.outputs[0] + "_spread"},
      node.name);
  return reshaped({shape[0], shape[1] * y.stride, shape[2] * x.stride, shape[3]});
}

/// CONV2D of the spread image with the kernel turned around: tap t of the result's row o reads row o + t - (reach - 1) +
/// pad_before of it.
ir::TensorId gathered(Lowering& lowering, const Node& node, const Value& input, const Weights& weights,
                      const std::vector<int64_t>& bias, const Frame& frame) {
  Products products{ir::OpKind::Conv2d,
                    spread(lowering, node, input, frame),
                    zero_point_of(input.format),
                    weights.shape,
                    weights.codes,
                    weights.zero_point,
                    bias,
                    {},
                    weights.type};
  const int64_t rows = weights.shape[1], columns = weights.shape[2], channels = weights.shape[3];
  for (int64_t out = 0; out < weights.shape[0]; ++out) {
    for (int64_t tap = 0; tap < rows * columns; ++tap)
      std::copy_n(weights.codes.begin() + (out * rows * columns + tap) * channels, channels,
                  products.weights.begin() + ((out + 1) * rows * columns - 1 - tap) * channels);
  }
  for (size_t i = 0; i < 2; ++i) {
    const ScatterAxis& from = frame.at(i);
    WindowAxis& axis = products.window.axes.at(i);
    axis = {from.input * from.stride, from.reach(), 1, 1, from.reach() - 1 - from.pad_before, 0, from.output, 0};
    axis.pad_after = from.output + from.reach() - 1 - axis.pad_before - axis.input;
    if (axis.pad_after >= 0) continue;
    // What is beyond the last row that a window reads are zero points: they go.
    GraphBuilder& graph = lowering.graph;
    base::Shape size = graph.tensor(products.image).shape;
    size[1 + i] += axis.pad_after;
    axis.input += axis.pad_after;
    axis.pad_after = 0;
    products.image = graph.add(ir::OpKind::Slice, {}, {products.image, graph.add_shape({0, 0, 0, 0}), graph.add_shape(size)},
                               {base::ElementType::Int16, size, node.outputs.at(0) + "_read"}, node.name);
  }
  return add_products(lowering, products, node.outputs.at(0), node.name);
}

constexpr int64_t kGreatestWeight = 127 * 256 + 127;  // whose high and low part have 8 bits each

bool has_float_weights(const Lowering& lowering, const Node& node) {
  return lowering.is_constant(node, 1) && lowering.constant(node, 1, "the weights").type.is_float;
}

/// Weights of floats, as tools leave them at this operator, as codes of 16 bits with a scale for each output channel.
Weights weights_of_16_bits(Lowering& lowering, const Node& node, const Value& input) {
  if (input.format.bits != 8 || !lowering.reaches_codes(node))
    refuse("the weights '{}' are not quantized, allowed are floats between codes of 8 bits", node.inputs[1]);
  const Value& value = lowering.value(node, 1);
  const std::vector<float> numbers = real_numbers(value);
  if (value.shape.size() < 3 || !std::all_of(numbers.begin(), numbers.end(), [](float one) { return std::isfinite(one); }))
    refuse("the weights '{}' are {}, expected finite numbers of rank 3 or 4", node.inputs[1], base::to_string(value.shape));
  std::vector<double> greatest(static_cast<size_t>(value.shape[1]), 0);
  for_each_on_axis(value.shape, 1, [&](size_t i, size_t channel) {
    greatest[channel] = std::max(greatest[channel], std::fabs(static_cast<double>(numbers[i])));
  });
  Weights weights{value.shape, std::vector<int64_t>(numbers.size()), 0, {}};
  for (const double most : greatest) weights.scales.push_back(most > 0 ? most / static_cast<double>(kGreatestWeight) : 1);
  for_each_on_axis(value.shape, 1, [&](size_t i, size_t channel) {
    weights.codes[i] = static_cast<int64_t>(std::nearbyint(static_cast<double>(numbers[i]) / weights.scales[channel]));
  });
  return weights;
}

/// 256 * high + low, of which the bias is in the low part.
ir::TensorId scattered_in_two_parts(Lowering& lowering, const Node& node, const Value& input, const Weights& weights,
                                    const std::vector<int64_t>& bias, const Frame& frame) {
  Weights high = weights, low = weights;
  for (size_t i = 0; i < weights.codes.size(); ++i) {
    high.codes[i] = (weights.codes[i] + 128) >> 8;
    low.codes[i] = weights.codes[i] - 256 * high.codes[i];
  }
  GraphBuilder& graph = lowering.graph;
  const ir::TensorId sums = scattered(lowering, node, input, high, std::vector<int64_t>(bias.size(), 0), frame);
  const GraphBuilder::Result result{base::ElementType::Int32, graph.tensor(sums).shape, node.outputs.at(0) + "_parts"};
  const ir::TensorId factor = graph.add_constant(base::ElementType::Int32, {1, 1, 1, 1}, {256});
  const ir::TensorId shifted =
      graph.add(ir::OpKind::Mul, {}, {sums, factor, graph.add_scalar(base::ElementType::Int8, 0)}, result, node.name);
  return graph.add(ir::OpKind::Add, {}, {shifted, scattered(lowering, node, input, low, bias, frame)}, result, node.name);
}

void warn_of_16_bits(Lowering& lowering, const Node& node, const Value& input, const Weights& weights, size_t filter,
                     const base::Shape& shape) {
  const std::optional<Quantizer> quantizer = quantizer_after(lowering, node.outputs.at(0), shape);
  double error = 0;
  for (const double scale : weights.scales) error = std::max(error, scale);
  error *= scale_of(input.format) * static_cast<double>(input.magnitude) * static_cast<double>(filter) / 2;
  const bool has_step = quantizer && !quantizer->format.is_per_axis();
  lowering.warnings.push_back(
      fmt::format("node '{}' ({}): the weights '{}' are floats; they become 16 bits, in two operators of 8 bits, and sums "
                  "are off by up to "
                  "{:.2g}{}",
                  node.name, node.kind, node.inputs[1], has_step ? error / scale_of(quantizer->format) : error,
                  has_step ? " of a step of the next quantizer" : ""));
}

}  // namespace

void lower_conv_transpose(Lowering& lowering, const Node& node) {
  const Value input = lowering.codes(node, 0);
  const bool is_float = has_float_weights(lowering, node);
  Weights weights = is_float ? weights_of_16_bits(lowering, node, input) : weights_of(lowering, node, 1, 1);
  const size_t rank = input.shape.size();
  const int64_t groups = int_of(node, "group", 1);
  if ((rank != 3 && rank != 4) || weights.shape.size() != rank || weights.shape[0] != input.shape[1])
    refuse("an input of shape {} and weights of shape {} do not go together", base::to_string(input.shape),
           base::to_string(weights.shape));
  if (groups < 1 || input.shape[1] % groups != 0) refuse("{} groups of {} channels", groups, input.shape[1]);
  const Frame frame = frame_of(node, input.shape, kernel_of_weights(node, weights.shape));
  weights.shape = with_rows(weights.shape);
  const int64_t channels = weights.shape[1] * groups;
  const base::Shape result{input.shape[0], channels, frame[0].output, frame[1].output};
  if (!is_addressable(result)) refuse("the result {} has a dimension of 0, or is too large", base::to_string(result));
  weights = scattered_weights(weights, frame, groups);
  const std::vector<double> scales = scales_of_sums(scale_of(input.format), weights.scales);
  Bias bias = bias_of(lowering, node, 2, channels, scales);
  const auto filter = static_cast<size_t>(base::num_elements(weights.shape) / channels);
  const int64_t magnitude = magnitude_of_sums(weights, bias.steps, input.magnitude, [&](size_t i) { return i / filter; });
  const bool is_spread = input.format.bits == 16 && zero_point_of(input.format) != 0;
  if (is_float && magnitude >= int64_t{1} << 31)
    refuse("the weights '{}' are floats, and sums of their 16 bits need more than 32 bits", node.inputs[1]);
  if (is_float) warn_of_16_bits(lowering, node, input, weights, filter, as_source(result, rank));
  const ir::TensorId sums = is_float    ? scattered_in_two_parts(lowering, node, input, weights, bias.steps, frame)
                            : is_spread ? gathered(lowering, node, input, weights, bias.steps, frame)
                                        : scattered(lowering, node, input, weights, bias.steps, frame);
  lowering.leave(sums, std::move(bias.rest));
  lowering.define(node, sums_value(sums, as_source(result, rank), image_order(rank), scales, 1, magnitude, node.name));
}

}  // namespace vernier::import::quantized
