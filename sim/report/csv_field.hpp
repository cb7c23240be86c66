// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace vernier::report {

/// A field of a CSV line (RFC 4180): quoted where a comma, a quote or a line end asks for it; quotes doubled.
inline std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + "\"";
}

}  // namespace vernier::report
