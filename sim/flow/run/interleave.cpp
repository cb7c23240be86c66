// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/run/interleave.hpp"

#include "compiler/reference/interpreter.hpp"
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "sim/flow/files/places.hpp"
#include "sim/flow/files/report_files.hpp"
#include "sim/flow/files/version.hpp"
#include "sim/flow/model/ends.hpp"
#include "sim/flow/model/inputs.hpp"
#include "sim/flow/model/model.hpp"
#include "sim/flow/run/job_traffic.hpp"
#include "sim/soc/firmware_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace vernier::flow {
namespace {

/// The sink is told of so many jobs at once.
constexpr int64_t kJobsBetween = 64;

/// No report takes the place of what is read.
void check_reports(const InterleaveRequest& request) {
  check_report_places(request.report_files, {".json"});
  std::vector<Place> read = places_of("MODEL", request.models);
  if (request.machine.config) read.push_back({"--config", *request.machine.config});
  if (request.firmware) read.push_back({"--firmware", *request.firmware});
  refuse_overwriting(read, places_of("--report", request.report_files));
}

/// EndlessLoop names the file.
std::vector<base::Tensor> expected_of(const std::string& file, const ir::Graph& graph,
                                      const std::vector<base::Tensor>& inputs, reference::Variables& variables) {
  try {
    return reference::run(graph, inputs, {}, &variables).outputs;
  } catch (const reference::EndlessLoop& loop) {
    throw reference::EndlessLoop(fmt::format("{}: {}", file, loop.what()));
  }
}

TrafficNetwork network_of(const std::string& file, const InterleaveRequest& request) {
  TrafficNetwork network;
  network.file = file;
  const Model model = load_model(file, request.machine);
  network.package = package_of(model, request.machine);
  const Ends ends = ends_of(network.package);
  network.inputs = request.values ? make_inputs(ends.inputs, {}, request.seed, model.open_inputs) : zero_inputs(ends.inputs);
  if (!request.values || request.no_check) return network;
  if (!model.graph) throw base::UserError(file, "holds no source graph to check against, allowed with --no-check only");
  reference::Variables variables = reference::initial_variables(*model.graph);
  if (variables.empty()) {
    network.expected = expected_of(file, *model.graph, network.inputs, variables);
  } else {
    const auto graph = std::make_shared<const ir::Graph>(*model.graph);
    network.next_expected = [file, graph, inputs = network.inputs, variables]() mutable {
      return expected_of(file, *graph, inputs, variables);
    };
  }
  return network;
}

report::JobTable table_of(const InterleaveRequest& request, const Observer& observer) {
  std::optional<soc::FirmwareProgram> firmware;
  TrafficPlan plan;
  plan.inferences = request.inferences;
  plan.arrival_cycles = request.arrival_cycles;
  plan.values = request.values;
  plan.device.on_console = observer.on_console;
  if (request.firmware) {
    firmware = soc::parse_firmware_elf(base::read_file(*request.firmware), *request.firmware);
    plan.device.firmware = &*firmware;
  }
  std::vector<TrafficNetwork> networks;
  for (const std::string& model : request.models) {
    observer.phase("compiling " + model);
    networks.push_back(network_of(model, request));
  }
  const bool has_control_flow =
      std::ranges::any_of(networks, [](const auto& one) { return !one.package.flow.steps.empty(); });
  if (request.control.value_or(has_control_flow ? "cpu" : "direct") == "cpu") plan.device.control = soc::Control::Cpu;
  // Each package may be compiled for its own share of SRAM: the machine has as much as the largest one.
  const config::MachineConfig config = std::ranges::max_element(networks, [](const auto& a, const auto& b) {
                                         return a.package.config.sram_bytes < b.package.config.sram_bytes;
                                       })->package.config;
  report::JobTable table = run_traffic(config, std::move(networks), plan, [&](int64_t done, int64_t all) {
    if (done % kJobsBetween == 0) observer.phase(fmt::format("{} of {} jobs done", done, all));
  });
  table.tool_version = tool_version();
  table.firmware = request.firmware.value_or("");
  return table;
}

}  // namespace

Verdict InterleaveResult::verdict() const {
  if (failure) return Verdict::Fault;
  Verdict verdict = Verdict::Good;
  for (const report::JobNetwork& network : table.networks) {
    if (network.jobs_different > 0) verdict = std::max(verdict, Verdict::Mismatch);
    if (network.jobs_done < network.jobs) verdict = std::max(verdict, Verdict::Fault);
  }
  return verdict;
}

InterleaveResult interleave(const InterleaveRequest& request, const Observer& observer) {
  if (request.models.empty()) throw base::UserError("MODEL", "there is none to run");
  check_reports(request);
  try {
    InterleaveResult result{.table = table_of(request, observer)};
    base::FileSet files;
    add_texts(files, request.report_files, [&] { return report::to_json(result.table); });
    files.commit();
    return result;
  } catch (const soc::FirmwareError& error) {
    return {.failure = error.what()};
  } catch (const reference::EndlessLoop& loop) {
    return {.failure = loop.what()};
  }
}

}  // namespace vernier::flow
