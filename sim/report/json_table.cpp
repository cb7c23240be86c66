// SPDX-License-Identifier: Apache-2.0
#include "sim/report/run_table.hpp"

#include <nlohmann/json.hpp>

namespace vernier::report {

std::string to_json(const RunTable& table) {
  using Json = nlohmann::ordered_json;
  Json json = Json::object();
  json["schema"] = "vernier-table/1";
  json["tool_version"] = table.tool_version;
  json["rows"] = Json::array();
  for (const TableRow& row : table.rows) {
    Json entry = {{"model", row.model},           {"config", row.config},       {"memory_mode", row.memory_mode},
                  {"sram_bytes", row.sram_bytes}, {"exit_code", row.exit_code}, {"error", nullptr}};
    if (!row.figures) entry["error"] = row.error;
    const RunFigures figures = row.figures.value_or(RunFigures{});
    visit_figures(figures, [&](const char* name, const auto& value) {
      entry[name] = row.figures && has_figure(figures, name) ? Json(value) : Json(nullptr);
    });
    entry["first_difference"] = row.first_difference.empty() ? Json(nullptr) : Json(row.first_difference);
    entry["config_file"] = row.config_file.empty() ? Json(nullptr) : Json(row.config_file);
    entry["clock_hz"] = row.clock_hz;
    entry["external_bytes_per_second"] = row.external_bytes_per_second;
    entry["macs_per_cycle"] = row.macs_per_cycle;
    entry["job_overhead_cycles"] = row.job_overhead_cycles ? Json(*row.job_overhead_cycles) : Json(nullptr);
    entry["warnings"] = row.warnings;
    entry["notes"] = row.notes;
    json["rows"].push_back(std::move(entry));
  }
  // Names come from users' files: what is not UTF-8 is replaced, never a reason to fail.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace vernier::report
