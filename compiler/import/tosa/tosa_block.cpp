// SPDX-License-Identifier: Apache-2.0
// A basic block of a .tosa file to an ir::Graph. Tensors that nothing refers to are left out.
#include "compiler/import/tosa/tosa_edges.hpp"
#include "compiler/import/tosa/tosa_reader.hpp"
#include "compiler/import/tosa/tosa_variables.hpp"

#include "tosa_generated.h"
#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

namespace vernier::import {

namespace {

constexpr size_t kMaxNameBytes = 4096;

using Names = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;

class BlockReader {
 public:
  BlockReader(Source& source, const tosa::TosaBasicBlock& block, const FloatEdges& edges, VariableList& variables,
              const ir::Graph* around)
      : source_(source), block_(block), edges_(edges), around_(around), uses_(source, variables) {}

  ir::Graph run() {
    list_declarations();
    if (source_.mistakes().empty()) read_all_results();
    if (source_.mistakes().empty()) read_all_operands();
    if (source_.mistakes().empty()) sort_operators(source_, graph_, !uses_.is_empty());
    return std::move(graph_);
  }

 private:
  /// Who names a tensor, and the rule that is broken where the tensor is not there.
  struct Place {
    std::string_view who;
    ir::ErrorIf rule;
  };
  struct Declaration {
    const tosa::TosaTensor* tensor = nullptr;  // one of the two
    const tosa::TosaShape* shape = nullptr;
    ir::TensorId id = -1;  // once defined
  };

  std::string_view checked_name(const flatbuffers::String* name) const {
    if (name == nullptr) source_.fail("a tensor has no name");
    if (name->size() > kMaxNameBytes)
      source_.fail("a tensor's name has {} bytes, allowed are {}", name->size(), kMaxNameBytes);
    return name->string_view();
  }

  void declare(const flatbuffers::String* name, const Declaration& declaration) {
    const std::string_view key = checked_name(name);
    if (!declarations_.try_emplace(key, declaration).second) {
      source_.fail("two tensors are called '{}', names are unique", key);
    }
  }

  void list_declarations() {
    if (block_.tensors() != nullptr) {
      for (const tosa::TosaTensor* tensor : *block_.tensors())
        source_.attempt([&] {
          declare(tensor->name(), {.tensor = tensor});
          uses_.declare(*tensor);
        });
    }
    if (block_.shapes() != nullptr) {
      for (const tosa::TosaShape* shape : *block_.shapes())
        source_.attempt([&] { declare(shape->name(), {.shape = shape}); });
    }
  }

  void read_all_results() {
    if (block_.inputs() != nullptr) {
      for (const auto* name : *block_.inputs()) source_.attempt([&] { graph_.inputs.push_back(define_input(name)); });
    }
    if (block_.operators() != nullptr) {
      for (const tosa::TosaOperator* op : *block_.operators()) {
        if (!edges_.operators.contains(op)) source_.attempt([&] { read_results(*op); });
      }
    }
    if (!floats_.empty()) source_.attempt([&] { refuse_floats(); });
  }

  void read_all_operands() {
    for (const auto& [op, index] : pending_) {
      // A structured binding cannot be captured.
      const tosa::TosaOperator& file_op = *op;
      ir::Operator& result = graph_.operators[index];
      source_.attempt([&] { read_operands(file_op, result); });
    }
    if (block_.outputs() == nullptr) return;
    for (const auto* name : *block_.outputs()) source_.attempt([&] { graph_.outputs.push_back(refer_output(name)); });
  }

  /// A float input that the host makes integers of is the tensor of these, under its own name.
  ir::TensorId define_input(const flatbuffers::String* name) {
    constexpr Place kList{"the list of graph inputs", ir::ErrorIf::WrongInputList};
    const auto edge = edges_.inputs.find(checked_name(name));
    if (edge == edges_.inputs.end()) return define(name, kList);
    const ir::TensorId id = define_by_name(edge->second, kList);
    graph_.tensors[id].name = edge->first;
    return id;
  }

