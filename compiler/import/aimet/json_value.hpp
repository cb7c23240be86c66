// SPDX-License-Identifier: Apache-2.0
// JSON text as a tree that knows its lines. Strict JSON: no comments, no NaN, no key twice. Memory is bounded by the limits
// below, whatever the text is.
#pragma once

#include "compiler/import/aimet/findings.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace vernier::import::aimet {

inline constexpr int64_t kMostJsonBytes = int64_t{128} << 20;
inline constexpr int64_t kMostJsonValues = 5'000'000;
inline constexpr size_t kMostJsonLevels = 32;

struct JsonMember;

struct JsonValue {
  using List = std::vector<JsonValue>;
  using Object = std::vector<JsonMember>;  // in the order of the text

  int64_t line = 1;  // on which the value begins
  std::variant<std::nullptr_t, bool, double, std::string, List, Object> value;

  const bool* boolean() const { return std::get_if<bool>(&value); }
  const double* number() const { return std::get_if<double>(&value); }
  const std::string* text() const { return std::get_if<std::string>(&value); }
  const List* list() const { return std::get_if<List>(&value); }
  const Object* object() const { return std::get_if<Object>(&value); }
};

struct JsonMember {
  std::string key;
  int64_t line = 1;  // of the key
  JsonValue value;
};

/// The member with this key, or null; null too where the value is no object.
const JsonValue* find(const JsonValue& object, std::string_view key);

/// What the value is, for a message: "0.5", "'abc'", "true", "null", "a list", "an object".
std::string shown(const JsonValue& value);
/// JSON text of the value, on one line.
std::string to_text(const JsonValue& value);

/// The tree, or nothing after an error finding that names line and column. A key that an object has twice is an error
/// finding too; the tree then has both.
std::optional<JsonValue> parse_json(std::string_view text, Findings& findings);

}  // namespace vernier::import::aimet
