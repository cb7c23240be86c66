// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/variables.hpp"

#include <algorithm>
#include <utility>

namespace vernier::tests::fuzz {
namespace {

using ir::OpKind;
using ir::TensorId;

class VariableMaker {
 public:
  VariableMaker(RandomGraph random, uint64_t seed) : made_(std::move(random)), random_(seed + 2) {}

  RandomGraph run() {
    for (size_t i = made_.graph.inputs.size(); i-- > 0;) {
      if (random_.chance(60)) take_input(i);
    }
    for (int64_t i = random_.within(graph().variables.empty() ? 1 : 0, 2); i > 0; --i) watch();
    return std::move(made_);
  }

 private:
  ir::Graph& graph() { return made_.graph; }

  /// Unless what it may hold is limited: a variable holds what a run left.
  void take_input(size_t i) {
    const TensorId id = graph().inputs[i];
    const ir::TensorInfo info = graph().tensor(id);
    const ValueRange whole = whole_range(info.type), range = made_.input_ranges[i];
    if (range.least != whole.least || range.most != whole.most) return;
    const size_t variable = add_variable(info);
    graph().inputs.erase(graph().inputs.begin() + static_cast<std::ptrdiff_t>(i));
    made_.input_ranges.erase(made_.input_ranges.begin() + static_cast<std::ptrdiff_t>(i));
    const std::vector<ir::OpId> readers = graph().consumers()[id];
    const size_t last = readers.empty() ? graph().operators.size() : static_cast<size_t>(readers.front());
    insert_read(variable, id, static_cast<size_t>(random_.within(0, static_cast<int64_t>(last))));
    for (int64_t n = random_.pick<int64_t>({0, 1, 1, 1, 2}); n > 0; --n) write(variable, id);
  }

  /// Some tensor like it, or its bits inverted.
  void write(size_t variable, TensorId read) {
    const ir::TensorInfo info = graph().tensor(read);
    std::vector<TensorId> alike;
    for (const ir::Operator& op : graph().operators) {
      for (const TensorId id : op.outputs) {
        const ir::TensorInfo& other = graph().tensor(id);
        if (id != read && other.type == info.type && other.shape == info.shape) alike.push_back(id);
      }
    }
    const bool is_inverted =
        info.type == ElementType::Int8 || info.type == ElementType::Int16 || info.type == ElementType::Int32;
    if (alike.empty() && is_inverted) {
      const TensorId inverted = add_tensor({"inverted", info.type, info.shape, nullptr});
      insert(make_op(OpKind::BitwiseNot, {read}, inverted), behind(read));
      alike.push_back(inverted);
    }
    insert_write(variable, alike.empty() ? read : random_.pick(alike));
  }

  /// What it holds before or after it is written.
  void watch() {
    std::vector<TensorId> computed;
    for (const ir::Operator& op : graph().operators) {
      if (!ir::uses_variable(op.kind)) computed.insert(computed.end(), op.outputs.begin(), op.outputs.end());
    }
    const TensorId watched = random_.pick(computed);
    const ir::TensorInfo info = graph().tensor(watched);
    const size_t variable = add_variable(info);
    insert_write(variable, watched);
    const TensorId told = add_tensor({"told", info.type, info.shape, nullptr});
    insert_read(variable, told, static_cast<size_t>(random_.within(0, std::ssize(graph().operators))));
    graph().outputs.push_back(told);
  }

  size_t add_variable(const ir::TensorInfo& like) {
    ir::Variable variable{fmt::format("variable{}", graph().variables.size()), like.type, like.shape, nullptr};
    if (random_.chance(50))
      variable.initial = std::make_shared<const base::Tensor>(random_tensor(like.type, like.shape, random_.seed()));
    graph().variables.push_back(std::move(variable));
    return graph().variables.size() - 1;
  }

  TensorId add_tensor(ir::TensorInfo info) {
    info.name += fmt::format("_{}", graph().tensors.size());
    graph().tensors.push_back(std::move(info));
    return static_cast<TensorId>(graph().tensors.size() - 1);
  }

  static ir::Operator make_op(OpKind kind, std::vector<TensorId> inputs, TensorId output, ir::Attributes attributes = {}) {
    ir::Operator op;
    op.kind = kind;
    op.attributes = std::move(attributes);
    op.inputs = std::move(inputs);
    op.outputs = {output};
    return op;
  }

  /// A place for who reads the tensor.
  size_t behind(TensorId id) {
    const ir::OpId producer = graph().producers()[id];
    return static_cast<size_t>(random_.within(producer + 1, std::ssize(graph().operators)));
  }
  void insert(ir::Operator op, size_t at) {
    graph().operators.insert(graph().operators.begin() + static_cast<std::ptrdiff_t>(at), std::move(op));
  }
  void insert_read(size_t variable, TensorId result, size_t at) {
    insert(make_op(OpKind::VariableRead, {}, result, ir::VariableAttributes{graph().variables[variable].name}), at);
  }
  void insert_write(size_t variable, TensorId value) {
    const ir::TensorInfo info = graph().tensor(value);
    const TensorId written = add_tensor({"written", info.type, info.shape, nullptr});
    insert(make_op(OpKind::VariableWrite, {value}, written, ir::VariableAttributes{graph().variables[variable].name}),
           behind(value));
  }

  RandomGraph made_;
  Random random_;
};

}  // namespace

RandomGraph with_variables(RandomGraph random, uint64_t seed) { return VariableMaker(std::move(random), seed).run(); }

}  // namespace vernier::tests::fuzz
