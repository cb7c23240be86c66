// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/drop_unused.hpp"

#include <utility>
#include <vector>

namespace vernier::tests::fuzz {

void drop_unused(ir::Graph& graph) {
  std::vector<bool> is_used(graph.tensors.size());
  const auto use = [&](const std::vector<ir::TensorId>& ids) {
    for (const ir::TensorId id : ids) is_used[static_cast<size_t>(id)] = true;
  };
  use(graph.inputs);
  use(graph.outputs);
  for (const ir::Operator& op : graph.operators) {
    use(op.inputs);
    use(op.outputs);
  }
  base::IndexedVector<ir::TensorId, ir::TensorInfo> kept;
  std::vector<ir::TensorId> number(graph.tensors.size(), -1);
  for (size_t i = 0; i < graph.tensors.size(); ++i) {
    if (!is_used[i]) continue;
    number[i] = static_cast<ir::TensorId>(kept.size());
    kept.push_back(graph.tensors[i]);
  }
  graph.tensors = std::move(kept);
  const auto renumber = [&](std::vector<ir::TensorId>& ids) {
    for (ir::TensorId& id : ids) id = number[static_cast<size_t>(id)];
  };
  renumber(graph.inputs);
  renumber(graph.outputs);
  for (ir::Operator& op : graph.operators) {
    renumber(op.inputs);
    renumber(op.outputs);
  }
}

}  // namespace vernier::tests::fuzz