  /// A float output is the tensor of integers that it is made of, under its own name: a tensor has one.
  ir::TensorId refer_output(const flatbuffers::String* name) {
    constexpr Place kList{"the list of graph outputs", ir::ErrorIf::WrongOutputList};
    const auto edge = edges_.outputs.find(checked_name(name));
    if (edge == edges_.outputs.end()) return refer(name, kList);
    const ir::TensorId codes = refer_by_name(edge->second, kList);
    const auto is_end = [&](const std::vector<ir::TensorId>& ends) {
      return std::find(ends.begin(), ends.end(), codes) != ends.end();
    };
    const bool is_output = std::any_of(block_.outputs()->begin(), block_.outputs()->end(), [&](const auto* other) {
      return other != nullptr && other->string_view() == edge->second;
    });
    ir::TensorInfo& info = graph_.tensors[codes];
    if (!is_output && !info.constant && !is_end(graph_.inputs) && !is_end(graph_.outputs)) {
      info.name = edge->first;
      return codes;
    }
    ir::TensorInfo copied{edge->first, info.type, info.shape, nullptr};
    const auto id = static_cast<ir::TensorId>(graph_.tensors.size());
    graph_.tensors.push_back(std::move(copied));
    ir::Operator identity;
    identity.kind = ir::OpKind::Identity;
    identity.inputs = {codes};
    identity.outputs = {id};
    graph_.operators.push_back(std::move(identity));
    return id;
  }

  /// Puts a tensor into the graph where its producer is met (or where it is a graph input).
  ir::TensorId define(const flatbuffers::String* name_string, const Place& producer) {
    return define_by_name(checked_name(name_string), producer);
  }
  ir::TensorId define_by_name(std::string_view name, const Place& producer) {
    const auto it = declarations_.find(name);
    if (it == declarations_.end())
      source_.fail(producer.rule, "{} names tensor '{}', which is not declared", producer.who, name);
    Declaration& declaration = it->second;
    if (declaration.id >= 0) source_.fail("tensor '{}' has two producers, allowed is one", name);
    source_.charge(name.size() + sizeof(ir::TensorInfo));
    ir::TensorInfo info;
    info.name = std::string(name);
    if (declaration.tensor != nullptr) {
      if (declaration.tensor->variable()) uses_.refuse(name, producer.who, "gives");
      if (is_float(declaration.tensor->type()))
        floats_.push_back(declaration.tensor);  // refused all at once
      else
        info.type = read_type(source_, name, declaration.tensor->type());
      info.shape = read_shape(source_, name, *declaration.tensor);
    } else {
      info.type = base::ElementType::Shape;
      info.shape = {declaration.shape->rank()};
    }
    declaration.id = static_cast<ir::TensorId>(graph_.tensors.size());
    graph_.tensors.push_back(std::move(info));
    return declaration.id;
  }

  /// The first operator, constants apart, that has the tensor among its results or operands; null without one.
  [[nodiscard]] const tosa::TosaOperator* find_operator(std::string_view tensor, bool as_result) const {
    if (block_.operators() == nullptr) return nullptr;
    for (const tosa::TosaOperator* op : *block_.operators()) {
      const Names* names = as_result ? op->outputs() : op->inputs();
      if (names == nullptr || op->op() == tosa::Op::CONST) continue;
      for (const auto* name : *names) {
        if (name != nullptr && name->string_view() == tensor) return op;
      }
    }
    return nullptr;
  }

  /// Says which operator of which layer of the source network the first tensor of floating point belongs to: all of a
  /// network in floating point have the same remedy.
  [[noreturn]] void refuse_floats() const {
    const std::string_view name = floats_.front()->name()->string_view();
    const tosa::TosaOperator* producer = find_operator(name, true);
    const tosa::TosaOperator* reader = find_operator(name, false);
    const std::string place = producer != nullptr ? fmt::format(", the result of {},", operator_text(*producer))
                              : reader != nullptr ? fmt::format(", read by {},", operator_text(*reader))
                                                  : "";
    const std::string more = floats_.size() > 1 ? fmt::format(" (tensors of floating point: {})", floats_.size()) : "";
    source_.fail(
        "tensor '{}'{} is {}{}; the NPU is integer only (bool, int4, int8, int16, int32, int48): quantize all of the "
        "network (docs/guides/your-own-network.md)",
        name, place, tosa::EnumNameDType(floats_.front()->type()), more);
  }

  /// "CONV2D at 'conv1/Relu'": an operator of any number, with the layer of the source network where it is known.
  static std::string operator_text(const tosa::TosaOperator& op) {
    const auto number = static_cast<uint32_t>(op.op());
    const bool is_known = number >= 1 && number <= ir::kNumOpKinds;
    std::string text =
        is_known ? std::string(ir::to_string(static_cast<ir::OpKind>(number))) : fmt::format("operator number {}", number);
    if (op.location() == nullptr || op.location()->text() == nullptr) return text;
    const std::string layer = location_name(op.location()->text()->string_view());
    return layer.empty() ? text : fmt::format("{} at '{}'", text, layer);
  }

