// SPDX-License-Identifier: Apache-2.0
// Tables in Markdown.
#pragma once

#include <fmt/ranges.h>

#include <iterator>
#include <string>
#include <vector>

namespace vernier::gen {

/// One line of a table.
inline void row(std::string& text, const std::vector<std::string>& cells) {
  fmt::format_to(std::back_inserter(text), "| {} |\n", fmt::join(cells, " | "));
}

inline void heading(std::string& text, const std::vector<std::string>& cells) {
  row(text, cells);
  row(text, std::vector<std::string>(cells.size(), "---"));
}

}  // namespace vernier::gen
