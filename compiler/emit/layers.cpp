// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/layers.hpp"

namespace vernier::emit {

LayerTable make_layer_table(const ir::Graph& graph, const passes::Program& program) {
  const std::vector<ir::Layer> layers = ir::layers_of(graph);
  std::vector<size_t> source_layer(graph.operators.size());
  for (size_t l = 0; l < layers.size(); ++l) {
    for (const ir::OpId op : layers[l].ops) source_layer[static_cast<size_t>(op)] = l;
  }
  std::vector<bool> owns_step(layers.size());
  if (graph.operators.empty()) {
    return {{{graph.tensor(graph.outputs.at(0)).name, {std::string(ir::to_string(ir::OpKind::Const))}, 0}}, {}};
  }
  if (program.steps.empty()) owns_step[0] = true;
  for (const passes::Step& step : program.steps) owns_step[source_layer[static_cast<size_t>(step.ops.front())]] = true;

  LayerTable table;
  std::vector<int32_t> entry_of_layer(layers.size(), -1);
  for (size_t l = 0; l < layers.size(); ++l) {
    if (!owns_step[l]) continue;
    entry_of_layer[l] = static_cast<int32_t>(table.entries.size());
    package::LayerEntry entry{layers[l].name, {}, 0};
    for (const ir::OpId op : layers[l].ops)
      entry.operators.emplace_back(ir::to_string(graph.operators[static_cast<size_t>(op)].kind));
    table.entries.push_back(std::move(entry));
  }
  table.layer_of_op.assign(graph.operators.size(), -1);
  for (size_t op = 0; op < graph.operators.size(); ++op) table.layer_of_op[op] = entry_of_layer[source_layer[op]];
  for (const passes::Step& step : program.steps) {
    const int32_t owner = entry_of_layer[source_layer[static_cast<size_t>(step.ops.front())]];
    for (const ir::OpId op : step.ops) {
      int32_t& layer = table.layer_of_op[static_cast<size_t>(op)];
      if (layer < 0) layer = owner;
    }
  }
  for (size_t op = 0; op < graph.operators.size(); ++op) {
    const int64_t macs = ir::macs_of(graph, graph.operators[op]);
    if (table.layer_of_op[op] >= 0) table.entries[static_cast<size_t>(table.layer_of_op[op])].macs += macs;
  }
  return table;
}

}  // namespace vernier::emit
