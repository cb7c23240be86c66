// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/files/report_files.hpp"

#include "sim/flow/files/places.hpp"
#include "sim/report/node_data.hpp"

#include <algorithm>

namespace vernier::flow {

void check_report_places(const std::vector<std::string>& reports, const std::vector<std::string>& endings) {
  for (const std::string& report : reports) check_file_place("--report", report, endings, " or -");
}

std::vector<std::string> report_files(const std::vector<std::string>& reports) {
  std::vector<std::string> files;
  for (const std::string& file : reports) {
    if (ending_of(file) == report::kNodeDataEnding) {
      for (std::string& data : report::node_data_files(file)) files.push_back(std::move(data));
    } else {
      files.push_back(file);
    }
  }
  return files;
}

bool wants_node_data(const std::vector<std::string>& reports) {
  return std::ranges::any_of(reports, [](const std::string& file) { return ending_of(file) == report::kNodeDataEnding; });
}

void add_reports(base::FileSet& files, const report::Report& report, const std::vector<std::string>& reports) {
  for (const std::string& file : reports) {
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

void add_texts(base::FileSet& files, const std::vector<std::string>& reports,
               const std::function<std::string()>& make_text) {
  if (reports.empty()) return;
  const std::string text = make_text();
  for (const std::string& file : reports) files.add_text(file, text);
}

}  // namespace vernier::flow
