// SPDX-License-Identifier: Apache-2.0
// Reports of several runs beside each other: totals, layer by layer, and what differs in their configurations.
#pragma once

#include "sim/report/report.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vernier::report {

/// What is compared of a run, or of a layer of it.
struct ComparedFigures {
  int64_t cycles = 0;  // of a layer: attributed ones
  double seconds = 0;  // of a run; 0 of a layer
  double mac_utilization_percent = 0;
  Traffic traffic;
  [[nodiscard]] int64_t sram_bytes() const { return traffic.sram_read_bytes + traffic.sram_write_bytes; }
  [[nodiscard]] int64_t external_bytes() const { return traffic.external_read_bytes + traffic.external_write_bytes; }
};

struct ComparedLayer {
  std::string name;  // layers of several runs are one where they have one name, and its number among those of that name
  std::vector<std::optional<ComparedFigures>> runs;  // nothing where the run has no such layer
  std::vector<std::string> bound_details;            // by run; empty where it has none
};

struct Comparison {
  std::vector<std::string> files;
  std::vector<ComparedFigures> totals;
  std::vector<ComparedLayer> layers;  // in the order of the first run that has them
  /// What the runs were, where it is not the same in all: "config.lanes", one text a run; empty: that run does not say.
  std::vector<std::pair<std::string, std::vector<std::string>>> differences;
};

/// By file name and text, two or more, the first of them the base. UserError naming the file for what is no report of
/// schema vernier-report/1, or has no cycles.
Comparison compare(const std::vector<std::pair<std::string, std::string>>& reports);

/// Of how many layers the text says what they are bound by.
inline constexpr size_t kNumMostChanged = 5;

/// What `value` is more than `base`: "+12.3 %", "x 5.2" from ten times on, "=" for no change, "new" where the base is 0.
std::string change_text(double base, double value);

/// For people: what differs, totals, then layers, those that changed most first.
std::string to_text(const Comparison& comparison, const TextStyle& style);
/// A page to look at, in one HTML file that loads nothing: the figures of the JSON form. ASCII.
std::string to_html(const Comparison& comparison, const std::string& tool_version);
/// Schema vernier-compare/1, with a newline at the end.
std::string to_json(const Comparison& comparison, const std::string& tool_version);

}  // namespace vernier::report
