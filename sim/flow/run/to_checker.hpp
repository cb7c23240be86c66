// SPDX-License-Identifier: Apache-2.0
// From the simulated machine and from the reference to the checker.
#pragma once

#include "compiler/ir/graph.hpp"
#include "compiler/reference/interpreter.hpp"
#include "hw/package/package.hpp"
#include "sim/check/repeated_checker.hpp"
#include "sim/soc/npu.hpp"

#include <string>
#include <vector>

namespace vernier::flow {

/// Gives the checker the outputs, and what the job left of variables, as they stand in memory at the end, with the commands
/// that wrote them.
void add_outputs(check::Checker& checker, const package::Package& package, const soc::JobResult& job);

/// Gives the checker every piece that a command writes, when it retires. Both are to outlive the job.
soc::PieceObserver pieces_to(check::Checker& checker, const package::Package& package);

/// The reference's side of a run: the source graph, and what it has left of variables.
struct ReferenceRun {
  const ir::Graph& graph;
  const package::Package& package;  // of that graph: what its variables are called in memory
  reference::Variables& variables;  // before the run; after it what the run left
};

/// Runs the reference over the source graph and compares its outputs and variables, with `inner` every computed tensor;
/// returns the violated REQUIREs.
std::vector<std::string> check_against_reference(const ReferenceRun& run, check::RepeatedChecker& checker,
                                                 const std::vector<base::Tensor>& inputs, bool inner);

}  // namespace vernier::flow
