// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/mlir/cursor.hpp"

#include "compiler/ir/graph.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace vernier::import::mlir {

namespace {

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$';
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// By character: whether skip_balanced() has to look at it.
constexpr std::array<bool, 256> kIsBoundary = [] {
  std::array<bool, 256> table{};
  for (const char c : {'"', '-', ',', '(', ')', '[', ']', '{', '}', '<', '>'}) table[static_cast<uint8_t>(c)] = true;
  return table;
}();

}  // namespace

std::string Source::place(size_t position) const {
  const std::string_view before = text_.substr(0, position);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t line_begin = before.rfind('\n') + 1;  // 0 where there is none
  return fmt::format("{}:{}:{}", file_, line, position - line_begin + 1);
}

void Source::keep(std::string line) {
  if (std::find(mistakes_.begin(), mistakes_.end(), line) != mistakes_.end()) return;
  if (mistakes_.size() == ir::kMostMistakes)
    throw base::UserError(file_, "there are more mistakes than these {}", ir::kMostMistakes);
  mistakes_.push_back(std::move(line));
}

void Cursor::skip_spaces() {
  const std::string_view all = text();
  while (position_ < all.size()) {
    const char c = all[position_];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++position_;
    } else if (c == '/' && all.substr(position_, 2) == "//") {
      position_ = std::min(all.find('\n', position_), all.size());
    } else {
      return;
    }
  }
}

bool Cursor::take(std::string_view token) {
  skip_space();
  if (!text().substr(position_).starts_with(token)) return false;
  position_ += token.size();
  return true;
}

bool Cursor::take_word(std::string_view word) {
  skip_space();
  const std::string_view rest = text().substr(position_);
  if (!rest.starts_with(word) || (rest.size() > word.size() && is_word_character(rest[word.size()]))) return false;
  position_ += word.size();
  return true;
}

void Cursor::expect(std::string_view token) {
  if (!take(token)) fail("expected '{}', found {}", token, found());
}

std::string_view Cursor::word() {
  skip_space();
  const size_t begin = position_;
  while (position_ < text().size() && is_word_character(text()[position_])) ++position_;
  return text().substr(begin, position_ - begin);
}

std::string_view Cursor::suffix() {
  const size_t begin = position_;
  const auto goes_on = [&] {
    const char c = text()[position_];
    return is_word_character(c) || (c == '-' && text().substr(position_, 2) != "->");
  };
  while (position_ < text().size() && goes_on()) ++position_;
  if (begin == position_) fail("expected a name, found {}", found());
  return text().substr(begin, position_ - begin);
}

std::string Cursor::string() {
  if (peek() != '"') fail("expected a string in double quotes, found {}", found());
  const size_t begin = position_;
  std::string value;
  for (++position_; position_ < text().size() && text()[position_] != '"'; ++position_) {
    if (text()[position_] != '\\' || position_ + 1 >= text().size()) {
      value += text()[position_];
      continue;
    }
    const char next = text()[position_ + 1];
    const char after = position_ + 2 < text().size() ? text()[position_ + 2] : '\0';
    if (hex_digit(next) >= 0 && hex_digit(after) >= 0) {
      value += static_cast<char>(hex_digit(next) * 16 + hex_digit(after));
      position_ += 2;
    } else {
      value += next == 'n' ? '\n' : next == 't' ? '\t' : next;
      ++position_;
    }
  }
  if (position_ >= text().size()) source_.fail(begin, "the string that begins here has no end");
  ++position_;
  return value;
}

std::optional<int64_t> Cursor::integer() {
  skip_space();
  std::string_view rest = text().substr(position_);
  const bool is_negative = rest.starts_with('-');
  if (is_negative) rest.remove_prefix(1);
  const bool is_hexadecimal = rest.size() >= 2 && rest[0] == '0' && rest[1] == 'x';
  if (is_hexadecimal) rest.remove_prefix(2);
  uint64_t magnitude = 0;
  size_t num_digits = 0;
  // Most numbers are elements of weights: a few decimal digits.
  constexpr size_t kFewDigits = 4;
  while (num_digits < std::min(kFewDigits, rest.size()) && rest[num_digits] >= '0' && rest[num_digits] <= '9')
    magnitude = 10 * magnitude + static_cast<uint64_t>(rest[num_digits++] - '0');
  if (is_hexadecimal || num_digits == kFewDigits) {
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), magnitude, is_hexadecimal ? 16 : 10);
    num_digits = static_cast<size_t>(end - rest.data());
    if (error == std::errc::result_out_of_range) fail("the number {} does not fit 64 bits", found());
  }
  if (num_digits == 0) return std::nullopt;
  if (num_digits < rest.size() && (rest[num_digits] == '.' || rest[num_digits] == 'e')) return std::nullopt;
  position_ += num_digits + (is_negative ? 1 : 0) + (is_hexadecimal ? 2 : 0);
  return static_cast<int64_t>(is_negative ? 0 - magnitude : magnitude);
}

int64_t Cursor::size() {
  skip_space();
  const std::string_view rest = text().substr(position_);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc() || value < 0) fail("expected the size of a dimension, found {}", found());
  position_ += static_cast<size_t>(end - rest.data());
  return value;
}

void Cursor::skip_string() {
  const size_t begin = position_;
  for (++position_; position_ < text().size() && text()[position_] != '"'; ++position_) {
    if (text()[position_] == '\\') ++position_;
  }
  if (position_ >= text().size()) source_.fail(begin, "the string that begins here has no end");
  ++position_;
}

std::string_view Cursor::skip_balanced() {
  skip_space();
  const size_t begin = position_;
  int64_t depth = 0;
  while (position_ < text().size()) {
    const char c = text()[position_];
    if (!kIsBoundary[static_cast<uint8_t>(c)]) {
      ++position_;
      continue;
    }
    if (c == '"') {
      skip_string();
      continue;
    }
    if (c == '-' && text().substr(position_, 2) == "->") {
      position_ += 2;
      continue;
    }
    const bool closes = c == ')' || c == ']' || c == '}' || c == '>';
    if (depth == 0 && (closes || c == ',')) break;
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    if (closes) --depth;
    ++position_;
  }
  if (position_ >= text().size()) source_.fail(begin, "what begins here has no end");
  return text().substr(begin, position_ - begin);
}

void Cursor::skip_line() {
  int64_t depth = 0;
  while (position_ < text().size()) {
    const char c = text()[position_];
    if (c == '"') {
      skip_string();
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth < 0 || (depth == 0 && c == '\n')) return;
    ++position_;
  }
}

std::string Cursor::found() {
  constexpr size_t kMostShown = 20;
  if (is_at_end()) return "the end of the file";
  const std::string_view rest = text().substr(position_, kMostShown);
  return fmt::format("'{}'", rest.substr(0, rest.find('\n')));
}

}  // namespace vernier::import::mlir
