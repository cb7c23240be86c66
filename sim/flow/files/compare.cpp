// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/files/compare.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "sim/flow/files/places.hpp"
#include "sim/flow/files/report_files.hpp"
#include "sim/flow/files/version.hpp"

#include <utility>

namespace vernier::flow {

report::Comparison compare(const CompareRequest& request) {
  if (request.files.size() < 2)
    throw base::UserError("compare", "{} report is given, two or more are to be compared", request.files.size());
  check_report_places(request.report_files, {".json", ".html"});
  refuse_overwriting(places_of("REPORT", request.files), places_of("--report", request.report_files));
  std::vector<std::pair<std::string, std::string>> reports;
  for (const std::string& file : request.files) reports.emplace_back(file, base::read_text_file(file));
  report::Comparison comparison = report::compare(reports);
  base::FileSet files;
  for (const std::string& file : request.report_files) {
    files.add_text(file, ending_of(file) == ".html" ? report::to_html(comparison, tool_version())
                                                    : report::to_json(comparison, tool_version()));
  }
  files.commit();
  return comparison;
}

}  // namespace vernier::flow
