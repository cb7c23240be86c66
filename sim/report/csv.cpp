// SPDX-License-Identifier: Apache-2.0
#include "sim/report/csv_field.hpp"
#include "sim/report/figures.hpp"
#include "sim/report/report.hpp"
#include "sim/units/attribution.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace vernier::report {
namespace {

/// Cycles by every name there can be, so that the columns of all reports are the same.
std::string causes_text(const std::map<std::string, int64_t>& cycles) {
  std::string text;
  for (const std::string_view name : units::kCauseNames) {
    const auto found = cycles.find(std::string(name));
    fmt::format_to(std::back_inserter(text), ",{}", found == cycles.end() ? 0 : found->second);
  }
  return text;
}

std::string heading() {
  std::string text =
      "layer_idx,name,source_name,operators,first_cycle,last_cycle,attributed_cycles,in_flight_cycles,macs,"
      "mac_utilization_percent,sram_read_bytes,sram_write_bytes,external_read_bytes,external_write_bytes,bound_by,"
      "working_cycles,share_percent";
  for (const std::string_view name : units::kCauseNames) text.append(",attributed_cycles_by.").append(name);
  return text +
         ",bound_detail,main_operator.name,main_operator.kernel,main_operator.stride,main_operator.output_channels,"
         "model.name,config.name,config.memory_mode,config.sram_bytes,config.macs_per_cycle,config.clock_hz,totals.frames_"
         "per_second\r\n";
}

/// The machine, the same on every line.
std::string run_text(const Report& report) {
  return fmt::format("{},{},{},{},{},{},{:.2f}\r\n", csv_field(report.model_name), csv_field(report.config.name),
                     spec::kMemoryModeNames[static_cast<size_t>(report.config.memory_mode)], report.config.sram_bytes,
                     report.config.datapath.macs_per_cycle(), report.config.clock_hz, frames_per_second(report));
}

std::string traffic_text(const Traffic& traffic) {
  return fmt::format("{},{},{},{}", traffic.sram_read_bytes, traffic.sram_write_bytes, traffic.external_read_bytes,
                     traffic.external_write_bytes);
}

std::string layer_text(const Layer& layer, const Report& report) {
  const package::MainOperator& op = layer.main_operator;
  return fmt::format(
      "{},{},{},{},{},{},{},{},{},{:.2f},{},{},{},{:.2f}{},{},{},{},{},{},{}", layer.layer_idx, csv_field(layer.name),
      csv_field(layer.source_name), csv_field(fmt::format("{}", fmt::join(layer.operators, " "))), layer.first_cycle,
      layer.last_cycle, layer.attributed_cycles, layer.in_flight_cycles, layer.macs,
      rounded(utilization_percent(layer.macs, layer.working_cycles, report.config)), traffic_text(layer.traffic),
      layer.bound_by, layer.working_cycles, rounded(share_percent(layer, report)),
      causes_text({layer.attributed_cycles_by.begin(), layer.attributed_cycles_by.end()}), csv_field(layer.bound_detail),
      op.name, fmt::join(op.kernel, "x"), fmt::join(op.stride, "x"), op.output_channels, run_text(report));
}

/// No layer_idx: by this a reader tells the line from those of layers. Its working_cycles are all cycles, so that its
/// utilisation is MACs over these, as a layer's is.
std::string totals_text(const Report& report) {
  std::map<std::string, int64_t> causes;
  for (const Layer& layer : report.layers) {
    for (const auto& [name, cycles] : layer.attributed_cycles_by) causes[name] += cycles;
  }
  return fmt::format(",total,,,0,{0},{0},,{1},{2:.2f},{3},,{0},{4:.2f}{5},,,,,,{6}", report.cycles, report.macs(),
                     rounded(utilization_percent(report.macs(), report.cycles, report.config)), traffic_text(report.traffic),
                     report.cycles > 0 ? 100.0 : 0.0, causes_text(causes), run_text(report));
}

}  // namespace

std::string to_csv(const Report& report) {
  std::string text = heading();
  for (const Layer& layer : report.layers) text += layer_text(layer, report);
  return text + totals_text(report);
}

}  // namespace vernier::report
