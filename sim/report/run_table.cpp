// SPDX-License-Identifier: Apache-2.0
#include "sim/report/run_table.hpp"

#include "sim/report/csv_field.hpp"
#include "sim/report/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <type_traits>

namespace vernier::report {
namespace {

void add_bound(RunFigures& figures, const Report& report) {
  std::map<std::string, int64_t> cycles_by;
  int64_t total = 0;
  for (const Layer& layer : report.layers) {
    cycles_by[layer.bound_by] += layer.attributed_cycles;
    total += layer.attributed_cycles;
  }
  if (total == 0) return;
  const auto most =
      std::max_element(cycles_by.begin(), cycles_by.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  figures.bound_by = most->first;
  figures.bound_by_percent = rounded(100.0 * static_cast<double>(most->second) / static_cast<double>(total));
}

}  // namespace

bool has_figure(const RunFigures& figures, std::string_view name) {
  return figures.has_machine || name == "macs" || name == "check";
}

RunFigures figures_of(const Report& report) {
  RunFigures figures;
  figures.has_machine = report.backend != "reference";
  figures.cycles = report.cycles;
  figures.seconds = static_cast<double>(report.cycles) / static_cast<double>(report.config.clock_hz);
  figures.macs = report.macs();
  figures.mac_utilization_percent = rounded(utilization_percent(figures.macs, report.cycles, report.config));
  figures.sram_read_bytes = report.traffic.sram_read_bytes;
  figures.sram_write_bytes = report.traffic.sram_write_bytes;
  figures.external_read_bytes = report.traffic.external_read_bytes;
  figures.external_write_bytes = report.traffic.external_write_bytes;
  figures.sram_peak_bytes = report.sram_peak_bytes;
  figures.weight_bytes = report.weight_bytes;
  figures.commands = report.commands;
  figures.check = report.check.result;
  figures.frames_per_second = frames_per_second(report);
  add_bound(figures, report);
  return figures;
}

std::string to_csv(const RunTable& table) {
  std::string text = "model,config,memory_mode,sram_bytes,exit_code,error";
  const auto out = std::back_inserter(text);
  const RunFigures none;
  visit_figures(none, [&](const char* name, const auto&) { fmt::format_to(out, ",{}", name); });
  text += ",first_difference,config_file,clock_hz,external_bytes_per_second,macs_per_cycle,job_overhead_cycles\r\n";
  for (const TableRow& row : table.rows) {
    fmt::format_to(out, "{},{},{},{},{},{}", csv_field(row.model), csv_field(row.config), row.memory_mode, row.sram_bytes,
                   row.exit_code, csv_field(row.error));
    visit_figures(row.figures ? *row.figures : none, [&](const char* name, const auto& value) {
      text += ',';
      if (row.figures && has_figure(*row.figures, name)) fmt::format_to(out, "{}", value);
    });
    fmt::format_to(out, ",{},{},{},{},{},{}\r\n", csv_field(row.first_difference), csv_field(row.config_file), row.clock_hz,
                   row.external_bytes_per_second, row.macs_per_cycle,
                   row.job_overhead_cycles ? fmt::format("{}", *row.job_overhead_cycles) : "");
  }
  return text;
}

std::string to_summary(const RunTable& table) {
  const auto failed = std::count_if(table.rows.begin(), table.rows.end(), [](const TableRow& row) { return !row.figures; });
  const auto done = static_cast<int64_t>(table.rows.size()) - failed;
  return fmt::format("{} runs: {} done, {} failed\n", table.rows.size(), done, failed);
}

}  // namespace vernier::report
