// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/interleave_command.hpp"

#include "compiler/reference/interpreter.hpp"
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/text.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/cli/places.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/version.hpp"
#include "sim/flow/ends.hpp"
#include "sim/flow/inputs.hpp"
#include "sim/flow/job_traffic.hpp"
#include "sim/flow/model.hpp"
#include "sim/soc/firmware_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace vernier::cli {

namespace {

/// No report takes the place of what is read.
void check_places(const InterleaveCommand& command) {
  check_report_places(command.reports, {".json"});
  std::vector<Place> read, written;
  for (const std::string& model : command.models) read.push_back({"MODEL", model});
  if (command.machine.config) read.push_back({"--config", *command.machine.config});
  if (command.firmware) read.push_back({"--firmware", *command.firmware});
  for (const std::string& file : command.reports) {
    if (file != "-") written.push_back({"--report", file});
  }
  refuse_overwriting(read, written);
}

flow::TrafficNetwork network_of(const std::string& file, const InterleaveCommand& command) {
  flow::TrafficNetwork network;
  network.file = file;
  const flow::Model model = flow::load_model(file, command.machine);
  network.package = flow::package_of(model, command.machine);
  const flow::Ends ends = flow::ends_of(network.package);
  network.inputs =
      command.values ? flow::make_inputs(ends.inputs, {}, command.seed, model.open_inputs) : flow::zero_inputs(ends.inputs);
  if (!command.values || command.no_check) return network;
  if (!model.graph) throw base::UserError(file, "holds no source graph to check against, allowed with --no-check only");
  network.expected = reference::run(*model.graph, network.inputs).outputs;
  return network;
}

int exit_code_of(const report::JobTable& table) {
  int code = kExitSuccess;
  for (const report::JobNetwork& network : table.networks) {
    if (network.jobs_different > 0) code = std::max(code, kExitMismatch);
    if (network.jobs_done < network.jobs) code = std::max(code, kExitFault);
  }
  return code;
}

void print(const report::JobTable& table, const InterleaveCommand& command) {
  const bool json_on_stdout = std::find(command.reports.begin(), command.reports.end(), "-") != command.reports.end();
  FILE* people = json_on_stdout ? stderr : stdout;
  const report::TextStyle style = style_of(people);
  const std::string text =
      command.is_quiet ? report::to_summary(table) + "\n" + report::first_not_done(table) : report::to_text(table, style);
  print_text(people, text, style.has_color);
  if (json_on_stdout) print_text(stdout, report::to_json(table));
}

int interleave_on(const InterleaveCommand& command) {
  Progress progress;
  std::optional<soc::FirmwareProgram> firmware;
  flow::TrafficPlan plan;
  plan.inferences = command.inferences;
  plan.arrival_cycles = command.arrival_cycles;
  plan.values = command.values;
  plan.device.on_console = print_console_line;
  if (command.firmware) {
    firmware = soc::parse_firmware_elf(base::read_file(*command.firmware), *command.firmware);
    plan.device.firmware = &*firmware;
  }
  std::vector<flow::TrafficNetwork> networks;
  for (const std::string& model : command.models) {
    progress.phase("compiling " + model);
    networks.push_back(network_of(model, command));
  }
  const bool has_control_flow =
      std::any_of(networks.begin(), networks.end(), [](const auto& one) { return !one.package.flow.steps.empty(); });
  if (command.control.value_or(has_control_flow ? "cpu" : "direct") == "cpu") plan.device.control = soc::Control::Cpu;
  // Each package may be compiled for its own share of SRAM: the machine has as much as the largest one.
  const config::MachineConfig config = std::max_element(networks.begin(), networks.end(), [](const auto& a, const auto& b) {
                                         return a.package.config.sram_bytes < b.package.config.sram_bytes;
                                       })->package.config;
  report::JobTable table = flow::run_traffic(config, std::move(networks), plan, [&](int64_t done, int64_t all) {
    if (done % 64 == 0) progress.phase(fmt::format("{} of {} jobs done", done, all));
  });
  table.tool_version = tool_version();
  table.firmware = command.firmware.value_or("");
  base::FileSet files;
  for (const std::string& file : command.reports) {
    if (file != "-") files.add_text(file, report::to_json(table));
  }
  files.commit();
  progress.done();
  print(table, command);
  return exit_code_of(table);
}

}  // namespace

int interleave(const InterleaveCommand& command) {
  check_places(command);
  try {
    return interleave_on(command);
  } catch (const soc::FirmwareError& error) {
    print_text(stderr, fmt::format("vernier: {}\n", error.what()));
    return kExitFault;
  }
}

}  // namespace vernier::cli
