// SPDX-License-Identifier: Apache-2.0
// `vernier run`: compile, simulate, check against the reference, report.
#pragma once

#include "sim/cli/options.hpp"

namespace vernier::cli {

/// The exit code: 0, 1 (a REQUIRE was found violated), 3 (mismatch), 4 (simulated fault or hang). Throws UserError for the
/// rest.
int run(const RunOptions& options);

}  // namespace vernier::cli
