// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/ir/graph.hpp"
#include "hw/base/error.hpp"

#include <string>

namespace vernier::tests {

/// What ir::verify says of the graph, "" when it passes.
inline std::string complaint(const ir::Graph& graph, const ir::Level& level = ir::kLevel8k) {
  try {
    ir::verify(graph, "f", level);
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace vernier::tests
