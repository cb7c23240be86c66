// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/graph.hpp"

#include <limits>

namespace vernier::ir {

namespace {

/// Product of all dimensions, at most the greatest int64_t: shapes within level "none" can go beyond.
int64_t saturating_product(std::initializer_list<int64_t> factors) {
  int64_t product = 1;
  for (const int64_t factor : factors) {
    if (__builtin_mul_overflow(product, factor, &product)) return std::numeric_limits<int64_t>::max();
  }
  return product;
}

}  // namespace

int64_t macs_of(const Graph& graph, const Operator& op) {
  const auto shape = [&](size_t i) -> const base::Shape& { return graph.tensor(op.inputs.at(i)).shape; };
  const auto output_elements = [&] { return base::num_elements(graph.tensor(op.outputs.at(0)).shape); };
  switch (op.kind) {
    case OpKind::Conv2d: return saturating_product({output_elements(), shape(1).at(1), shape(1).at(2), shape(1).at(3)});
    case OpKind::Conv3d:
      return saturating_product({output_elements(), shape(1).at(1), shape(1).at(2), shape(1).at(3), shape(1).at(4)});
    case OpKind::DepthwiseConv2d: return saturating_product({output_elements(), shape(1).at(0), shape(1).at(1)});
    case OpKind::TransposeConv2d:
      return saturating_product({base::num_elements(shape(0)), shape(1).at(0), shape(1).at(1), shape(1).at(2)});
    case OpKind::MatMul: return saturating_product({output_elements(), shape(0).at(2)});
    default: return 0;
  }
}

}  // namespace vernier::ir
