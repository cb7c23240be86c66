// SPDX-License-Identifier: Apache-2.0
// `vernier run` and `vernier estimate` of one network.
#pragma once

#include "sim/cli/options.hpp"

namespace vernier::cli {

/// Prints what the run found. The exit code: 0, 1 (a REQUIRE was found violated), 3 (mismatch), 4 (simulated fault or hang).
int run(const RunOptions& options);

}  // namespace vernier::cli
