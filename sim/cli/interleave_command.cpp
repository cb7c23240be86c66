// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/interleave_command.hpp"

#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/cli/progress.hpp"
#include "sim/flow/run/interleave.hpp"

#include <fmt/format.h>

namespace vernier::cli {

int interleave(const InterleaveCommand& command) {
  const Reports reports = take_reports(command.reports);
  const auto request = request_of<flow::InterleaveRequest>(command, reports);
  Progress progress;
  const flow::InterleaveResult result = flow::interleave(request, observer_of(progress));
  progress.done();
  if (result.failure) {
    print_text(stderr, fmt::format("vernier: {}\n", *result.failure));
    return exit_code_of(result.verdict());
  }
  const report::JobTable& table = result.table;
  const report::TextStyle style = style_of(reports.people());
  const std::string text =
      command.is_quiet ? report::to_summary(table) + "\n" + report::first_not_done(table) : report::to_text(table, style);
  print_result(
      reports, text, [&] { return report::to_json(table); }, style.has_color);
  return exit_code_of(result.verdict());
}

}  // namespace vernier::cli
