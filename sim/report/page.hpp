// SPDX-License-Identifier: Apache-2.0
// The text report in the making: lines no wider than asked for, some of them in colour.
#pragma once

#include "sim/report/columns.hpp"
#include "sim/report/report.hpp"
#include "sim/report/table.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace vernier::report {

enum class Paint : uint8_t { None, Bold, Dim, Good, Bad };

class Page {
 public:
  explicit Page(const TextStyle& style)
      : has_color_(style.has_color), width_columns_(std::max(style.width_columns, kLeastColumns)) {}

  [[nodiscard]] int64_t width_columns() const { return width_columns_; }
  [[nodiscard]] const std::string& text() const { return text_; }

  void empty_line() { text_ += "\n"; }
  /// `label`, a space and `text`, broken at spaces where it is too long; only the label is painted.
  void paragraph(Paint paint, const std::string& label, const std::string& text, int64_t indent = 2);
  /// The same, all of it painted.
  void aside(Paint paint, const std::string& text);
  /// A line as it is.
  void line(Paint paint, const std::string& text) { text_ += painted(paint, text) + "\n"; }
  /// Its headings bold.
  void table(const Table& table);

 private:
  [[nodiscard]] std::string painted(Paint paint, const std::string& text) const;

  bool has_color_;
  int64_t width_columns_;
  std::string text_;
};

}  // namespace vernier::report
