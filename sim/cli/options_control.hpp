// SPDX-License-Identifier: Apache-2.0
// What `run` and `estimate` take of the control CPU.
#pragma once

#include "sim/cli/options.hpp"
#include "sim/soc/npu.hpp"

#include <span>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): the name of the library
class App;
}

namespace vernier::cli {

void add_control_options(CLI::App& sub, RunOptions& options);
/// UserError for what is no legal value, or needs the control CPU and has none. Of packages alone that may only be known
/// with their contents: control_of() tells.
void check_control_options(const RunOptions& options, std::span<const std::string> models);
/// Who starts the streams of a package with that control flow; null, or no steps: it has none. UserError where the options
/// do not fit it.
soc::Control control_of(const RunOptions& options, const package::ControlFlow* flow);

}  // namespace vernier::cli
