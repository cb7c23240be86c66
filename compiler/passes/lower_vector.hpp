// SPDX-License-Identifier: Apache-2.0
// Operators that share one vector command: elementwise ones of one shape, and reductions of it along one axis.
#pragma once

#include "compiler/passes/recompute.hpp"

#include <functional>
#include <span>

namespace vernier::passes {

bool is_reduction(ir::OpKind kind);
/// Whether the vector unit runs the operator as a microprogram over its elements.
bool is_vector_op(ir::OpKind kind);

/// The iterations of an operator: its result's shape, or its operand's, reduced along an axis.
struct IterationSpace {
  base::Shape shape;
  int64_t reduced_axis = -1;  // -1: elementwise; so is a reduction along a dimension of one element
};
IterationSpace iteration_space(const Lowering& lowering, const ir::Operator& op);

/// One step. `placement_of` gives the layout of each stored result.
void lower_vector(Lowering& lowering, const Recompute& recompute, std::span<const ir::OpId> ops,
                  const std::function<package::Placement(ir::TensorId)>& placement_of);

}  // namespace vernier::passes
