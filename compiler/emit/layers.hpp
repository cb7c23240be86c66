// SPDX-License-Identifier: Apache-2.0
// Which layer of the source network each operator, and so each command, belongs to.
#pragma once

#include "compiler/ir/graph.hpp"
#include "compiler/passes/program.hpp"
#include "hw/base/indexed_vector.hpp"
#include "hw/package/package.hpp"

#include <cstdint>
#include <vector>

namespace vernier::emit {

/// Only layers that own a step of the program are listed, in the order of their first operators. A step belongs to the layer
/// of its first operator; the operators of a layer that owns none belong to the layer of the step that they were fused into,
/// and where no step works for them, to the layer of the first operator that reads their result. So every operator of the
/// graph is in exactly one entry. MACs are those of operators that a step works for, or whose own layer has one.
/// There is always one, for END: of a program without steps the first, of a graph without operators one that is named after
/// its first output.
struct LayerTable {
  std::vector<package::LayerEntry> entries;
  base::IndexedVector<ir::OpId, int32_t> layer_of_op;
};
LayerTable make_layer_table(const ir::Graph& graph, const passes::Program& program);

/// The layers of the source as they are, each with the MACs of all its operators: of a network that the machine does not
/// take.
std::vector<package::LayerEntry> source_layers(const ir::Graph& graph);

}  // namespace vernier::emit
