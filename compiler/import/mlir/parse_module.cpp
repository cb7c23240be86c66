// SPDX-License-Identifier: Apache-2.0
// The frame of MLIR text: aliases, the module or what stands without one, and the resources at the end.
#include "compiler/import/mlir/parser.hpp"

namespace vernier::import::mlir {

namespace {

constexpr size_t kMostDepth = 64;

}  // namespace

void Parser::check_depth(size_t depth) {
  if (depth > kMostDepth) cursor_.fail("more than {} things lie in each other here", kMostDepth);
}

/// Aliases that name each other twice double with each step.
void Parser::charge_expansion(size_t bytes) {
  constexpr size_t kLeast = size_t{1} << 20;
  expanded_bytes_ += bytes;
  if (expanded_bytes_ > 64 * source_.text().size() + kLeast)
    cursor_.fail("with its aliases the text is more than 64 times as long");
}

/// #NAME = ATTRIBUTE, #NAME = loc(...) or !NAME = TYPE. An alias is read where it is used: locations may stand after that.
void Parser::parse_alias() {
  const bool is_type = cursor_.take("!");
  if (!is_type) cursor_.expect("#");
  const std::string_view name = cursor_.suffix();
  cursor_.expect("=");
  const size_t value = cursor_.position();
  if (cursor_.take("loc(")) {
    module_.location_aliases.emplace_back(name, value);
    while (!cursor_.take(")")) {
      cursor_.skip_balanced();
      if (cursor_.peek() != ')') cursor_.expect(",");
    }
    return;
  }
  (is_type ? type_aliases_ : attribute_aliases_)[name] = value;
  if (is_type) {
    parse_type();
  } else {
    parse_attribute();
  }
}

/// {-# dialect_resources: {builtin: {NAME: "0x...", ...}}, ... #-}, "{-#" taken.
void Parser::parse_trailer() {
  while (!cursor_.take("#-}")) {
    const std::string_view section = cursor_.word();
    cursor_.expect(":");
    cursor_.expect("{");
    while (!cursor_.take("}")) {
      cursor_.word();  // the dialect
      cursor_.expect(":");
      parse_resources(section == "dialect_resources");
      cursor_.take(",");
    }
    cursor_.take(",");
  }
}

/// {NAME: "0x...", ...}, whose values are kept or skipped.
void Parser::parse_resources(bool is_kept) {
  cursor_.expect("{");
  while (!cursor_.take("}")) {
    std::string name = cursor_.peek() == '"' ? cursor_.string() : std::string(cursor_.suffix());
    cursor_.expect(":");
    const size_t begin = cursor_.position();
    if (begin >= source_.text().size()) cursor_.fail("expected the value of a resource, found {}", cursor_.found());
    std::string_view value = cursor_.skip_balanced();
    value = value.substr(0, value.find_last_not_of(" \t\r\n") + 1);
    if (is_kept) module_.resources.emplace_back(std::move(name), value);
    cursor_.take(",");
  }
}

Module Parser::parse() {
  std::vector<Operation> operations;
  while (!cursor_.is_at_end()) {
    if (cursor_.peek() == '#' || cursor_.peek() == '!') {
      parse_alias();
    } else if (cursor_.take("{-#")) {
      parse_trailer();
    } else {
      parse_operation(operations);
    }
  }
  for (Operation& operation : operations) {
    if (operation.name != "builtin.module") {
      module_.operations.push_back(std::move(operation));
      continue;
    }
    module_.attributes = std::move(operation.attributes);
    for (Region& region : operation.regions) {
      for (Operation& inner : region.operations) module_.operations.push_back(std::move(inner));
    }
  }
  return std::move(module_);
}

}  // namespace vernier::import::mlir
