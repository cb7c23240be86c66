// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/build_report.hpp"

#include "hw/package/command_codec.hpp"
#include "sim/cli/bound.hpp"
#include "sim/report/approximations.hpp"

#include <utility>

namespace vernier::cli {
namespace {

report::Traffic traffic_of(const soc::TrafficBytes& traffic) {
  return {traffic.sram_read_bytes, traffic.sram_write_bytes, traffic.external_read_bytes, traffic.external_write_bytes};
}

}  // namespace

report::Report base_report(const package::Package& package, const std::string& file, const std::string& backend) {
  report::Report report;
  report.tool_version = VERNIER_VERSION;
  report.backend = backend;
  report.model_file = file;
  report.model_sha256 = package.model_sha256;
  report.model_name = package.model_name;
  report.config = package.config;
  report.optimize = package.optimize;
  for (size_t i = 0; i < package.layers.size(); ++i) {
    const package::LayerEntry& entry = package.layers[i];
    report::Layer layer;
    layer.layer_idx = static_cast<int64_t>(i);
    layer.name = layer.source_name = entry.name;
    layer.operators = entry.operators;
    layer.macs = entry.macs;
    report.layers.push_back(std::move(layer));
  }
  return report;
}

void add_simulation(report::Report& report, const package::Package& package, const soc::JobResult& job) {
  report.cycles = job.cycles;
  report.traffic = traffic_of(job.traffic);
  report.sram_peak_bytes = package.sram_peak_bytes;
  report.sram_written_peak_bytes = job.sram_peak_bytes;
  report.weight_bytes = package.weight_bytes;
  report.commands = job.num_commands;
  for (const kit::Statistics& unit : job.units.children()) {
    report::Unit entry;
    entry.name = unit.name();
    entry.busy_cycles = unit.value("busy_cycles");
    entry.idle_cycles = unit.value("idle_cycles");
    if (const kit::Statistics* stalls = unit.find("stall_cycles")) {
      for (const auto& [name, cycles] : stalls->counters()) {
        if (cycles > 0) entry.stall_cycles.emplace_back(name, cycles);
      }
    }
    report.units.push_back(std::move(entry));
  }
  std::vector<LayerSpent> spent = spent_by_layers(package, job);
  for (size_t i = 0; i < report.layers.size(); ++i) {
    const soc::LayerResult& result = job.layers.at(i);
    report::Layer& layer = report.layers[i];
    layer.first_cycle = result.first_cycle;
    layer.last_cycle = result.last_cycle;
    layer.attributed_cycles = result.attributed_cycles;
    layer.in_flight_cycles = result.in_flight_cycles;
    layer.working_cycles = result.working_cycles;
    layer.traffic = traffic_of(result.traffic);
    layer.spent_cycles = std::move(spent[i].cycles);
    layer.bound_by = std::move(spent[i].bound_by);
  }
  for (size_t i = 0; i < job.commands.size(); ++i) {
    const soc::CommandTimes& times = job.commands[i];
    report.command_times.push_back(
        {package::layer_of(package, static_cast<int64_t>(i)), times.start_cycle, times.end_cycle});
  }
  report.approximations = report::approximations();
}

void add_check(report::Report& report, const package::Package& package, const check::Outcome& outcome, bool list_folded) {
  report.check.result = outcome.is_match() ? "match" : "mismatch";
  report.check.elements_compared = outcome.elements_compared;
  report.check.tensors_compared = outcome.tensors_compared;
  report.check.elements_different = outcome.elements_different;
  if (outcome.first) {
    const check::Difference& d = *outcome.first;
    report::FirstDifference first{d.tensor, d.coordinates, d.expected, d.actual, -1, d.origin.command_idx, d.origin.cycle};
    if (d.origin.command_idx >= 0) first.layer_idx = package.command_layers.at(static_cast<size_t>(d.origin.command_idx));
    report.check.first_difference = std::move(first);
  }
  if (!list_folded) return;
  for (const package::FoldedTensor& folded : package.folded) report.check.folded.emplace_back(folded.name, folded.reason);
}

}  // namespace vernier::cli
