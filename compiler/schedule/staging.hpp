// SPDX-License-Identifier: Apache-2.0
// Does what a tiling says: cuts a step, and makes the copies that its parts work on.
#pragma once

#include "compiler/schedule/constants.hpp"
#include "compiler/schedule/known_items.hpp"
#include "compiler/schedule/linear.hpp"
#include "compiler/schedule/tiling.hpp"

#include <functional>
#include <vector>

namespace vernier::schedule {

/// What stays the same for all steps of a program.
struct StagingContext {
  const passes::Program& program;
  const ir::Graph& graph;
  const Image& image;
  const config::MachineConfig& config;
  /// Further cuts of a part, for overlap with the neighbours: as rows of each stripe, and the stripe as it shall be.
  std::function<std::vector<passes::Step>(const passes::Step&)> stripes;
};

/// Appends the commands of a step, each with its copies. `at_home`: the operands that the command itself reaches in external
/// memory.
void append_items(Items& made, const passes::Step& step, const Tiling& tiling, OperandSet at_home,
                  const StagingContext& context);

/// A copy of a whole buffer from its home into its block of SRAM, or back.
LinearCommand whole_copy(const passes::Program& program, passes::BufferId buffer, bool is_load,
                         const std::vector<ir::OpId>& ops);

}  // namespace vernier::schedule