  ir::TensorId refer(const flatbuffers::String* name_string, const Place& reader) {
    return refer_by_name(checked_name(name_string), reader);
  }
  [[nodiscard]] ir::TensorId refer_by_name(std::string_view name, const Place& reader) {
    const auto it = declarations_.find(name);
    if (it == declarations_.end()) {
      if (const std::optional<ir::TensorId> id = constant_around(name)) return *id;
      source_.fail(reader.rule, "{} names tensor '{}', which is not declared", reader.who, name);
    }
    if (it->second.id < 0) {
      if (it->second.tensor != nullptr && it->second.tensor->variable()) uses_.refuse(name, reader.who, "reads");
      source_.fail(reader.rule, "{} reads tensor '{}', which is neither a graph input nor produced by an operator",
                   reader.who, name);
    }
    return it->second.id;
  }

  /// A constant of the graph around this one, which becomes one of this graph's.
  std::optional<ir::TensorId> constant_around(std::string_view name) {
    if (around_ == nullptr) return std::nullopt;
    const auto of_name = [&](const auto& tensors) { return std::ranges::find(tensors, name, &ir::TensorInfo::name); };
    if (const auto taken = of_name(graph_.tensors); taken != graph_.tensors.end())
      return static_cast<ir::TensorId>(taken - graph_.tensors.begin());
    const auto found = of_name(around_->tensors);
    if (found == around_->tensors.end() || !found->constant) return std::nullopt;
    source_.charge(name.size() + sizeof(ir::TensorInfo));
    graph_.tensors.push_back(*found);
    return static_cast<ir::TensorId>(graph_.tensors.size() - 1);
  }

  [[nodiscard]] ir::OpKind read_kind(const tosa::TosaOperator& op) const {
    const auto number = static_cast<uint32_t>(op.op());
    if (number < 1 || number > ir::kNumOpKinds) {
      source_.fail("operator number {} is unknown, TOSA 1.0 has 1 to {}", number, ir::kNumOpKinds);
    }
    const auto kind = static_cast<ir::OpKind>(number);
    if (ir::is_float_only(kind)) {
      source_.fail(
          "operator {} is floating point; the NPU is integer only (docs/guides/your-own-network.md): supported are {}",
          operator_text(op), ir::supported_operators());
    }
    if (!ir::is_supported(kind)) {
      source_.fail("operator {} is not there yet, supported are {}", operator_text(op), ir::supported_operators());
    }
    return kind;
  }

  /// First pass, in the order of the file: operators may stand before the producers of their inputs.
  void read_results(const tosa::TosaOperator& op) {
    const ir::OpKind kind = read_kind(op);
    const std::string_view name = ir::to_string(kind);
    const Names* outputs = op.outputs();
    const Names* inputs = op.inputs();
    const size_t num_results = outputs == nullptr ? 0 : outputs->size();
    if (const std::optional<VariableUse> use = uses_.use_of(op, kind)) return read_variable_use(op, kind, *use);
    if (num_results == 0 || (num_results > 1 && !ir::is_control_flow(kind))) {
      source_.fail(ir::ErrorIf::WrongOutputList, "{} has {} results, needed is 1{}", name, num_results,
                   ir::is_control_flow(kind) ? " or more" : "");
    }
    if (kind == ir::OpKind::Const || kind == ir::OpKind::ConstShape) {
      if (inputs != nullptr && inputs->size() != 0)
        source_.fail(ir::ErrorIf::WrongInputList, "{} has {} operands, needed are none", name, inputs->size());
      read_constant_result(kind, outputs->Get(0));
      return;
    }
    ir::Operator result = begin_operator(op, kind);
    for (const auto* output : *outputs) result.outputs.push_back(define(output, {name, ir::ErrorIf::WrongOutputList}));
    pending_.emplace_back(&op, graph_.operators.size());
    graph_.operators.push_back(std::move(result));
  }

