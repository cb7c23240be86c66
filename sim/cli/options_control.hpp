// SPDX-License-Identifier: Apache-2.0
// What `run` and `estimate` take of the control CPU.
#pragma once

#include "sim/cli/options.hpp"
#include "sim/soc/npu.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the name of the library
class App;
}

namespace vernier::cli {

void add_control_options(CLI::App& sub, RunOptions& options);
/// UserError for what is no legal value, or needs the control CPU and has none.
void check_control_options(const RunOptions& options);
/// Who starts the streams of that package. UserError where it has control flow and the options do not fit.
soc::Control control_of(const RunOptions& options, const package::Package& package, bool is_one_of_several);

}  // namespace vernier::cli
