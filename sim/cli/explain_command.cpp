// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/explain_command.hpp"

#include "sim/cli/exit_code.hpp"
#include "sim/cli/failure.hpp"
#include "sim/cli/out_of_memory.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/cli/progress.hpp"

namespace vernier::cli {

int explain(const ExplainCommand& command) {
  const Reports reports = take_reports(command.reports);
  const auto request = request_of<flow::ExplainRequest>(command, reports);
  return with_memory_errors(command.model, [&] {
    Progress progress;
    const flow::ExplainResult result = flow::explain(request, observer_of(progress));
    progress.done();
    if (result.failure) return print_failure(*result.failure);
    const report::TextStyle style = style_of(reports.people());
    print_result(
        reports, report::to_text(result.story, style, command.is_verbose), [&] { return report::to_json(result.story); },
        style.has_color);
    return kExitSuccess;
  });
}

}  // namespace vernier::cli
