// SPDX-License-Identifier: Apache-2.0
// The parts of a network with control flow, each compiled by itself, as one package of several streams.
//
// External memory has what nobody writes first: the constants of each part, all streams, the table of steps. Behind them lie
// the carried values, and then the maps of parts that find no room in SRAM; those of all parts have the same bytes, for they
// live no longer than their stream. So parts need memory mode external. SRAM is free for each part: nothing stays there from
// one stream to the next.
#pragma once

#include "compiler/emit/flow_plan.hpp"
#include "compiler/emit/stages.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace vernier::emit {

/// No stream starts once so many commands have ended: a loop that goes on and on comes to an end.
inline constexpr int64_t kMostFlowCommands = 1'000'000;

/// Compiles the parts, in their order, and gives each to `take`. What is written in external memory has no final place yet.
/// UserError when the machine has another memory mode or a part does not fit it.
void for_each_part(const FlowPlan& plan, const StageInput& whole,
                   const std::function<void(const StageInput& part, Compiled& compiled)>& take);

/// The package of all parts, with the choices where `whole` asks for them. Its tensors are those of the main graph; nothing
/// is told of what regions compute inside.
Explained link_flow(const FlowPlan& plan, const StageInput& whole, const ModelSource& source);

/// The layers of all parts, without placing anything.
std::vector<package::LayerEntry> flow_layer_entries(const FlowPlan& plan, const StageInput& whole);

/// The layer of each operator of the main graph: the one that has its name; for COND_IF and WHILE_LOOP the first of their
/// regions; for what has none, layer 0.
base::IndexedVector<ir::OpId, int32_t> layer_of_main_op(const ir::Graph& main,
                                                        const base::IndexedVector<int32_t, package::LayerEntry>& layers);

/// What was chosen for the steps of a graph.
std::vector<Explained::Choice> choices_of(const ir::Graph& graph, const Compiled& compiled, const LayerTable& layers);

}  // namespace vernier::emit
