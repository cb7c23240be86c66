// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/run_command.hpp"

#include "sim/cli/exit_code.hpp"
#include "sim/cli/failure.hpp"
#include "sim/cli/out_of_memory.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/signals.hpp"
#include "sim/cli/spread_samples.hpp"
#include "sim/flow/run/run.hpp"

namespace vernier::cli {
namespace {

flow::RunRequest run_request_of(const RunOptions& options, const Reports& reports) {
  auto request = request_of<flow::RunRequest>(options, reports);
  if (!options.no_rerun) request.rerun_folder = "";
  request.lists_folded = options.is_verbose;
  // Nothing is worked out that nobody sees.
  request.finds_least_bandwidth = !options.is_quiet || !options.reports.empty();
  if (request.samples) request.samples->spread = spread_over_workers(options.jobs);
  request.rtl.on_endless_evaluation = end_endless_evaluation;
  return request;
}

}  // namespace

int run(const RunOptions& options) {
  const Reports reports = take_reports(options.reports);
  return with_memory_errors(options.model, [&] {
    Progress progress;
    const flow::RunResult result = flow::run(run_request_of(options, reports), observer_of(progress));
    progress.done();
    if (result.failure) return print_failure(*result.failure);
    print_report(result.report, options, reports);
    return exit_code_of(result.verdict());
  });
}

}  // namespace vernier::cli
