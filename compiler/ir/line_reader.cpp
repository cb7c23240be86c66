// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/line_reader.hpp"

#include "compiler/ir/text_format.hpp"
#include "hw/base/error.hpp"

#include <charconv>

namespace vernier::ir {

namespace {

int hex_digit(char character) {
  if (character >= '0' && character <= '9') return character - '0';
  if (character >= 'a' && character <= 'f') return character - 'a' + 10;
  return -1;
}

}  // namespace

void LineReader::fail(const std::string& message) const {
  throw base::UserError(file_, "line {}, column {}: {}", line_, at_ + 1, message);
}

void LineReader::skip_blanks() {
  while (at_ < text_.size() && text_[at_] == ' ') ++at_;
}

bool LineReader::is_at_end() {
  skip_blanks();
  return at_ == text_.size();
}

bool LineReader::accept(std::string_view token) {
  skip_blanks();
  if (!text_.substr(at_).starts_with(token)) return false;
  at_ += token.size();
  return true;
}

void LineReader::expect(std::string_view token) {
  if (!accept(token)) fail(fmt::format("expected '{}'", token));
}

std::string_view LineReader::word() {
  skip_blanks();
  const size_t start = at_;
  while (at_ < text_.size() && is_bare_character(text_[at_]) && text_[at_] != '.' && text_[at_] != '/' && text_[at_] != ':')
    ++at_;
  if (at_ == start) fail("expected a word");
  return text_.substr(start, at_ - start);
}

std::string LineReader::name() {
  skip_blanks();
  if (at_ < text_.size() && text_[at_] == '"') return quoted();
  const size_t start = at_;
  while (at_ < text_.size() && is_bare_character(text_[at_])) ++at_;
  if (at_ == start) fail("expected a name");
  return std::string(text_.substr(start, at_ - start));
}

std::string LineReader::quoted() {
  expect("\"");
  std::string result;
  while (at_ < text_.size() && text_[at_] != '"') {
    if (text_[at_] != '\\') {
      result += text_[at_++];
      continue;
    }
    const std::string_view escape = text_.substr(at_, 4);
    if (escape.size() >= 2 && (escape[1] == '"' || escape[1] == '\\')) {
      result += escape[1];
      at_ += 2;
    } else if (escape.size() == 4 && escape[1] == 'x' && hex_digit(escape[2]) >= 0 && hex_digit(escape[3]) >= 0) {
      result += static_cast<char>(hex_digit(escape[2]) * 16 + hex_digit(escape[3]));
      at_ += 4;
    } else {
      fail("unknown escape, allowed are \\\", \\\\ and \\xHH");
    }
  }
  expect("\"");
  return result;
}

int64_t LineReader::integer() {
  skip_blanks();
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  if (error != std::errc()) fail("expected an integer of 64 bits");
  at_ = static_cast<size_t>(end - text_.data());
  return value;
}

std::vector<int64_t> LineReader::integers() {
  std::vector<int64_t> values;
  expect("[");
  if (accept("]")) return values;
  do {
    values.push_back(integer());
  } while (accept(","));
  expect("]");
  return values;
}

size_t LineReader::num_hex_digits() {
  skip_blanks();
  const std::string_view rest = text_.substr(at_);
  return rest.starts_with("0x") ? rest.size() - 2 : 0;
}

void LineReader::hex(std::span<std::byte> bytes) {
  expect("0x");
  if (text_.size() - at_ < 2 * bytes.size()) fail(fmt::format("expected {} hexadecimal digits", 2 * bytes.size()));
  for (std::byte& byte : bytes) {
    const int high = hex_digit(text_[at_]), low = hex_digit(text_[at_ + 1]);
    if (high < 0 || low < 0) fail("expected hexadecimal digits, 0 to 9 and a to f");
    byte = static_cast<std::byte>(high * 16 + low);
    at_ += 2;
  }
}

}  // namespace vernier::ir
