// SPDX-License-Identifier: Apache-2.0
// A place in MLIR text, and what can be taken there. Internal to compiler/import/mlir.
#pragma once

#include "hw/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::import::mlir {

/// The text of a file, its name, and the mistakes that were found so far.
class Source {
 public:
  Source(std::string file, std::string_view text) : file_(std::move(file)), text_(text) {}
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] std::string_view text() const { return text_; }
  /// A mistake at a byte of the text, which ends the reading. Its line begins with FILE:LINE:COLUMN.
  template <typename... Args>
  [[noreturn]] void fail(size_t position, fmt::format_string<Args...> format, Args&&... args) const {
    throw base::UserError(place(position), format, std::forward<Args>(args)...);
  }
  /// A mistake with which the reading goes on. UserError after ir::kMostMistakes.
  template <typename... Args>
  void add_mistake(size_t position, fmt::format_string<Args...> format, Args&&... args) {
    keep(base::UserError(place(position), format, std::forward<Args>(args)...).what());
  }
  [[nodiscard]] const std::vector<std::string>& mistakes() const { return mistakes_; }

 private:
  /// FILE:LINE:COLUMN, both from 1; columns are bytes.
  [[nodiscard]] std::string place(size_t position) const;
  void keep(std::string line);

  std::string file_;
  std::string_view text_;
  std::vector<std::string> mistakes_;
};

/// Reads tokens from a place on. Spaces and comments before a token are skipped.
class Cursor {
 public:
  explicit Cursor(const Source& source, size_t position = 0) : source_(source), text_(source.text()), position_(position) {}

  /// The place of the next token.
  size_t position() {
    skip_space();
    return position_;
  }
  void move_to(size_t position) { position_ = position; }
  /// The first character of the next token; 0 at the end of the text.
  char peek() {
    skip_space();
    return position_ < text().size() ? text()[position_] : '\0';
  }
  [[nodiscard]] bool is_at_end() { return peek() == '\0' && position_ >= text().size(); }
  /// Whether the text goes on with the token, which is then taken.
  bool take(std::string_view token);
  bool take(char token) {
    if (peek() != token || is_at_end()) return false;
    ++position_;
    return true;
  }
  /// The same for a whole word: "else" is not taken from "elsewhere".
  bool take_word(std::string_view word);
  void expect(std::string_view token);
  /// Letters, digits, "_", "." and "$"; empty where none comes.
  std::string_view word();
  /// What follows "%", "#", "!", "^" or "@": letters, digits, "_", ".", "$" and "-".
  std::string_view suffix();
  /// A string in double quotes, with its escapes undone.
  std::string string();
  /// A whole number, with a sign or not, decimal or hexadecimal. Nothing where none comes, or where it goes on as a
  /// fraction.
  std::optional<int64_t> integer();
  /// Decimal digits, which come: the size of a dimension. "0xi8" is a size of 0.
  int64_t size();
  /// Skips to the "," or the closing bracket that ends what begins here, and gives the text. Brackets and strings inside are
  /// skipped whole.
  std::string_view skip_balanced();
  /// Skips to the end of the line, or further where brackets that were opened in it are still open.
  void skip_line();

  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
    source_.fail(position(), format, std::forward<Args>(args)...);
  }
  /// The beginning of what stands here, in quotes, for a message.
  std::string found();

 private:
  [[nodiscard]] std::string_view text() const { return text_; }
  void skip_space() {
    if (position_ < text().size() && (text()[position_] <= ' ' || text()[position_] == '/')) skip_spaces();
  }
  void skip_spaces();
  void skip_string();

  const Source& source_;
  std::string_view text_;
  size_t position_;
};

}  // namespace vernier::import::mlir
