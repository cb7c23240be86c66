// SPDX-License-Identifier: Apache-2.0
// Rows of cells under headings, as text that fits a width. Each column is as wide as its widest cell, one space lies
// between columns. Where that is too wide, extra columns are shortened or left out; then cells of flexible columns are
// shortened to the width that is wanted for them; then columns are left out, the one with the highest drop rank first; then
// flexible columns are shortened as far as they can be; what is still too wide is cut at the end.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace vernier::report {

enum class Align : uint8_t { Left, Right };

inline constexpr int64_t kExtra = 100;
struct ColumnStyle {
  Align align = Align::Left;
  int64_t drop_rank = 0;  // 0: never left out; kExtra or more: before anything is shortened
  /// Columns that it is shortened to before others are left out, and when nothing can be left out any more.
  int64_t wanted_columns = std::numeric_limits<int64_t>::max();
  int64_t least_columns = std::numeric_limits<int64_t>::max();
  /// Its cells in at most that many columns; without it they are cut at the end.
  std::function<std::vector<std::string>(int64_t columns)> fitted{};
};

class Table {
 public:
  /// Lines hold at most that many columns.
  explicit Table(int64_t width_columns) : width_columns_(width_columns) {}

  void add_column(std::string heading, ColumnStyle style);
  /// As many cells as there are columns.
  void add_row(std::vector<std::string> cells);
  [[nodiscard]] bool is_empty() const { return num_rows_ == 0; }
  /// The headings, then a line a row; no spaces and no line end at their ends.
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  struct Column {
    std::string heading;
    ColumnStyle style;
    std::vector<std::string> cells;
    int64_t width = 0;  // now
    bool is_shown = true;
  };
  static void shorten(Column& column, int64_t too_wide, int64_t least);
  static bool drop_one(std::vector<Column>& columns, int64_t least_rank);
  static int64_t width_of(const std::vector<Column>& columns);
  void make_fit(std::vector<Column>& columns) const;

  int64_t width_columns_;
  size_t num_rows_ = 0;
  std::vector<Column> columns_;
};

}  // namespace vernier::report
