// SPDX-License-Identifier: Apache-2.0
// Sums of products of codes and constant weights: CONV2D and DEPTHWISE_CONV2D, of which all layers with weights are made.
#pragma once

#include "compiler/import/quantized/nodes/constants.hpp"
#include "compiler/import/quantized/nodes/windows.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace vernier::import::quantized {

struct Products {
  ir::OpKind kind = ir::OpKind::Conv2d;
  ir::TensorId image = -1;  // in kImageOrder
  int64_t input_zero_point = 0;
  base::Shape weight_shape;      // as the operator has them
  std::vector<int64_t> weights;  // of more than 8 bits where their zero point is 0: they are added in two parts
  int64_t weight_zero_point = 0;
  std::vector<int64_t> bias;  // one for each output channel
  Window window;
  base::ElementType weight_type = base::ElementType::Int8;  // Int4: of an int8 image, else it is Int8
};

/// int16 inputs go with weights of int8 only.
constexpr base::ElementType weight_type_for(base::ElementType input, base::ElementType weights) {
  return input == base::ElementType::Int8 ? weights : base::ElementType::Int8;
}

/// int32 of int8 codes, int48 of int16 codes; in kImageOrder.
ir::TensorId add_products(Lowering& lowering, const Products& given, const std::string& name, const std::string& layer);

/// The sum over each window and channel of an image's code - zero point: a depthwise convolution with weights of 1.
Value sums_of_windows(Lowering& lowering, const Node& node, const Value& input, const Window& window);

/// A value of such sums, of the shape of the source. `order` is that of the tensor.
Value sums_value(ir::TensorId tensor, base::Shape shape, std::vector<int64_t> order, std::vector<double> scales,
                 int64_t channel_axis, int64_t magnitude, const std::string& layer);

/// Scales of the sums: input scale * weight scale.
std::vector<double> scales_of_sums(double input_scale, const std::vector<double>& weight_scales);

}  // namespace vernier::import::quantized
