// SPDX-License-Identifier: Apache-2.0
// Long because: it has every field of the report in its order, and headers of the JSON library stay out of headers.
#include "hw/base/error.hpp"
#include "hw/package/disassembler.hpp"
#include "sim/report/figures.hpp"
#include "sim/report/json_parts.hpp"
#include "sim/report/measured_error.hpp"
#include "sim/report/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <iterator>

namespace vernier::report {
namespace {

using Json = nlohmann::ordered_json;

void put_traffic(Json& json, const Traffic& traffic) {
  json["sram_read_bytes"] = traffic.sram_read_bytes;
  json["sram_write_bytes"] = traffic.sram_write_bytes;
  json["external_read_bytes"] = traffic.external_read_bytes;
  json["external_write_bytes"] = traffic.external_write_bytes;
}

Json config_json(const Report& report) {
  Json json = Json::object();
  for (const config::ConfigValue& value : config::values_of(report.config)) {
    if (value.number && value.number->is_whole()) {
      json[value.key] = value.number->numerator();
    } else if (value.number) {
      json[value.key] = static_cast<double>(value.number->numerator()) / static_cast<double>(value.number->denominator());
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
                                {"cycle", d.cycle},   {"layer_name", d.layer_name},   {"operators", d.operators},
                                {"unit", d.unit},     {"start_cycle", d.start_cycle}, {"operands", d.operands}};
  }
  json["folded"] = Json::array();
  for (const auto& [tensor, reason] : check.folded) json["folded"].push_back({{"tensor", tensor}, {"reason", reason}});
  return json;
}

void put_memory_totals(Json& totals, const Report& report) {
  totals["sram_peak_map_bytes"] = report.sram_peak.map_bytes;
  totals["sram_peak_weight_bytes"] = report.sram_peak.weight_bytes;
  totals["sram_peak_command_bytes"] = report.sram_peak.command_bytes;
  totals["sram_peak_gap_bytes"] = sram_peak_gap_bytes(report);
  totals["external_footprint_bytes"] = report.external_footprint_bytes;
  totals["image_bytes"] = report.image_bytes;
  const Inferences found = inferences(report);
  totals["first_inference_cycles"] = found.first_cycles;
  totals["first_inference_loaded_bytes"] = found.loaded_bytes;
  totals["following_inference_cycles"] = found.following_cycles;
  totals["least_external_bytes_per_cycle"] = nullptr;
  if (report.least_external_bytes_per_cycle)
    totals["least_external_bytes_per_cycle"] = report.least_external_bytes_per_cycle->value();
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
  json["sram_parity_errors"] = report.sram_parity_errors;
  json["weight_bytes"] = report.weight_bytes;
  json["commands"] = report.commands;
  put_memory_totals(json, report);
  json["planned_sram_bytes"] = report.planned_sram_bytes;
  json["frames_per_second"] = frames_per_second(report);
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

Json main_operator_json(const Layer& layer) {
  const package::MainOperator& op = layer.main_operator;
  return {{"name", op.name}, {"kernel", op.kernel}, {"stride", op.stride}, {"output_channels", op.output_channels}};
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
  Json by = Json::object();
  for (const auto& [name, cycles] : layer.attributed_cycles_by) by[name] = cycles;
  json["attributed_cycles_by"] = by;
  json["in_flight_cycles"] = layer.in_flight_cycles;
  json["working_cycles"] = layer.working_cycles;
  json["macs"] = layer.macs;
  json["mac_utilization_percent"] = rounded(utilization_percent(layer.macs, layer.working_cycles, report.config));
  put_traffic(json, layer.traffic);
  Json spent = Json::object();
  for (const auto& [name, cycles] : layer.spent_cycles) spent[name] = cycles;
  json["spent_cycles"] = spent;
  json["bound_by"] = layer.bound_by;
  json["bound_detail"] = layer.bound_detail;
  json["share_percent"] = rounded(share_percent(layer, report));
  json["main_operator"] = main_operator_json(layer);
  return json;
}

std::string cycles_text(const std::vector<std::pair<std::string_view, int64_t>>& cycles) {
  std::string text = "{";
  for (const auto& [name, count] : cycles) {
    fmt::format_to(std::back_inserter(text), "{}\"{}\": {}", text.size() > 1 ? ", " : "", name, count);
  }
  return text + "}";
}

/// The list, a command a line: there can be hundreds of thousands of them, which no tree of values has to hold.
std::string commands_text(const Report& report) {
  std::string text = "[";
  const auto out = std::back_inserter(text);
  for (size_t i = 0; i < report.command_list.size(); ++i) {
    const Command& command = report.command_list[i];
    const int64_t command_idx = report.streams.empty() ? static_cast<int64_t>(i) : command.command_idx;
    fmt::format_to(out,
                   "{}\n    {{\"command_idx\": {}, \"layer_idx\": {}, \"unit\": \"{}\", \"queue\": \"{}\", "
                   "\"start_cycle\": {}, \"end_cycle\": {}, \"busy_cycles\": {}, \"stall_cycles\": {}, "
                   "\"wait_cycles\": {}, \"sram_read_bytes\": {}, \"sram_write_bytes\": {}, "
                   "\"external_read_bytes\": {}, \"external_write_bytes\": {}, \"dispatch_cycle\": {}}}",
                   i == 0 ? "" : ",", command_idx, command.layer_idx, command.unit, command.queue, command.start_cycle,
                   command.end_cycle, command.busy_cycles, cycles_text(command.stall_cycles),
                   cycles_text(command.wait_cycles), command.traffic.sram_read_bytes, command.traffic.sram_write_bytes,
                   command.traffic.external_read_bytes, command.traffic.external_write_bytes, command.dispatch_cycle);
  }
  return text + (report.command_list.empty() ? "]" : "\n  ]");
}

/// Likewise, a block a line.
std::string sram_blocks_text(const Report& report) {
  std::string text = "[";
  for (const SramBlock& block : report.sram_blocks) {
    fmt::format_to(std::back_inserter(text),
                   "{}\n    {{\"name\": {}, \"is_constant\": {}, \"begin_byte\": {}, \"end_byte\": {}, "
                   "\"first_cycle\": {}, \"end_cycle\": {}}}",
                   text.size() > 1 ? "," : "", json_text(block.name), block.is_constant, block.begin_byte, block.end_byte,
                   block.first_cycle, block.end_cycle);
  }
  return text + (report.sram_blocks.empty() ? "]" : "\n  ]");
}

Json bandwidth_json(const Report& report) {
  Json json = Json::object();
  for (const PortUse& port : port_uses(report)) {
    json[std::string(port.name)] = {{"bytes", port.bytes},
                                    {"average_bytes_per_second", std::llround(port.average_bytes_per_second)},
                                    {"peak_bytes_per_second", std::llround(port.peak_bytes_per_second)},
                                    {"peak_layer_idx", port.peak_layer_idx},
                                    {"limit_bytes_per_second", std::llround(port.limit_bytes_per_second)}};
  }
  return json;
}

Json queues_json(const Report& report) {
  Json json = Json::array();
  for (const QueueFill& queue : report.queues) {
    Json least = nullptr;
    if (const auto depth = queue.least_depth_commands()) least = *depth;
    json.push_back({{"queue", queue.name},
                    {"depth_commands", queue.depth_commands},
                    {"most_commands", queue.most_commands},
                    {"full_cycles", queue.full_cycles},
                    {"holding_cycles", queue.holding_cycles},
                    {"least_depth_commands", least}});
  }
  return json;
}

/// null for a machine that was not measured.
Json measured_json(const Report& report) {
  const auto measured = measured_error(report.config.name, report.config.memory_mode);
  if (!measured || report.cycles == 0) return nullptr;
  return {{"least_percent", measured->least_percent},
          {"greatest_percent", measured->greatest_percent},
          {"num_networks", measured->num_networks},
          {"scope", kMeasuredScopeNames[static_cast<size_t>(measured->scope)]},
          {"memory_mode", spec::kMemoryModeNames[static_cast<size_t>(measured->memory_mode)]}};
}

Json run_json(const RunInfo& run) {
  return {{"command_line", run.command_line},
          {"seed", run.seed},
          {"inputs", run.inputs},
          {"iterations", run.iterations},
          {"commit", run.commit}};
}

Json core_json(const RtlUse::Core& core) {
  Json commands = Json::array();
  for (const RtlUse::Core::Command& command : core.commands) {
    commands.push_back({{"command_idx", command.command_idx},
                        {"unit", command.unit},
                        {"start_cycle", command.start_cycle},
                        {"end_cycle", command.end_cycle},
                        {"model_start_cycle", command.model_start_cycle},
                        {"model_end_cycle", command.model_end_cycle}});
  }
  Json worst;
  if (core.worst_command) {
    worst = {{"command_idx", core.worst_command->command_idx},
             {"unit", core.worst_command->unit},
             {"cycles", core.worst_command->cycles},
             {"model_cycles", core.worst_command->model_cycles},
             {"percent", rounded(core.worst_command->percent)}};
  }
  return {{"total_cycles", core.total_cycles},
          {"model_total_cycles", core.model_total_cycles},
          {"compared_bytes", core.compared_bytes},
          {"wrong_bytes", core.wrong_bytes},
          {"worst_command", worst},
          {"commands", commands}};
}

Json rtl_json(const RtlUse& rtl) {
  Json slowest = Json::array();
  for (const RtlUse::SlowCommand& command : rtl.slowest_commands)
    slowest.push_back({{"command_idx", command.command_idx}, {"unit", command.unit}, {"cycles", command.cycles}});
  Json cycles = Json::array();
  for (const RtlUse::CommandCycles& command : rtl.command_cycles) {
    cycles.push_back({{"command_idx", command.command_idx},
                      {"unit", command.unit},
                      {"model_cycles", command.model_cycles},
                      {"rtl_cycles", command.rtl_cycles}});
  }
  const auto text_or_null = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  const auto number_or_null = [](int64_t number) { return number < 0 ? Json() : Json(number); };
  const auto value_json = [&](const RtlUse::MismatchDetail::Value& value) {
    return value.number ? Json(*value.number) : text_or_null(value.text);
  };
  Json details = Json::array();
  for (const RtlUse::MismatchDetail& detail : rtl.mismatch_details) {
    details.push_back({{"kind", detail.kind},
                       {"unit", text_or_null(detail.unit)},
                       {"port", text_or_null(detail.port)},
                       {"lane", number_or_null(detail.lane)},
                       {"command", text_or_null(detail.command)},
                       {"cycle", number_or_null(detail.cycle)},
                       {"expected", value_json(detail.expected)},
                       {"actual", value_json(detail.actual)},
                       {"operands", text_or_null(detail.operands)}});
  }
  Json modes = Json::array();
  for (const RtlUse::Modes& of_unit : rtl.modes)
    modes.push_back({{"unit", of_unit.unit}, {"reached", of_unit.reached}, {"all", of_unit.all}});
  Json json{{"commands", rtl.commands},
            {"commands_in_part", 0},  // there were some while the vector unit had no RTL
            {"commands_without_rtl", rtl.commands_without_rtl},
            {"vectors", rtl.vectors},
            {"mismatches", rtl.mismatches},
            {"cycle_mismatches", rtl.cycle_mismatches},
            {"memory", rtl.memory},
            {"unused", rtl.unused.empty() ? Json() : Json(rtl.unused)},
            {"memory_commands", rtl.memory_commands},
            {"model_cycles", rtl.model_cycles},
            {"rtl_cycles", rtl.rtl_cycles},
            {"modes", modes},
            {"slowest_commands", slowest},
            {"command_cycles", cycles},
            {"first_mismatches", rtl.first_mismatches},
            {"mismatch_details", details}};
  if (rtl.core) json["core"] = core_json(*rtl.core);
  return json;
}

Json control_json(const soc::ControlUse& control, const FirmwareName& firmware) {
  return {{"boot_cycles", control.boot_cycles},
          {"submit_cycles", control.submit_cycles},
          {"between_cycles", control.between_cycles},
          {"interrupt_cycles", control.interrupt_cycles},
          {"firmware_instructions", control.firmware_instructions},
          {"firmware_sleep_cycles", control.firmware_sleep_cycles},
          {"firmware_bus_cycles", control.firmware_bus_cycles},
          {"job_overhead_cycles", control.job_overhead_cycles()},
          {"firmware", {{"file", firmware.file}, {"sha256", firmware.sha256}}}};
}

Json streams_json(const Report& report) {
  Json streams = Json::array();
  for (const soc::StreamRun& run : report.streams) {
    streams.push_back({{"stream", run.stream},
                       {"step", run.step},
                       {"first_command", run.first_record},
                       {"start_cycle", run.start_cycle},
                       {"cycles", run.cycles},
                       {"wait_cycles", run.wait_cycles}});
  }
  return streams;
}

Json variables_json(const Report& report) {
  Json json = Json::array();
  for (const Variable& variable : report.variables) {
    json.push_back({{"name", variable.name},
                    {"dtype", variable.dtype},
                    {"shape", variable.shape},
                    {"num_bytes", variable.num_bytes},
                    {"first_value", variable.source}});
  }
  return json;
}

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json labels_json(const LabelScore& labels, int64_t num_samples) {
  const auto percent = [&](int64_t count) {
    return rounded(100.0 * static_cast<double>(count) / static_cast<double>(num_samples));
  };
  return {{"file", labels.file},
          {"output", labels.output},
          {"classes", labels.num_classes},
          {"top1_samples", labels.top1_samples},
          {"top1_percent", percent(labels.top1_samples)},
          {"top5_samples", labels.top5_samples},
          {"top5_percent", percent(labels.top5_samples)}};
}

Json expected_json(const ExpectedScore& expected) {
  Json outputs = Json::array();
  for (const OutputDifference& output : expected.outputs) {
    outputs.push_back({{"tensor", output.tensor},
                       {"dtype", output.dtype},
                       {"equal_samples", output.equal_samples},
                       {"elements_compared", output.elements_compared},
                       {"elements_different", output.elements_different},
                       {"largest_difference", output.largest_difference},
                       {"mean_difference", output.mean_difference},
                       {"worst_sample", output.worst_sample}});
  }
  return {{"place", expected.place}, {"equal_samples", expected.equal_samples}, {"outputs", outputs}};
}

Json floats_json(const FloatScore& floats) {
  Json tensors = Json::array();
  for (const TensorGap& gap : floats.tensors) {
    tensors.push_back({{"tensor", gap.tensor},
                       {"file", gap.file},
                       {"layer", gap.layer},
                       {"position", gap.position},
                       {"num_elements", gap.num_elements},
                       {"scale", gap.scale},
                       {"is_equal", gap.is_equal},
                       {"snr_db", or_null(gap.snr_db)},
                       {"cosine", or_null(gap.cosine)},
                       {"largest_difference", gap.largest_difference},
                       {"source", gap.source},
                       {"snr_drop_db", or_null(gap.snr_drop_db)},
                       {"added_noise_percent", or_null(gap.added_noise_percent)}});
  }
  Json drop;
  if (floats.drop_idx) {
    const TensorGap& gap = floats.tensors[*floats.drop_idx];
    drop = {{"tensor", gap.tensor},
            {"layer", gap.layer},
            {"from", gap.source},
            {"added_noise_percent", *gap.added_noise_percent}};
  }
  return {{"place", floats.place},
          {"sample", floats.sample},
          {"greatest_drop", drop},
          {"unknown", floats.unknown},
          {"tensors", tensors}};
}

Json accuracy_json(const Accuracy& accuracy) {
  Json json{{"inputs", accuracy.place}, {"num_samples", accuracy.num_samples}};
  json["labels"] = accuracy.labels ? labels_json(*accuracy.labels, accuracy.num_samples) : Json();
  json["expected"] = accuracy.expected ? expected_json(*accuracy.expected) : Json();
  json["floats"] = accuracy.floats ? floats_json(*accuracy.floats) : Json();
  json["samples"] = Json::array();
  for (const SampleScore& sample : accuracy.samples) {
    json["samples"].push_back({{"sample", sample.sample},
                               {"files", sample.files},
                               {"label", or_null(sample.label)},
                               {"rank", or_null(sample.rank)},
                               {"top_class", or_null(sample.top_class)},
                               {"is_equal", or_null(sample.is_equal)},
                               {"largest_difference", or_null(sample.largest_difference)}});
  }
  return json;
}

/// The report with empty lists of commands and of blocks.
Json report_json(const Report& report) {
  Json json = Json::object();
  json["schema"] = "vernier-report/1";
  json["tool_version"] = report.tool_version;
  json["backend"] = report.backend;
  json["model"] = {{"file", report.model_file}, {"sha256", report.model_sha256}, {"name", report.model_name}};
  json["config"] = config_json(report);
  json["outputs"] = Json::array();
  for (const Output& output : report.outputs) {
    Json entry{{"tensor", output.tensor}, {"file", output.file}, {"shape", output.shape}, {"dtype", output.dtype}};
    if (!output.float_file.empty()) entry["float_file"] = output.float_file;
    json["outputs"].push_back(std::move(entry));
  }
  if (!report.variables.empty()) json["variables"] = variables_json(report);
  json["check"] = check_json(report.check);
  if (report.accuracy) json["accuracy"] = accuracy_json(*report.accuracy);
  if (report.rtl) json["rtl"] = rtl_json(*report.rtl);
  if (report.control) json["control"] = control_json(*report.control, report.firmware);
  if (!report.streams.empty()) json["streams"] = streams_json(report);
  json["totals"] = totals_json(report);
  json["units"] = units_json(report);
  json["layers"] = Json::array();
  for (const Layer& layer : report.layers) json["layers"].push_back(layer_json(layer, report));
  json["commands"] = Json::array();
  const HostSeconds& host = report.host_seconds;
  json["host_seconds"] = {{"import", host.import}, {"compile", host.compile}, {"simulate", host.simulate},
                          {"check", host.check},   {"report", host.report},   {"total", host.total}};
  json["approximations"] = Json::array();
  for (const Approximation& entry : report.approximations) {
    Json bound = nullptr;
    if (entry.bound_percent) bound = rounded_up(*entry.bound_percent);
    Json estimate = nullptr;
    if (entry.estimate_percent) estimate = rounded_up(*entry.estimate_percent);
    json["approximations"].push_back({{"what", entry.what},
                                      {"error", entry.error},
                                      {"bound_percent", bound},
                                      {"worst_case_percent", bound},
                                      {"estimate_percent", estimate}});
  }
  json["measured"] = measured_json(report);
  json["warnings"] = report.warnings;
  json["injected"] = report.injected.empty() ? Json(nullptr) : Json(report.injected);
  json["notes"] = report.notes;
  if (report.tflite_rounding)
    json["tflite_rounding"] = {{"flavour", report.tflite_rounding->flavour}, {"layers", report.tflite_rounding->layers}};
  json["assumes"] = report.cycles > 0 ? assumptions(report) : "";
  json["bandwidth"] = bandwidth_json(report);
  json["costliest_layers"] = costliest_layers(report, kNumCostliest);
  json["run"] = run_json(report.run);
  json["queues"] = queues_json(report);
  json["sram_blocks"] = Json::array();
  return json;
}

/// Names come from users' files: what is not UTF-8 is replaced, never a reason to fail.
std::string dumped(const Json& json) { return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n"; }

/// Puts a list into its place in the text of a report; no text value can hold a line end.
void put_list(std::string& text, std::string_view key, const std::string& list) {
  const std::string place = fmt::format("\n  \"{}\": []", key);
  const size_t found = text.find(place);
  VERNIER_CHECK(found != std::string::npos, "the report has no list '{}'", key);
  text.replace(found + place.size() - 2, 2, list);
}

}  // namespace

std::string to_json(const Report& report) {
  std::string text = dumped(report_json(report));
  put_list(text, "sram_blocks", sram_blocks_text(report));
  put_list(text, "commands", commands_text(report));
  return text;
}

std::string to_json_without_lists(const Report& report) { return dumped(report_json(report)); }

std::string json_text(const std::vector<std::string>& texts) {
  return Json(texts).dump(-1, ' ', true, Json::error_handler_t::replace);
}
std::string json_text(const std::string& text) { return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace); }

std::string to_json(const package::Package& package, const std::string& tool_version,
                    const std::function<bool(const package::ListedCommand&)>& is_wanted) {
  Json json = Json::object();
  json["schema"] = "vernier-disasm/1";
  json["tool_version"] = tool_version;
  json["model"] = {{"name", package.model_name}, {"sha256", package.model_sha256}};
  json["config"] = {{"name", package.config.name}, {"optimize", package.optimize}};
  json["stream_bytes"] = package.stream.size();
  json["commands"] = Json::array();
  for (const package::ListedCommand& command : package::list_commands(package)) {
    if (is_wanted && command.fault.empty() && !is_wanted(command)) continue;
    const std::string layer = command.layer_idx < 0 ? "" : package.layers[command.layer_idx].name;
    json["commands"].push_back({{"command_idx", command.command_idx},
                                {"offset_bytes", command.offset_bytes},
                                {"layer_idx", command.layer_idx},
                                {"layer", layer},
                                {"unit", command.unit},
                                {"text", command.text},
                                {"fault", command.fault}});
  }
  return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace vernier::report
