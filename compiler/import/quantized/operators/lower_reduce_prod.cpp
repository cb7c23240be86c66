// SPDX-License-Identifier: Apache-2.0
// ReduceProd: the numbers along the axes are multiplied one by one, in int32. What does not fit loses its lowest bits, so
// that the result is off by 2^-29 of the greatest product at most for each of them; where that is more than 1/16 of a step
// of the next quantizer, it is refused.
#include "compiler/import/quantized/functions/arithmetic.hpp"
#include "compiler/import/quantized/functions/products.hpp"
#include "compiler/import/quantized/functions/rows.hpp"
#include "compiler/import/quantized/functions/wide.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/nodes/quantizer.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::import::quantized {

namespace {

constexpr int64_t kMostNumbers = 64;
constexpr int64_t kLimit = int64_t{1} << 30;

/// A product so far, of numbers of steps up to the magnitude.
struct Product {
  ir::TensorId tensor = -1;
  int64_t magnitude = 0;
  double step = 1;
};

Product times(Arithmetic& math, const Product& a, const Product& b) {
  int64_t shift = 0;
  const double reach = static_cast<double>(a.magnitude) * static_cast<double>(b.magnitude);
  while (std::ldexp(reach, -static_cast<int>(shift)) >= static_cast<double>(kLimit)) ++shift;
  return {math.mul(a.tensor, b.tensor, shift), static_cast<int64_t>(std::ldexp(reach, -static_cast<int>(shift))) + 1,
          std::ldexp(a.step * b.step, static_cast<int>(shift))};
}

}  // namespace

void lower_reduce_prod(Lowering& lowering, const Node& node) {
  const Value value = lowering.codes(node, 0);
  const size_t rank = value.shape.size();
  const std::vector<int64_t> axes = reduced_axes(lowering, node, rank);
  if (axes.empty()) return lower_identity(lowering, node);
  int64_t count = 1;
  std::vector<int64_t> order, kept;
  for (const int64_t dimension : source_order(rank)) {
    const bool is_reduced = std::find(axes.begin(), axes.end(), dimension) != axes.end();
    if (is_reduced) count *= value.shape[static_cast<size_t>(dimension)];
    if (!is_reduced) kept.push_back(dimension);
  }
  if (count > kMostNumbers) refuse("the product of {} numbers, allowed are {}", count, kMostNumbers);
  order = kept;
  order.insert(order.end(), axes.begin(), axes.end());
  Value rows = wide_value(lowering, value, 0, node.outputs.at(0));
  rows.tensor = lowering.in_order(rows, order);
  Arithmetic math(lowering, node);
  const int64_t num_rows = base::num_elements(value.shape) / count;
  const ir::TensorId table = math.reshaped(rows.tensor, {num_rows, count});
  GraphBuilder& graph = lowering.graph;
  const auto column = [&](int64_t i) {
    return Product{graph.add(ir::OpKind::Slice, {}, {table, graph.add_shape({0, i}), graph.add_shape({num_rows, 1})},
                             {base::ElementType::Int32, {num_rows, 1}, node.outputs.at(0) + "_factor"}, node.name),
                   value.magnitude, scale_of(rows.format)};
  };
  Product product = column(0);
  for (int64_t i = 1; i < count; ++i) product = times(math, product, column(i));
  base::Shape shape;
  const bool keeps = int_of(node, "keepdims", 1) != 0;
  for (const int64_t dimension : source_order(rank)) {
    const bool is_kept = std::find(kept.begin(), kept.end(), dimension) != kept.end();
    if (is_kept || keeps) shape.push_back(is_kept ? value.shape[static_cast<size_t>(dimension)] : 1);
  }
  const auto after = quantizer_after(lowering, node.outputs.at(0), shape);
  const double error = product.step * static_cast<double>(count - 1);
  if (product.magnitude >= kLimit / 2 && (!after || error > scale_of(after->format) / 16))
    refuse("the product of {} numbers of {} bits has steps of {:g}, expected a quantizer next, with steps of 16 times that",
           count, value.format.bits, error);
  lowering.define(node, sums_value(math.reshaped(product.tensor, shape), shape, source_order(shape.size()), {product.step},
                                   0, product.magnitude, node.name));
}

}  // namespace vernier::import::quantized
