// SPDX-License-Identifier: Apache-2.0
#include "hw/package/disassembler.hpp"
#include "sim/report/report.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace vernier::report {
namespace {

using Json = nlohmann::ordered_json;

/// Two decimals: a figure for people and programs alike, not the noise of a division.
double rounded(double value) { return std::round(value * 100.0) / 100.0; }

void put_traffic(Json& json, const Traffic& traffic) {
  json["sram_read_bytes"] = traffic.sram_read_bytes;
  json["sram_write_bytes"] = traffic.sram_write_bytes;
  json["external_read_bytes"] = traffic.external_read_bytes;
  json["external_write_bytes"] = traffic.external_write_bytes;
}

Json config_json(const Report& report) {
  Json json = Json::object();
  for (const config::ConfigValue& value : config::values_of(report.config)) {
    if (value.is_number) {
      json[value.key] = std::stoll(value.value);
    } else if (value.value == "true" || value.value == "false") {
      json[value.key] = value.value == "true";
    } else {
      json[value.key] = value.value;
    }
  }
  json["optimize"] = report.optimize;
  return json;
}

Json check_json(const Check& check) {
  Json json = Json::object();
  json["result"] = check.result;
  json["elements_compared"] = check.elements_compared;
  json["tensors_compared"] = check.tensors_compared;
  json["elements_different"] = check.elements_different;
  json["iterations_compared"] = check.iterations_compared;
  json["first_difference"] = nullptr;
  if (check.first_difference) {
    const FirstDifference& d = *check.first_difference;
    json["first_difference"] = {{"tensor", d.tensor}, {"coordinates", d.coordinates}, {"expected", d.expected},
                                {"actual", d.actual}, {"layer_idx", d.layer_idx},     {"command_idx", d.command_idx},
                                {"cycle", d.cycle}};
  }
  json["folded"] = Json::array();
  for (const auto& [tensor, reason] : check.folded) json["folded"].push_back({{"tensor", tensor}, {"reason", reason}});
  return json;
}

Json totals_json(const Report& report) {
  Json json = Json::object();
  json["cycles"] = report.cycles;
  json["seconds"] = static_cast<double>(report.cycles) / static_cast<double>(report.config.clock_hz);
  json["macs"] = report.macs();
  json["mac_utilization_percent"] = rounded(utilization_percent(report.macs(), report.cycles, report.config));
  put_traffic(json, report.traffic);
  json["sram_peak_bytes"] = report.sram_peak_bytes;
  json["sram_written_peak_bytes"] = report.sram_written_peak_bytes;
  json["weight_bytes"] = report.weight_bytes;
  json["commands"] = report.commands;
  return json;
}

Json units_json(const Report& report) {
  Json json = Json::object();
  for (const Unit& unit : report.units) {
    Json stalls = Json::object();
    for (const auto& [name, cycles] : unit.stall_cycles) stalls[name] = cycles;
    json[unit.name] = {{"busy_cycles", unit.busy_cycles}, {"stall_cycles", stalls}, {"idle_cycles", unit.idle_cycles}};
  }
  return json;
}

Json layer_json(const Layer& layer, const Report& report) {
  Json json = Json::object();
  json["layer_idx"] = layer.layer_idx;
  json["name"] = layer.name;
  json["source_name"] = layer.source_name;
  json["operators"] = layer.operators;
  json["first_cycle"] = layer.first_cycle;
  json["last_cycle"] = layer.last_cycle;
  json["attributed_cycles"] = layer.attributed_cycles;
  json["in_flight_cycles"] = layer.in_flight_cycles;
  json["working_cycles"] = layer.working_cycles;
  json["macs"] = layer.macs;
  json["mac_utilization_percent"] = rounded(utilization_percent(layer.macs, layer.working_cycles, report.config));
  put_traffic(json, layer.traffic);
  Json spent = Json::object();
  for (const auto& [name, cycles] : layer.spent_cycles) spent[name] = cycles;
  json["spent_cycles"] = spent;
  json["bound_by"] = layer.bound_by;
  return json;
}

Json commands_json(const Report& report) {
  Json json = Json::array();
  for (const CommandTime& command : report.command_times) {
    json.push_back({{"command_idx", json.size()},
                    {"layer_idx", command.layer_idx},
                    {"start_cycle", command.start_cycle},
                    {"end_cycle", command.end_cycle}});
  }
  return json;
}

}  // namespace

std::string to_json(const Report& report) {
  Json json = Json::object();
  json["schema"] = "vernier-report/1";
  json["tool_version"] = report.tool_version;
  json["backend"] = report.backend;
  json["model"] = {{"file", report.model_file}, {"sha256", report.model_sha256}, {"name", report.model_name}};
  json["config"] = config_json(report);
  json["outputs"] = Json::array();
  for (const Output& output : report.outputs) {
    json["outputs"].push_back(
        {{"tensor", output.tensor}, {"file", output.file}, {"shape", output.shape}, {"dtype", output.dtype}});
  }
  json["check"] = check_json(report.check);
  json["totals"] = totals_json(report);
  json["units"] = units_json(report);
  json["layers"] = Json::array();
  for (const Layer& layer : report.layers) json["layers"].push_back(layer_json(layer, report));
  json["commands"] = commands_json(report);
  const HostSeconds& host = report.host_seconds;
  json["host_seconds"] = {{"import", host.import}, {"compile", host.compile}, {"simulate", host.simulate},
                          {"check", host.check},   {"report", host.report},   {"total", host.total}};
  json["approximations"] = Json::array();
  for (const auto& [what, error] : report.approximations)
    json["approximations"].push_back({{"what", what}, {"error", error}});
  json["warnings"] = report.warnings;
  // Names come from users' files: what is not UTF-8 is replaced, never a reason to fail.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_json(const package::Package& package, const std::string& tool_version) {
  Json json = Json::object();
  json["schema"] = "vernier-disasm/1";
  json["tool_version"] = tool_version;
  json["model"] = {{"name", package.model_name}, {"sha256", package.model_sha256}};
  json["config"] = {{"name", package.config.name}, {"optimize", package.optimize}};
  json["stream_bytes"] = package.stream.size();
  json["commands"] = Json::array();
  for (const package::ListedCommand& command : package::list_commands(package)) {
    const std::string layer = command.layer_idx < 0 ? "" : package.layers[static_cast<size_t>(command.layer_idx)].name;
    json["commands"].push_back({{"command_idx", command.command_idx},
                                {"offset_bytes", command.offset_bytes},
                                {"layer_idx", command.layer_idx},
                                {"layer", layer},
                                {"unit", command.unit},
                                {"text", command.text},
                                {"fault", command.fault}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace vernier::report
