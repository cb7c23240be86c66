// SPDX-License-Identifier: Apache-2.0
// Reports as files. What a report is printed as is its caller's affair.
#pragma once

#include "hw/base/file.hpp"
#include "sim/report/report.hpp"

#include <functional>
#include <string>
#include <vector>

namespace vernier::flow {

/// UserError, naming --report, unless each file has one of the endings, in a folder that is there and can be written.
void check_report_places(const std::vector<std::string>& reports, const std::vector<std::string>& endings);
/// The files that they become: those beside FILE.mx.json are several.
std::vector<std::string> report_files(const std::vector<std::string>& reports);
/// Whether a report is node data of Model Explorer, for which Report::source_graph is needed.
bool wants_node_data(const std::vector<std::string>& reports);
/// Adds the reports to `files`, each in the form of its ending: .json, .csv, .html, .mx.json.
void add_reports(base::FileSet& files, const report::Report& report, const std::vector<std::string>& reports);
/// The same text to each of them; it is made where there is one at least.
void add_texts(base::FileSet& files, const std::vector<std::string>& reports, const std::function<std::string()>& make_text);

}  // namespace vernier::flow
