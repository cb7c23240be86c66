// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/functions/products.hpp"

#include <algorithm>
#include <utility>

namespace vernier::import::quantized {

namespace {

constexpr int64_t kMostOnes = int64_t{1} << 22;  // weights that a file may make us allocate

/// int16 has no zero point in TOSA: it goes into the bias, once for each weight, and padding is a PAD with it.
Products without_zero_point(Lowering& lowering, const Products& products, const std::string& layer) {
  Products result = products;
  GraphBuilder& graph = lowering.graph;
  const auto zero_point = std::exchange(result.input_zero_point, 0);
  const size_t count = products.bias.size();
  const size_t filter = products.weights.size() / count;
  for (size_t i = 0; i < products.weights.size(); ++i) {
    const size_t channel =
        products.kind == ir::OpKind::Conv2d ? i / filter : i % count;  // in DEPTHWISE_CONV2D they stand last
    result.bias[channel] -= zero_point * (products.weights[i] - products.weight_zero_point);
  }
  if (!products.window.has_padding()) return result;
  base::Shape shape = graph.tensor(products.image).shape;
  std::vector<int64_t> padding{0, 0};
  for (size_t i = 0; i < 2; ++i) {
    WindowAxis& axis = result.window.axes.at(i);
    padding.insert(padding.end(), {axis.pad_before, axis.pad_after});
    shape[1 + i] += axis.pad_before + axis.pad_after;
    axis.pad_before = axis.pad_after = 0;
  }
  padding.insert(padding.end(), {0, 0});
  result.image =
      graph.add(ir::OpKind::Pad, {},
                {products.image, graph.add_shape(padding), graph.add_scalar(base::ElementType::Int16, zero_point)},
                {base::ElementType::Int16, shape, graph.tensor(products.image).name + "_padded"}, layer);
  return result;
}

bool is_code_of_8_bits(int64_t code) { return code >= -128 && code <= 127; }

/// Weights that 8 bits do not hold as the sum of two that they do: both halves of each weight, with a zero point of 0 or -1.
/// NodeMistake where they are too far apart even for two.
std::pair<Products, Products> in_two_parts(const Products& products) {
  const auto [least, most] = std::minmax_element(products.weights.begin(), products.weights.end());
  const int64_t zero_point = *most > 254 ? -1 : 0;
  if (products.weight_zero_point != 0 || *least < -256 - 2 * zero_point || *most > 254 - 2 * zero_point)
    refuse("weights less their zero points are from {} to {}, allowed are 511 numbers", *least, *most);
  Products high = products, low = products;
  high.weight_type = low.weight_type = base::ElementType::Int8;
  high.weight_zero_point = low.weight_zero_point = zero_point;
  std::fill(low.bias.begin(), low.bias.end(), 0);
  for (size_t i = 0; i < products.weights.size(); ++i) {
    const int64_t half = products.weights[i] >> 1;
    high.weights[i] = half + zero_point;
    low.weights[i] = products.weights[i] - half + zero_point;
  }
  return {high, low};
}

/// The image's channels twice, for one operator with both parts of the weights. Of CONV2D.
Products on_doubled_channels(Lowering& lowering, const Products& high, const Products& low, const std::string& layer) {
  GraphBuilder& graph = lowering.graph;
  Products both = high;
  const ir::TensorInfo image = graph.tensor(high.image);
  base::Shape shape = image.shape;
  shape.back() *= 2;
  both.image = graph.add(ir::OpKind::Concat, ir::AxisAttributes{3}, {high.image, high.image},
                         {image.type, shape, image.name + "_twice"}, layer);
  const auto channels = static_cast<size_t>(high.weight_shape.back());
  both.weight_shape.back() *= 2;
  both.weights.clear();
  for (size_t i = 0; i < high.weights.size(); i += channels) {
    const auto at = static_cast<std::ptrdiff_t>(i), end = static_cast<std::ptrdiff_t>(i + channels);
    both.weights.insert(both.weights.end(), high.weights.begin() + at, high.weights.begin() + end);
    both.weights.insert(both.weights.end(), low.weights.begin() + at, low.weights.begin() + end);
  }
  return both;
}

}  // namespace

ir::TensorId add_products(Lowering& lowering, const Products& given, const std::string& name, const std::string& layer) {
  GraphBuilder& graph = lowering.graph;
  if (!std::all_of(given.weights.begin(), given.weights.end(), is_code_of_8_bits)) {
    const auto [high, low] = in_two_parts(given);
    if (given.kind == ir::OpKind::Conv2d)
      return add_products(lowering, on_doubled_channels(lowering, high, low, layer), name, layer);
    if (graph.tensor(given.image).type != base::ElementType::Int8)
      refuse(
          "weights of a channel of its own, less their zero points, need 9 bits beside codes of 16, allowed are codes of 8");
    const ir::TensorId sums = add_products(lowering, high, name, layer);
    const base::Shape shape = graph.tensor(sums).shape;
    return graph.add(ir::OpKind::Add, {}, {sums, add_products(lowering, low, name, layer)},
                     {base::ElementType::Int32, shape, name + "_sum"}, layer);
  }
  const bool is_shifted = given.input_zero_point != 0 && graph.tensor(given.image).type == base::ElementType::Int16;
  const Products products = is_shifted ? without_zero_point(lowering, given, layer) : given;
  const base::ElementType input_type = graph.tensor(products.image).type;
  const base::ElementType sum_type =
      input_type == base::ElementType::Int16 ? base::ElementType::Int48 : base::ElementType::Int32;
  const base::ElementType weight_type = weight_type_for(input_type, products.weight_type);
  const auto num_channels = static_cast<int64_t>(products.bias.size());
  const Window& window = products.window;
  const std::vector<ir::TensorId> inputs{
      products.image, graph.add_constant(weight_type, products.weight_shape, products.weights),
      graph.add_constant(sum_type, {num_channels}, products.bias), graph.add_scalar(input_type, products.input_zero_point),
      graph.add_scalar(weight_type, products.weight_zero_point)};
  const base::Shape shape{graph.tensor(products.image).shape[0], window.axes[0].output, window.axes[1].output, num_channels};
  return graph.add(products.kind, ir::ConvAttributes{window.pad(), window.stride(), window.dilation(), sum_type}, inputs,
                   {sum_type, shape, name}, layer);
}

Value sums_of_windows(Lowering& lowering, const Node& node, const Value& input, const Window& window) {
  const int64_t channels = input.shape[1];
  const std::vector<int64_t> kernel = window.kernel();
  const int64_t count = kernel[0] * kernel[1];
  if (count > kMostOnes || count * channels > kMostOnes)
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
  const size_t rank = input.shape.size();
  const base::Shape shape{input.shape[0], channels, window.axes[0].output, window.axes[1].output};
  return sums_value(sums, as_source(shape, rank), image_order(rank), {scale_of(input.format)}, 1, count * input.magnitude,
                    node.name);
}

Value sums_value(ir::TensorId tensor, base::Shape shape, std::vector<int64_t> order, std::vector<double> scales,
                 int64_t channel_axis, int64_t magnitude, const std::string& layer) {
  Value value;
  value.kind = Value::Kind::Integers;
  value.shape = std::move(shape);
  value.tensor = tensor;
  value.order = std::move(order);
  value.format.bits = 32;
  value.format.zero_points.assign(scales.size(), 0);
  value.format.scales = std::move(scales);
  value.format.axis = channel_axis;
  value.magnitude = magnitude;
  value.layer = layer;
  return value;
}

std::vector<double> scales_of_sums(double input_scale, const std::vector<double>& weight_scales) {
  std::vector<double> scales;
  for (const double scale : weight_scales) scales.push_back(input_scale * scale);
  return scales;
}

}  // namespace vernier::import::quantized
