// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tosa/tosa_edges.hpp"

#include "tosa_generated.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace vernier::import {

namespace {

static_assert(std::endian::native == std::endian::little, "constants are little-endian");

using package::HostOperator;
using package::HostStep;
using tosa::Op;
using tosa::TosaOperator;
using tosa::TosaTensor;

std::string_view text_of(const flatbuffers::String* name) {
  return name == nullptr ? std::string_view() : name->string_view();
}

/// The name of an operand or result; "" where there is none.
std::string_view name_of(const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>* names, uint32_t index) {
  return names == nullptr || index >= names->size() ? std::string_view() : text_of(names->Get(index));
}

class EdgeFinder {
 public:
  EdgeFinder(Source& source, const tosa::TosaBasicBlock& block) : source_(source), block_(block) { index(); }

  FloatEdges find() {
    if (block_.inputs() != nullptr) {
      for (const auto* name : *block_.inputs()) find_input(text_of(name));
    }
    if (block_.outputs() != nullptr) {
      for (const auto* name : *block_.outputs()) find_output(text_of(name));
    }
    take_constants();
    return std::move(edges_);
  }

 private:
  void index() {
    if (block_.tensors() != nullptr) {
      for (const TosaTensor* tensor : *block_.tensors()) tensors_.emplace(text_of(tensor->name()), tensor);
    }
    if (block_.operators() != nullptr) {
      for (const TosaOperator* op : *block_.operators()) {
        if (op->outputs() != nullptr && op->outputs()->size() == 1) producers_.emplace(name_of(op->outputs(), 0), op);
        for (uint32_t i = 0; op->inputs() != nullptr && i < op->inputs()->size(); ++i)
          readers_[name_of(op->inputs(), i)].push_back(op);
      }
    }
    if (block_.outputs() == nullptr) return;
    for (const auto* name : *block_.outputs()) readers_[text_of(name)].push_back(nullptr);
  }

