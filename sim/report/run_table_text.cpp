// SPDX-License-Identifier: Apache-2.0
// The table of several runs for people:
//
//   6 runs: memory external                                 what is the same in all of them
//   # config SRAM      cycles   ms  util  ext B ...          columns of what differs
//   resnet50                                                 a line a model, where each has several rows
//   1 v64    64 KiB 1,234,567 1.23 61.8% 3.51M ...
//   2 v64    1 KiB exit 2: needs 76416 B of SRAM ...         a run that failed; the whole line below where it is cut
//   row 3, first difference: tensor 'y' [0] expected ...     a run with other values than the reference
#include "hw/base/text.hpp"
#include "sim/report/page.hpp"
#include "sim/report/run_table.hpp"
#include "sim/report/table.hpp"
#include "sim/report/text_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <set>

namespace vernier::report {
namespace {

using base::with_thousands;

/// "1,234" where it fits, else with three digits: "1.23M".
std::string bytes_in(int64_t bytes, int64_t columns) {
  std::string exact = with_thousands(bytes);
  if (num_columns(exact) <= columns) return exact;
  double scaled = static_cast<double>(bytes);
  size_t unit = 0;
  for (; scaled >= 999.5 && unit < 4; ++unit) scaled /= 1000;
  return fmt::format("{:.{}f}{}", scaled, scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0, " kMGT"[unit]);
}

/// The digits of seconds_text(), all in milliseconds.
std::string milliseconds(double seconds) {
  return fmt::format("{:.{}f}", seconds * 1e3, seconds >= 1.0 ? 0 : seconds >= 1e-3 ? 3 : 6);
}

/// Of sizes in one column: all in MiB, in KiB or in B, the largest unit in which each is a whole number.
int64_t unit_of_sizes(const std::vector<TableRow>& rows) {
  for (const int64_t unit : {int64_t{1} << 20, int64_t{1} << 10}) {
    if (std::all_of(rows.begin(), rows.end(), [&](const TableRow& row) { return row.sram_bytes % unit == 0; })) return unit;
  }
  return 1;
}

std::vector<std::string> path_parts(const std::string& path) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// The last parts of a path.
std::string last_parts(const std::vector<std::string>& parts, size_t count) {
  return fmt::format("{}", fmt::join(parts.end() - static_cast<std::ptrdiff_t>(count), parts.end(), "/"));
}

/// Each path by the fewest last parts that tell all of them apart; by the whole of it where one has no more parts.
std::map<std::string, std::string> told_apart(const std::map<std::string, std::vector<std::string>>& parts_by_path) {
  std::map<std::string, std::string> names;
  for (size_t count = 1;; ++count) {
    std::set<std::string> different;
    const bool has_parts = std::all_of(parts_by_path.begin(), parts_by_path.end(),
                                       [&](const auto& entry) { return entry.second.size() >= count; });
    for (const auto& [path, parts] : parts_by_path) {
      names[path] = base::printable(has_parts ? last_parts(parts, count) : path);
      different.insert(names[path]);
    }
    if (!has_parts || different.size() == parts_by_path.size()) return names;
  }
}

/// Each configuration by its name; files of one name by as much of their paths as tells them apart.
std::map<std::string, std::string> short_configs(const std::vector<TableRow>& rows) {
  std::map<std::string, std::map<std::string, std::vector<std::string>>> files;  // by name; "" for a preset
  for (const TableRow& row : rows) files[row.config][row.config_file] = path_parts(row.config_file);
  std::map<std::string, std::string> names;  // of files whose configuration has no name of its own
  for (auto& [config, of_that_name] : files) {
    if (of_that_name.size() == 1) continue;
    of_that_name.erase("");
    names.merge(told_apart(of_that_name));
  }
  return names;
}

/// Each file by its name; files of one name by the folders that tell them apart, without the name: of nets/kws/model.tosa
/// and nets/vww/model.tosa "kws" and "vww".
std::map<std::string, std::string> short_models(const std::vector<TableRow>& rows) {
  std::map<std::string, std::map<std::string, std::vector<std::string>>> folders;  // by name, then by file
  for (const TableRow& row : rows) {
    std::vector<std::string> parts = path_parts(row.model);
    const std::string name = parts.back();
    parts.pop_back();
    folders[name][row.model] = std::move(parts);
  }
  std::map<std::string, std::string> names;
  for (const auto& [name, of_that_name] : folders) {
    if (of_that_name.size() == 1) {
      names[of_that_name.begin()->first] = base::printable(name);
    } else {
      names.merge(told_apart(of_that_name));
    }
  }
  return names;
}

/// "v256 clock_hz=5e8" is v256 with one value of its own: the name of a configuration, and its --set.
struct NamedConfig {
  std::string name;
  std::vector<std::pair<std::string, std::string>> sets;  // key, value; in the order of the command line
};
NamedConfig parted(std::string config) {
  NamedConfig result;
  for (size_t space = config.rfind(' '); space != std::string::npos; space = config.rfind(' ')) {
    const size_t equals = config.find('=', space);
    if (equals == std::string::npos) break;
    result.sets.insert(result.sets.begin(), {config.substr(space + 1, equals - space - 1), config.substr(equals + 1)});
    config.resize(space);
  }
  result.name = std::move(config);
  return result;
}

/// One column in the making: a cell a row.
struct Column {
  std::string heading;
  ColumnStyle style;
  std::vector<std::string> cells;
};

class TextTable {
 public:
  TextTable(const RunTable& table, const TextStyle& style) : rows_(table.rows), page_(style) {}