  /// With what is known without its tensors.
  ir::Operator begin_operator(const tosa::TosaOperator& op, ir::OpKind kind) {
    ir::Operator result;
    result.kind = kind;
    if (op.location() != nullptr && op.location()->text() != nullptr) {
      const std::string_view text = op.location()->text()->string_view();
      source_.charge(text.size());
      result.location = location_name(text);
    }
    return result;
  }

  /// VARIABLE_READ, VARIABLE_WRITE, or from one variable to another both.
  void read_variable_use(const tosa::TosaOperator& op, ir::OpKind kind, const VariableUse& use) {
    std::vector<ir::TensorId> value;  // that is written, where it was read just before
    if (use.read) {
      ir::Operator read = begin_operator(op, ir::OpKind::VariableRead);
      read.attributes = ir::VariableAttributes{use.read->name};
      read.outputs = {use.written ? add_variable_tensor(*use.read, "read")
                                  : define(op.outputs()->Get(0), {ir::to_string(kind), ir::ErrorIf::WrongOutputList})};
      value = read.outputs;
      graph_.operators.push_back(std::move(read));
    }
    if (!use.written) return;
    ir::Operator write = begin_operator(op, ir::OpKind::VariableWrite);
    write.attributes = ir::VariableAttributes{use.written->name};
    write.outputs = {add_variable_tensor(*use.written, "written")};
    if (use.read) {
      write.inputs = value;
    } else {
      pending_.emplace_back(&op, graph_.operators.size());
    }
    graph_.operators.push_back(std::move(write));
  }

  /// A value of the variable that no tensor of the file stands for.
  ir::TensorId add_variable_tensor(const ir::Variable& variable, std::string_view role) {
    std::string name = fmt::format("{}/{}", variable.name, role);
    while (declarations_.contains(name) || !variable_tensors_.insert(name).second) name += "'";
    source_.charge(name.size() + sizeof(ir::TensorInfo));
    graph_.tensors.push_back({std::move(name), variable.type, variable.shape, nullptr});
    return static_cast<ir::TensorId>(graph_.tensors.size() - 1);
  }

  void read_constant_result(ir::OpKind kind, const flatbuffers::String* name_string) {
    const ir::TensorId id = define(name_string, {ir::to_string(kind), ir::ErrorIf::WrongOutputList});
    ir::TensorInfo& info = graph_.tensors.back();
    const Declaration& declaration = declarations_.at(name_string->string_view());
    VERNIER_CHECK(declaration.id == id, "'{}' was defined last", info.name);
    if ((kind == ir::OpKind::ConstShape) != (declaration.shape != nullptr)) {
      source_.fail("{} gives '{}', which is {}", ir::to_string(kind), info.name,
                   declaration.shape != nullptr ? "a shape" : "no shape");
    }
    if (!floats_.empty() && floats_.back() == declaration.tensor) return;
    info.constant = std::make_shared<const base::Tensor>(declaration.shape != nullptr
                                                             ? read_constant_shape(source_, info.name, *declaration.shape)
                                                             : read_constant(source_, info, *declaration.tensor));
  }

  /// Second pass: what the operator reads, and its attributes.
  void read_operands(const tosa::TosaOperator& op, ir::Operator& result) {
    if (op.inputs() != nullptr) {
      source_.charge(op.inputs()->size() * sizeof(ir::TensorId));
      const Place reader{ir::to_string(result.kind), ir::ErrorIf::WrongInputList};
      for (const auto* name : *op.inputs()) result.inputs.push_back(refer(name, reader));
    }
    if (result.kind == ir::OpKind::VariableWrite) return;
    const ir::TensorId typed = result.inputs.empty() ? result.outputs[0] : result.inputs[0];
    result.attributes = read_attributes(source_, result.kind, op, graph_.tensor(typed).type);
  }

  Source& source_;
  const tosa::TosaBasicBlock& block_;
  const FloatEdges& edges_;
  const ir::Graph* around_;  // null: none
  VariableUses uses_;
  std::set<std::string> variable_tensors_;
  ir::Graph graph_;
  std::unordered_map<std::string_view, Declaration> declarations_;
  std::vector<const tosa::TosaTensor*> floats_;
  std::vector<std::pair<const tosa::TosaOperator*, size_t>> pending_;  // index into graph_.operators
};

}  // namespace

ir::Graph read_block(Source& source, const tosa::TosaBasicBlock& block, const FloatEdges& edges, VariableList& variables,
                     const ir::Graph* around) {
  return BlockReader(source, block, edges, variables, around).run();
}

}  // namespace vernier::import
