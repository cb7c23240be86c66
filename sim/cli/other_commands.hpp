// SPDX-License-Identifier: Apache-2.0
// The commands that look but do not run: compile, inspect, config.
#pragma once

#include "sim/cli/options.hpp"

namespace vernier::cli {

/// Each prints to standard output and returns the exit code; UserError for what is wrong with the input.
int compile(const CompileCommand& command);
int inspect(const InspectCommand& command);
int config(const ConfigCommand& command);

}  // namespace vernier::cli
