// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/verify_command.hpp"

#include "hw/base/text.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/out_of_memory.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/cli/progress.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace vernier::cli {
namespace {

std::string summary_of(const std::vector<flow::VerifiedTest>& tests) {
  const auto num_errors = std::ranges::count_if(tests, &flow::VerifiedTest::expects_error);
  const auto num_good = std::ranges::count_if(tests, &flow::VerifiedTest::is_as_expected);
  return fmt::format("{} of {} tests as expected; {} of all expect an error\n", base::with_thousands(num_good),
                     base::with_thousands(std::ssize(tests)), base::with_thousands(num_errors));
}

/// The line about a test on standard error: what was found first, or that nothing was where something had to be.
void tell(const flow::VerifiedTest& test, const VerifyCommand& command) {
  if (test.is_as_expected()) {
    if (command.is_verbose) print_text(stderr, fmt::format("{}: exit code {}\n", test.desc, test.exit_code()));
    return;
  }
  const std::string finding = test.finding.empty() ? "no error, one is expected" : test.finding;
  print_text(stderr, fmt::format("vernier: {}: exit code {}: {}\n", test.desc, test.exit_code(), base::printable(finding)));
}

}  // namespace

int verify(const VerifyCommand& command) {
  const Reports reports = take_reports(command.reports);
  return with_memory_errors(command.descs.front(), [&] {
    Progress progress;
    const bool is_one = flow::is_for_one_test(command);
    const auto on_test = [&](const flow::VerifiedTest& test) {
      if (is_one) return;
      progress.done();
      tell(test, command);
    };
    const std::vector<flow::VerifiedTest> tests =
        flow::verify(request_of<flow::VerifyRequest>(command, reports), on_test, observer_of(progress));
    progress.done();
    if (reports.is_json_printed) print_text(stdout, flow::to_json(tests, command.backend));
    if (is_one) {
      const flow::VerifiedTest& test = tests.front();
      if (!test.finding.empty()) print_text(stderr, fmt::format("vernier: {}\n", base::printable(test.finding)));
      return test.exit_code();
    }
    if (!command.is_quiet) print_text(reports.people(), summary_of(tests));
    return std::ranges::all_of(tests, &flow::VerifiedTest::is_as_expected) ? kExitSuccess : kExitMismatch;
  });
}

}  // namespace vernier::cli
