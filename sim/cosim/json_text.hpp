// SPDX-License-Identifier: Apache-2.0
// Text in the JSON of co-simulation.
#pragma once

#include "hw/base/text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace vernier::cosim {

/// In brackets, each quoted.
inline std::string quoted_list(const std::vector<std::string>& texts) {
  std::string result = "[";
  for (const std::string& text : texts) result += (result.size() > 1 ? ", " : "") + base::json_quoted(text);
  return result + ']';
}

}  // namespace vernier::cosim
