// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/run/run_table.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "sim/flow/files/places.hpp"
#include "sim/flow/files/report_files.hpp"
#include "sim/flow/files/version.hpp"
#include "sim/flow/model/model.hpp"
#include "sim/report/figures.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace vernier::flow {
namespace {

/// What both know of a machine.
void add_machine(report::TableRow& row, const config::MachineConfig& config) {
  row.config = config.name;
  row.clock_hz = config.clock_hz;
  row.macs_per_cycle = config.datapath.macs_per_cycle();
  row.external_bytes_per_second = report::external_bytes_per_second(config);
  row.memory_mode = spec::kMemoryModeNames[static_cast<size_t>(config.memory_mode)];
  row.sram_bytes = config.sram_bytes;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::vector<RunRequest> combinations(const RunRequest& request, const std::vector<std::string>& models,
                                     const std::vector<MachineOptions>& machines) {
  std::vector<RunRequest> requests;
  for (const std::string& model : models) {
    for (const MachineOptions& machine : machines) {
      requests.push_back(request);
      requests.back().model = model;
      requests.back().machine = machine;
      requests.back().report_files.clear();
      requests.back().rerun_folder.reset();
      requests.back().finds_least_bandwidth = false;
    }
  }
  return requests;
}

void check_several(const std::vector<RunRequest>& requests, const std::vector<std::string>& reports) {
  const auto refuse = [](const char* option) {
    throw base::UserError(option,
                          "is for one run: with several models, configurations, memory modes or sizes there is one table");
  };
  std::vector<Place> read;
  for (const RunRequest& request : requests) {
    if (request.output_dir) refuse("--output-dir");
    if (!request.inputs.empty() || !request.arrays.empty()) refuse("--input");
    if (request.samples) refuse("--inputs");
    if (request.float_outputs) refuse("--float-outputs");
    if (request.injection) refuse("--inject");
    if (request.cpu_trace) refuse("--cpu-trace");
    if (request.gdb_port) refuse("--gdb");
    if (!request.traces.waves.empty()) refuse("--wave");
    if (!request.traces.timelines.empty()) refuse("--timeline");
    for (const Place& place : read_places(request.model, request.machine)) read.push_back(place);
  }
  check_report_places(reports, {".json", ".csv"});
  refuse_overwriting(read, places_of("--report", reports));
}

report::TableRow row_of(const RunRequest& request) {
  report::TableRow row;
  row.model = request.model;
  add_machine(row, config_of(request.machine));
  const std::string given = request.machine.config.value_or("");
  const bool is_preset = std::ranges::any_of(spec::kPresets, [&](const auto& preset) { return preset.name == given; });
  if (!is_preset) row.config_file = given;
  return row;
}

void fill_row(report::TableRow& row, const RunResult& result) {
  row.exit_code = static_cast<int>(result.verdict());
  if (result.failure) {
    row.error = first_line(messages(*result.failure).front());
    return;
  }
  const report::Report& report = result.report;
  add_machine(row, report.config);
  if (report.control) row.job_overhead_cycles = report.control->job_overhead_cycles();
  row.figures = report::figures_of(report);
  std::vector<std::string> differences;
  if (report.rtl && !report.rtl->first_mismatches.empty())
    differences.push_back("RTL: " + report.rtl->first_mismatches.front());
  if (report.check.first_difference) differences.push_back(report::to_string(*report.check.first_difference));
  row.first_difference = fmt::format("{}", fmt::join(differences, "; "));
  row.warnings = report.warnings;
  row.notes = report.notes;
  if (report.rtl && !report.rtl->unused.empty()) row.notes.push_back("RTL: " + report.rtl->unused);
}

void write_reports(const report::RunTable& table, const std::vector<std::string>& reports) {
  base::FileSet files;
  for (const std::string& file : reports)
    files.add_text(file, ending_of(file) == ".csv" ? report::to_csv(table) : report::to_json(table));
  files.commit();
}

report::RunTable run_several(const std::vector<RunRequest>& requests, const Observer& observer) {
  check_several(requests, {});
  report::RunTable table{tool_version(), {}};
  for (const RunRequest& request : requests) table.rows.push_back(row_of(request));
  for (size_t i = 0; i < requests.size(); ++i) {
    report::TableRow& row = table.rows[i];
    observer.phase(fmt::format("{} of {} runs done", i, requests.size()));
    try {
      fill_row(row, run(requests[i], observer));
    } catch (const base::UserError& error) {
      constexpr int kBadInput = 2;  // as the program ends then
      row.exit_code = kBadInput;
      row.error = first_line(error.what());
    }
  }
  return table;
}

}  // namespace vernier::flow