  std::string text() {
    choose_columns();
    Table table(page_.width_columns());
    for (const Column& column : columns_) table.add_column(column.heading, column.style);
    for (size_t i = 0; i < rows_.size(); ++i) {
      std::vector<std::string> cells;
      for (const Column& column : columns_) cells.push_back(column.cells[i]);
      table.add_row(std::move(cells));
    }
    std::vector<std::string> lines = table.lines();
    align_failed(lines);
    page_.paragraph(Paint::Bold, fmt::format("{} runs", rows_.size()), same_.empty() ? "" : "with " + same_);
    page_.line(Paint::Bold, lines.front());
    for (size_t i = 0; i < rows_.size(); ++i) put_row(i, lines[i + 1]);
    put_left_out(lines.front());
    for (const std::string& said : below_) page_.paragraph(Paint::Bad, "row", said, 4);
    put_remarks(Paint::Bad, "warning", &TableRow::warnings);
    put_remarks(Paint::Bold, "note", &TableRow::notes);
    return page_.text();
  }

 private:
  using Cell = std::function<std::string(const TableRow&)>;
  using Fitted = std::function<std::vector<std::string>(int64_t)>;

  /// What is the same in all rows is said once, above them.
  void add_setting(const std::string& heading, ColumnStyle style, const Cell& cell) {
    std::set<std::string> different;
    for (const TableRow& row : rows_) different.insert(cell(row));
    if (different.size() == 1) {
      same_ += fmt::format("{}{} {}", same_.empty() ? "" : ", ", heading, *different.begin());
    } else {
      add(heading, std::move(style), cell);
    }
  }

  void add(const std::string& heading, ColumnStyle style, const Cell& cell) {
    Column column{heading, std::move(style), {}};
    for (const TableRow& row : rows_) column.cells.push_back(cell(row));
    columns_.push_back(std::move(column));
  }

  /// Whether a run has figures that only a machine has.
  [[nodiscard]] bool has_machine() const {
    return std::none_of(rows_.begin(), rows_.end(),
                        [](const TableRow& row) { return row.figures && !row.figures->has_machine; });
  }

  /// A figure; empty where the run failed.
  void add_figure(const std::string& heading, ColumnStyle style, const std::function<std::string(const RunFigures&)>& cell) {
    add(heading, std::move(style), [&](const TableRow& row) { return row.figures ? cell(*row.figures) : ""; });
  }

  void add_bytes(const std::string& heading, int64_t drop_rank, const std::function<int64_t(const RunFigures&)>& bytes) {
    constexpr int64_t kColumns = 6;
    ColumnStyle style{Align::Right, drop_rank, kColumns, kColumns, {}};
    style.fitted = [this, bytes](int64_t columns) {
      std::vector<std::string> cells;
      for (const TableRow& row : rows_) cells.push_back(row.figures ? bytes_in(bytes(*row.figures), columns) : "");
      return cells;
    };
    add_figure(heading, style, [&](const RunFigures& figures) { return with_thousands(bytes(figures)); });
  }

