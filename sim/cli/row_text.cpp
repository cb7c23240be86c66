// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/row_text.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "sim/report/figures.hpp"

#include <fmt/ranges.h>

#include <cstdlib>
#include <iterator>
#include <map>
#include <type_traits>
#include <vector>

namespace vernier::cli {
namespace {

constexpr const char* kJobOverhead = "job_overhead_cycles";

void put(std::string& text, const char* name, const std::string& value) {
  text += fmt::format("{} {}\n", name, base::printable(value));
}

}  // namespace

std::string to_row_text(const report::Report& report) {
  std::string text;
  put(text, "config", report.config.name);
  put(text, "memory_mode", std::string(spec::kMemoryModeNames[static_cast<size_t>(report.config.memory_mode)]));
  put(text, "sram_bytes", std::to_string(report.config.sram_bytes));
  put(text, "clock_hz", std::to_string(report.config.clock_hz));
  put(text, "macs_per_cycle", std::to_string(report.config.datapath.macs_per_cycle()));
  put(text, "external_bytes_per_second", fmt::format("{:a}", report::external_bytes_per_second(report.config)));
  if (report.control) put(text, kJobOverhead, std::to_string(report.control->job_overhead_cycles()));
  const report::RunFigures figures = report::figures_of(report);
  put(text, "has_machine", figures.has_machine ? "1" : "0");
  report::visit_figures(figures, [&](const char* name, const auto& value) {
    if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>) {
      put(text, name, fmt::format("{:a}", value));  // every bit of it
    } else {
      put(text, name, fmt::format("{}", value));
    }
  });
  std::vector<std::string> differences;
  if (report.rtl && !report.rtl->first_mismatches.empty())
    differences.push_back("RTL: " + report.rtl->first_mismatches.front());
  if (report.check.first_difference) differences.push_back(report::to_string(*report.check.first_difference));
  if (!differences.empty()) put(text, "first_difference", fmt::format("{}", fmt::join(differences, "; ")));
  for (const std::string& warning : report.warnings) put(text, "warning", warning);
  for (const std::string& note : report.notes) put(text, "note", note);
  if (report.rtl && !report.rtl->unused.empty()) put(text, "note", "RTL: " + report.rtl->unused);
  return text;
}

void read_row_text(const std::string& text, report::TableRow& row) {
  std::map<std::string, std::string> values;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin), space = text.find(' ', begin);
    VERNIER_CHECK(end != std::string::npos && space < end, "a row ends in '{}'", text.substr(begin));
    const std::string name = text.substr(begin, space - begin), value = text.substr(space + 1, end - space - 1);
    begin = end + 1;
    if (name == "warning") {
      row.warnings.push_back(value);
    } else if (name == "note") {
      row.notes.push_back(value);
    } else if (name == "first_difference") {
      row.first_difference = value;
    } else {
      values[name] = value;
    }
  }
  const auto value_of = [&](const char* name) -> const std::string& {
    const auto found = values.find(name);
    VERNIER_CHECK(found != values.end(), "a row without {}", name);
    return found->second;
  };
  row.config = value_of("config");
  row.memory_mode = value_of("memory_mode");
  row.sram_bytes = std::strtoll(value_of("sram_bytes").c_str(), nullptr, 10);
  row.clock_hz = std::strtoll(value_of("clock_hz").c_str(), nullptr, 10);
  row.macs_per_cycle = std::strtoll(value_of("macs_per_cycle").c_str(), nullptr, 10);
  row.external_bytes_per_second = std::strtod(value_of("external_bytes_per_second").c_str(), nullptr);
  if (const auto found = values.find(kJobOverhead); found != values.end())
    row.job_overhead_cycles = std::strtoll(found->second.c_str(), nullptr, 10);
  row.figures.emplace().has_machine = value_of("has_machine") == "1";
  report::visit_figures(*row.figures, [&](const char* name, auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::string>) {
      value = value_of(name);
    } else if constexpr (std::is_floating_point_v<Value>) {
      value = std::strtod(value_of(name).c_str(), nullptr);
    } else {
      value = std::strtoll(value_of(name).c_str(), nullptr, 10);
    }
  });
}

}  // namespace vernier::cli
