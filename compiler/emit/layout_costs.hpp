// SPDX-License-Identifier: Apache-2.0
// What the layouts of inner feature maps cost. The layout is chosen by a rule (compiler/passes/layouts.hpp), before there
// are commands to be estimated; here the network is lowered once for each other layout, and what comes of it is put beside
// it. For printing only.
#pragma once

#include "compiler/passes/program.hpp"

#include <string>

namespace vernier::emit {

/// Adds to the steps of `program`, which was lowered from `graph` with `options`, the choice of the layout of what they
/// make.
void tell_layouts(passes::Program& program, const ir::Graph& graph, const config::MachineConfig& config,
                  const passes::LoweringOptions& options, const std::string& file);

}  // namespace vernier::emit
