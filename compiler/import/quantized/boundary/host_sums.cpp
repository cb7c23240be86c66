// SPDX-License-Identifier: Apache-2.0
// Reductions, products of matrices and windows as steps of the host.
#include "compiler/import/quantized/boundary/host_emitter.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/nodes/windows.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace vernier::import::quantized {

namespace {

using package::HostOperator;

/// The shape without the axes that became 1, unless the node keeps them.
size_t without_axes(const HostEmitter& emitter, size_t value, const std::vector<int64_t>& axes) {
  if (int_of(emitter.node, "keepdims", 1) != 0) return value;
  base::Shape shape;
  for (int64_t i = 0; i < std::ssize(emitter.shape(value)); ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) shape.push_back(emitter.shape(value)[static_cast<size_t>(i)]);
  }
  return emitter.reshape(value, shape);
}

}  // namespace

std::vector<size_t> emit_reduction(const HostEmitter& emitter) {
  const size_t value = emitter.operand(0);
  const Node& node = emitter.node;
  const size_t rank = emitter.shape(value).size();
  const bool is_global = node.kind.starts_with("Global");
  if (is_global && rank < 3)
    refuse("an input of shape {}, allowed are ranks from 3 on", base::to_string(emitter.shape(value)));
  if (is_global) {
    std::vector<int64_t> axes(rank - 2);
    std::iota(axes.begin(), axes.end(), 2);
    return {emitter.add(node.kind == "GlobalMaxPool" ? HostOperator::ReduceMax : HostOperator::ReduceMean, {value}, axes)};
  }
  const std::vector<int64_t> axes = reduced_axes(emitter.lowering, node, rank);
  const size_t result = emitter.add(package::host_operator_of(node.kind).value(), {value}, axes);
  return {without_axes(emitter, result, axes)};
}

std::vector<size_t> emit_search(const HostEmitter& emitter) {
  const size_t value = emitter.operand(0);
  const Node& node = emitter.node;
  const int64_t axis = axis_in(int_of(node, "axis", 0), emitter.shape(value).size());
  const size_t result = emitter.add(package::host_operator_of(node.kind).value(), {value},
                                    {axis, int_of(node, "select_last_index", 0) != 0 ? 1 : 0});
  return {without_axes(emitter, result, {axis})};
}

namespace {

size_t transposed_matrix(const HostEmitter& emitter, size_t value, bool is_transposed) {
  if (emitter.shape(value).size() != 2)
    refuse("a matrix of shape {}, allowed is rank 2", base::to_string(emitter.shape(value)));
  return is_transposed ? emitter.add(HostOperator::Transpose, {value}, {1, 0}) : value;
}

size_t gemm(const HostEmitter& emitter) {
  const Node& node = emitter.node;
  const size_t a = transposed_matrix(emitter, emitter.operand(0), int_of(node, "transA", 0) != 0);
  const size_t b = transposed_matrix(emitter, emitter.operand(1), int_of(node, "transB", 0) != 0);
  size_t result = emitter.add(HostOperator::MatMul, {a, b});
  const float alpha = float_of(node, "alpha", 1), beta = float_of(node, "beta", 1);
  if (alpha != 1) result = emitter.binary(HostOperator::Mul, result, alpha);
  if (!emitter.lowering.has_input(node, 2)) return result;
  size_t c = emitter.operand(2);
  if (beta != 1) c = emitter.binary(HostOperator::Mul, c, beta);
  return emitter.add_like(result, {HostOperator::Add, "", {}, {}, {}}, {result, c});
}

}  // namespace

std::vector<size_t> emit_matmul(const HostEmitter& emitter) {
  if (emitter.node.kind == "Gemm") return {gemm(emitter)};
  size_t a = emitter.operand(0), b = emitter.operand(1);
  const base::Shape left = emitter.shape(a), right = emitter.shape(b);
  if (left.empty() || right.empty()) refuse("an operand is no matrix");
  // A vector is a matrix of one row on the left, of one column on the right, whose dimension the result has not.
  if (left.size() == 1) a = emitter.reshape(a, {1, left[0]});
  if (right.size() == 1) b = emitter.reshape(b, {right[0], 1});
  const size_t result = emitter.add(HostOperator::MatMul, {a, b});
  base::Shape shape = emitter.shape(result);
  if (right.size() == 1) shape.pop_back();
  if (left.size() == 1) shape.erase(shape.end() - (right.size() == 1 ? 1 : 2));
  return {emitter.reshape(result, shape)};
}

namespace {

/// The axes of a window, without the row that a line has not.
std::vector<WindowAxis> axes_on_host(const Node& node, const base::Shape& shape, const std::vector<int64_t>& kernel) {
  if (shape.size() < 3 || shape.size() > 5) refuse("an input of shape {}, allowed are ranks 3 to 5", base::to_string(shape));
  std::vector<WindowAxis> axes = window_axes(node, shape, kernel);
  if (shape.size() == 3) axes.erase(axes.begin());
  return axes;
}

void append(std::vector<int64_t>& dimensions, const std::vector<WindowAxis>& axes, int64_t WindowAxis::*member) {
  for (const WindowAxis& axis : axes) dimensions.push_back(axis.*member);
}

}  // namespace

std::vector<size_t> emit_conv(const HostEmitter& emitter) {
  const Node& node = emitter.node;
  std::vector<size_t> operands{emitter.operand(0), emitter.operand(1)};
  if (emitter.lowering.has_input(node, 2)) operands.push_back(emitter.operand(2));
  const base::Shape &shape = emitter.shape(operands[0]), &weights = emitter.shape(operands[1]);
  if (weights.size() != shape.size() || shape.size() < 3)
    refuse("weights {} for an input {}", base::to_string(weights), base::to_string(shape));
  const std::vector<WindowAxis> axes = axes_on_host(node, shape, kernel_of_weights(node, weights));
  std::vector<int64_t> dimensions{int_of(node, "group", 1)};
  for (const auto member : {&WindowAxis::stride, &WindowAxis::dilation, &WindowAxis::pad_before, &WindowAxis::output})
    append(dimensions, axes, member);
  return {emitter.add(HostOperator::Conv, operands, dimensions)};
}

std::vector<size_t> emit_pool(const HostEmitter& emitter) {
  const Node& node = emitter.node;
  const size_t value = emitter.operand(0);
  const base::Shape& shape = emitter.shape(value);
  if (node.outputs.size() > 1 && !node.outputs[1].empty()) refuse("the indices of maxima are asked for, allowed are values");
  if (!node.attributes.contains("kernel_shape")) refuse("attribute kernel_shape is missing");
  if (shape.size() < 3 || shape.size() > 5) refuse("an input of shape {}, allowed are ranks 3 to 5", base::to_string(shape));
  std::vector<WindowAxis> axes = axes_on_host(node, shape, axis_numbers(node, "kernel_shape", 1, shape.size(), 1));
  for (WindowAxis& axis : axes) axis.pad_after = std::max<int64_t>(axis.padded_end - axis.input, 0);
  std::vector<int64_t> dimensions;
  for (const auto member : {&WindowAxis::kernel, &WindowAxis::stride, &WindowAxis::dilation, &WindowAxis::pad_before,
                            &WindowAxis::pad_after, &WindowAxis::output})
    append(dimensions, axes, member);
  const bool is_max = node.kind == "MaxPool";
  if (!is_max) dimensions.push_back(int_of(node, "count_include_pad", 0) != 0 ? 1 : 0);
  return {emitter.add(is_max ? HostOperator::MaxPool : HostOperator::AveragePool, {value}, dimensions)};
}

}  // namespace vernier::import::quantized
