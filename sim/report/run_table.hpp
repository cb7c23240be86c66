// SPDX-License-Identifier: Apache-2.0
// Several runs in one table: a row each, in the order in which they were asked for. docs/reference/table.md defines every
// field with its unit; the names of the JSON table, schema vernier-table/1, are the names here.
#pragma once

#include "sim/report/report.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::report {

/// What a run came to.
struct RunFigures {
  bool has_machine = true;  // false: a run of the reference, which counts no cycles, bytes or commands
  int64_t cycles = 0;
  double seconds = 0;
  int64_t macs = 0;
  double mac_utilization_percent = 0;
  int64_t sram_read_bytes = 0, sram_write_bytes = 0, external_read_bytes = 0, external_write_bytes = 0;
  int64_t sram_peak_bytes = 0, weight_bytes = 0, commands = 0;
  std::string bound_by;         // the bound of most attributed cycles; empty where there are none
  double bound_by_percent = 0;  // of the attributed cycles
  std::string check;            // "match", "mismatch", "skipped"
  double frames_per_second = 0;
};

/// Each figure with its name in the JSON and CSV table, in order.
template <typename Figures, typename Visitor>
void visit_figures(Figures& figures, const Visitor& visit) {
  visit("cycles", figures.cycles);
  visit("seconds", figures.seconds);
  visit("macs", figures.macs);
  visit("mac_utilization_percent", figures.mac_utilization_percent);
  visit("sram_read_bytes", figures.sram_read_bytes);
  visit("sram_write_bytes", figures.sram_write_bytes);
  visit("external_read_bytes", figures.external_read_bytes);
  visit("external_write_bytes", figures.external_write_bytes);
  visit("sram_peak_bytes", figures.sram_peak_bytes);
  visit("weight_bytes", figures.weight_bytes);
  visit("commands", figures.commands);
  visit("bound_by", figures.bound_by);
  visit("bound_by_percent", figures.bound_by_percent);
  visit("check", figures.check);
  visit("frames_per_second", figures.frames_per_second);
}

/// Whether a run has the figure of that name. Of a run without a machine only `macs` and `check` are known.
bool has_figure(const RunFigures& figures, std::string_view name);

struct TableRow {
  std::string model, config, memory_mode;  // file; name and mode of the machine
  int64_t sram_bytes = 0;
  int64_t clock_hz = 0, macs_per_cycle = 0;  // of the machine
  double external_bytes_per_second = 0;
  int exit_code = 0;
  std::optional<RunFigures> figures;             // none where the run failed
  std::optional<int64_t> job_overhead_cycles{};  // with a control CPU: of its control path, beside the cycles
  std::string error;                             // one line, where it failed
  std::string config_file;                       // the TOML file of the machine, as given; empty for a preset
  std::string first_difference;                  // one line, where a value is not the reference's
  std::vector<std::string> warnings, notes;
};

struct RunTable {
  std::string tool_version;
  std::vector<TableRow> rows;
};

RunFigures figures_of(const Report& report);

/// The JSON table with a newline at the end.
std::string to_json(const RunTable& table);
/// As CSV (RFC 4180): a header line with the names of the JSON table, then a line a row; what a failed run has not is empty.
std::string to_csv(const RunTable& table);
/// For people. What is the same in all rows stands above them once; columns for which there is no room are named below.
std::string to_text(const RunTable& table, const TextStyle& style);
/// "12 runs: 11 done, 1 failed".
std::string to_summary(const RunTable& table);

}  // namespace vernier::report
