// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/aimet/json_syntax.hpp"

#include "hw/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace vernier::import::aimet {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

/// Typographic quotes are U+2018 to U+201D: the bytes e2 80 98 to e2 80 9d.
bool is_typographic_quote(std::string_view rest) {
  return rest.size() >= 3 && rest.starts_with("\xe2\x80") && rest[2] >= '\x98' && rest[2] <= '\x9d';
}

/// The letters, digits and signs around a place: "-Infinity" when the parser stopped at its I.
std::string_view word_at(std::string_view text, size_t at) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '+' || c == '.';
  };
  size_t begin = at, end = at;
  while (begin > 0 && at - begin < 20 && is_part(text[begin - 1])) --begin;
  while (end < text.size() && end - at < 20 && is_part(text[end])) ++end;
  return text.substr(begin, end - begin);
}

bool is_no_finite_number(std::string_view word) {
  while (!word.empty() && (word.front() == '-' || word.front() == '+')) word.remove_prefix(1);
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

/// What the parser expected, from its own words: "'}'"; empty where it does not say.
std::string_view expected_by(std::string_view library_text) {
  constexpr std::string_view kMark = "; expected ";
  const size_t mark = library_text.rfind(kMark);
  return mark == std::string_view::npos ? "" : library_text.substr(mark + kMark.size());
}

std::string_view previous_byte(std::string_view text, size_t at) {
  const size_t previous = at == 0 ? std::string_view::npos : text.find_last_not_of(kSpaces, at - 1);
  return previous == std::string_view::npos ? "" : text.substr(previous, 1);
}

std::string what_is_wrong(std::string_view text, size_t at, std::string_view library_text) {
  if (text.find_first_not_of(kSpaces) == std::string_view::npos) return "the file is empty, wanted is a JSON object";
  if (at >= text.size()) return "the JSON text ends early";
  if (library_text.find("out_of_range.406") != std::string_view::npos)
    return fmt::format("the number {} is too large, a number must be finite", clipped(word_at(text, at)));
  const std::string_view rest = text.substr(at);
  const std::string_view before = text.substr(0, at + 1).substr(at < 2 ? 0 : at - 2);
  if (is_typographic_quote(rest) || is_typographic_quote(before))
    return "a typographic quote where JSON wants the ASCII character \"";
  if (const std::string_view word = word_at(text, at); is_no_finite_number(word))
    return fmt::format("{} is no JSON number, a number must be finite", word);
  const char found = rest.front();
  const bool is_no_utf8 = library_text.find("ill-formed UTF-8") != std::string_view::npos;
  if (is_no_utf8 || static_cast<unsigned char>(found) >= 0x80) {
    // The parser may notice one byte too late that a character is not complete.
    const bool is_before = is_no_utf8 && static_cast<unsigned char>(found) < 0x80 && at > 0;
    return fmt::format("the byte 0x{:02x} does not belong here; the file must be UTF-8 text in the form of JSON",
                       static_cast<unsigned char>(is_before ? text[at - 1] : found));
  }
  if ((found == '}' || found == ']') && previous_byte(text, at) == ",")
    return fmt::format("there is a comma before the closing {}, which JSON does not allow", found);
  if (found == '\'') return "a text in ' where JSON wants \"";
  if (found == '/' || found == '#') return "JSON has no comments";
  const std::string_view expected = expected_by(library_text);
  const std::string named = static_cast<unsigned char>(found) < 0x20
                                ? fmt::format("the control character 0x{:02x}", static_cast<unsigned char>(found))
                                : fmt::format("'{}'", found);
  if (expected == "'}'" || expected == "']'") return fmt::format("{} where JSON wants a comma or {}", named, expected);
  if (!expected.empty()) return fmt::format("{} where JSON wants {}", named, expected);
  return fmt::format("{} is not allowed here in JSON", named);
}

}  // namespace

void add_syntax_error(std::string_view text, size_t at, std::string_view library_text, std::string_view path,
                      Findings& findings) {
  const std::string_view before = text.substr(0, std::min(at, text.size()));
  const auto line = static_cast<int64_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const size_t newline = before.rfind('\n');
  const size_t column = newline == std::string_view::npos ? before.size() + 1 : before.size() - newline;
  const std::string where = path.empty() ? "" : fmt::format(", after the key {}", clipped(path));
  findings.add(Severity::Error, line, fmt::format("column {}: {}{}", column, what_is_wrong(text, at, library_text), where));
}

}  // namespace vernier::import::aimet
