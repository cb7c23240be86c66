// SPDX-License-Identifier: Apache-2.0
#include "sim/report/columns.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace vernier::report {
namespace {

bool is_inside_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Byte at which a character begins, counted from the front; the size for one past the last.
size_t byte_of(std::string_view text, int64_t character) {
  size_t at = 0;
  for (; at < text.size(); ++at) {
    if (!is_inside_character(text[at]) && character-- == 0) break;
  }
  return at;
}

std::string first(const std::string& text, int64_t characters) { return text.substr(0, byte_of(text, characters)); }
std::string last(const std::string& text, int64_t characters) {
  return text.substr(byte_of(text, num_columns(text) - characters));
}

}  // namespace

int64_t num_columns(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return !is_inside_character(c); });
}

std::string fit(const std::string& text, int64_t columns, Cut cut) {
  if (num_columns(text) <= columns) return text;
  const int64_t room = std::max<int64_t>(columns, 4) - 3;
  switch (cut) {
    case Cut::Front: return fmt::format("...{}", last(text, room));
    case Cut::Middle: return fmt::format("{}...{}", first(text, room - room / 2), last(text, room / 2));
    case Cut::Back: break;
  }
  return first(text, room) + "...";
}

std::string wrapped(const std::string& label, const std::string& text, int64_t columns, int64_t indent) {
  const std::string margin(static_cast<size_t>(indent), ' ');
  std::string result, line = label;
  bool has_words = !label.empty();  // on the line, so that a space comes next
  const auto end_line = [&] {
    result += line + "\n";
    line = margin;
    has_words = false;
  };
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, end - at);
    at = end + 1;
    const bool is_too_long = num_columns(line) + (has_words ? 1 : 0) + num_columns(word) > columns;
    if (is_too_long && has_words) end_line();
    while (num_columns(line) + num_columns(word) > columns) {
      const int64_t room = std::max<int64_t>(columns - num_columns(line), 1);
      if (num_columns(word) <= room) break;
      line += first(word, room);
      word = last(word, num_columns(word) - room);
      end_line();
    }
    if (has_words) line += ' ';
    line += word;
    has_words = true;
  }
  result += line + "\n";
  for (size_t at = 0; (at = result.find(kNoBreak, at)) != std::string::npos;) result.replace(at, kNoBreak.size(), 1, ' ');
  return result;
}

}  // namespace vernier::report
