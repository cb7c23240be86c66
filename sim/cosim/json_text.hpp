// SPDX-License-Identifier: Apache-2.0
// Text in the JSON of co-simulation.
#pragma once

#include "hw/base/text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace vernier::cosim {

/// In quotes, as base::printable() shows it, since names come from users' files.
inline std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : base::printable(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

/// In brackets, each quoted.
inline std::string quoted_list(const std::vector<std::string>& texts) {
  std::string result = "[";
  for (const std::string& text : texts) result += (result.size() > 1 ? ", " : "") + quoted(text);
  return result + ']';
}

}  // namespace vernier::cosim
