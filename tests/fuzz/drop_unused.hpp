// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/ir/graph.hpp"

namespace vernier::tests::fuzz {

/// Takes tensors out of the graph that are neither an input or output nor of one of its operators, and numbers the others
/// anew, in their order.
void drop_unused(ir::Graph& graph);

}  // namespace vernier::tests::fuzz
