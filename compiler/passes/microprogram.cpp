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

/// Registers by the values they hold.
class RegisterFile {
 public:
  RegisterFile(size_t num_values, std::vector<size_t> last_use)
      : register_of_(num_values, -1), last_use_(std::move(last_use)) {}
  [[nodiscard]] int64_t of(Value value) const {
    const int64_t reg = register_of_[static_cast<size_t>(value)];
    VERNIER_CHECK(reg >= 0, "value {} is used before it is written", value);
    return reg;
  }
  /// The lowest free register, or -1. What is used for the last time at `now` has made room already.
  int64_t take(Value value, size_t now) {
    for (size_t r = 0; r < holder_.size(); ++r) {
      const Value held = holder_[r];
      if (held >= 0 && last_use_[static_cast<size_t>(held)] > now) continue;
      hold(value, static_cast<int64_t>(r));
      return static_cast<int64_t>(r);
    }
    return -1;
  }
  void hold(Value value, int64_t reg) {
    holder_[static_cast<size_t>(reg)] = value;
    register_of_[static_cast<size_t>(value)] = reg;
  }

 private:
  std::array<Value, spec::kNumVectorRegisters> holder_ = [] {
    std::array<Value, spec::kNumVectorRegisters> none{};
    none.fill(-1);
    return none;
  }();
  std::vector<int64_t> register_of_;
  std::vector<size_t> last_use_;
};

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

/// By value: the place in `order` where it is needed for the last time. What Init made and Body reads is needed until the
/// last pass of Body ends.
std::vector<size_t> Microprogram::last_uses(const std::vector<Value>& order, bool lanes_reduced) const {
  size_t body_end = 0;
  for (size_t at = 0; at < order.size(); ++at) {
    if (node(order[at]).step.phase == VectorPhase::Body) body_end = at;
  }
  std::vector<size_t> last(nodes_.size());
  for (size_t at = 0; at < order.size(); ++at) {
    const Node& reader = node(order[at]);
    last[static_cast<size_t>(order[at])] = std::max(last[static_cast<size_t>(order[at])], at);
    for (const Value operand : reader.operands) {
      if (operand < 0) continue;
      const Value used = resolved(operand, lanes_reduced);
      const bool is_kept = node(used).step.phase == VectorPhase::Init && reader.step.phase == VectorPhase::Body;
      size_t& use = last[static_cast<size_t>(used)];
      use = std::max(use, is_kept ? body_end : at);
    }
  }
  return last;
}

std::optional<std::vector<VectorStep>> Microprogram::assemble(bool lanes_reduced) const {
  if (streams_.size() > spec::kMaxVectorStreams || tables_.size() > spec::kNumTableSlots) return std::nullopt;
  const std::vector<Value> order = in_phase_order();
  RegisterFile registers(nodes_.size(), last_uses(order, lanes_reduced));
  std::vector<VectorStep> steps;
  for (size_t at = 0; at < order.size(); ++at) {
    const Node& next = node(order[at]);
    if (next.is_across && !lanes_reduced) continue;
    VectorStep step = next.step;
    int64_t* const fields[] = {&step.a, &step.b, &step.c};
    for (size_t i = 0; i < 3; ++i) {
      if (next.operands[i] >= 0) *fields[i] = registers.of(resolved(next.operands[i], lanes_reduced));
    }
    if (next.accumulator >= 0) {
      step.dst = registers.of(next.accumulator);
      registers.hold(order[at], step.dst);
    } else if (step.op != VectorOp::Store) {
      step.dst = registers.take(order[at], at);
      if (step.dst < 0) return std::nullopt;
    }
    steps.push_back(step);
  }
  if (steps.size() > spec::kMaxVectorSteps) return std::nullopt;
  return steps;
}

}  // namespace vernier::passes
