// SPDX-License-Identifier: Apache-2.0
// What stands in the place of a region that cannot run.
#pragma once

#include "compiler/ir/graph.hpp"

namespace vernier::emit {

/// The inputs and outputs of a region, and no operator: its outputs are zeros.
ir::Graph dead_region(const ir::Graph& region);

}  // namespace vernier::emit
