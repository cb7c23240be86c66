// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tosa/tosa_reader.hpp"
#include "hw/base/indexed_vector.hpp"

#include <functional>
#include <queue>

namespace vernier::import {

namespace {

/// Number of an operator's operands that other operators have to compute first.
std::vector<size_t> count_computed_inputs(const ir::Graph& graph, const std::vector<ir::OpId>& producers) {
  std::vector<size_t> counts(graph.operators.size());
  for (size_t i = 0; i < counts.size(); ++i) {
    for (const ir::TensorId id : graph.operators[i].inputs) counts[i] += producers[id] >= 0 ? 1 : 0;
  }
  return counts;
}

/// A tensor on a cycle: walks from an operator that waits to one that it waits for, until one comes up again.
const std::string& tensor_on_cycle(const ir::Graph& graph, const std::vector<ir::OpId>& producers,
                                   const std::vector<size_t>& waiting) {
  size_t op = 0;
  while (waiting[op] == 0) ++op;
  std::vector<bool> is_seen(graph.operators.size());
  while (!is_seen[op]) {
    is_seen[op] = true;
    for (const ir::TensorId id : graph.operators[op].inputs) {
      const ir::OpId producer = producers[id];
      if (producer >= 0 && waiting[static_cast<size_t>(producer)] > 0) {
        op = static_cast<size_t>(producer);
        break;
      }
    }
  }
  return graph.tensor(graph.operators[op].outputs[0]).name;
}

/// By operator the one before it that may read or write a variable too; -1: none, or it does not. What regions do is not
/// known yet.
std::vector<ir::OpId> operators_before(const ir::Graph& graph) {
  std::vector<ir::OpId> before(graph.operators.size(), -1);
  ir::OpId last = -1;
  for (size_t i = 0; i < graph.operators.size(); ++i) {
    const ir::OpKind kind = graph.operators[i].kind;
    if (!ir::uses_variable(kind) && !ir::is_control_flow(kind)) continue;
    before[i] = last;
    last = static_cast<ir::OpId>(i);
  }
  return before;
}

}  // namespace

void sort_operators(const Source& source, ir::Graph& graph, bool has_variables) {
  const base::IndexedVector<ir::TensorId, ir::OpId> producers = graph.producers();
  std::vector<std::vector<size_t>> readers(graph.operators.size());
  std::vector<size_t> waiting = count_computed_inputs(graph, producers);
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < graph.operators.size(); ++i) {
    for (const ir::TensorId id : graph.operators[i].inputs) {
      const ir::OpId producer = producers[id];
      if (producer >= 0) readers[static_cast<size_t>(producer)].push_back(i);
    }
  }
  if (has_variables) {
    const std::vector<ir::OpId> before = operators_before(graph);
    for (size_t i = 0; i < before.size(); ++i) {
      if (before[i] < 0) continue;
      readers[static_cast<size_t>(before[i])].push_back(i);
      ++waiting[i];
    }
  }
  for (size_t i = 0; i < waiting.size(); ++i) {
    if (waiting[i] == 0) ready.push(i);
  }
  std::vector<size_t> order;
  while (!ready.empty()) {
    const size_t op = ready.top();
    ready.pop();
    order.push_back(op);
    for (const size_t reader : readers[op]) {
      if (--waiting[reader] == 0) ready.push(reader);
    }
  }
  if (order.size() != graph.operators.size()) {
    source.fail("the graph has a cycle through tensor '{}'", tensor_on_cycle(graph, producers, waiting));
  }
  std::vector<ir::Operator> sorted;
  sorted.reserve(order.size());
  for (const size_t op : order) sorted.push_back(std::move(graph.operators[op]));
  graph.operators = std::move(sorted);
}

}  // namespace vernier::import
