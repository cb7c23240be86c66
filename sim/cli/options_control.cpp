// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/options_control.hpp"

#include "sim/cli/options_values.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace vernier::cli {

namespace {
constexpr int64_t kMostPort = UINT16_MAX;
}  // namespace

void add_control_options(CLI::App& sub, RunOptions& options) {
  sub.add_option(
      "--control", options.control,
      "direct (default): the host starts the NPU itself; cpu: firmware of the control CPU does, and its cycles are "
      "told beside the network's; a package with control flow takes cpu by itself");
  sub.add_option("--firmware", options.firmware,
                 "with --control cpu: FILE.elf, a program for 32-bit RISC-V; default: the firmware that is built in");
  sub.add_option("--cpu-trace", options.cpu_trace,
                 "with --control cpu: FILE, a line of text for each instruction of the firmware");
  sub.add_option("--gdb", options.gdb_port,
                 "with --control cpu: GDB debugs the firmware over this port of 127.0.0.1; 0: one that is free")
      ->check(
          CLI::Validator([](const std::string& text) { return complaint_about_number<int64_t>(text, 0, kMostPort); }, ""));
}

}  // namespace vernier::cli
