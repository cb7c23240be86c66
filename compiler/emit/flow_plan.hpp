// SPDX-License-Identifier: Apache-2.0
// A graph with COND_IF and WHILE_LOOP as parts that have neither, and the steps that say which part follows which. A part
// becomes a stream of the package; what one part computes and another reads has a place in external memory for the whole
// job.
#pragma once

#include "compiler/ir/graph.hpp"
#include "hw/package/control_flow.hpp"
#include "hw/package/package.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace vernier::emit {

/// Index into FlowPlan::values.
using ValueId = int32_t;

/// A tensor that a part writes and others read, or an input or output of the network.
struct CarriedValue {
  std::string name;  // unique; of a tensor of the main graph its own
  base::ElementType type = base::ElementType::Int8;
  base::Shape shape;
};

struct FlowPart {
  ir::Graph graph;                       // without control flow; its inputs and outputs have the names of their values
  std::vector<ValueId> inputs, outputs;  // of the graph, by position
};

/// A step of a package before its condition has a place.
struct FlowStep {
  package::StepKind kind = package::StepKind::Run;
  int32_t part = -1;       // of Run
  ValueId condition = -1;  // of If and While: a value of one bool
};

struct FlowPlan {
  std::vector<CarriedValue> values;
  std::vector<FlowPart> parts;
  std::vector<FlowStep> steps;
  std::vector<ValueId> inputs, outputs;       // of the main graph
  std::vector<package::FoldedTensor> folded;  // results of the main graph that no part makes under their names
  /// Whether all of it is one part, with the inputs and outputs of the main graph: no condition depends on values.
  [[nodiscard]] bool is_plain() const { return steps.size() == 1; }
};

/// Parts that a plan may have, regions counted as often as they stand in it.
inline constexpr int64_t kMostFlowParts = 2'000;

/// A branch whose condition is constant is part of what surrounds it; the other one is left out. Each operator has a copy of
/// its regions, so that a region which runs itself ends at the nesting of the level. UserError (naming `file` where there is
/// no better name) for that, for a mistake of a region that may run, and for more than kMostFlowParts parts. With
/// `has_dead_regions` such regions do not run, as the caller knows, and give zeros.
FlowPlan plan_flow(const ir::Graph& main, const std::string& file, bool has_dead_regions = false);

}  // namespace vernier::emit
