// SPDX-License-Identifier: Apache-2.0
// What `run` and `estimate` take of the control CPU.
#pragma once

#include "sim/cli/options.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the name of the library
class App;
}

namespace vernier::cli {

void add_control_options(CLI::App& sub, RunOptions& options);

}  // namespace vernier::cli
