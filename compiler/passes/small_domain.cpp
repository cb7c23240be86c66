// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/small_domain.hpp"

#include "compiler/passes/elementwise.hpp"
#include "compiler/reference/interpreter.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace vernier::passes {
namespace {

using base::ElementType;
using ir::OpKind;

constexpr int64_t kLeastInt8 = -128;

}  // namespace

size_t num_element_operands(const ir::Operator& op) {
  switch (op.kind) {
    case OpKind::Rescale:
    case OpKind::Table:
    case OpKind::Negate: return 1;
    case OpKind::Mul: return 2;
    default: return op.inputs.size();
  }
}

ElementType table_entry_type(ElementType type) {
  return type == ElementType::Int8 || type == ElementType::Bool ? ElementType::Int8 : ElementType::Int32;
}

SmallDomains::SmallDomains(const Lowering& lowering)
    : lowering_(lowering), sources_(lowering.graph.tensors.size(), -1), domains_(lowering.graph.tensors.size()) {
  for (const ir::Operator& op : lowering.graph.operators) {
    const auto result = static_cast<size_t>(op.outputs[0]);
    if (lowering.value(op.outputs[0]) != nullptr) continue;
    sources_[result] = find_source(op);
    if (sources_[result] < 0) domains_[result] = find_difference(op);
  }
}

bool SmallDomains::is_source(ir::TensorId id) const {
  return lowering_.value(id) == nullptr && (lowering_.type(id) == ElementType::Int8 || is_difference(id));
}

SmallDomains::Domain SmallDomains::domain_of(ir::TensorId source) const {
  return is_difference(source) ? domains_[source] : Domain{kLeastInt8, kMostSourceValues};
}

ir::TensorId SmallDomains::find_source(const ir::Operator& op) const {
  if (find_emit_function(op.kind) == nullptr || lowering_.type(op.outputs[0]) == ElementType::Int48) return -1;
  const size_t elements = num_element_operands(op);
  ir::TensorId source = -1;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const ir::TensorId id = op.inputs[i];
    const bool is_table = op.kind == OpKind::Table && i == 1;
    if (is_table ? lowering_.value(id) != nullptr : lowering_.uniform_value(id).has_value()) continue;
    if (i >= elements || lowering_.value(id) != nullptr) return -1;
    const ir::TensorId own = is_source(id) ? id : this->source(id);
    if (own < 0 || (source >= 0 && own != source)) return -1;
    source = own;
  }
  return source;
}

SmallDomains::Domain SmallDomains::find_difference(const ir::Operator& op) const {
  if (op.kind != OpKind::Sub || lowering_.type(op.outputs[0]) != ElementType::Int32) return {};
  const ir::TensorId from = source(op.inputs[0]);
  if (from < 0 || lowering_.type(from) != ElementType::Int8) return {};
  const auto& operators = lowering_.graph.operators;
  const bool is_maximum = std::any_of(operators.begin(), operators.end(), [&](const ir::Operator& other) {
    return other.kind == OpKind::ReduceMax && other.outputs[0] == op.inputs[1] && other.inputs[0] == op.inputs[0];
  });
  if (!is_maximum) return {};
  const base::Tensor values = evaluate(from, op.inputs[0]);
  int64_t least = values.at(0), most = values.at(0);
  for (int64_t i = 1; i < values.size(); ++i) {
    least = std::min(least, values.at(i));
    most = std::max(most, values.at(i));
  }
  const int64_t count = most - least + 1;
  return count <= kMostSourceValues ? Domain{least - most, count} : Domain{};
}

std::vector<ir::OpId> SmallDomains::operators_between(ir::TensorId source, ir::TensorId id) const {
  std::set<ir::OpId> found;
  std::vector<ir::TensorId> open{id};
  while (!open.empty()) {
    const ir::TensorId tensor = open.back();
    open.pop_back();
    const ir::OpId producer = lowering_.producer(tensor);
    if (tensor == source || producer < 0 || !found.insert(producer).second) continue;
    const ir::Operator& op = lowering_.op(producer);
    for (size_t i = 0; i < num_element_operands(op); ++i) {
      if (lowering_.value(op.inputs[i]) == nullptr) open.push_back(op.inputs[i]);
    }
  }
  return {found.begin(), found.end()};
}

/// The operators on vectors that hold each value of the source once, in a graph that has nothing else.
base::Tensor SmallDomains::evaluate(ir::TensorId source, ir::TensorId id) const {
  const Domain domain = domain_of(source);
  const base::Shape shape{domain.count};
  ir::Graph probe;
  const auto add = [&](ir::TensorInfo tensor) {
    probe.tensors.push_back(std::move(tensor));
    return static_cast<ir::TensorId>(probe.tensors.size()) - 1;
  };
  std::map<ir::TensorId, ir::TensorId> ids;  // in the probe
  const auto own = [&](ir::TensorId tensor) {
    const auto [found, is_new] = ids.try_emplace(tensor, -1);
    if (is_new) found->second = add(lowering_.graph.tensor(tensor));
    return found->second;
  };
  const auto own_vector = [&](ir::TensorId tensor) {
    const ir::TensorId result = own(tensor);
    probe.tensors[result].shape = shape;
    return result;
  };
  probe.inputs = {own_vector(source)};
  for (const ir::OpId producer : operators_between(source, id)) {
    ir::Operator op = lowering_.op(producer);
    if (op.kind == OpKind::Rescale) std::get<ir::RescaleAttributes>(op.attributes).per_channel = false;
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const auto value = lowering_.uniform_value(op.inputs[i]);
      if (!value || (op.kind == OpKind::Table && i == 1)) {
        op.inputs[i] = own(op.inputs[i]);
        continue;
      }
      const ElementType type = lowering_.type(op.inputs[i]);
      auto constant = std::make_shared<base::Tensor>(type, base::Shape{1});
      constant->set(0, *value);
      op.inputs[i] = add({fmt::format("constant {}", probe.tensors.size()), type, {1}, constant});
    }
    op.outputs[0] = own_vector(op.outputs[0]);
    probe.operators.push_back(std::move(op));
  }
  probe.outputs = {own(id)};
  base::Tensor values(lowering_.type(source), shape);
  for (int64_t i = 0; i < domain.count; ++i) values.set(i, domain.least + i);
  return reference::run(probe, {values}).outputs[0];
}

TableId SmallDomains::add_table(Lowering& lowering, ir::TensorId source, ir::TensorId id) const {
  const auto found = tables_.find({source, id});
  if (found != tables_.end()) return found->second;
  const std::string name = fmt::format("{} by {}", lowering.graph.tensor(id).name, lowering.graph.tensor(source).name);
  return tables_[{source, id}] = lowering.add_table(name, contents(source, id));
}

std::vector<std::byte> SmallDomains::contents(ir::TensorId source, ir::TensorId id) const {
  const Domain domain = domain_of(source);
  const base::Tensor values = evaluate(source, id);
  const bool is_narrow = table_entry_type(lowering_.type(id)) == ElementType::Int8;
  const size_t entry_bytes = is_narrow ? 1 : 4;
  std::vector<std::byte> contents(static_cast<size_t>(kMostSourceValues) * entry_bytes);
  for (int64_t i = 0; i < domain.count; ++i) {
    // The table unit looks at the low eight bits of value + 128.
    const int64_t entry = base::floor_mod(domain.least + i - kLeastInt8, kMostSourceValues);
    const auto value = static_cast<int32_t>(values.at(i));
    std::memcpy(contents.data() + static_cast<size_t>(entry) * entry_bytes, &value, entry_bytes);
  }
  return contents;
}

}  // namespace vernier::passes
