// SPDX-License-Identifier: Apache-2.0
// What the commands print: text for people, and JSON where `--report -` asks for it.
#pragma once

#include "sim/cli/options.hpp"
#include "sim/report/report.hpp"

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::cli {

/// --report as given, taken apart.
struct Reports {
  std::vector<std::string> files;
  bool is_json_printed = false;  // -: the JSON goes to standard output, and people read standard error
  [[nodiscard]] FILE* people() const { return is_json_printed ? stderr : stdout; }
};
/// UserError where - is given more than once.
Reports take_reports(const std::vector<std::string>& given);

/// What the library is asked for by a command that adds to a request what only a terminal has.
template <typename Request, typename Command>
Request request_of(const Command& command, const Reports& reports) {
  Request request(static_cast<const Request&>(command));
  request.report_files = reports.files;
  return request;
}

/// How wide, and whether in colour, text for people on that stream is.
report::TextStyle style_of(FILE* stream);

/// Prints the text for people and, where it is asked for, the JSON.
void print_result(const Reports& reports, std::string_view text, const std::function<std::string()>& make_json,
                  bool keeps_color = false);

/// The same of a run: text, or with -q one line and why the exit code is 1.
void print_report(const report::Report& report, const RunOptions& options, const Reports& reports);

/// With -q: the first line, and the first mismatch.
std::string quiet_text(const std::string& text, const std::string& first_mismatch);

}  // namespace vernier::cli
