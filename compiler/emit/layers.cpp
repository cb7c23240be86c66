// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/layers.hpp"

#include "compiler/emit/main_operator.hpp"
#include "hw/base/indexed_vector.hpp"

#include <algorithm>

namespace vernier::emit {
namespace {

/// The layers that own a step get their entries; their operators belong to them, and those of other layers to the layer of
/// the first step that works for them. -1: no step does.
LayerTable table_of_steps(const ir::Graph& graph, const passes::Program& program) {
  const std::vector<ir::Layer> layers = ir::layers_of(graph);
  base::IndexedVector<ir::OpId, size_t> source_layer(graph.operators.size());
  for (size_t l = 0; l < layers.size(); ++l) {
    for (const ir::OpId op : layers[l].ops) source_layer[op] = l;
  }
  std::vector<bool> owns_step(layers.size());
  if (program.steps.empty()) owns_step[0] = true;
  for (const passes::Step& step : program.steps) owns_step[source_layer[step.ops.front()]] = true;

  LayerTable table;
  std::vector<int32_t> entry_of_layer(layers.size(), -1);
  for (size_t l = 0; l < layers.size(); ++l) {
    if (!owns_step[l]) continue;
    entry_of_layer[l] = static_cast<int32_t>(table.entries.size());
    table.entries.push_back({layers[l].name, {}, 0});
  }
  table.layer_of_op.assign(graph.operators.size(), -1);
  for (size_t op = 0; op < graph.operators.size(); ++op) table.layer_of_op[op] = entry_of_layer[source_layer[op]];
  for (const passes::Step& step : program.steps) {
    const int32_t owner = entry_of_layer[source_layer[step.ops.front()]];
    for (const ir::OpId op : step.ops) {
      int32_t& layer = table.layer_of_op[op];
      if (layer < 0) layer = owner;
    }
  }
  return table;
}

/// Operators that no step works for (views, what is known at compile time): to the layer of the first operator that reads
/// the result, of results that nobody reads to that of the operator which made the operand, else to the first.
void place_the_others(LayerTable& table, const ir::Graph& graph) {
  const base::IndexedVector<ir::TensorId, std::vector<ir::OpId>> consumers = graph.consumers();
  const base::IndexedVector<ir::TensorId, ir::OpId> producers = graph.producers();
  const auto layer_of = [&](ir::OpId op) { return op < 0 ? -1 : table.layer_of_op[op]; };
  const auto first_known = [&](const std::vector<ir::OpId>& ops) {
    const auto found = std::find_if(ops.begin(), ops.end(), [&](ir::OpId op) { return layer_of(op) >= 0; });
    return found == ops.end() ? -1 : layer_of(*found);
  };
  for (size_t op = graph.operators.size(); op-- > 0;) {  // readers stand behind
    if (table.layer_of_op[op] >= 0) continue;
    std::vector<ir::OpId> readers;
    for (const ir::TensorId id : graph.operators[op].outputs) {
      const std::vector<ir::OpId>& of_one = consumers[id];
      readers.insert(readers.end(), of_one.begin(), of_one.end());
    }
    table.layer_of_op[op] = first_known(readers);
  }
  for (size_t op = 0; op < graph.operators.size(); ++op) {
    if (table.layer_of_op[op] >= 0) continue;
    std::vector<ir::OpId> makers;
    for (const ir::TensorId id : graph.operators[op].inputs) makers.push_back(producers[id]);
    table.layer_of_op[op] = std::max(first_known(makers), 0);
  }
}

/// The names of the operators, and the main one.
void tell_operators(package::LayerEntry& entry, const ir::Graph& graph, const std::vector<ir::OpId>& ops) {
  for (const ir::OpId op : ops) entry.operators.emplace_back(ir::to_string(graph.operators[op].kind));
  entry.main_operator = main_operator_of(graph, ops);
}

}  // namespace

std::vector<package::LayerEntry> source_layers(const ir::Graph& graph) {
  std::vector<package::LayerEntry> entries;
  for (const ir::Layer& layer : ir::layers_of(graph)) {
    package::LayerEntry& entry = entries.emplace_back();
    entry.name = layer.name;
    for (const ir::OpId op : layer.ops) entry.macs += ir::macs_of(graph, graph.operators[op]);
    tell_operators(entry, graph, layer.ops);
  }
  return entries;
}

LayerTable make_layer_table(const ir::Graph& graph, const passes::Program& program) {
  if (graph.operators.empty()) {
    return {{{graph.tensor(graph.outputs.at(0)).name, {std::string(ir::to_string(ir::OpKind::Const))}, 0}}, {}};
  }
  LayerTable table = table_of_steps(graph, program);
  for (size_t op = 0; op < graph.operators.size(); ++op) {
    const int64_t macs = ir::macs_of(graph, graph.operators[op]);
    if (table.layer_of_op[op] >= 0) table.entries[static_cast<size_t>(table.layer_of_op[op])].macs += macs;
  }
  place_the_others(table, graph);
  std::vector<std::vector<ir::OpId>> ops_of_entry(table.entries.size());
  for (size_t op = 0; op < graph.operators.size(); ++op) {
    ops_of_entry[static_cast<size_t>(table.layer_of_op[op])].push_back(static_cast<ir::OpId>(op));
  }
  for (size_t entry = 0; entry < table.entries.size(); ++entry)
    tell_operators(table.entries[entry], graph, ops_of_entry[entry]);
  return table;
}

}  // namespace vernier::emit
