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

int64_t Microprogram::table(ir::TensorId table) { return index_in(tables_, table); }

Value Microprogram::load(const StreamUse& use, int64_t subtract, int64_t shift) {
  Node node;
  node.step.op = VectorOp::Load;
  node.step.stream = stream(use);
  node.step.imm0 = subtract;
  node.step.shift = shift;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].step == node.step) return static_cast<Value>(i);
  }
  return add(node);
}

Value Microprogram::constant(int64_t value) {
  Node node;
  node.step.op = VectorOp::Move;
  node.step.b_is_immediate = true;
  node.step.imm0 = value;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].step == node.step) return static_cast<Value>(i);
  }
  return add(node);
}

Value Microprogram::step(VectorStep step, Value a, Value b, Value c) { return add({step, {a, b, c}}); }

void Microprogram::store(Value value, ir::TensorId tensor, VectorPhase phase) {
  Node node;
  node.step.op = VectorOp::Store;
  node.step.phase = phase;
  node.step.stream = stream({tensor, false, true});
  node.operands[0] = value;
  add(node);
}

Value Microprogram::reduce(Value value, VectorOp combine, VectorOp across, int64_t identity) {
  Node init;
  init.step.op = VectorOp::Move;
  init.step.phase = VectorPhase::Init;
  init.step.b_is_immediate = true;
  init.step.imm0 = identity;
  const Value accumulator = add(init);
  Node lanes;
  lanes.step.op = across;
  lanes.operands[0] = value;
  lanes.is_across = true;
  const Value of_vector = add(lanes);
  Node body;
  body.step.op = combine;
  body.operands = {accumulator, of_vector, -1};
  body.accumulator = accumulator;
  return add(body);
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

std::optional<std::vector<VectorStep>> Microprogram::assemble(bool lanes_reduced) const {
  if (streams_.size() > spec::kMaxVectorStreams || tables_.size() > spec::kNumTableSlots) return std::nullopt;
  const std::vector<Value> order = in_phase_order();
  const auto node_of = [&](Value v) -> const Node& { return nodes_[static_cast<size_t>(v)]; };
  const auto resolve = [&](Value v) {  // an across step that is not needed is its operand
    return v >= 0 && node_of(v).is_across && !lanes_reduced ? node_of(v).operands[0] : v;
  };
  std::vector<size_t> last_use(nodes_.size());
  for (size_t at = 0; at < order.size(); ++at) {
    const Node& node = node_of(order[at]);
    last_use[static_cast<size_t>(order[at])] = std::max(last_use[static_cast<size_t>(order[at])], at);
    for (const Value operand : node.operands) {
      if (operand >= 0) last_use[static_cast<size_t>(resolve(operand))] = at;
    }
  }
  RegisterFile registers(nodes_.size(), last_use);
  std::vector<VectorStep> steps;
  for (size_t at = 0; at < order.size(); ++at) {
    const Node& node = node_of(order[at]);
    if (node.is_across && !lanes_reduced) continue;
    VectorStep step = node.step;
    int64_t* const fields[] = {&step.a, &step.b, &step.c};
    for (size_t i = 0; i < 3; ++i) {
      if (node.operands[i] >= 0) *fields[i] = registers.of(resolve(node.operands[i]));
    }
    if (node.accumulator >= 0) {
      step.dst = registers.of(node.accumulator);
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