  /// Cells that are one text where there is room, and another where there is not.
  [[nodiscard]] Fitted shortened(const Cell& cell) const {
    return [this, cell](int64_t columns) {
      std::vector<std::string> cells;
      for (const TableRow& row : rows_) cells.push_back(fit(cell(row), columns, Cut::Back));
      return cells;
    };
  }

  /// A column for each key that --set gives; never cut, for it is what tells the rows apart.
  void add_sets() {
    std::vector<std::string> keys;
    for (const TableRow& row : rows_) {
      for (const auto& [key, value] : parted(row.config).sets) {
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
      }
    }
    for (const std::string& key : keys) {
      add_setting(key, {Align::Right}, [key](const TableRow& row) {
        for (const auto& [name, value] : parted(row.config).sets) {
          if (name == key) return base::printable(value);
        }
        return std::string("-");
      });
    }
  }

  void choose_columns() {
    const std::map<std::string, std::string> models = short_models(rows_);
    size_t number = 0;
    add("#", {Align::Right}, [&](const TableRow&) { return fmt::format("{}", ++number); });
    has_groups_ =
        models.size() > 1 && std::any_of(rows_.begin(), rows_.end(), [&](const TableRow& row) {
          return std::count_if(rows_.begin(), rows_.end(), [&](const TableRow& r) { return r.model == row.model; }) > 1;
        });
    for (const TableRow& row : rows_) groups_.push_back(models.at(row.model));
    const Cell model = [&](const TableRow& row) { return models.at(row.model); };
    if (!has_groups_) add_setting("model", {Align::Left, 0, 16, 8, {}}, model);
    const std::map<std::string, std::string> configs = short_configs(rows_);
    add_setting("config", {Align::Left, 0, 11, 6, {}}, [&](const TableRow& row) {
      const auto told_apart = configs.find(row.config_file);
      return told_apart == configs.end() ? base::printable(parted(row.config).name) : told_apart->second;
    });
    add_sets();
    const Cell short_memory = [](const TableRow& row) {
      return row.memory_mode == "weights-external" ? "weights-ext" : row.memory_mode;
    };
    add_setting("memory", {Align::Left, 0, 11, 11, shortened(short_memory)},
                [](const TableRow& row) { return row.memory_mode; });
    const int64_t unit = unit_of_sizes(rows_);
    add_setting("SRAM", {Align::Right}, [&](const TableRow& row) {
      return with_thousands(row.sram_bytes / unit) + (unit == 1 ? " B" : unit == 1024 ? " KiB" : " MiB");
    });
    const auto has_control = [](const TableRow& row) { return row.job_overhead_cycles.has_value(); };
    if (std::any_of(rows_.begin(), rows_.end(), has_control)) {
      add_setting("control", {Align::Right, 7},
                  [&](const TableRow& row) { return has_control(row) ? with_thousands(*row.job_overhead_cycles) : "-"; });
    }
    if (!has_machine()) {  // the reference counts nothing else
      add_figure("MACs", {Align::Right}, [](const RunFigures& f) { return with_thousands(f.macs); });
      return;
    }
    add_figure("cycles", {Align::Right}, [](const RunFigures& f) { return with_thousands(f.cycles); });
    add_figure("ms", {Align::Right, 3}, [](const RunFigures& f) { return milliseconds(f.seconds); });
    add_figure("fps", {Align::Right, 6}, [](const RunFigures& f) {
      const std::string text = frames_text(f.frames_per_second);
      return text.substr(0, text.find(' '));
    });
    add_figure("util", {Align::Right, 1}, [](const RunFigures& f) { return percent_text(f.mac_utilization_percent); });
    add_bytes("ext B", 2, [](const RunFigures& f) { return f.external_read_bytes + f.external_write_bytes; });
    add_bytes("port B", 5, [](const RunFigures& f) { return f.sram_read_bytes + f.sram_write_bytes; });
    add_bytes("peak B", 4, [](const RunFigures& f) { return f.sram_peak_bytes; });
    const Cell bound = [](const TableRow& row) { return row.figures ? row.figures->bound_by : ""; };
    add_figure("bound by", {Align::Left, 0, 8, 8, shortened(bound)}, [](const RunFigures& f) {
      return f.bound_by.empty() ? "" : fmt::format("{} {:.0f}%", f.bound_by, f.bound_by_percent);
    });
    const bool is_checked = std::any_of(rows_.begin(), rows_.end(),
                                        [](const TableRow& row) { return row.figures && row.figures->check != "skipped"; });
    if (is_checked) add_figure("check", {}, [](const RunFigures& f) { return f.check; });
  }

