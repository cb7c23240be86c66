// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/outputs.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/text.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/traces.hpp"
#include "sim/report/node_data.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace vernier::cli {
namespace {

constexpr int64_t kPipeColumns = 100;

/// COLUMNS, where it is a number above 0.
std::optional<int64_t> columns_asked_for() {
  const char* text = std::getenv("COLUMNS");
  if (text == nullptr) return std::nullopt;
  const std::string_view digits(text);
  int64_t columns = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), columns);
  const bool is_number = error == std::errc() && end == digits.data() + digits.size() && columns > 0;
  return is_number ? std::optional(columns) : std::nullopt;
}

bool is_existing_directory(const std::filesystem::path& path) {
  std::error_code unknown;  // what cannot be looked at is none
  return std::filesystem::is_directory(path, unknown);
}
bool is_writable_directory(const std::filesystem::path& path) {
  return is_existing_directory(path) && ::access(path.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

report::TextStyle style_of(FILE* stream) {
  report::TextStyle style;
  const std::optional<int64_t> asked = columns_asked_for();
  style.width_columns = asked.value_or(kPipeColumns);
  if (::isatty(::fileno(stream)) == 0) return style;
  if (!asked) style.width_columns = terminal_columns(stream).value_or(style.width_columns);
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool is_dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  style.has_color = (no_color == nullptr || *no_color == '\0') && !is_dumb;
  return style;
}

namespace {
/// ".mx.json" is not ".json".
std::string ending_of(const std::string& file) {
  return file.ends_with(report::kNodeDataEnding) ? std::string(report::kNodeDataEnding)
                                                 : std::filesystem::path(file).extension().string();
}

void check_place(const std::string& option, const std::string& file) {
  const std::filesystem::path path(file);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (!is_writable_directory(folder))
    throw base::UserError(option, "'{}' cannot be written: folder '{}' is missing or not writable", file, folder.string());
  if (is_existing_directory(path)) throw base::UserError(option, "'{}' is a directory, expected a file name", file);
}

void check_file_place(const std::string& option, const std::string& file, const std::vector<std::string>& endings,
                      std::string_view other) {
  if (std::find(endings.begin(), endings.end(), ending_of(file)) == endings.end())
    throw base::UserError(option, "'{}' is not FILE{}{}", file, fmt::join(endings, ", FILE"), other);
  check_place(option, file);
}
}  // namespace

void check_file_places(const std::string& option, const std::vector<std::string>& paths,
                       const std::vector<std::string>& endings) {
  for (const std::string& file : paths) check_file_place(option, file, endings, "");
}

void check_report_places(const std::vector<std::string>& reports, const std::vector<std::string>& endings) {
  if (std::count(reports.begin(), reports.end(), "-") > 1)
    throw base::UserError("--report", "'-' is given more than once, allowed is once");
  for (const std::string& report : reports) {
    if (report != "-") check_file_place("--report", report, endings, " or -");
  }
}

void check_places(const RunOptions& options) {
  check_report_places(options.reports, {".json", ".csv", ".html", ".mx.json"});
  check_trace_places(options.traces);
  if (options.cpu_trace) check_place("--cpu-trace", *options.cpu_trace);
  if (!options.output_dir) return;
  if (options.output_dir->empty()) throw base::UserError("--output-dir", "'' is not a directory name");
  // The directory is made when there is something to write: until then, whether it can be is a question to its parents.
  std::filesystem::path place = std::filesystem::absolute(*options.output_dir);
  std::error_code unknown;
  while (!std::filesystem::exists(place, unknown) && place.has_relative_path()) place = place.parent_path();
  if (!is_existing_directory(place))
    throw base::UserError("--output-dir", "'{}' cannot be made: '{}' is no directory", *options.output_dir, place.string());
  if (!is_writable_directory(place))
    throw base::UserError("--output-dir", "'{}': directory '{}' is not writable", *options.output_dir, place.string());
}

std::vector<std::string> report_files(const std::vector<std::string>& reports) {
  std::vector<std::string> files;
  for (const std::string& file : reports) {
    if (file == "-") continue;
    if (ending_of(file) == report::kNodeDataEnding) {
      for (std::string& data : report::node_data_files(file)) files.push_back(std::move(data));
    } else {
      files.push_back(file);
    }
  }
  return files;
}

bool wants_node_data(const RunOptions& options) {
  return std::any_of(options.reports.begin(), options.reports.end(),
                     [](const std::string& file) { return ending_of(file) == report::kNodeDataEnding; });
}

void add_reports(base::FileSet& files, const report::Report& report, const RunOptions& options) {
  for (const std::string& file : options.reports) {
    if (file == "-") continue;
    const std::string ending = ending_of(file);
    if (ending == report::kNodeDataEnding) {
      for (const report::NodeDataFile& data : report::node_data(report, file)) files.add_text(data.file, data.text);
    } else {
      files.add_text(file, ending == ".csv"    ? report::to_csv(report)
                           : ending == ".html" ? report::to_html(report)
                                               : report::to_json(report));
    }
  }
}

void print_reports(const report::Report& report, const RunOptions& options) {
  const bool json_on_stdout = std::find(options.reports.begin(), options.reports.end(), "-") != options.reports.end();
  FILE* people = json_on_stdout ? stderr : stdout;
  report::TextStyle style = style_of(people);
  style.lists_approximations = options.is_verbose;
  if (options.is_quiet) {
    print_text(people, report::to_summary(report));
    for (const std::string& warning : report.warnings)
      print_text(stderr, fmt::format("vernier: warning: {}\n", base::printable(warning)));
  } else {
    print_text(people, report::to_text(report, style), style.has_color);
  }
  if (json_on_stdout) print_text(stdout, report::to_json(report));
}

}  // namespace vernier::cli
