// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/shrink.hpp"

#include "tests/fuzz/drop_unused.hpp"

#include <algorithm>
#include <utility>

namespace vernier::tests::fuzz {

namespace {

using ir::TensorId;

/// What the outputs need of the graph.
RandomGraph pruned(const RandomGraph& random) {
  RandomGraph result = random;
  ir::Graph& graph = result.graph;
  std::vector<bool> is_needed(graph.tensors.size());
  const auto need = [&](const std::vector<TensorId>& ids) {
    for (const TensorId id : ids) is_needed[static_cast<size_t>(id)] = true;
  };
  need(graph.outputs);
  std::vector<ir::Operator> operators;
  for (auto op = random.graph.operators.rbegin(); op != random.graph.operators.rend(); ++op) {
    const auto is_read = [&](TensorId id) { return is_needed[static_cast<size_t>(id)]; };
    const bool is_write = op->kind == ir::OpKind::VariableWrite;  // what nobody reads now is read in the next run
    if (!is_write && std::none_of(op->outputs.begin(), op->outputs.end(), is_read)) continue;
    need(op->outputs);
    need(op->inputs);
    operators.insert(operators.begin(), *op);
  }
  graph.operators = std::move(operators);
  graph.inputs.clear();
  result.input_ranges.clear();
  for (size_t i = 0; i < random.graph.inputs.size(); ++i) {
    if (!is_needed[static_cast<size_t>(random.graph.inputs[i])]) continue;
    graph.inputs.push_back(random.graph.inputs[i]);
    result.input_ranges.push_back(random.input_ranges[i]);
  }
  drop_unused(graph);
  return result;
}

/// All graphs that are a step smaller, the boldest first.
std::vector<RandomGraph> smaller(const RandomGraph& random) {
  std::vector<RandomGraph> candidates;
  const ir::Graph& graph = random.graph;
  if (graph.outputs.size() > 1 || graph.operators.size() > 1) {
    for (const ir::Operator& op : graph.operators) {
      RandomGraph candidate = random;
      candidate.graph.outputs = op.outputs;
      candidates.push_back(pruned(candidate));
    }
  }
  for (size_t i = graph.operators.size(); i-- > 0 && graph.operators.size() > 1;) {
    RandomGraph candidate = random;
    candidate.graph.operators.erase(candidate.graph.operators.begin() + static_cast<std::ptrdiff_t>(i));
    for (const TensorId result : graph.operators[i].outputs) {
      candidate.graph.inputs.push_back(result);
      candidate.input_ranges.push_back(whole_range(graph.tensor(result).type));
    }
    candidates.push_back(pruned(candidate));
  }
  for (size_t i = 0; i < graph.outputs.size() && graph.outputs.size() > 1; ++i) {
    RandomGraph candidate = random;
    candidate.graph.outputs.erase(candidate.graph.outputs.begin() + static_cast<std::ptrdiff_t>(i));
    candidates.push_back(pruned(candidate));
  }
  const auto size = [](const RandomGraph& g) { return g.graph.operators.size() + g.graph.outputs.size(); };
  std::erase_if(candidates, [&](const RandomGraph& g) { return g.graph.operators.empty() || size(g) >= size(random); });
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const RandomGraph& a, const RandomGraph& b) { return size(a) < size(b); });
  return candidates;
}

}  // namespace

RandomGraph shrink(RandomGraph random, const std::function<bool(const RandomGraph&)>& fails) {
  while (true) {
    const std::vector<RandomGraph> candidates = smaller(random);
    const auto found = std::find_if(candidates.begin(), candidates.end(), fails);
    if (found == candidates.end()) return random;
    random = *found;
  }
}

}  // namespace vernier::tests::fuzz
