// SPDX-License-Identifier: Apache-2.0
// Runs a lowered program without a schedule: buffers one after another in an array of bytes, steps in their order, by the
// kernels and a copy loop. Everything that a step says it makes is compared with the reference at once.
#pragma once

#include "compiler/ir/graph.hpp"
#include "compiler/passes/program.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace vernier::tests {

struct RunOptions {
  int64_t optimize = 1;
  uint64_t cut_seed = 0;  // not 0: steps are cut into random stripes and blocks of channels first
};

struct RunResult {
  std::vector<std::string> differences;  // empty when all is equal; the first few
  int64_t elements_compared = 0;
  passes::Program program;
};

/// Lowers, verifies, runs, and compares each piece with what reference::run computes for it. A step that touches a byte
/// outside its buffers, or reads one that nothing wrote, is a difference too.
RunResult lower_and_run(const ir::Graph& graph, const std::vector<base::Tensor>& inputs, const std::string& machine,
                        const RunOptions& options);

/// Random inputs of the graph, over the whole of their types.
std::vector<base::Tensor> random_inputs(const ir::Graph& graph, uint64_t seed);

}  // namespace vernier::tests
