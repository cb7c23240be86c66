// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/products.hpp"

#include <utility>

namespace vernier::import::quantized {

ir::TensorId add_products(Lowering& lowering, const Products& products, const std::string& name, const std::string& layer) {
  GraphBuilder& graph = lowering.graph;
  const base::ElementType input_type = graph.tensor(products.image).type;
  const base::ElementType sum_type =
      input_type == base::ElementType::Int16 ? base::ElementType::Int48 : base::ElementType::Int32;
  const auto num_channels = static_cast<int64_t>(products.bias.size());
  const Window& window = products.window;
  const std::vector<ir::TensorId> inputs{
      products.image, graph.add_constant(base::ElementType::Int8, products.weight_shape, products.weights),
      graph.add_constant(sum_type, {num_channels}, products.bias), graph.add_scalar(input_type, products.input_zero_point),
      graph.add_scalar(base::ElementType::Int8, products.weight_zero_point)};
  const base::Shape shape{graph.tensor(products.image).shape[0], window.axes[0].output, window.axes[1].output, num_channels};
  return graph.add(products.kind, ir::ConvAttributes{window.pad(), window.stride(), window.dilation(), sum_type}, inputs,
                   {sum_type, shape, name}, layer);
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
