// SPDX-License-Identifier: Apache-2.0
// VARIABLE_READ and VARIABLE_WRITE against the variables of the main graph (TOSA 1.0, section 2.14). TOSA calls what is
// found here unpredictable (a REQUIRE); all of it is known before anything runs, so that it is an error.
#include "compiler/ir/verify_context.hpp"

#include <set>

namespace vernier::ir {
namespace {

/// The variable that the operator names. TOSA's table has int8 alone among the integers; the other types are what networks
/// with state need: an LSTM of int8 has a cell state of int16.
const Variable& variable_to_use(const VerifyContext& c, size_t num_operands) {
  if (c.op.outputs.size() != 1)
    throw broken_rule(ErrorIf::WrongOutputList, c.file, "{} has {} results, needed is 1", to_string(c.op.kind),
                      c.op.outputs.size());
  if (c.op.inputs.size() != num_operands)
    c.fail(ErrorIf::WrongInputList, "{} operands, needed are {}", c.op.inputs.size(), num_operands);
  const Graph& main = c.main_graph();
  const std::optional<size_t> index = variable_of(main, c.op);
  if (!index)
    c.fail(ErrorIf::WrongAttribute, "no variable is named '{}'", c.op.attributes_as<VariableAttributes>().variable);
  return main.variables[*index];
}

/// The tensor that is read or written has the type and the shape of the variable.
void check_like(const VerifyContext& c, const Variable& variable, const TensorInfo& tensor, ErrorIf type_rule) {
  const auto fail = [&](ErrorIf rule) {
    c.fail(rule, "variable '{}' is {}{}, '{}' is {}{}", variable.name, base::to_string(variable.type),
           base::to_string(variable.shape), tensor.name, base::to_string(tensor.type), base::to_string(tensor.shape));
  };
  if (tensor.type != variable.type) fail(type_rule);
  if (tensor.shape.size() != variable.shape.size()) fail(ErrorIf::RankMismatch);
  if (tensor.shape != variable.shape) fail(ErrorIf::DimensionMismatch);
}

}  // namespace

void check_variable_read(const VerifyContext& c) {
  const Variable& variable = variable_to_use(c, 0);
  if (c.given != nullptr) {
    c.check_output_shape(variable.shape);
  } else {
    check_like(c, variable, c.output(), ErrorIf::WrongOutputType);
  }
}

void check_variable_write(const VerifyContext& c) {
  const Variable& variable = variable_to_use(c, 1);
  check_like(c, variable, c.input(0), ErrorIf::WrongInputType);
  if (c.output().type != variable.type)
    c.fail(ErrorIf::WrongOutputType, "the result is {}, the operand {}", base::to_string(c.output().type),
           base::to_string(variable.type));
  c.check_output_shape(variable.shape);
}

void verify_variables(const Graph& main, const std::string& file, const Level& level) {
  std::set<std::string_view> names;
  for (const Variable& variable : main.variables) {
    if (variable.name.empty()) throw base::UserError(file, "a variable has no name");
    if (!names.insert(variable.name).second)
      throw base::UserError(file, "two variables are called '{}', names are unique", variable.name);
    if (variable.type == base::ElementType::Shape)
      throw base::UserError(file, "variable '{}' is a shape, allowed are tensors", variable.name);
    verify_tensor({variable.name, variable.type, variable.shape, variable.initial}, file, level);
  }
}

}  // namespace vernier::ir
