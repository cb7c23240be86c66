// SPDX-License-Identifier: Apache-2.0
// The TOSA interpreter: runs the graph, operator by operator, in simple loops over the golden scalar arithmetic of hw/model.
// It knows nothing of tiles, layouts, commands or cycles.
#pragma once

#include "compiler/ir/graph.hpp"

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace vernier::reference {

/// Called with each computed tensor of the main graph, in graph order; those of regions are not told.
using Observer = std::function<void(ir::TensorId, const base::Tensor&)>;

struct Result {
  std::vector<base::Tensor> outputs;  // in the order of graph.outputs
  std::vector<std::string>
      unpredictable;  // REQUIREs found violated, a line for each operator; values are given all the same
};

/// The values of Graph::variables, in their order.
using Variables = std::vector<base::Tensor>;

/// What the variables of a graph have before its first run: what its file gives, else zeros.
Variables initial_variables(const ir::Graph& graph);

/// Operators that the regions of a run may execute, all together: far more than networks need.
inline constexpr int64_t kMostOperatorsInRegions = 1'000'000;

/// A loop that goes on and on: so many operators ran in regions.
class EndlessLoop : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Runs a verified graph. `inputs` are in the order of graph.inputs, of the declared types and shapes. `variables` are what
/// the run before left, and become what this one leaves, also where it ends with an error; null: they begin anew.
/// Tensors are freed after their last use. UserError when an ERROR_IF that only data can show is met, and for a mistake of a
/// region that runs. EndlessLoop after kMostOperatorsInRegions.
Result run(const ir::Graph& graph, const std::vector<base::Tensor>& inputs, const Observer& observer = {},
           Variables* variables = nullptr);

/// One operator on given operands (all of op.inputs, constants included); also used to fold constants and build tables.
std::vector<base::Tensor> evaluate(const ir::Graph& graph, const ir::Operator& op,
                                   const std::vector<const base::Tensor*>& operands);

}  // namespace vernier::reference