  /// What went wrong begins in the same column in all rows that have nothing else to show.
  void align_failed(std::vector<std::string>& lines) const {
    int64_t width = 0;
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (!rows_[i].figures) width = std::max(width, num_columns(lines[i + 1]));
    }
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (!rows_[i].figures) lines[i + 1].append(static_cast<size_t>(width - num_columns(lines[i + 1])), ' ');
    }
  }

  void put_row(size_t i, const std::string& line) {
    const TableRow& row = rows_[i];
    if (has_groups_ && (i == 0 || groups_[i] != groups_[i - 1])) {
      page_.line(Paint::Bold, fit(groups_[i], page_.width_columns(), Cut::Front));
    }
    if (row.figures) {
      page_.line(row.exit_code == 3 ? Paint::Bad : Paint::None, line);
      if (!row.first_difference.empty())
        below_.push_back(fmt::format("{}, first difference: {}", i + 1, base::printable(row.first_difference)));
      return;
    }
    const std::string prefix = base::printable(row.model) + ": ";
    const std::string error = base::printable(fmt::format(
        "exit {}: {}", row.exit_code, row.error.starts_with(prefix) ? row.error.substr(prefix.size()) : row.error));
    const std::string whole = line + " " + error;
    if (num_columns(whole) > page_.width_columns()) below_.push_back(fmt::format("{}, {}", i + 1, error));
    page_.line(Paint::Bad, fit(whole, page_.width_columns(), Cut::Back));
  }

  void put_left_out(const std::string& headings) {
    std::vector<std::string> left_out;
    for (const Column& column : columns_) {
      if (headings.find(column.heading) == std::string::npos) left_out.push_back(column.heading);
    }
    if (left_out.empty()) return;
    page_.aside(Paint::Dim, fmt::format("no room for {}: --report FILE.csv has all", fmt::join(left_out, ", ")));
  }

  /// Each text once, with the rows that it is said of.
  void put_remarks(Paint paint, const std::string& what, std::vector<std::string> TableRow::*remarks) {
    std::vector<std::pair<std::string, std::vector<size_t>>> said;
    for (size_t i = 0; i < rows_.size(); ++i) {
      for (const std::string& whole : rows_[i].*remarks) {
        // Sizes differ from row to row: what became of them stands in a column.
        const std::string text = whole.starts_with("--sram-bytes:")
                                     ? "--sram-bytes: the SRAM has a whole number of rows, a word in each bank; SRAM is the "
                                       "size taken"
                                     : whole;
        auto found = std::find_if(said.begin(), said.end(), [&](const auto& entry) { return entry.first == text; });
        if (found == said.end()) found = said.insert(said.end(), {text, {}});
        if (found->second.empty() || found->second.back() != i + 1) found->second.push_back(i + 1);
      }
    }
    for (const auto& [text, rows] : said) {
      const std::string where = rows.size() == rows_.size()
                                    ? "all rows"
                                    : fmt::format("row{} {}", rows.size() == 1 ? "" : "s", fmt::join(rows, ", "));
      page_.paragraph(paint, what + ":", fmt::format("{}: {}", where, text), 4);
    }
  }

  const std::vector<TableRow>& rows_;
  Page page_;
  std::vector<Column> columns_;
  std::string same_;                 // "memory external, SRAM 64 KiB"
  std::vector<std::string> groups_;  // by row: its model
  bool has_groups_ = false;          // a line a model, before its rows
  std::vector<std::string> below_;   // of a row: what has no room in it
};

}  // namespace

std::string to_text(const RunTable& table, const TextStyle& style) { return TextTable(table, style).text(); }

}  // namespace vernier::report
