// SPDX-License-Identifier: Apache-2.0
// The operator that a layer is known by, with the sizes that people name a convolution by.
#pragma once

#include "compiler/ir/graph.hpp"
#include "hw/package/package.hpp"

#include <span>

namespace vernier::emit {

/// Of `ops`, the operators of a layer in graph order: the one with the most MACs; without MACs a pool, then the first that
/// computes, then the first that moves elements, then the first. Its name is empty where there are no operators.
package::MainOperator main_operator_of(const ir::Graph& graph, std::span<const ir::OpId> ops);

}  // namespace vernier::emit
