// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/aimet/json_value.hpp"

#include "compiler/import/aimet/json_syntax.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace vernier::import::aimet {
namespace {

/// Where the parser is: it reads through Cursors, which are copied, and all of them move this.
struct Progress {
  int64_t line = 1;
  char last = 0;  // byte read
};

/// The iterator that the parser reads by. Counts lines.
class Cursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Cursor(const char* at, Progress* progress) : at_(at), progress_(progress) {}
  const char& operator*() const { return *at_; }
  Cursor& operator++() {
    progress_->last = *at_;
    if (*at_ == '\n') ++progress_->line;
    ++at_;
    return *this;
  }
  Cursor operator++(int) {
    const Cursor before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Cursor& other) const { return at_ == other.at_; }
  bool operator!=(const Cursor& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  Progress* progress_;
};

/// The parser calls these; they build the tree. A false ends the parsing.
class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, const Progress& progress, Findings& findings)
      : text_(text), progress_(progress), findings_(findings) {}

  // NOLINTBEGIN(readability-identifier-naming): the library's names
  using number_integer_t = int64_t;
  using number_unsigned_t = uint64_t;
  using number_float_t = double;
  using string_t = std::string;
  using binary_t = std::vector<uint8_t>;
  // NOLINTEND(readability-identifier-naming)

  bool null() { return put(progress_.line, nullptr); }
  bool boolean(bool value) { return put(progress_.line, value); }
  bool number_integer(int64_t value) { return put(line_of_number(), static_cast<double>(value)); }
  bool number_unsigned(uint64_t value) { return put(line_of_number(), static_cast<double>(value)); }
  bool number_float(double value, const std::string& /*text*/) { return put(line_of_number(), value); }
  bool string(std::string& value) { return put(progress_.line, std::move(value)); }
  static bool binary(binary_t& /*value*/) { return false; }  // JSON text has none
  bool start_object(size_t /*num_elements*/) { return open(JsonValue::Object{}); }
  bool start_array(size_t /*num_elements*/) { return open(JsonValue::List{}); }
  bool key(std::string& value) {
    std::get<JsonValue::Object>(open_.back()->value).push_back({std::move(value), progress_.line, {}});
    return true;
  }
  bool end_object() {
    report_keys_given_twice(std::get<JsonValue::Object>(open_.back()->value));
    open_.pop_back();
    return true;
  }
  bool end_array() {
    open_.pop_back();
    return true;
  }
  bool parse_error(size_t position, const std::string& /*token*/, const nlohmann::detail::exception& error) {
    add_syntax_error(text_, position == 0 ? 0 : position - 1, error.what(), path(), findings_);
    return false;
  }

  JsonValue take_root() { return std::move(root_); }

 private:
  /// The parser has read one byte more than the number.
  int64_t line_of_number() const { return progress_.line - (progress_.last == '\n' ? 1 : 0); }

  /// The place for the next value.
  JsonValue& next_place() {
    if (open_.empty()) return root_;
    if (auto* list = std::get_if<JsonValue::List>(&open_.back()->value)) return list->emplace_back();
    return std::get<JsonValue::Object>(open_.back()->value).back().value;
  }

  /// The value in its place, or null, with a finding, where there are too many.
  template <typename T>
  JsonValue* place(int64_t line, T&& value) {
    if (++num_values_ > kMostJsonValues) {
      findings_.add(Severity::Error, line, fmt::format("there are more values than the {} that are read", kMostJsonValues));
      return nullptr;
    }
    JsonValue& place = next_place();
    place.line = line;
    place.value = std::forward<T>(value);
    return &place;
  }

  template <typename T>
  bool put(int64_t line, T&& value) {
    return place(line, std::forward<T>(value)) != nullptr;
  }

  template <typename T>
  bool open(T&& empty) {
    if (open_.size() >= kMostJsonLevels) {
      findings_.add(Severity::Error, progress_.line,
                    fmt::format("lists and objects lie {} levels deep inside each other, allowed are {}", open_.size() + 1,
                                kMostJsonLevels));
      return false;
    }
    JsonValue* opened = place(progress_.line, std::forward<T>(empty));
    if (opened == nullptr) return false;
    // It stays where it is while it is open: what holds it gets its next value only after that.
    open_.push_back(opened);
    return true;
  }

  void report_keys_given_twice(const JsonValue::Object& object) {
    std::vector<const JsonMember*> members;
    members.reserve(object.size());
    for (const JsonMember& member : object) members.push_back(&member);
    const auto by_key = [](const JsonMember* a, const JsonMember* b) { return a->key < b->key; };
    std::stable_sort(members.begin(), members.end(), by_key);
    for (size_t i = 1; i < members.size(); ++i) {
      if (members[i]->key != members[i - 1]->key) continue;
      findings_.add(
          Severity::Error, members[i]->line,
          fmt::format("the key '{}' occurs twice, first on line {}", clipped(members[i]->key), members[i - 1]->line));
    }
  }

  /// "param_encodings.x.scale": the keys that lead to the open place.
  std::string path() const {
    std::string path;
    for (const JsonValue* open : open_) {
      const auto* object = std::get_if<JsonValue::Object>(&open->value);
      if (object == nullptr || object->empty()) continue;
      if (!path.empty()) path += '.';
      path += clipped(object->back().key);
    }
    return path;
  }

  std::string_view text_;
  const Progress& progress_;
  Findings& findings_;
  JsonValue root_;
  std::vector<JsonValue*> open_;  // lists and objects that have begun and not ended, outermost first
  int64_t num_values_ = 0;
};

nlohmann::json to_library(const JsonValue& value) {
  if (const bool* boolean = value.boolean()) return *boolean;
  if (const double* number = value.number()) return *number;
  if (const std::string* text = value.text()) return *text;
  if (const auto* list = value.list()) {
    nlohmann::json json = nlohmann::json::array();
    for (const JsonValue& item : *list) json.push_back(to_library(item));
    return json;
  }
  if (const auto* object = value.object()) {
    nlohmann::json json = nlohmann::json::object();
    for (const JsonMember& member : *object) json[member.key] = to_library(member.value);
    return json;
  }
  return nullptr;
}

}  // namespace

const JsonValue* find(const JsonValue& object, std::string_view key) {
  const auto* members = object.object();
  if (members == nullptr) return nullptr;
  const auto found =
      std::find_if(members->begin(), members->end(), [key](const JsonMember& member) { return member.key == key; });
  return found == members->end() ? nullptr : &found->value;
}

std::string shown(const JsonValue& value) {
  if (const bool* boolean = value.boolean()) return *boolean ? "true" : "false";
  if (const double* number = value.number()) return fmt::format("{}", *number);
  if (const std::string* text = value.text()) return fmt::format("'{}'", clipped(*text));
  return value.list() != nullptr ? "a list" : value.object() != nullptr ? "an object" : "null";
}

std::string to_text(const JsonValue& value) { return to_library(value).dump(); }

std::optional<JsonValue> parse_json(std::string_view text, Findings& findings) {
  Progress progress;
  TreeBuilder builder(text, progress, findings);
  const Cursor begin(text.data(), &progress), end(text.data() + text.size(), &progress);
  if (!nlohmann::json::sax_parse(begin, end, &builder)) return std::nullopt;
  return builder.take_root();
}

}  // namespace vernier::import::aimet
