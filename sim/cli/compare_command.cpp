// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/compare_command.hpp"

#include "sim/cli/exit_code.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/flow/files/version.hpp"

namespace vernier::cli {

int compare(const CompareCommand& command) {
  const Reports reports = take_reports(command.reports);
  const auto request = request_of<flow::CompareRequest>(command, reports);
  const report::Comparison comparison = flow::compare(request);
  const report::TextStyle style = style_of(reports.people());
  print_result(
      reports, report::to_text(comparison, style), [&] { return report::to_json(comparison, flow::tool_version()); },
      style.has_color);
  return kExitSuccess;
}

}  // namespace vernier::cli
