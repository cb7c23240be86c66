// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/compare_command.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/cli/places.hpp"
#include "sim/cli/version.hpp"
#include "sim/report/comparison.hpp"

#include <algorithm>
#include <filesystem>

namespace vernier::cli {

int compare(const CompareCommand& command) {
  if (command.files.size() < 2)
    throw base::UserError("compare", "{} report is given, two or more are to be compared", command.files.size());
  check_report_places(command.reports, {".json", ".html"});
  std::vector<Place> read, written;
  for (const std::string& file : command.files) read.push_back({"REPORT", file});
  for (const std::string& file : command.reports) {
    if (file != "-") written.push_back({"--report", file});
  }
  refuse_overwriting(read, written);
  std::vector<std::pair<std::string, std::string>> reports;
  for (const std::string& file : command.files) reports.emplace_back(file, base::read_text_file(file));
  const report::Comparison comparison = report::compare(reports);
  base::FileSet files;
  for (const std::string& file : command.reports) {
    if (file == "-") continue;
    const bool is_page = std::filesystem::path(file).extension() == ".html";
    files.add_text(file,
                   is_page ? report::to_html(comparison, tool_version()) : report::to_json(comparison, tool_version()));
  }
  files.commit();
  const bool json_on_stdout = std::ranges::find(command.reports, "-") != command.reports.end();
  FILE* people = json_on_stdout ? stderr : stdout;
  const report::TextStyle style = style_of(people);
  print_text(people, report::to_text(comparison, style), style.has_color);
  if (json_on_stdout) print_text(stdout, report::to_json(comparison, tool_version()));
  return kExitSuccess;
}

}  // namespace vernier::cli
