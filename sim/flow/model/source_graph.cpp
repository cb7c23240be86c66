// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/model/source_graph.hpp"

#include "compiler/import/source_nodes.hpp"
#include "hw/base/error.hpp"

#include <utility>

namespace vernier::flow {

report::SourceGraph source_graph(const Model& model) {
  if (model.package && model.package->source.empty())
    throw base::UserError(model.file, "holds no source graph, which node data (.mx.json) are for");
  import::SourceNodes found = import::source_nodes(model.file, model.package ? model.package->source : model.bytes);
  report::SourceGraph graph;
  graph.name = std::move(found.graph);
  for (import::SourceNode& node : found.nodes)
    graph.nodes.push_back({std::move(node.key), std::move(node.layer), std::move(node.kind)});
  return graph;
}

}  // namespace vernier::flow
