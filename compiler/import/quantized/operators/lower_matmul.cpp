// SPDX-License-Identifier: Apache-2.0
// MatMul. With a constant matrix on the right it is lower_gemm.cpp's; here are the others, by MATMUL. Leading dimensions go
// along with each other as numpy's do. MATMUL of 16 bits has no zero points: with n products and zero points za and zb, the
// sum of (a - za) (b - zb) is sum(a b) - zb sum(a) - za (sum(b) - n zb).
#include "compiler/import/quantized/functions/arithmetic.hpp"
#include "compiler/import/quantized/functions/products.hpp"
#include "compiler/import/quantized/functions/wide.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>

namespace vernier::import::quantized {

namespace {

using base::Shape;

/// The leading dimensions of both, with 1s before those of the smaller rank; what they are together.
struct Leading {
  Shape a, b, both;
};
Leading leading_of(const Shape& a, const Shape& b) {
  Leading leading{{a.begin(), a.end() - 2}, {b.begin(), b.end() - 2}, {}};
  const size_t rank = std::max(leading.a.size(), leading.b.size());
  for (Shape* one : {&leading.a, &leading.b}) one->insert(one->begin(), rank - one->size(), 1);
  for (size_t i = 0; i < rank; ++i) {
    if (leading.a[i] != leading.b[i] && leading.a[i] != 1 && leading.b[i] != 1)
      refuse("operands of shapes {} and {} do not go together", base::to_string(a), base::to_string(b));
    leading.both.push_back(std::max(leading.a[i], leading.b[i]));
  }
  return leading;
}

/// The operand with rank 3: one dimension for all that lead, repeated where the other operand has more.
ir::TensorId batched(Lowering& lowering, const Node& node, const Value& value, const Shape& own, const Shape& both) {
  GraphBuilder& graph = lowering.graph;
  ir::TensorId tensor = lowering.in_source_order(value);
  const base::ElementType type = graph.tensor(tensor).type;
  const Shape matrix{value.shape.end() - 2, value.shape.end()};
  const auto reshaped = [&](const Shape& shape) {
    if (graph.tensor(tensor).shape == shape) return;
    tensor = graph.add(ir::OpKind::Reshape, {}, {tensor, graph.add_shape(shape)},
                       {type, shape, node.outputs.at(0) + "_rows"}, node.name);
  };
  if (own != both) {
    Shape from = own, to = both, multiples(both.size() + 2, 1);
    for (size_t i = 0; i < both.size(); ++i) multiples[i] = both[i] / own[i];
    from.insert(from.end(), matrix.begin(), matrix.end());
    to.insert(to.end(), matrix.begin(), matrix.end());
    reshaped(from);
    tensor = graph.add(ir::OpKind::Tile, {}, {tensor, graph.add_shape(multiples)},
                       {type, to, node.outputs.at(0) + "_repeated"}, node.name);
  }
  reshaped({base::num_elements(both), matrix[0], matrix[1]});
  return tensor;
}

/// What MATMUL multiplies, of rank 3.
struct Operand {
  const Value& value;
  ir::TensorId tensor;
  [[nodiscard]] int64_t zero_point() const { return zero_point_of(value.format); }
};

/// The sums less what zero points of 16-bit codes add to them. No step on the way is greater than the result may be, so that
/// int32 holds it as coarse as the result has to be: each of the three terms is rounded to that.
Value without_zero_points(Lowering& lowering, const Node& node, const Value& products, const Operand& a, const Operand& b,
                          int64_t num_products) {
  Arithmetic math(lowering, node);
  GraphBuilder& graph = lowering.graph;
  if (num_products >= int64_t{1} << 15)
    refuse("sums of {} products of 16-bit codes with a zero point, allowed are fewer than {}", num_products, 1 << 15);
  int64_t halvings = 0;
  while (products.magnitude >> halvings >= (int64_t{1} << 31) - 4) ++halvings;
  Value sums = products;
  sums.magnitude = products.magnitude + (int64_t{4} << halvings);  // with the rounding
  sums = narrowed_sums(lowering, sums, node.outputs.at(0));
  const auto code_sums = [&](const Operand& operand, int64_t axis) {
    base::Shape shape = graph.tensor(operand.tensor).shape;
    const ir::TensorId codes = math.widened(operand.value, operand.tensor);
    shape[static_cast<size_t>(axis)] = 1;
    return graph.add(ir::OpKind::ReduceSum, ir::AxisAttributes{axis}, {codes},
                     {base::ElementType::Int32, shape, node.outputs[0] + "_codes"}, node.name);
  };
  const int64_t za = a.zero_point(), zb = b.zero_point();
  if (zb != 0) sums.tensor = math.sub(sums.tensor, math.mul(code_sums(a, 2), math.number(3, zb), halvings));
  if (za != 0) {
    ir::TensorId right = code_sums(b, 1);
    if (zb != 0) right = math.sub(right, math.number(3, num_products * zb));
    sums.tensor = math.sub(sums.tensor, math.mul(right, math.number(3, za), halvings));
  }
  return sums;
}

/// MATMUL of operands of rank 3, as a value of that rank.
Value multiplied(Lowering& lowering, const Node& node, const Operand& a, const Operand& b) {
  GraphBuilder& graph = lowering.graph;
  const Shape left = graph.tensor(a.tensor).shape, right = graph.tensor(b.tensor).shape;
  const base::ElementType type = graph.tensor(a.tensor).type;
  const bool is_16_bits = type == base::ElementType::Int16;
  const base::ElementType sum = is_16_bits ? base::ElementType::Int48 : base::ElementType::Int32;
  const Shape product{left[0], left[1], right[2]};
  const int64_t zero_a = is_16_bits ? 0 : a.zero_point(), zero_b = is_16_bits ? 0 : b.zero_point();
  const ir::TensorId tensor =
      graph.add(ir::OpKind::MatMul, {}, {a.tensor, b.tensor, graph.add_scalar(type, zero_a), graph.add_scalar(type, zero_b)},
                {sum, product, node.outputs.at(0)}, node.name);
  const Value value = sums_value(tensor, product, source_order(3), {scale_of(a.value.format) * scale_of(b.value.format)}, 2,
                                 a.value.magnitude * b.value.magnitude * left[2], node.name);
  const bool has_zero_points = is_16_bits && (a.zero_point() != 0 || b.zero_point() != 0);
  return has_zero_points ? without_zero_points(lowering, node, value, a, b, left[2]) : value;
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
  }
  if (a.format.bits != b.format.bits)
    refuse("operands have {} and {} bits, expected the same", a.format.bits, b.format.bits);
  if (a.shape.back() != b.shape[b.shape.size() - 2])
    refuse("operands of shapes {} and {} do not go together", base::to_string(a.shape), base::to_string(b.shape));
  const Leading leading = leading_of(a.shape, b.shape);
  Shape shape = leading.both;
  shape.insert(shape.end(), {a.shape[a.shape.size() - 2], b.shape.back()});
  if (!is_addressable(shape)) refuse("the result {} is larger than the machine's memory", base::to_string(shape));
  GraphBuilder& graph = lowering.graph;
  // One matrix on the right serves all rows of a batch on the left.
  const bool is_one_right = base::num_elements(leading.b) == 1;
  ir::TensorId left = batched(lowering, node, a, leading.a, is_one_right ? leading.a : leading.both);
  const ir::TensorId right = batched(lowering, node, b, leading.b, is_one_right ? leading.b : leading.both);
  if (const Shape rows = graph.tensor(left).shape; is_one_right && rows[0] != 1) {
    const Shape flat{1, rows[0] * rows[1], rows[2]};
    left = graph.add(ir::OpKind::Reshape, {}, {left, graph.add_shape(flat)},
                     {graph.tensor(left).type, flat, node.outputs.at(0) + "_rows"}, node.name);
  }
  Value value = multiplied(lowering, node, {a, left}, {b, right});
  // int48 has no RESHAPE: the dimensions stay as MATMUL has them where that is possible.
  if (value.shape != shape) {
    value = narrowed_sums(lowering, value, node.outputs.at(0));
    value.tensor = graph.add(ir::OpKind::Reshape, {}, {value.tensor, graph.add_shape(shape)},
                             {base::ElementType::Int32, shape, node.outputs[0] + "_shaped"}, node.name);
    value.shape = shape;
    value.order = source_order(shape.size());
    value.format.axis = static_cast<int64_t>(shape.size()) - 1;
  }
  lowering.define(node, std::move(value));
}

}  // namespace vernier::import::quantized
