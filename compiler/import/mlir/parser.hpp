// SPDX-License-Identifier: Apache-2.0
// MLIR text to its syntax: the generic form of every operation, and the pretty forms of builtin.module, func.func, return,
// arith.constant and the TOSA dialect. Internal to compiler/import/mlir.
#pragma once

#include "compiler/import/mlir/cursor.hpp"
#include "compiler/import/mlir/syntax.hpp"

#include <map>

namespace vernier::import::mlir {

class Parser {
 public:
  explicit Parser(Source& source) : source_(source), cursor_(source) {}
  /// Operations of other dialects become mistakes of the source, and the reading goes on at the next line. UserError for
  /// what is no MLIR.
  Module parse();

 private:
  // parse_type.cpp
  Type parse_type();
  Type parse_tensor();
  Type parse_scalar();
  std::vector<Type> parse_types();  // (TYPE, ...), or one
  void parse_function_type(Operation& operation);

  // parse_attribute.cpp
  Attribute parse_attribute();
  Attribute parse_number();
  Attribute parse_dense(bool is_resource);
  Attribute parse_integers();
  Attribute parse_array();
  Attribute parse_hash();
  Attribute parse_bare();
  Dictionary parse_dictionary(std::string_view end);
  void parse_optional_dictionary(Dictionary& dictionary);

  // parse_operation.cpp
  std::vector<Operation> parse_operations(std::string_view end);
  void parse_operation(std::vector<Operation>& operations);
  void parse_results(Operation& operation);
  bool parse_form(Operation& operation);
  void refuse_dialect(const Operation& operation);
  void parse_generic(Operation& operation);
  void parse_module(Operation& operation);
  void parse_function(Operation& operation);
  void parse_function_results(Operation& operation);
  void parse_return(Operation& operation);
  void parse_arith_constant(Operation& operation);
  void parse_tosa(Operation& operation);
  void parse_cond_if(Operation& operation);
  void parse_while_loop(Operation& operation);
  void parse_variable(Operation& operation);
  void parse_variable_use(Operation& operation, bool is_write);
  void parse_location(Operation& operation);
  Region parse_region();
  std::vector<Argument> parse_arguments();
  std::vector<Argument> parse_bindings(Operation& operation);
  Use parse_use();
  std::vector<Use> parse_uses();
  std::string_view parse_value_name();

  // parse_module.cpp
  void parse_alias();
  void parse_trailer();
  void parse_resources(bool is_kept);
  void check_depth(size_t depth);
  void charge_expansion(size_t bytes);

  Source& source_;
  Cursor cursor_;
  Module module_;
  std::map<std::string_view, size_t> attribute_aliases_, type_aliases_;  // where the value begins
  size_t expanded_bytes_ = 0;                                            // of aliases
  size_t depth_ = 0;                                                     // of regions, types and attributes in each other
};

}  // namespace vernier::import::mlir
