// SPDX-License-Identifier: Apache-2.0
// The location text of an operator, as MLIR prints it.
#include "compiler/import/tosa/tosa_reader.hpp"

namespace vernier::import {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string location_name(std::string_view text) {
  constexpr std::string_view kStart = "loc(\"";
  if (!text.starts_with(kStart)) return "";
  text.remove_prefix(kStart.size());
  std::string name;
  while (!text.empty() && text[0] != '"') {
    size_t taken = 1;
    char character = text[0];
    if (character == '\\' && text.size() >= 3 && hex_digit(text[1]) >= 0 && hex_digit(text[2]) >= 0) {
      character = static_cast<char>(hex_digit(text[1]) * 16 + hex_digit(text[2]));
      taken = 3;
    } else if (character == '\\' && text.size() >= 2) {
      character = text[1];
      taken = 2;
    }
    name += character;
    text.remove_prefix(taken);
  }
  // A name is followed by its place or by the end; "FILE":LINE:COLUMN is a place without a name.
  return text.starts_with("\"(") || text.starts_with("\")") ? name : "";
}

}  // namespace vernier::import
