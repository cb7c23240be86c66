// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/graph.hpp"

#include <algorithm>
#include <map>

namespace vernier::ir {

const Graph* find_region(const Graph& main, std::string_view name) {
  const auto found = std::ranges::find(main.regions, name, &Region::name);
  return found == main.regions.end() ? nullptr : &found->graph;
}

std::optional<size_t> find_variable(const Graph& main, std::string_view name) {
  const auto found = std::ranges::find(main.variables, name, &Variable::name);
  if (found == main.variables.end()) return std::nullopt;
  return static_cast<size_t>(found - main.variables.begin());
}

std::optional<size_t> variable_of(const Graph& main, const Operator& op) {
  const auto* attributes = std::get_if<VariableAttributes>(&op.attributes);
  return attributes == nullptr ? std::nullopt : find_variable(main, attributes->variable);
}

bool uses_variable(OpKind kind) { return kind == OpKind::VariableRead || kind == OpKind::VariableWrite; }

bool is_control_flow(OpKind kind) { return kind == OpKind::CondIf || kind == OpKind::WhileLoop; }

bool has_control_flow(const Graph& graph) {
  return std::ranges::any_of(graph.operators, [](const Operator& op) { return is_control_flow(op.kind); });
}

base::IndexedVector<TensorId, OpId> Graph::producers() const {
  base::IndexedVector<TensorId, OpId> result(tensors.size(), -1);
  for (size_t i = 0; i < operators.size(); ++i) {
    for (const TensorId id : operators[i].outputs) result.at(id) = static_cast<OpId>(i);
  }
  return result;
}

base::IndexedVector<TensorId, std::vector<OpId>> Graph::consumers() const {
  base::IndexedVector<TensorId, std::vector<OpId>> result(tensors.size());
  for (size_t i = 0; i < operators.size(); ++i) {
    for (const TensorId id : operators[i].inputs) {
      std::vector<OpId>& ops = result.at(id);
      if (ops.empty() || ops.back() != static_cast<OpId>(i)) ops.push_back(static_cast<OpId>(i));
    }
  }
  return result;
}

std::vector<Layer> layers_of(const Graph& graph) {
  std::vector<Layer> layers;
  std::map<std::string, size_t> by_location;
  for (size_t i = 0; i < graph.operators.size(); ++i) {
    const Operator& op = graph.operators[i];
    if (!op.location.empty()) {
      const auto [it, is_new] = by_location.try_emplace(op.location, layers.size());
      if (is_new) layers.push_back({op.location, {}});
      layers[it->second].ops.push_back(static_cast<OpId>(i));
    } else {
      layers.push_back({graph.tensor(op.outputs.at(0)).name, {static_cast<OpId>(i)}});
    }
  }
  return layers;
}

}  // namespace vernier::ir
