// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/recompute.hpp"

#include "compiler/passes/lower_vector.hpp"
#include "hw/base/indexed_vector.hpp"

#include <algorithm>
#include <set>

namespace vernier::passes {
namespace {

using base::ElementType;
using ir::OpKind;

bool is_rename(const ir::Operator& op) { return op.kind == OpKind::Reshape || op.kind == OpKind::Identity; }

}  // namespace

Recompute::Recompute(const Lowering& lowering, const base::IndexedVector<ir::TensorId, std::vector<ir::OpId>>& consumers)
    : lowering_(lowering),
      domains_(lowering),
      direct_consumers_(consumers),
      is_recomputed_(lowering.graph.operators.size()),
      is_read_reshaped_(lowering.graph.tensors.size()) {
  const auto& operators = lowering.graph.operators;
  // Whether all readers could compute a tensor again: readers first.
  std::vector<bool> is_for_vectors(lowering.graph.tensors.size());
  for (size_t i = operators.size(); lowering.is_optimizing() && i-- > 0;) {
    const ir::TensorId id = operators[i].outputs[0];
    const auto& readers = consumers[id];
    is_for_vectors[static_cast<size_t>(id)] =
        !readers.empty() && !lowering.is_output(id) && lowering.value(id) == nullptr &&
        std::all_of(readers.begin(), readers.end(), [&](ir::OpId reader) {
          const ir::Operator& op = lowering.op(reader);
          return is_vector_op(op.kind) || (is_rename(op) && is_for_vectors[static_cast<size_t>(op.outputs[0])]);
        });
  }
  for (size_t i = 0; i < operators.size(); ++i) {
    if (!is_for_vectors[static_cast<size_t>(operators[i].outputs[0])]) continue;
    is_recomputed_[i] = is_rename(operators[i]) ? can_recompute_reshaped(operators[i]) : can_recompute(operators[i]);
  }
  // What a RESHAPE that stays reads has to lie in memory.
  require([&](ir::OpId id) { return !is_rename(lowering_.op(id)); });
}

ir::OpId Recompute::recomputed_producer(ir::TensorId id) const {
  const ir::OpId producer = lowering_.producer(id);
  return producer >= 0 && is_recomputed(producer) ? producer : -1;
}

bool Recompute::can_recompute(const ir::Operator& op) const {
  const ir::TensorId result = op.outputs[0];
  const ElementType type = lowering_.type(result);
  if (type != ElementType::Int32 && type != ElementType::Int16) return false;
  if (domains_.source(result) >= 0 || domains_.is_difference(result)) return true;
  // A single scale of int16.
  if (op.kind != OpKind::Rescale || type != ElementType::Int32 || lowering_.type(op.inputs[0]) != ElementType::Int16)
    return false;
  return recomputed_producer(op.inputs[0]) < 0 && lowering_.uniform_value(op.inputs[1]) &&
         lowering_.uniform_value(op.inputs[2]);
}

/// The chain below has one shape throughout, so that its source can be read in the new one.
bool Recompute::can_recompute_reshaped(const ir::Operator& op) const {
  const ir::TensorId input = op.inputs[0];
  const ir::OpId producer = recomputed_producer(input);
  if (producer < 0) return false;
  const ir::Operator& below = lowering_.op(producer);
  if (is_rename(below)) return true;  // asked the same before
  const ir::TensorId source = domains_.source(input);
  if (source < 0 || domains_.is_difference(source) || lowering_.shape(source) != lowering_.shape(input)) return false;
  const std::vector<ir::OpId> chain = domains_.operators_between(source, input);
  return std::all_of(chain.begin(), chain.end(),
                     [&](ir::OpId id) { return lowering_.shape(lowering_.op(id).outputs[0]) == lowering_.shape(input); });
}

std::vector<ir::TensorId> Recompute::sources_of(const ir::Operator& op) const {
  std::set<ir::TensorId> seen, sources;
  std::vector<ir::TensorId> open = op.inputs;
  while (!open.empty()) {
    const ir::TensorId id = open.back();
    open.pop_back();
    if (lowering_.value(id) != nullptr || !seen.insert(id).second) continue;
    const ir::OpId producer = recomputed_producer(id);
    if (producer < 0) {
      sources.insert(id);
      continue;
    }
    const auto& inputs = lowering_.op(producer).inputs;
    open.insert(open.end(), inputs.begin(), inputs.end());
  }
  return {sources.begin(), sources.end()};
}

void Recompute::require(const std::function<bool(ir::OpId)>& fits) {
  find_consumers();
  // Each operator that is stored now reads what it needs by itself: look at it again, as it stands before its readers.
  for (auto i = static_cast<ir::OpId>(lowering_.graph.operators.size()); i-- > 0;) {
    if (is_recomputed(i)) continue;
    const ir::Operator& op = lowering_.op(i);
    const bool reads_any =
        std::any_of(op.inputs.begin(), op.inputs.end(), [&](ir::TensorId input) { return recomputed_producer(input) >= 0; });
    if (!reads_any || fits(i)) continue;
    for (const ir::TensorId input : op.inputs) {
      const ir::OpId producer = recomputed_producer(input);
      if (producer >= 0) is_recomputed_[producer] = false;
    }
  }
  find_consumers();
}

void Recompute::find_consumers() {
  consumers_ = direct_consumers_;
  std::fill(is_read_reshaped_.begin(), is_read_reshaped_.end(), false);
  const auto& operators = lowering_.graph.operators;
  for (size_t i = operators.size(); i-- > 0;) {
    if (!is_recomputed_[i]) continue;
    const ir::Operator& op = operators[i];
    const auto& through = consumers_[op.outputs[0]];
    const bool is_reshaped = is_read_reshaped_[op.outputs[0]] || op.kind == OpKind::Reshape;
    for (const ir::TensorId input : std::set<ir::TensorId>(op.inputs.begin(), op.inputs.end())) {
      auto& readers = consumers_[input];
      std::erase(readers, static_cast<ir::OpId>(i));
      std::set<ir::OpId> all(readers.begin(), readers.end());
      all.insert(through.begin(), through.end());
      readers.assign(all.begin(), all.end());
      if (is_reshaped) is_read_reshaped_[input] = true;
    }
  }
}

}  // namespace vernier::passes
