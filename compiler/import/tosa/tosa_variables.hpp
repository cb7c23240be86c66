// SPDX-License-Identifier: Apache-2.0
// Variables in the blocks of a .tosa file. Internal to compiler/import/tosa.
//
// The official serialiser writes a tensor with `variable` set into each block that uses the variable, and IDENTITY with the
// attributes of VARIABLE_READ from it, or with those of VARIABLE_WRITE to it. The operators VARIABLE, VARIABLE_READ and
// VARIABLE_WRITE of the schema have no fields either: they are taken with the same tensors.
#pragma once

#include "compiler/import/tosa/tosa_reader.hpp"

#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace vernier::import {

/// What an operator does with variables. Both null: it is VARIABLE, which declares one.
struct VariableUse {
  const ir::Variable* read = nullptr;
  const ir::Variable* written = nullptr;
};

/// The variables of a block, by the names of its tensors.
class VariableUses {
 public:
  VariableUses(Source& source, VariableList& list) : source_(source), list_(list) {}

  /// Takes the tensor where it is a variable. UserError for two tensors of one variable, and as VariableList::take().
  void declare(const tosa::TosaTensor& tensor);
  /// Nothing where the operator has nothing to do with variables. UserError for VARIABLE_READ and VARIABLE_WRITE without
  /// one, a second VARIABLE of a name, and numbers of operands or results that the operators do not have.
  std::optional<VariableUse> use_of(const tosa::TosaOperator& op, ir::OpKind kind);
  /// Only IDENTITY and the operators of variables may name one.
  [[noreturn]] void refuse(std::string_view tensor, std::string_view who, std::string_view does) const;
  /// Whether the file has none up to here.
  [[nodiscard]] bool is_empty() const { return list_.is_empty(); }

 private:
  /// The variable of that tensor; null where it is none.
  [[nodiscard]] const ir::Variable* variable_of(std::string_view tensor) const;
  void declare_by_operator(std::string_view tensor);

  Source& source_;
  VariableList& list_;
  std::map<std::string_view, size_t> numbers_;  // by tensor
  std::map<size_t, std::string_view> tensors_;  // by number
  std::set<size_t> of_operators_;               // that a VARIABLE declares
};

}  // namespace vernier::import
