// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/replaced_constants.hpp"

#include "compiler/ir/verify_context.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace vernier::ir {

bool ReplacedConstants::set(Operator& op, size_t index, const std::vector<int64_t>& values) {
  const TensorInfo& old = graph_.tensor(op.inputs.at(index));
  if (values_of(*old.constant) == values) return false;
  const auto next = static_cast<TensorId>(graph_.tensors.size());
  const auto [copy, is_new] = copies_[op.inputs[index]].try_emplace(values, next);
  op.inputs[index] = copy->second;
  if (!is_new) return true;
  base::Tensor value(old.type, old.shape);
  for (size_t i = 0; i < values.size(); ++i) value.set(static_cast<int64_t>(i), values[i]);
  TensorInfo info{"", old.type, old.shape, std::make_shared<const base::Tensor>(std::move(value))};
  graph_.tensors.push_back(std::move(info));  // finish() gives it a name
  return true;
}

void ReplacedConstants::finish() {
  std::set<TensorId> read(graph_.outputs.begin(), graph_.outputs.end());
  std::set<std::string> names;
  for (const Operator& op : graph_.operators) read.insert(op.inputs.begin(), op.inputs.end());
  for (const TensorInfo& tensor : graph_.tensors) names.insert(tensor.name);
  std::set<TensorId> removed;
  for (const auto& [constant, copies] : copies_) {
    const bool is_read = read.contains(constant);
    if (!is_read) removed.insert(constant);
    for (const auto& [values, copy] : copies) {
      TensorInfo& info = graph_.tensors[copy];
      const std::string& name = graph_.tensor(constant).name;
      if (!is_read && copy == copies.begin()->second) {
        info.name = name;
        continue;
      }
      for (int number = 2; !names.insert(info.name = fmt::format("{}_{}", name, number)).second;) ++number;
    }
  }
  base::IndexedVector<TensorId, TensorId> renumbered(graph_.tensors.size());
  std::vector<TensorInfo> kept;
  for (size_t id = 0; id < graph_.tensors.size(); ++id) {
    renumbered[id] = static_cast<TensorId>(kept.size());
    if (!removed.contains(static_cast<TensorId>(id))) kept.push_back(std::move(graph_.tensors[id]));
  }
  graph_.tensors = std::move(kept);
  const auto renumber = [&](std::vector<TensorId>& ids) {
    for (TensorId& id : ids) id = renumbered[id];
  };
  renumber(graph_.inputs);
  renumber(graph_.outputs);
  for (Operator& op : graph_.operators) {
    renumber(op.inputs);
    renumber(op.outputs);
  }
}

}  // namespace vernier::ir
