// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/options_control.hpp"

#include "hw/base/error.hpp"
#include "sim/cli/options_values.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>
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

namespace {

/// What goes with the control CPU alone, and is given.
std::optional<std::string> option_of_cpu(const RunOptions& options) {
  if (options.firmware) return "--firmware";
  if (options.cpu_trace) return "--cpu-trace";
  if (options.gdb_port) return "--gdb";
  return std::nullopt;
}

void refuse_without_cpu(const RunOptions& options) {
  if (const auto option = option_of_cpu(options))
    throw base::UserError(*option, "is for --control cpu, found control 'direct'");
  if (options.injection && units::is_of_control_system(options.injection->site))
    throw base::UserError("--inject", "{} is a fault of the control system, which goes with --control cpu",
                          flow::kind_of(options.injection->site));
}

}  // namespace

void check_control_options(const RunOptions& options, std::span<const std::string> models) {
  check_choice("--control", options.control.value_or("direct"), {"direct", "cpu"});
  if (options.control == "cpu" && options.backend == "reference")
    throw base::UserError("--control", "'cpu' is for backends 'sim' and 'rtl', found backend 'reference'");
  // Packages may have control flow, and then take the control CPU by themselves.
  const bool may_take_cpu = !options.control && std::all_of(models.begin(), models.end(),
                                                            [](const std::string& m) { return m.ends_with(".vnpu"); });
  if (options.control != "cpu" && !may_take_cpu) refuse_without_cpu(options);
  if (!options.gdb_port) return;
  check_range("--gdb", *options.gdb_port, 0, kMostPort);
  if (options.iterations != 1)
    throw base::UserError("--gdb", "is for one iteration, found --iterations {}", options.iterations);
}

soc::Control control_of(const RunOptions& options, const package::ControlFlow* flow) {
  if (flow == nullptr || flow->steps.empty()) {
    if (options.control == "cpu") return soc::Control::Cpu;
    refuse_without_cpu(options);
    return soc::Control::Direct;
  }
  constexpr std::string_view kHas = "has control flow";
  if (!options.values) throw base::UserError(options.model, "{}, and its values decide what runs: it needs run", kHas);
  if (options.control == "direct")
    throw base::UserError("--control", "'direct' cannot run {}, which {}; allowed is 'cpu'", options.model, kHas);
  if (options.backend != "sim")
    throw base::UserError(options.model, "{}, allowed with backend 'sim', found backend '{}'", kHas, options.backend);
  if (options.injection) throw base::UserError("--inject", "is for one stream, and {} {}", options.model, kHas);
  return soc::Control::Cpu;
}

}  // namespace vernier::cli
