// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/row_text.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <type_traits>

namespace vernier::cli {
namespace {

constexpr const char* kJobOverhead = "job_overhead_cycles";

void put(std::string& text, const char* name, const std::string& value) {
  text += fmt::format("{} {}\n", name, base::printable(value));
}

}  // namespace

std::string to_row_text(const report::TableRow& row) {
  VERNIER_CHECK(row.figures, "the row of '{}' has no figures", row.model);
  std::string text;
  put(text, "config", row.config);
  put(text, "memory_mode", row.memory_mode);
  put(text, "sram_bytes", std::to_string(row.sram_bytes));
  put(text, "clock_hz", std::to_string(row.clock_hz));
  put(text, "macs_per_cycle", std::to_string(row.macs_per_cycle));
  put(text, "external_bytes_per_second", fmt::format("{:a}", row.external_bytes_per_second));
  if (row.job_overhead_cycles) put(text, kJobOverhead, std::to_string(*row.job_overhead_cycles));
  put(text, "has_machine", row.figures->has_machine ? "1" : "0");
  report::visit_figures(*row.figures, [&](const char* name, const auto& value) {
    if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>) {
      put(text, name, fmt::format("{:a}", value));  // every bit of it
    } else {
      put(text, name, fmt::format("{}", value));
    }
  });
  if (!row.first_difference.empty()) put(text, "first_difference", row.first_difference);
  for (const std::string& warning : row.warnings) put(text, "warning", warning);
  for (const std::string& note : row.notes) put(text, "note", note);
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
