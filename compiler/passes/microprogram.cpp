// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/microprogram.hpp"

#include "hw/base/error.hpp"

#include <algorithm>

namespace vernier::passes {

using spec::VectorOp;
using spec::VectorPhase;
using spec::VectorStep;

namespace {

template <typename T>
int64_t index_in(std::vector<T>& items, const T& item) {
  const auto found = std::find(items.begin(), items.end(), item);
  if (found != items.end()) return found - items.begin();
  items.push_back(item);
  return static_cast<int64_t>(items.size()) - 1;
}

/// The load that accumulates by itself; two of them go through the load path in a cycle (VectorCommand, "Pairs").
std::optional<VectorOp> accumulating_load(VectorOp combine) {
  switch (combine) {
    case VectorOp::Add: return VectorOp::LoadAdd;
    case VectorOp::Maximum: return VectorOp::LoadMaximum;
    case VectorOp::Minimum: return VectorOp::LoadMinimum;
    default: return std::nullopt;
  }
}

}  // namespace

Value Microprogram::add(const Node& node) {
  nodes_.push_back(node);
  return static_cast<Value>(nodes_.size()) - 1;
}

int64_t Microprogram::stream(const StreamUse& use) { return index_in(streams_, use); }

int64_t Microprogram::table(TableId table) { return index_in(tables_, table); }

/// The first node that does the same.
Value Microprogram::add_once(const Node& node) {
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const Node& other = nodes_[i];
    if (other.step == node.step && other.operands == node.operands && other.accumulator < 0 && !other.is_across) {
      return static_cast<Value>(i);
    }
  }
  return add(node);
}

Value Microprogram::load(const StreamUse& use, int64_t subtract, int64_t shift, bool is_for_row) {
  Node node;
  node.step.op = VectorOp::Load;
  node.step.phase = is_for_row && has_rows_ ? VectorPhase::Init : VectorPhase::Body;
  node.step.stream = stream(use);
  node.step.imm0 = subtract;
  node.step.shift = shift;
  return add_once(node);
}

Value Microprogram::constant(int64_t value) {
  Node node;
  node.step.op = VectorOp::Move;
  node.step.phase = has_rows_ ? VectorPhase::Init : VectorPhase::Body;
  node.step.b_is_immediate = true;
  node.step.imm0 = value;
  return add_once(node);
}

Value Microprogram::step(VectorStep step, Value a, Value b, Value c) {
  step.phase = has_rows_ ? VectorPhase::Init : VectorPhase::Body;
  for (const Value operand : {a, b, c}) {
    if (operand >= 0) step.phase = std::max(step.phase, node(operand).step.phase);
  }
  return add_once({step, {a, b, c}});
}

void Microprogram::store(Value value, ir::TensorId tensor, VectorPhase phase) {
  Node node;
  node.step.op = VectorOp::Store;
  node.step.phase = phase;
  node.step.stream = stream({tensor, false, true});
  node.operands[0] = value;
  add(node);
}

Value Microprogram::reduce(Value value, VectorOp combine, VectorOp across, int64_t identity) {
  VERNIER_CHECK(has_rows_, "a reduction without rows");
  Node init;
  init.step.op = VectorOp::Move;
  init.step.phase = VectorPhase::Init;
  init.step.b_is_immediate = true;
  init.step.imm0 = identity;
  const Value accumulator = add(init);
  Node body;
  body.step.op = combine;
  body.operands = {accumulator, value, -1};
  body.accumulator = accumulator;
  const Value of_lanes = add(body);
  Node lanes;
  lanes.step.op = across;
  lanes.step.phase = VectorPhase::Final;
  lanes.operands[0] = of_lanes;
  lanes.is_across = true;
  return add(lanes);
}

std::vector<Value> Microprogram::in_phase_order() const {
  std::vector<Value> order;
  for (const VectorPhase phase : {VectorPhase::Init, VectorPhase::Body, VectorPhase::Final}) {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].step.phase == phase) order.push_back(static_cast<Value>(i));
    }
  }
  return order;
}

/// An across step that is not needed is its operand.
Value Microprogram::resolved(Value value, bool lanes_reduced) const {
  return value >= 0 && node(value).is_across && !lanes_reduced ? node(value).operands[0] : value;
}

/// By value: the load whose only reader is this accumulation, or -1.
base::IndexedVector<Value, Value> Microprogram::accumulated_loads() const {
  base::IndexedVector<Value, int> readers(nodes_.size());
  for (const Node& node : nodes_) {
    for (const Value operand : node.operands) {
      if (operand >= 0) ++readers[operand];
    }
  }
  base::IndexedVector<Value, Value> loads(nodes_.size(), -1);
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const Value taken = nodes_[i].operands[1];
    const bool is_only_reader = nodes_[i].accumulator >= 0 && taken >= 0 && readers[taken] == 1;
    if (is_only_reader && node(taken).step.op == VectorOp::Load && node(taken).step.phase == VectorPhase::Body &&
        accumulating_load(nodes_[i].step.op)) {
      loads[i] = taken;
    }
  }
  return loads;
}

std::optional<std::vector<VectorStep>> Microprogram::assemble(bool lanes_reduced) const {
  if (streams_.size() > spec::kMaxVectorStreams || tables_.size() > spec::kNumTableSlots) return std::nullopt;
  const base::IndexedVector<Value, Value> loads = accumulated_loads();
  std::vector<VectorStep> steps;
  base::IndexedVector<Value, int64_t> register_of(nodes_.size());
  for (const Value value : in_phase_order()) {
    const Node& next = node(value);
    const Value load = loads[value];
    if ((next.is_across && !lanes_reduced) || std::find(loads.begin(), loads.end(), value) != loads.end()) continue;
    VectorStep step = load >= 0 ? node(load).step : next.step;
    if (load >= 0) step.op = *accumulating_load(next.step.op);
    int64_t* const fields[] = {&step.a, &step.b, &step.c};
    for (size_t i = 0; i < 3; ++i) {
      const bool is_register = next.operands[i] >= 0 && next.operands[i] != load;
      if (is_register) *fields[i] = register_of[resolved(next.operands[i], lanes_reduced)];
    }
    step.dst = next.accumulator >= 0 ? register_of[next.accumulator] : value;
    register_of[value] = step.dst;
    steps.push_back(step);
  }
  if (steps.size() > spec::kMaxVectorSteps) return std::nullopt;
  return steps;
}

}  // namespace vernier::passes
