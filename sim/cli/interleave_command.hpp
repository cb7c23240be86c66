// SPDX-License-Identifier: Apache-2.0
// `vernier run|estimate MODEL ... --interleave`: jobs of several networks on one machine.
#pragma once

#include "sim/cli/options.hpp"

namespace vernier::cli {

/// Prints a table of latencies and writes the JSON reports. Returns the exit code: a job with other outputs than the
/// reference's, or one that is not done, is told by it.
int interleave(const InterleaveCommand& command);

}  // namespace vernier::cli