  [[nodiscard]] bool is_float32(std::string_view name) const {
    const auto found = tensors_.find(name);
    return found != tensors_.end() && found->second->type() == tosa::DType::FP32;
  }
  [[nodiscard]] bool is_integer(std::string_view name) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) return false;
    const tosa::DType type = found->second->type();
    return type == tosa::DType::INT8 || type == tosa::DType::INT16 || type == tosa::DType::INT32;
  }
  [[nodiscard]] const TosaOperator* producer(std::string_view name) const {
    const auto found = producers_.find(name);
    return found == producers_.end() ? nullptr : found->second;
  }
  /// The one operator that reads the tensor; null where there is none, or another one, or it is an output.
  [[nodiscard]] const TosaOperator* only_reader(std::string_view name) const {
    const auto found = readers_.find(name);
    return found == readers_.end() || found->second.size() != 1 ? nullptr : found->second.front();
  }
  [[nodiscard]] bool is_constant(std::string_view name) const {
    const TosaOperator* op = producer(name);
    return op != nullptr && op->op() == Op::CONST && is_float32(name);
  }

  /// The operator on `value` and a constant, on the left or on the right; none where it is no such operator.
  std::optional<HostStep> step_of(const TosaOperator* op, std::string_view value, std::initializer_list<Op> allowed) {
    if (op == nullptr || std::find(allowed.begin(), allowed.end(), op->op()) == allowed.end()) return std::nullopt;
    if (!is_float32(name_of(op->outputs(), 0)) || !is_float32(value)) return std::nullopt;
    const bool is_first = name_of(op->inputs(), 0) == value;
    const std::string_view other = name_of(op->inputs(), is_first ? 1 : 0);
    if ((!is_first && name_of(op->inputs(), 1) != value) || other == value || !is_constant(other)) return std::nullopt;
    HostStep step;
    step.kind = op->op() == Op::MUL   ? HostOperator::Mul
                : op->op() == Op::ADD ? HostOperator::Add
                : is_first            ? HostOperator::Sub
                                      : HostOperator::SubFrom;
    step.name = std::string(name_of(op->outputs(), 0));
    if (!read_numbers(*tensors_.at(other), step)) return std::nullopt;
    return step;
  }

  bool read_numbers(const TosaTensor& tensor, HostStep& step) {
    step.shape = read_shape(source_, text_of(tensor.name()), tensor);
    const auto count = static_cast<uint64_t>(package::checked_size(step.shape));
    if (count == 0 || tensor.data() == nullptr || tensor.data()->size() < count * sizeof(float)) return false;
    source_.charge(count * sizeof(float));
    step.numbers.resize(count);
    std::memcpy(step.numbers.data(), tensor.data()->data(), count * sizeof(float));
    return true;
  }

  static package::BoundaryEnd end_of(std::string_view name, std::vector<HostStep> steps) {
    package::BoundaryEnd end;
    end.tensor = std::string(name);
    end.steps = std::move(steps);
    return end;
  }

  void find_input(std::string_view name) {
    const TosaOperator* op = only_reader(name);
    const std::optional<HostStep> product = step_of(op, name, {Op::MUL});
    if (!product) return;
    std::vector<const TosaOperator*> taken{op};
    std::vector<HostStep> steps{*product};
    std::string_view value = name_of(op->outputs(), 0);
    op = only_reader(value);
    if (const std::optional<HostStep> sum = step_of(op, value, {Op::ADD})) {
      taken.push_back(op);
      steps.push_back(*sum);
      value = name_of(op->outputs(), 0);
      op = only_reader(value);
    }
    if (op == nullptr || op->op() != Op::CAST || !is_integer(name_of(op->outputs(), 0))) return;
    taken.push_back(op);
    edges_.inputs.emplace(name, name_of(op->outputs(), 0));
    edges_.boundary.inputs.push_back(end_of(name, std::move(steps)));
    edges_.operators.insert(taken.begin(), taken.end());
  }

  /// The operand of the operator that is no constant.
  [[nodiscard]] std::string_view operand_of(const TosaOperator* op) const {
    if (op == nullptr) return {};
    const std::string_view first = name_of(op->inputs(), 0);
    return is_constant(first) ? name_of(op->inputs(), 1) : first;
  }

  void find_output(std::string_view name) {
    const TosaOperator* op = producer(name);
    if (readers_[name].size() != 1) return;  // that is the list of outputs
    std::string_view value = operand_of(op);
    const std::optional<HostStep> product = step_of(op, value, {Op::MUL});
    if (!product) return;
    std::vector<const TosaOperator*> taken{op};
    std::vector<HostStep> steps{*product};
    op = producer(value);
    if (const std::optional<HostStep> sum = step_of(op, operand_of(op), {Op::ADD, Op::SUB})) {
      if (only_reader(value) != taken.front()) return;
      taken.push_back(op);
      steps.insert(steps.begin(), *sum);
      value = operand_of(op);
      op = producer(value);
    }
    if (op == nullptr || op->op() != Op::CAST || !is_integer(name_of(op->inputs(), 0)) || only_reader(value) != taken.back())
      return;
    taken.push_back(op);
    edges_.outputs.emplace(name, name_of(op->inputs(), 0));
    edges_.boundary.outputs.push_back(end_of(name, std::move(steps)));
    edges_.operators.insert(taken.begin(), taken.end());
  }

  void take_constants() {
    const std::set<const TosaOperator*> host = edges_.operators;
    const auto is_of_host = [&](const TosaOperator* op) { return host.contains(op); };
    for (const auto& [name, op] : producers_) {
      const auto readers = readers_.find(name);
      if (host.empty() || op->op() != Op::CONST || !is_float32(name)) continue;
      if (readers == readers_.end() || std::all_of(readers->second.begin(), readers->second.end(), is_of_host))
        edges_.operators.insert(op);
    }
  }

  Source& source_;
  const tosa::TosaBasicBlock& block_;
  FloatEdges edges_;
  std::map<std::string_view, const TosaTensor*> tensors_;
  std::map<std::string_view, const TosaOperator*> producers_;
  std::map<std::string_view, std::vector<const TosaOperator*>> readers_;  // null for the list of outputs
};

