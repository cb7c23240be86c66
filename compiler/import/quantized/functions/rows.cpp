// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/functions/rows.hpp"

#include "compiler/import/quantized/functions/products.hpp"

#include <algorithm>

namespace vernier::import::quantized {

Rows rows_of(Lowering& lowering, const Node& node, const Value& value, int64_t first, int64_t last) {
  Rows rows;
  // The tensor's own order serves where the row's dimensions stand last in it, in the source's order.
  rows.order = value.order;
  std::erase(rows.order, -1);
  const auto num_in_row = static_cast<size_t>(last - first + 1);
  std::vector<int64_t> row;
  for (int64_t dimension = first; dimension <= last; ++dimension) row.push_back(dimension);
  if (!std::equal(row.rbegin(), row.rend(), rows.order.rbegin())) {
    rows.order = source_order(value.shape.size());
    std::erase_if(rows.order, [&](int64_t dimension) { return dimension >= first && dimension <= last; });
    rows.order.insert(rows.order.end(), row.begin(), row.end());
  }
  rows.shape = shape_in_order(value.shape, rows.order);
  const auto middle = rows.shape.end() - static_cast<std::ptrdiff_t>(num_in_row);
  rows.count = base::num_elements({rows.shape.begin(), middle});
  rows.length = base::num_elements({middle, rows.shape.end()});
  rows.tensor = Arithmetic(lowering, node).reshaped(lowering.in_order(value, rows.order), {rows.count, rows.length});
  return rows;
}

Value value_of_rows(Lowering& lowering, const Node& node, const Value& source, const Rows& rows, ir::TensorId tensor,
                    double steps, int64_t magnitude) {
  const ir::TensorId result = Arithmetic(lowering, node).reshaped(tensor, rows.shape);
  return sums_value(result, source.shape, rows.order, {steps}, 0, magnitude, node.name);
}

}  // namespace vernier::import::quantized
