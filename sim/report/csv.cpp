// SPDX-License-Identifier: Apache-2.0
#include "sim/report/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>

namespace vernier::report {
namespace {

/// Quoted where a comma, a quote or a line end asks for it; quotes doubled.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + "\"";
}

}  // namespace

std::string to_csv(const Report& report) {
  std::string text =
      "layer_idx,name,source_name,operators,first_cycle,last_cycle,attributed_cycles,in_flight_cycles,macs,"
      "mac_utilization_percent,sram_read_bytes,sram_write_bytes,external_read_bytes,external_write_bytes,bound_by\r\n";
  for (const Layer& layer : report.layers) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{:.2f},{},{},{},{},{}\r\n", layer.layer_idx,
                   quoted(layer.name), quoted(layer.source_name), quoted(fmt::format("{}", fmt::join(layer.operators, " "))),
                   layer.first_cycle, layer.last_cycle, layer.attributed_cycles, layer.in_flight_cycles, layer.macs,
                   utilization_percent(layer.macs, layer.working_cycles, report.config), layer.traffic.sram_read_bytes,
                   layer.traffic.sram_write_bytes, layer.traffic.external_read_bytes, layer.traffic.external_write_bytes,
                   layer.bound_by);
  }
  return text;
}

}  // namespace vernier::report
