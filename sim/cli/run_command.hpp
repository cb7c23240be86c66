// SPDX-License-Identifier: Apache-2.0
// `vernier run`: compile, simulate, check against the reference, report.
#pragma once

#include "sim/cli/options.hpp"
#include "sim/report/report.hpp"

#include <functional>

namespace vernier::cli {

/// Gets the finished report in place of files and print.
using ReportSink = std::function<void(const report::Report&)>;

/// The exit code: 0, 1 (a REQUIRE was found violated), 3 (mismatch), 4 (simulated fault or hang). Throws UserError for the
/// rest.
int run(const RunOptions& options, const ReportSink& sink = {});

}  // namespace vernier::cli
