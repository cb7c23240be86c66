// SPDX-License-Identifier: Apache-2.0
#include "sim/report/figures.hpp"

#include "hw/base/division.hpp"
#include "hw/base/text.hpp"
#include "hw/spec/latency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace vernier::report {
namespace {

int64_t loaded_before_first(const Report& report) {
  const int64_t burst = report.config.external.burst_bytes;
  return report.config.memory_mode == spec::MemoryMode::Sram ? base::round_up(report.image_bytes, burst) : 0;
}

}  // namespace

Inferences inferences(const Report& report) {
  Inferences result{report.cycles, report.cycles, report.cycles == 0 ? 0 : loaded_before_first(report)};
  if (result.loaded_bytes == 0) return result;
  const spec::ExternalMemory& external = report.config.external;
  result.first_cycles += external.latency_cycles + base::ceil_div(result.loaded_bytes, external.bytes_per_cycle);
  return result;
}

double frames_per_second(const Report& report) {
  return report.cycles == 0 ? 0.0 : static_cast<double>(report.config.clock_hz) / static_cast<double>(report.cycles);
}

bool uses_external_memory(const Report& report) {
  return report.traffic.external_read_bytes + report.traffic.external_write_bytes > 0;
}

double external_bytes_per_second(const config::MachineConfig& config) {
  return config.external.bytes_per_cycle.value() * static_cast<double>(config.clock_hz);
}

std::string bytes_per_cycle_text(const config::MachineConfig& config) {
  return fmt::format("{:.4g} B per cycle", config.external.bytes_per_cycle.value());
}

std::string assumptions(const Report& report) {
  const spec::ExternalMemory& external = report.config.external;
  const std::string sram = fmt::format("{} of SRAM that answers in {} cycles", base::bytes_text(report.config.sram_bytes),
                                       spec::kSramReadLatencyCycles);
  const std::string outside = fmt::format("external memory of {} that answers in {} cycles",
                                          bytes_per_cycle_text(report.config), external.latency_cycles);
  switch (report.config.memory_mode) {
    case spec::MemoryMode::Sram: return sram + ", filled with weights, commands and inputs before cycle 0";
    case spec::MemoryMode::WeightsExternal:
      return sram + ", filled with inputs before cycle 0; weights and commands in " + outside;
    case spec::MemoryMode::External: break;
  }
  return sram + ", empty at cycle 0; weights, commands, inputs and outputs in " + outside;
}

double share_percent(const Layer& layer, const Report& report) {
  if (report.cycles == 0) return 0.0;
  return 100.0 * static_cast<double>(layer.attributed_cycles) / static_cast<double>(report.cycles);
}

std::vector<int64_t> costliest_layers(const Report& report, size_t count) {
  std::vector<int64_t> order(report.layers.size());
  std::iota(order.begin(), order.end(), 0);
  const auto cycles = [&](int64_t idx) { return report.layers[idx].attributed_cycles; };
  std::erase_if(order, [&](int64_t idx) { return cycles(idx) == 0; });
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return cycles(a) > cycles(b); });
  order.resize(std::min(order.size(), count));
  return order;
}

double rounded(double value) { return std::round(value * 100.0) / 100.0; }
double rounded_up(double value) { return std::ceil(value * 100.0) / 100.0; }

std::string to_string(const FirstDifference& d) {
  std::string text =
      fmt::format("tensor '{}' {} expected {} found {}", d.tensor, base::to_string(d.coordinates), d.expected, d.actual);
  if (d.command_idx < 0) return text;
  return text + fmt::format(", of layer {} '{}' ({}), written by command {} on {}, cycles {} to {}", d.layer_idx,
                            d.layer_name, d.operators, d.command_idx, d.unit, d.start_cycle, d.cycle);
}

int64_t sram_peak_gap_bytes(const Report& report) {
  return report.sram_peak_bytes - report.sram_peak.map_bytes - report.sram_peak.weight_bytes -
         report.sram_peak.command_bytes;
}

}  // namespace vernier::report
