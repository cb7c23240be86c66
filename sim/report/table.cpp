// SPDX-License-Identifier: Apache-2.0
#include "sim/report/table.hpp"

#include "hw/base/error.hpp"
#include "sim/report/columns.hpp"

#include <algorithm>
#include <utility>

namespace vernier::report {
namespace {

std::vector<std::string> cut_at_end(std::vector<std::string> cells, int64_t columns) {
  for (std::string& cell : cells) cell = fit(cell, columns, Cut::Back);
  return cells;
}

/// "stalls (cycles), largest first" in little room is "stalls (cycles)".
std::string fitted_heading(const std::string& heading, int64_t columns) {
  const std::string first_part = heading.substr(0, heading.find(", "));
  return fit(num_columns(heading) > columns ? first_part : heading, columns, Cut::Back);
}

std::string padded(const std::string& cell, int64_t width, Align align) {
  const std::string padding(static_cast<size_t>(std::max<int64_t>(width - num_columns(cell), 0)), ' ');
  return align == Align::Right ? padding + cell : cell + padding;
}

}  // namespace

void Table::add_column(std::string heading, ColumnStyle style) {
  const int64_t width = num_columns(heading);
  columns_.push_back({std::move(heading), std::move(style), {}, width});
}

void Table::add_row(std::vector<std::string> cells) {
  VERNIER_CHECK(cells.size() == columns_.size(), "{} cells in a table of {} columns", cells.size(), columns_.size());
  for (size_t i = 0; i < cells.size(); ++i) {
    columns_[i].width = std::max(columns_[i].width, num_columns(cells[i]));
    columns_[i].cells.push_back(std::move(cells[i]));
  }
  ++num_rows_;
}

int64_t Table::width_of(const std::vector<Column>& columns) {
  int64_t width = -1;
  for (const Column& column : columns) width += column.is_shown ? column.width + 1 : 0;
  return width;
}

/// Takes away up to `too_wide` columns, down to `least`.
void Table::shorten(Column& column, int64_t too_wide, int64_t least) {
  const int64_t width = std::max(column.width - too_wide, least);
  if (!column.is_shown || width >= column.width) return;
  column.cells = column.style.fitted ? column.style.fitted(width) : cut_at_end(std::move(column.cells), width);
  column.heading = fitted_heading(column.heading, width);
  column.width = num_columns(column.heading);
  for (const std::string& cell : column.cells) column.width = std::max(column.width, num_columns(cell));
}

/// The one with the highest rank, if any has that much.
bool Table::drop_one(std::vector<Column>& columns, int64_t least_rank) {
  Column* first = nullptr;
  for (Column& column : columns) {
    const bool can_go = column.is_shown && column.style.drop_rank >= least_rank;
    if (can_go && (first == nullptr || column.style.drop_rank > first->style.drop_rank)) first = &column;
  }
  if (first != nullptr) first->is_shown = false;
  return first != nullptr;
}

void Table::make_fit(std::vector<Column>& columns) const {
  std::vector<Column> whole = columns;
  while (width_of(columns) > width_columns_) {
    for (Column& column : columns) {
      if (column.style.drop_rank >= kExtra) shorten(column, width_of(columns) - width_columns_, column.style.wanted_columns);
    }
    if (width_of(columns) <= width_columns_ || !drop_one(whole, kExtra)) break;
    columns = whole;
  }
  if (width_of(columns) <= width_columns_) return;
  while (width_of(columns) > width_columns_) {
    for (Column& column : columns) shorten(column, width_of(columns) - width_columns_, column.style.wanted_columns);
    if (width_of(columns) <= width_columns_ || !drop_one(whole, 1)) break;
    columns = whole;
  }
  for (Column& column : columns) shorten(column, width_of(columns) - width_columns_, column.style.least_columns);
}

std::vector<std::string> Table::lines() const {
  std::vector<Column> columns = columns_;
  make_fit(columns);
  std::vector<std::string> lines(num_rows_ + 1);
  for (size_t row = 0; row < lines.size(); ++row) {
    std::string& line = lines[row];
    for (const Column& column : columns) {
      if (!column.is_shown) continue;
      const std::string cell = row == 0 ? column.heading : column.cells[row - 1];
      if (!line.empty()) line += ' ';
      line += padded(cell, column.width, column.style.align);
    }
    line = fit(line.erase(line.find_last_not_of(' ') + 1), width_columns_, Cut::Back);
  }
  return lines;
}

}  // namespace vernier::report
