// SPDX-License-Identifier: Apache-2.0
// Reports, on the terminal and in files. Places are checked before any work is done.
#pragma once

#include "hw/base/file.hpp"
#include "sim/cli/options.hpp"
#include "sim/report/report.hpp"

#include <cstdio>
#include <string>
#include <vector>

namespace vernier::cli {

/// UserError unless each file has one of the endings, in a folder that is there and can be written.
void check_file_places(const std::string& option, const std::vector<std::string>& paths,
                       const std::vector<std::string>& endings);
/// The same of --report, where - is allowed once.
void check_report_places(const std::vector<std::string>& reports, const std::vector<std::string>& endings);
/// UserError when the output directory cannot be made or written, or a report has an ending that is not known.
void check_places(const RunOptions& options);
/// The files that they become: all but -, and those beside FILE.mx.json.
std::vector<std::string> report_files(const std::vector<std::string>& reports);
/// Whether a report is node data of Model Explorer, for which Report::source_graph is needed.
bool wants_node_data(const RunOptions& options);
/// Adds the reports that are files to `files`.
void add_reports(base::FileSet& files, const report::Report& report, const RunOptions& options);
/// How wide, and whether in colour, text for people on that stream is.
report::TextStyle style_of(FILE* stream);
/// Prints the text report, and the JSON one where `-` asks for it.
void print_reports(const report::Report& report, const RunOptions& options);

}  // namespace vernier::cli
