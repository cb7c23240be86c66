// SPDX-License-Identifier: Apache-2.0
// VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE, and CALL_ONCE, whose subgraph gives variables their first values; and the
// variable tensors of operators with a state.
#include "compiler/import/tflite/operators/operators.hpp"
#include "compiler/import/tflite/operators/states.hpp"

#include <algorithm>
#include <memory>

namespace vernier::import::lite {

namespace {

using base::ElementType;
using ir::OpKind;

std::string name_of(const LiteOperator& op) {
  const auto& options = options_of(op, &tflite::Operator::builtin_options_as_VarHandleOptions);
  const std::string name = options.shared_name() == nullptr ? "" : options.shared_name()->str();
  const std::string container = options.container() == nullptr ? "" : options.container()->str();
  if (name.empty()) refuse("names no variable");
  return container.empty() ? name : fmt::format("{}/{}", container, name);
}

/// The variable, which is there from the first operator on that uses it.
ir::Variable& variable_of(LiteLowering& lowering, const std::string& name, const LiteTensor& value) {
  const auto type = element_type_of(value.type);
  if (!type) refuse("variable '{}' is {}, allowed are integers", name, type_in_file(value));
  std::vector<ir::Variable>& variables = lowering.variables;
  const auto found =
      std::find_if(variables.begin(), variables.end(), [&](const ir::Variable& one) { return one.name == name; });
  if (found == variables.end()) return variables.emplace_back(ir::Variable{name, *type, value.shape, nullptr});
  if (found->type != *type || found->shape != value.shape)
    refuse("variable '{}' is {} of {}, and '{}' {} of {}", name, base::to_string(found->shape), base::to_string(found->type),
           value.name, base::to_string(value.shape), type_in_file(value));
  return *found;
}

}  // namespace

State read_state(LiteLowering& lowering, const LiteOperator& op, size_t index) {
  const LiteTensor& tensor = lowering.input(op, index);
  if (!tensor.is_variable) refuse("its state '{}' is no variable tensor", tensor.name);
  const auto part = &lowering.network - lowering.file.data();
  const std::string name = part == 0 ? tensor.name : fmt::format("subgraph_{}/{}", part, tensor.name);
  ir::Variable& variable = variable_of(lowering, name, tensor);
  if (variable.initial == nullptr) {
    base::Tensor first(variable.type, variable.shape);
    const bool is_code = variable.type == ElementType::Int8 && !tensor.zero_points.empty();
    for (int64_t i = 0; is_code && i < first.size(); ++i) first.set(i, zero_point_of(tensor));
    variable.initial = std::make_shared<const base::Tensor>(std::move(first));
  }
  const Id value =
      lowering.add(op, OpKind::VariableRead, ir::VariableAttributes{name}, {}, variable.type, variable.shape, "state");
  return {name, value};
}

void write_state(LiteLowering& lowering, const State& state, Id value) {
  const ir::TensorInfo info = lowering.graph.tensor(value);
  lowering.graph.add(OpKind::VariableWrite, ir::VariableAttributes{state.name}, {value},
                     {info.type, info.shape, state.name + "/written"}, state.name);
}

void lower_var_handle(LiteLowering& lowering, const LiteOperator& op) {
  lowering.define_handle(op.outputs.at(0), name_of(op));
}

void lower_read_variable(LiteLowering& lowering, const LiteOperator& op) {
  const std::string& name = lowering.handle(op);
  const ir::Variable variable = variable_of(lowering, name, lowering.output(op));
  lowering.finish(
      op, lowering.add(op, OpKind::VariableRead, ir::VariableAttributes{name}, {}, variable.type, variable.shape, "read"));
}

void lower_assign_variable(LiteLowering& lowering, const LiteOperator& op) {
  const std::string& name = lowering.handle(op);
  const ir::Variable variable = variable_of(lowering, name, lowering.input(op, 1));
  lowering.graph.add(OpKind::VariableWrite, ir::VariableAttributes{name}, {lowering.value(op, 1)},
                     {variable.type, variable.shape, name + "/written"}, name);
}

void lower_call_once(LiteLowering& lowering, const LiteOperator& op) {
  const int32_t index = options_of(op, &tflite::Operator::builtin_options_as_CallOnceOptions).init_subgraph_index();
  if (index < 1 || index >= std::ssize(lowering.file)) refuse("calls subgraph {}, {}", index, others_of(lowering.file));
  const LiteNetwork& first = lowering.file[static_cast<size_t>(index)];
  LiteLowering inside(lowering.file, first, lowering.variables, nullptr, lowering.flavour);
  for (const LiteOperator& one : first.operators) {
    if (one.code == tflite::BuiltinOperator::VAR_HANDLE) {
      lower_var_handle(inside, one);
    } else if (one.code == tflite::BuiltinOperator::ASSIGN_VARIABLE) {
      const std::string& name = inside.handle(one);
      ir::Variable& variable = variable_of(lowering, name, inside.input(one, 1));
      base::Tensor values(variable.type, variable.shape);
      const std::vector<int64_t> elements = inside.elements(one, 1, "the first value");
      for (size_t i = 0; i < elements.size(); ++i) values.set(static_cast<int64_t>(i), elements[i]);
      variable.initial = std::make_shared<const base::Tensor>(std::move(values));
    } else {
      refuse("its subgraph has {}, allowed are VAR_HANDLE and ASSIGN_VARIABLE of constants", one.kind);
    }
  }
}

}  // namespace vernier::import::lite
