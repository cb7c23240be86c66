// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tosa/tosa_variables.hpp"

#include "tosa_generated.h"
#include <algorithm>

namespace vernier::import {
namespace {

using VariableNames = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;

/// The one name of a list; "" where there is another number of them.
std::string_view only_name(const VariableNames* names) {
  if (names == nullptr || names->size() != 1 || names->Get(0) == nullptr) return "";
  return names->Get(0)->string_view();
}

size_t count_of(const VariableNames* names) { return names == nullptr ? 0 : names->size(); }

std::string text_of(const ir::Variable& variable) {
  return fmt::format("{}{}", base::to_string(variable.type), base::to_string(variable.shape));
}

/// Where the file gives one: writers leave the data of the others empty.
std::shared_ptr<const base::Tensor> first_value(Source& source, const ir::Variable& variable,
                                                const tosa::TosaTensor& tensor) {
  const bool is_outside = tensor.offset() > 1 || tensor.size() > 0;
  if (!is_outside && (tensor.data() == nullptr || tensor.data()->size() == 0)) return nullptr;
  return std::make_shared<const base::Tensor>(
      read_constant(source, {variable.name, variable.type, variable.shape, nullptr}, tensor));
}

}  // namespace

size_t VariableList::take(Source& source, const tosa::TosaTensor& tensor) {
  const std::string_view tensor_name = tensor.name()->string_view();
  if (tensor.variable_name() == nullptr || tensor.variable_name()->size() == 0)
    source.fail("tensor '{}' is a variable without a name (variable_name)", tensor_name);
  ir::Variable variable;
  source.charge(tensor.variable_name()->size() + sizeof(ir::Variable));
  variable.name = tensor.variable_name()->str();
  if (is_float(tensor.type())) {
    source.fail("variable '{}' is {}, which EXT-VARIABLE has with profile PRO-FP; the NPU is integer only", variable.name,
                tosa::EnumNameDType(tensor.type()));
  }
  variable.type = read_type(source, tensor_name, tensor.type());
  variable.shape = read_shape(source, tensor_name, tensor);
  if (std::ranges::find(variable.shape, -1) != variable.shape.end())
    source.fail("variable '{}' has the shape {}, its dimensions have to be fixed", variable.name,
                base::to_string(variable.shape));
  variable.initial = first_value(source, variable, tensor);
  const auto [place, is_new] = by_name_.try_emplace(variable.name, variables_.size());
  if (is_new) {
    variables_.push_back(std::move(variable));
    return place->second;
  }
  ir::Variable* const before = &variables_[place->second];
  if (before->type != variable.type || before->shape != variable.shape)
    source.fail("variable '{}' is {} in one block and {} in another", variable.name, text_of(*before), text_of(variable));
  if (before->initial && variable.initial && *before->initial != *variable.initial)
    source.fail("variable '{}' has two first values, one in each of two blocks", variable.name);
  if (!before->initial) before->initial = std::move(variable.initial);
  return place->second;
}

void VariableUses::declare(const tosa::TosaTensor& tensor) {
  if (!tensor.variable()) return;
  const size_t number = list_.take(source_, tensor);
  const auto [place, is_new] = tensors_.try_emplace(number, tensor.name()->string_view());
  if (!is_new)
    source_.fail("variable '{}' is declared twice in a block, as tensor '{}' and as '{}'", list_.at(number).name,
                 place->second, tensor.name()->string_view());
  numbers_.emplace(tensor.name()->string_view(), number);
}

const ir::Variable* VariableUses::variable_of(std::string_view tensor) const {
  const auto found = numbers_.find(tensor);
  return found == numbers_.end() ? nullptr : &list_.at(found->second);
}

void VariableUses::declare_by_operator(std::string_view tensor) {
  const auto found = numbers_.find(tensor);
  if (found == numbers_.end()) source_.fail("VARIABLE declares tensor '{}', which is no variable", tensor);
  if (!of_operators_.insert(found->second).second)
    source_.fail("VARIABLE declares '{}' twice, names are unique", list_.at(found->second).name);
}

std::optional<VariableUse> VariableUses::use_of(const tosa::TosaOperator& op, ir::OpKind kind) {
  const auto member = op.attribute_type();
  const bool says_read = kind == ir::OpKind::VariableRead || member == tosa::Attribute::VariableReadAttribute;
  const bool says_write = kind == ir::OpKind::VariableWrite || member == tosa::Attribute::VariableWriteAttribute;
  const bool says_both = kind == ir::OpKind::Identity || says_read || says_write;
  if (kind == ir::OpKind::Variable) {
    if (count_of(op.inputs()) != 0)
      source_.fail(ir::ErrorIf::WrongInputList, "VARIABLE has {} operands, needed are none", count_of(op.inputs()));
    if (count_of(op.outputs()) != 1)
      source_.fail(ir::ErrorIf::WrongOutputList, "VARIABLE has {} results, needed is 1", count_of(op.outputs()));
    declare_by_operator(only_name(op.outputs()));
    return VariableUse{};
  }
  if (!says_both) return std::nullopt;
  const std::string_view from = only_name(op.inputs()), to = only_name(op.outputs());
  const VariableUse use{variable_of(from), variable_of(to)};
  if (kind == ir::OpKind::Identity && !says_read && !says_write && use.read == nullptr && use.written == nullptr)
    return std::nullopt;
  const std::string_view name = says_read ? "VARIABLE_READ" : says_write ? "VARIABLE_WRITE" : "IDENTITY";
  if (count_of(op.inputs()) != 1)
    source_.fail(ir::ErrorIf::WrongInputList, "{} has {} operands, needed is 1", name, count_of(op.inputs()));
  if (count_of(op.outputs()) != 1)
    source_.fail(ir::ErrorIf::WrongOutputList, "{} has {} results, needed is 1", name, count_of(op.outputs()));
  if (says_read && use.read == nullptr) source_.fail("VARIABLE_READ reads tensor '{}', which is no variable", from);
  if (says_write && use.written == nullptr) source_.fail("VARIABLE_WRITE gives tensor '{}', which is no variable", to);
  return use;
}

void VariableUses::refuse(std::string_view tensor, std::string_view who, std::string_view does) const {
  const ir::Variable* variable = variable_of(tensor);
  source_.fail("{} {} variable '{}' itself, allowed are VARIABLE_READ, VARIABLE_WRITE and IDENTITY", who, does,
               variable == nullptr ? tensor : std::string_view(variable->name));
}

}  // namespace vernier::import
