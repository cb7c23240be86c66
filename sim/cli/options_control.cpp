// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/options_control.hpp"

#include "hw/base/error.hpp"
#include "sim/cli/options_values.hpp"

#include <CLI/CLI.hpp>

namespace vernier::cli {

void add_control_options(CLI::App& sub, RunOptions& options) {
  sub.add_option(
      "--control", options.control,
      "direct (default): the host starts the NPU itself; cpu: firmware of the control CPU does, and its cycles are "
      "told beside the network's");
  sub.add_option("--firmware", options.firmware,
                 "with --control cpu: FILE.elf, a program for 32-bit RISC-V; default: the firmware that is built in");
  sub.add_option("--cpu-trace", options.cpu_trace,
                 "with --control cpu: FILE, a line of text for each instruction of the firmware");
}

void check_control_options(const RunOptions& options) {
  check_choice("--control", options.control, {"direct", "cpu"});
  if (options.control == "cpu" && options.backend != "sim")
    throw base::UserError("--control", "'cpu' is for backend 'sim', found backend '{}'", options.backend);
  if (options.firmware && options.control != "cpu")
    throw base::UserError("--firmware", "is for --control cpu, found control '{}'", options.control);
  if (options.cpu_trace && options.control != "cpu")
    throw base::UserError("--cpu-trace", "is for --control cpu, found control '{}'", options.control);
}

}  // namespace vernier::cli
