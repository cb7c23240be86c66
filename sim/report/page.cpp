// SPDX-License-Identifier: Apache-2.0
#include "sim/report/page.hpp"

#include "hw/base/text.hpp"

#include <fmt/format.h>

namespace vernier::report {

std::string Page::painted(Paint paint, const std::string& text) const {
  if (!has_color_ || paint == Paint::None || text.empty()) return text;
  const int code = paint == Paint::Bold ? 1 : paint == Paint::Dim ? 2 : paint == Paint::Good ? 32 : 31;
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

void Page::paragraph(Paint paint, const std::string& label, const std::string& text, int64_t indent) {
  const std::string shown = base::printable(label);
  text_ += painted(paint, shown) + wrapped(shown, base::printable(text), width_columns_, indent).substr(shown.size());
}

void Page::aside(Paint paint, const std::string& text) {
  std::string lines = wrapped("", base::printable(text), width_columns_, 2);
  lines.pop_back();
  text_ += painted(paint, lines) + "\n";
}

void Page::table(const Table& table) {
  const std::vector<std::string> lines = table.lines();
  for (size_t i = 0; i < lines.size(); ++i) text_ += painted(i == 0 ? Paint::Bold : Paint::None, lines[i]) + "\n";
}

}  // namespace vernier::report
