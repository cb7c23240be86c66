// SPDX-License-Identifier: Apache-2.0
// Gemm and MatMul with constant weights, as CONV2D on images of one pixel.
#include "compiler/import/quantized/functions/products.hpp"
#include "compiler/import/quantized/functions/wide.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <cmath>
#include <utility>

namespace vernier::import::quantized {

namespace {

/// All dimensions but the last are pixels: the order in which a CONV2D of 1x1 multiplies rows by a matrix.
std::vector<int64_t> pixel_order(size_t rank) {
  if (rank == 2) return {0, -1, -1, 1};
  if (rank == 3) return {0, 1, -1, 2};
  return {0, 1, 2, 3};
}

bool has_pixel_order(const base::Shape& shape) { return shape.size() >= 2 && shape.size() <= 4; }

/// Rows of numbers, as a value of rank 2: of a row alone, and of more dimensions than an image has.
Value as_rows(Lowering& lowering, const Node& node, const Value& given) {
  Value value = given;
  const int64_t columns = value.shape.back();
  value.shape = {base::num_elements(value.shape) / columns, columns};
  value.tensor =
      lowering.graph.add(ir::OpKind::Reshape, {}, {lowering.in_source_order(given), lowering.graph.add_shape(value.shape)},
                         {element_type(value.format.bits), value.shape, node.outputs.at(0) + "_rows"}, node.name);
  value.order = source_order(2);
  return value;
}

/// The sums of such rows in the shape that the node gives them.
Value with_dimensions(Lowering& lowering, const Node& node, const Value& given, base::Shape shape) {
  Value value = narrowed_sums(lowering, given, node.outputs.at(0));  // int48 has no RESHAPE
  value.tensor = lowering.in_source_order(value);
  value.shape = std::move(shape);
  value.tensor = lowering.graph.add(ir::OpKind::Reshape, {}, {value.tensor, lowering.graph.add_shape(value.shape)},
                                    {base::ElementType::Int32, value.shape, node.outputs[0] + "_shaped"}, node.name);
  value.order = source_order(value.shape.size());
  value.format.axis = static_cast<int64_t>(value.shape.size()) - 1;
  return value;
}

/// The rows of the input times weights, which are given as [out, in]. `bias_index` may be an input that there is not; the
/// bias counts `bias_factor` times.
void multiply(Lowering& lowering, const Node& node, const Value& given, const Weights& weights, size_t bias_index,
              double bias_factor = 1) {
  if (given.shape.empty() || given.shape.back() != weights.shape[1])
    refuse("an input of shape {} times weights for {} columns", base::to_string(given.shape), weights.shape[1]);
  const Value input = has_pixel_order(given.shape) ? given : as_rows(lowering, node, given);
  const std::vector<int64_t> order = pixel_order(input.shape.size());
  const std::vector<double> scales = scales_of_sums(scale_of(input.format), weights.scales);
  Bias bias = bias_of(lowering, node, bias_index, weights.shape[0], scales, bias_factor);
  const auto columns = static_cast<size_t>(weights.shape[1]);
  const int64_t magnitude = magnitude_of_sums(weights, bias.steps, input.magnitude, [&](size_t i) { return i / columns; });
  const ir::TensorId image = lowering.in_order(input, order);
  const base::Shape& size = lowering.graph.tensor(image).shape;
  Window window;
  for (size_t i = 0; i < 2; ++i) window.axes.at(i).input = window.axes.at(i).output = size[1 + i];
  const Products products{ir::OpKind::Conv2d,
                          image,
                          zero_point_of(input.format),
                          {weights.shape[0], 1, 1, weights.shape[1]},
                          weights.codes,
                          weights.zero_point,
                          bias.steps,
                          window,
                          weights.type};
  const ir::TensorId sums = add_products(lowering, products, node.outputs.at(0), node.name);
  lowering.leave(sums, std::move(bias.rest));
  base::Shape shape = input.shape;
  shape.back() = weights.shape[0];
  const auto channel_axis = static_cast<int64_t>(shape.size()) - 1;
  Value value = sums_value(sums, shape, order, scales, channel_axis, magnitude, node.name);
  if (!has_pixel_order(given.shape)) {
    shape = given.shape;
    shape.back() = weights.shape[0];
    value = with_dimensions(lowering, node, value, std::move(shape));
  }
  lowering.define(node, std::move(value));
}

/// Weights of rank 2 as [out, in].
Weights matrix_of(const Lowering& lowering, const Node& node, bool is_transposed) {
  if (lowering.value(node, 1).shape.size() != 2)
    refuse("weights of shape {}, allowed is rank 2", base::to_string(lowering.value(node, 1).shape));
  Weights weights = weights_of(lowering, node, 1, is_transposed ? 0 : 1);
  if (is_transposed) return weights;
  weights.codes = reordered(weights.codes, weights.shape, {1, 0});
  weights.shape = {weights.shape[1], weights.shape[0]};
  return weights;
}

/// MatMul of which an operand is a vector: a matrix of one row on the left, of one column on the right, whose dimension the
/// result has not.
void lower_matmul_of_vectors(Lowering& lowering, const Node& node) {
  Node matrices = node;
  matrices.outputs = {node.outputs.at(0) + "/matrix"};
  const auto reshape = [&](const std::string& from, const std::string& to, const base::Shape& shape) {
    lower_reshape(lowering, {node.name, "Reshape", {from}, {to}, {{"shape", std::vector<int64_t>(shape)}}, node.kind});
  };
  std::vector<bool> is_vector;
  for (size_t i = 0; i < 2; ++i) {
    const base::Shape shape = lowering.value(node, i).shape;
    is_vector.push_back(shape.size() == 1);
    if (!is_vector[i]) continue;
    matrices.inputs[i] = fmt::format("{}/operand_{}", node.outputs[0], i);
    reshape(node.inputs[i], matrices.inputs[i], i == 0 ? base::Shape{1, shape[0]} : base::Shape{shape[0], 1});
  }
  lower_matmul(lowering, matrices);
  base::Shape shape = lowering.value(matrices.outputs[0]).shape;
  if (is_vector[1]) shape.pop_back();
  if (is_vector[0]) shape.erase(shape.end() - (is_vector[1] ? 1 : 2));
  reshape(matrices.outputs[0], node.outputs[0], shape);
}

}  // namespace

void lower_gemm(Lowering& lowering, const Node& node) {
  Value input = lowering.codes(node, 0);
  if (input.shape.size() != 2) refuse("an input of shape {}, allowed is rank 2", base::to_string(input.shape));
  if (int_of(node, "transA", 0) != 0) {
    std::swap(input.shape[0], input.shape[1]);
    for (int64_t& dimension : input.order) dimension = dimension < 0 ? -1 : 1 - dimension;
  }
  Weights weights = matrix_of(lowering, node, int_of(node, "transB", 0) != 0);
  const auto alpha = static_cast<double>(float_of(node, "alpha", 1)), beta = static_cast<double>(float_of(node, "beta", 1));
  if (!std::isfinite(alpha) || !(alpha > 0) || !std::isfinite(beta))
    refuse("attributes alpha and beta are {} and {}, allowed are numbers above 0 and any number", alpha, beta);
  for (double& scale : weights.scales) scale *= alpha;
  if (lowering.has_input(node, 2)) {
    const base::Shape& shape = lowering.value(node, 2).shape;
    if (shape.size() > 1 && shape.front() != 1)
      refuse("the bias '{}' has shape {}, allowed is one number for each column", node.inputs[2], base::to_string(shape));
  }
  multiply(lowering, node, input, weights, 2, beta);
}

void lower_matmul(Lowering& lowering, const Node& node) {
  if (node.inputs.size() != 2) refuse("there are {} operands, expected 2", node.inputs.size());
  const size_t left = lowering.value(node, 0).shape.size(), right = lowering.value(node, 1).shape.size();
  const bool is_row_of_weights = left == 1 && right == 2 && lowering.is_constant(node, 1);
  if (right == 1 || (left == 1 && !is_row_of_weights)) return lower_matmul_of_vectors(lowering, node);
  if (!lowering.is_constant(node, 1) || lowering.value(node, 1).shape.size() > 2) return lower_matmul_of_two(lowering, node);
  const Value input = lowering.codes(node, 0);
  multiply(lowering, node, input, matrix_of(lowering, node, false), node.inputs.size());
}

}  // namespace vernier::import::quantized
