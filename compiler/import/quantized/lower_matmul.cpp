// SPDX-License-Identifier: Apache-2.0
// MatMul. With a constant matrix on the right it is lower_gemm.cpp's; here are the others, by MATMUL.
#include "compiler/import/quantized/operators.hpp"
#include "compiler/import/quantized/products.hpp"
#include "compiler/import/quantized/wide.hpp"

#include <algorithm>

namespace vernier::import::quantized {

namespace {

/// All dimensions but the last two as one.
base::Shape batched(const base::Shape& shape) {
  return {base::num_elements({shape.begin(), shape.end() - 2}), shape[shape.size() - 2], shape.back()};
}

ir::TensorId operand(Lowering& lowering, const Node& node, const Value& value, const base::Shape& shape) {
  const ir::TensorId tensor = lowering.in_source_order(value);
  if (value.shape == shape) return tensor;
  GraphBuilder& graph = lowering.graph;
  return graph.add(ir::OpKind::Reshape, {}, {tensor, graph.add_shape(shape)},
                   {graph.tensor(tensor).type, shape, node.outputs.at(0) + "_rows"}, node.name);
}

}  // namespace

void lower_matmul_of_two(Lowering& lowering, const Node& node) {
  const auto operand_of = [&](size_t index) {
    return lowering.is_constant(node, index)
               ? constant_value(lowering, node, index, source_order(lowering.value(node, index).shape.size()))
               : lowering.codes(node, index);
  };
  if (lowering.is_constant(node, 0) && lowering.is_constant(node, 1)) refuse("both operands are constants");
  const Value a = operand_of(0), b = operand_of(1);
  for (size_t i = 0; i < 2; ++i) {
    const Value& one = i == 0 ? a : b;
    if (one.shape.size() < 2)
      refuse("'{}' has shape {}, allowed is rank 2 and more", node.inputs[i], base::to_string(one.shape));
    if (one.format.bits == 16 && zero_point_of(one.format) != 0)
      refuse("'{}' has 16 bits and is unsigned or has a zero point, allowed here are signed codes with zero point 0",
             node.inputs[i]);
  }
  if (a.format.bits != b.format.bits)
    refuse("operands have {} and {} bits, expected the same", a.format.bits, b.format.bits);
  base::Shape a_shape = batched(a.shape), b_shape = batched(b.shape);
  if (a_shape[2] != b_shape[1])
    refuse("operands of shapes {} and {} do not go together", base::to_string(a.shape), base::to_string(b.shape));
  // One matrix on the right serves all rows of a batch on the left.
  if (b_shape[0] == 1) a_shape = {1, a_shape[0] * a_shape[1], a_shape[2]};
  const bool is_alike = b_shape[0] == 1 || (a.shape.size() == b.shape.size() &&
                                            std::equal(a.shape.begin(), a.shape.end() - 2, b.shape.begin()));
  const bool has_more_dimensions = b.shape.size() > a.shape.size();
  if (!is_alike || has_more_dimensions)
    refuse("operands of shapes {} and {}, allowed are the same leading dimensions, or one matrix on the right",
           base::to_string(a.shape), base::to_string(b.shape));
  GraphBuilder& graph = lowering.graph;
  const ir::TensorId left = operand(lowering, node, a, a_shape), right = operand(lowering, node, b, b_shape);
  const base::ElementType type = graph.tensor(left).type;
  const base::ElementType sum = type == base::ElementType::Int16 ? base::ElementType::Int48 : base::ElementType::Int32;
  const base::Shape product{a_shape[0], a_shape[1], b_shape[2]};
  ir::TensorId tensor = graph.add(
      ir::OpKind::MatMul, {},
      {left, right, graph.add_scalar(type, zero_point_of(a.format)), graph.add_scalar(type, zero_point_of(b.format))},
      {sum, product, node.outputs.at(0)}, node.name);
  base::Shape shape = a.shape;
  shape.back() = b.shape.back();
  // int48 has no RESHAPE: the dimensions stay as MATMUL has them where that is possible.
  const size_t rank = shape.size();
  Value value = sums_value(tensor, product, source_order(3), {scale_of(a.format) * scale_of(b.format)}, 2,
                           a.magnitude * b.magnitude * a_shape[2], node.name);
  if (rank != 3 || shape != product) {
    if (sum == base::ElementType::Int48) value = narrowed_sums(lowering, value, node.outputs[0]);
    value.tensor = graph.add(ir::OpKind::Reshape, {}, {value.tensor, graph.add_shape(shape)},
                             {base::ElementType::Int32, shape, node.outputs[0] + "_shaped"}, node.name);
    value.shape = shape;
    value.order = source_order(rank);
    value.format.axis = static_cast<int64_t>(rank) - 1;
  }
  lowering.define(node, std::move(value));
}

}  // namespace vernier::import::quantized