const ir::TensorInfo* find_tensor(const ir::Graph& graph, const std::vector<ir::TensorId>& ids, const std::string& name) {
  for (const ir::TensorId id : ids) {
    if (graph.tensor(id).name == name) return &graph.tensor(id);
  }
  return nullptr;
}

}  // namespace

FloatEdges find_float_edges(Source& source, const tosa::TosaBasicBlock& block) { return EdgeFinder(source, block).find(); }

void finish_boundary(const Source& source, const ir::Graph& graph, package::Boundary& boundary) {
  for (const package::Side side : {package::Side::Input, package::Side::Output}) {
    const bool is_input = side == package::Side::Input;
    for (package::BoundaryEnd& end : is_input ? boundary.inputs : boundary.outputs) {
      const ir::TensorInfo* tensor = find_tensor(graph, is_input ? graph.inputs : graph.outputs, end.tensor);
      VERNIER_CHECK(tensor != nullptr, "'{}' is an end of the graph", end.tensor);
      end.source_shape = tensor->shape;
      if (const std::string problem = package::problem_of(end, tensor->type, tensor->shape, side); !problem.empty())
        source.fail("{} '{}': {}", is_input ? "input" : "output", end.tensor, problem);
    }
  }
}

void add_unsigned_inputs(const ir::Graph& graph, package::Boundary& boundary) {
  const auto consumers = graph.consumers();
  std::vector<package::BoundaryEnd> ends;
  for (const ir::TensorId id : graph.inputs) {
    const ir::TensorInfo& tensor = graph.tensor(id);
    if (const package::BoundaryEnd* known = package::find_end(boundary.inputs, tensor.name)) {
      ends.push_back(*known);
      continue;
    }
    const std::vector<ir::OpId>& readers = consumers[id];
    const bool is_code = tensor.type == base::ElementType::Int8 || tensor.type == base::ElementType::Int16;
    const bool is_output = std::find(graph.outputs.begin(), graph.outputs.end(), id) != graph.outputs.end();
    const bool is_unsigned = std::all_of(readers.begin(), readers.end(), [&](ir::OpId reader) {
      const ir::Operator& op = graph.operators[reader];
      return op.kind == ir::OpKind::Rescale && op.inputs.front() == id &&
             op.attributes_as<ir::RescaleAttributes>().input_unsigned;
    });
    if (!is_code || is_output || readers.empty() || !is_unsigned) continue;
    package::BoundaryEnd end;
    end.tensor = tensor.name;
    end.is_float = end.is_signed = false;
    end.keeps_bits = true;
    ends.push_back(std::move(end));
  }
  boundary.inputs = std::move(ends);
}

std::vector<std::string> wrapping_inputs(const ir::Graph& graph, const package::Boundary& boundary) {
  std::vector<std::string> lines;
  const auto consumers = graph.consumers();
  for (const ir::TensorId input : graph.inputs) {
    const ir::TensorInfo& tensor = graph.tensor(input);
    const package::BoundaryEnd* end = package::find_end(boundary.inputs, tensor.name);
    if (end == nullptr || !end->is_float || tensor.type != base::ElementType::Int32) continue;
    ir::TensorId id = input;
    const auto only_reader = [&]() -> const ir::Operator* {
      const std::vector<ir::OpId>& readers = consumers[id];
      return readers.size() == 1 ? &graph.operators[readers.front()] : nullptr;
    };
    const ir::Operator* op = only_reader();
    if (op != nullptr && op->kind == ir::OpKind::Add) {
      id = op->outputs.front();
      op = only_reader();
    }
    if (op == nullptr || op->kind != ir::OpKind::Cast) continue;
    const base::ElementType type = graph.tensor(op->outputs.front()).type;
    if (base::info(type).bits < base::info(tensor.type).bits)
      lines.push_back(fmt::format("input '{}' becomes int32 and then {} by a CAST, which wraps where TFLite saturates",
                                  tensor.name, base::to_string(type)));
  }
  return lines;
}

}  // namespace vernier::import
