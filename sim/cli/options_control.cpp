// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/options_control.hpp"

#include "hw/base/error.hpp"
#include "sim/cli/options_values.hpp"

#include <CLI/CLI.hpp>

namespace vernier::cli {

namespace {
constexpr int64_t kMostPort = UINT16_MAX;
}  // namespace

void add_control_options(CLI::App& sub, RunOptions& options) {
  sub.add_option(
      "--control", options.control,
      "direct (default): the host starts the NPU itself; cpu: firmware of the control CPU does, and its cycles are "
      "told beside the network's");
  sub.add_option("--firmware", options.firmware,
                 "with --control cpu: FILE.elf, a program for 32-bit RISC-V; default: the firmware that is built in");
  sub.add_option("--cpu-trace", options.cpu_trace,
                 "with --control cpu: FILE, a line of text for each instruction of the firmware");
  sub.add_option("--gdb", options.gdb_port,
                 "with --control cpu: GDB debugs the firmware over this port of 127.0.0.1; 0: one that is free")
      ->check(
          CLI::Validator([](const std::string& text) { return complaint_about_number<int64_t>(text, 0, kMostPort); }, ""));
}

void check_control_options(const RunOptions& options) {
  check_choice("--control", options.control, {"direct", "cpu"});
  if (options.control == "cpu" && options.backend != "sim")
    throw base::UserError("--control", "'cpu' is for backend 'sim', found backend '{}'", options.backend);
  if (options.firmware && options.control != "cpu")
    throw base::UserError("--firmware", "is for --control cpu, found control '{}'", options.control);
  if (options.cpu_trace && options.control != "cpu")
    throw base::UserError("--cpu-trace", "is for --control cpu, found control '{}'", options.control);
  if (!options.gdb_port) return;
  if (options.control != "cpu") throw base::UserError("--gdb", "is for --control cpu, found control '{}'", options.control);
  check_range("--gdb", *options.gdb_port, 0, kMostPort);
  if (options.iterations != 1)
    throw base::UserError("--gdb", "is for one iteration, found --iterations {}", options.iterations);
}

}  // namespace vernier::cli
