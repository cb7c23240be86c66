// SPDX-License-Identifier: Apache-2.0
// Operations in the generic form, and in the pretty forms of builtin, func, arith.constant and tosa.
#include "compiler/import/mlir/parser.hpp"

#include <algorithm>

namespace vernier::import::mlir {

namespace {

constexpr int64_t kMostResults = 1024;

bool is_known(std::string_view name) {
  return name.starts_with("tosa.") || name.starts_with("func.") || name == "builtin.module" || name == "arith.constant";
}

}  // namespace

std::string_view Parser::parse_value_name() {
  cursor_.expect("%");
  return cursor_.suffix();
}

Use Parser::parse_use() {
  Use use;
  use.position = cursor_.position();
  use.name = parse_value_name();
  if (cursor_.take("#")) {
    const auto number = cursor_.integer();
    if (!number || *number < 0) cursor_.fail("expected the number of a result, found {}", cursor_.found());
    use.number = *number;
  }
  return use;
}

std::vector<Use> Parser::parse_uses() {
  std::vector<Use> uses;
  if (cursor_.peek() != '%') return uses;
  do {
    uses.push_back(parse_use());
  } while (cursor_.take(","));
  return uses;
}

void Parser::parse_location(Operation& operation) {
  const size_t position = cursor_.position();
  if (!cursor_.take("loc(")) return;
  operation.location = position;
  while (!cursor_.take(")")) {
    cursor_.skip_balanced();
    if (cursor_.peek() != ')') cursor_.expect(",");
  }
}

/// (%NAME: TYPE {ATTRIBUTES} loc(...), ...)
std::vector<Argument> Parser::parse_arguments() {
  std::vector<Argument> arguments;
  if (!cursor_.take("(") || cursor_.take(")")) return arguments;
  do {
    Argument argument;
    argument.position = cursor_.position();
    if (cursor_.peek() == '%') {
      argument.name = parse_value_name();
      cursor_.expect(":");
    }
    argument.type = parse_type();
    parse_optional_dictionary(argument.attributes);
    Operation place;
    parse_location(place);
    arguments.push_back(std::move(argument));
  } while (cursor_.take(","));
  cursor_.expect(")");
  return arguments;
}

/// (%NAME = %OPERAND, ...): the arguments of the regions and what they are at first. Nothing where no "(" comes.
std::vector<Argument> Parser::parse_bindings(Operation& operation) {
  std::vector<Argument> arguments;
  if (!cursor_.take("(") || cursor_.take(")")) return arguments;
  do {
    Argument argument;
    argument.position = cursor_.position();
    argument.name = parse_value_name();
    cursor_.expect("=");
    operation.operands.push_back(parse_use());
    arguments.push_back(std::move(argument));
  } while (cursor_.take(","));
  cursor_.expect(")");
  return arguments;
}

/// { ^NAME(ARGUMENTS): OPERATIONS }, of one block.
Region Parser::parse_region() {
  check_depth(++depth_);
  Region region;
  cursor_.expect("{");
  if (cursor_.take("^")) {
    cursor_.suffix();
    region.arguments = parse_arguments();
    cursor_.expect(":");
  }
  region.operations = parse_operations("}");
  --depth_;
  return region;
}

std::vector<Operation> Parser::parse_operations(std::string_view end) {
  std::vector<Operation> operations;
  while (!cursor_.take(end)) {
    if (cursor_.is_at_end()) cursor_.fail("expected '{}', found {}", end, cursor_.found());
    if (cursor_.peek() == '^') cursor_.fail("a region has a second block here, allowed is one");
    parse_operation(operations);
  }
  return operations;
}

/// %NAME, %NAME:COUNT, ... =
void Parser::parse_results(Operation& operation) {
  if (cursor_.peek() != '%') return;
  int64_t total = 0;
  do {
    ResultName result;
    result.name = parse_value_name();
    if (cursor_.take(":")) {
      const auto count = cursor_.integer();
      if (!count || *count < 1 || *count > kMostResults)
        cursor_.fail("expected the number of results, 1 to {}, found {}", kMostResults, cursor_.found());
      result.count = *count;
    }
    total += result.count;
    operation.results.push_back(result);
  } while (cursor_.take(",") && total <= kMostResults);
  cursor_.expect("=");
}

void Parser::parse_operation(std::vector<Operation>& operations) {
  Operation operation;
  parse_results(operation);
  operation.position = cursor_.position();
  if (cursor_.peek() == '"') {
    operation.name = cursor_.string();
    if (!is_known(operation.name)) refuse_dialect(operation);
    parse_generic(operation);
  } else {
    operation.name = cursor_.word();
    if (operation.name.empty()) cursor_.fail("expected an operation, found {}", cursor_.found());
    if (!parse_form(operation)) {
      // Its text has a form of its own, which its dialect alone knows.
      operation.name = "unknown";
      cursor_.skip_line();
      operations.push_back(std::move(operation));
      return;
    }
  }
  parse_location(operation);
  int64_t num_names = 0;
  for (const ResultName& result : operation.results) num_names += result.count;
  if (num_names != std::ssize(operation.result_types) && num_names > 0)
    source_.fail(operation.position, "{} has {} names for {} results", operation.name, num_names,
                 operation.result_types.size());
  operations.push_back(std::move(operation));
}

void Parser::refuse_dialect(const Operation& operation) {
  source_.add_mistake(operation.position, "'{}' is no operation of the dialects that are read: builtin, func and tosa",
                      operation.name);
}

/// The rest of an operation in its pretty form; false, and a mistake, where the form is not known.
bool Parser::parse_form(Operation& operation) {
  const std::string& name = operation.name;
  if (name == "module" || name == "builtin.module") {
    parse_module(operation);
  } else if (name == "func.func") {
    parse_function(operation);
  } else if (name == "return" || name == "func.return" || name == "tosa.yield") {
    parse_return(operation);
  } else if (name == "arith.constant") {
    parse_arith_constant(operation);
  } else if (name == "tosa.cond_if") {
    parse_cond_if(operation);
  } else if (name == "tosa.while_loop") {
    parse_while_loop(operation);
  } else if (name == "tosa.variable") {
    parse_variable(operation);
  } else if (name == "tosa.variable_read" || name == "tosa.variable_write") {
    parse_variable_use(operation, name == "tosa.variable_write");
  } else if (name.starts_with("tosa.")) {
    parse_tosa(operation);
  } else {
    source_.add_mistake(operation.position, "'{}' is no operation of the dialects that are read: builtin, func and tosa",
                        name);
    return false;
  }
  return true;
}

/// "NAME"(%OPERAND, ...) <{PROPERTIES}> ({REGION}, ...) {ATTRIBUTES} : FUNCTION TYPE, the name taken.
void Parser::parse_generic(Operation& operation) {
  cursor_.expect("(");
  operation.operands = parse_uses();
  cursor_.expect(")");
  if (cursor_.peek() == '[') cursor_.fail("{} has successors, allowed are regions of one block", operation.name);
  parse_optional_dictionary(operation.attributes);
  if (cursor_.take("(")) {
    do {
      operation.regions.push_back(parse_region());
    } while (cursor_.take(","));
    cursor_.expect(")");
  }
  parse_optional_dictionary(operation.attributes);
  cursor_.expect(":");
  parse_function_type(operation);
}

/// @NAME attributes {...} { ... }
void Parser::parse_module(Operation& operation) {
  operation.name = "builtin.module";
  if (cursor_.take("@")) cursor_.suffix();
  if (cursor_.take_word("attributes")) parse_optional_dictionary(operation.attributes);
  operation.regions.push_back(parse_region());
}

/// private @NAME(ARGUMENTS) -> (TYPE {ATTRIBUTES}, ...) attributes {...} { ... }; without a body it is a declaration.
void Parser::parse_function(Operation& operation) {
  for (const std::string_view visibility : {"public", "private", "nested"}) {
    if (cursor_.take_word(visibility)) break;
  }
  Attribute name;
  name.kind = Attribute::Kind::String;
  cursor_.expect("@");
  name.text = cursor_.peek() == '"' ? cursor_.string() : std::string(cursor_.suffix());
  if (cursor_.peek() != '(') cursor_.fail("expected the arguments of the function, found {}", cursor_.found());
  std::vector<Argument> arguments = parse_arguments();
  if (cursor_.take("->")) parse_function_results(operation);
  if (cursor_.take_word("attributes")) parse_optional_dictionary(operation.attributes);
  operation.attributes.push_back({"sym_name", std::move(name)});
  if (cursor_.peek() != '{') return;
  Region body = parse_region();
  body.arguments = std::move(arguments);
  operation.regions.push_back(std::move(body));
}

void Parser::parse_function_results(Operation& operation) {
  std::vector<Dictionary> attributes;
  if (!cursor_.take("(")) {
    parse_type();
    attributes.emplace_back();
  } else if (!cursor_.take(")")) {
    do {
      parse_type();
      parse_optional_dictionary(attributes.emplace_back());
    } while (cursor_.take(","));
    cursor_.expect(")");
  }
  operation.result_attributes = std::move(attributes);
}

/// %VALUE, ... : TYPE, ...
void Parser::parse_return(Operation& operation) {
  if (operation.name == "return") operation.name = "func.return";
  operation.operands = parse_uses();
  parse_optional_dictionary(operation.attributes);
  if (operation.operands.empty() && cursor_.peek() != ':') return;
  cursor_.expect(":");
  do {
    operation.operand_types.push_back(parse_type());
  } while (cursor_.take(","));
}

void Parser::parse_arith_constant(Operation& operation) {
  parse_optional_dictionary(operation.attributes);
  Attribute value = parse_attribute();
  operation.result_types = {value.kind == Attribute::Kind::Dense ? value.dense.type : value.type};
  operation.attributes.push_back({"value", std::move(value)});
}

/// %OPERAND, ... {ATTRIBUTES} : FUNCTION TYPE
void Parser::parse_tosa(Operation& operation) {
  operation.operands = parse_uses();
  parse_optional_dictionary(operation.attributes);
  cursor_.expect(":");
  parse_function_type(operation);
}

/// %CONDITION (%ARGUMENT = %OPERAND, ...) : TYPE (TYPE, ...) -> TYPES {...} else {...}; without arguments the regions read
/// the values around them.
void Parser::parse_cond_if(Operation& operation) {
  operation.operands.push_back(parse_use());
  const std::vector<Argument> arguments = parse_bindings(operation);
  if (cursor_.take(":")) {
    operation.operand_types.push_back(parse_type());
    if (cursor_.peek() == '(') {
      for (Type& type : parse_types()) operation.operand_types.push_back(std::move(type));
    }
  }
  cursor_.expect("->");
  operation.result_types = parse_types();
  operation.regions.push_back(parse_region());
  if (cursor_.take_word("else")) operation.regions.push_back(parse_region());
  for (Region& region : operation.regions) {
    if (!region.arguments.empty() || arguments.empty()) continue;
    region.arguments = arguments;
    for (size_t i = 0; i < arguments.size() && i + 1 < operation.operand_types.size(); ++i)
      region.arguments[i].type = operation.operand_types[i + 1];
  }
  parse_optional_dictionary(operation.attributes);
}

/// (%ARGUMENT = %OPERAND, ...) : (TYPE, ...) -> TYPES {...} do {...}
void Parser::parse_while_loop(Operation& operation) {
  std::vector<Argument> arguments = parse_bindings(operation);
  cursor_.expect(":");
  parse_function_type(operation);
  operation.regions.push_back(parse_region());
  if (!cursor_.take_word("do")) cursor_.fail("expected 'do', found {}", cursor_.found());
  operation.regions.push_back(parse_region());
  for (size_t i = 0; i < arguments.size() && i < operation.operand_types.size(); ++i)
    arguments[i].type = operation.operand_types[i];
  for (Region& region : operation.regions) {
    if (region.arguments.empty()) region.arguments = arguments;
  }
  parse_optional_dictionary(operation.attributes);
}

/// @NAME = dense<...> : TYPE, or @NAME : TYPE.
void Parser::parse_variable(Operation& operation) {
  operation.attributes.push_back({"sym_name", parse_attribute()});
  parse_optional_dictionary(operation.attributes);
  Type type;
  if (cursor_.take("=")) {
    Attribute initial = parse_attribute();
    type = initial.dense.type;
    operation.attributes.push_back({"initial_value", std::move(initial)});
  } else {
    cursor_.expect(":");
    type = parse_type();
  }
  operation.operand_types = {std::move(type)};
}

/// @NAME : TYPE, or @NAME, %VALUE : TYPE.
void Parser::parse_variable_use(Operation& operation, bool is_write) {
  operation.attributes.push_back({"name", parse_attribute()});
  if (is_write) {
    cursor_.expect(",");
    operation.operands.push_back(parse_use());
  }
  parse_optional_dictionary(operation.attributes);
  cursor_.expect(":");
  (is_write ? operation.operand_types : operation.result_types).push_back(parse_type());
}

}  // namespace vernier::import::mlir
