// SPDX-License-Identifier: Apache-2.0
// Several runs at once: `vernier run|estimate` with more than one model, configuration, memory mode or size of SRAM.
#pragma once

#include "sim/cli/options.hpp"

namespace vernier::cli {

/// Makes each run in a process of its own, `jobs` at a time, and prints one table in the order of the command line, whatever
/// order they end in. A run that fails is a row with its line. Returns the highest exit code; in the process of a run, that
/// of the run. UserError, before any run starts, for what is wrong with the options.
int several(const SeveralRuns& command);

}  // namespace vernier::cli
