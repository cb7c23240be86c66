// SPDX-License-Identifier: Apache-2.0
#include "hw/base/text.hpp"
#include "sim/report/figures.hpp"
#include "sim/report/text_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace vernier::report {
namespace {

using base::with_thousands;

/// The largest first: "dma 1,234, weight_load 5".
std::string stalls_text(const Unit& unit) {
  auto stalls = unit.stall_cycles;
  std::stable_sort(stalls.begin(), stalls.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [name, cycles] : stalls) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, with_thousands(cycles));
  }
  return text;
}

/// As many stalls, the first ones, as the columns hold whole; one at least, of which only the name is cut.
std::string first_stalls(const std::string& stalls, int64_t columns) {
  if (num_columns(stalls) <= columns) return stalls;
  const size_t end = stalls.rfind(", ", static_cast<size_t>(columns));
  if (end != std::string::npos) return stalls.substr(0, end);
  const std::string first = stalls.substr(0, stalls.find(", "));
  const std::string name = first.substr(0, first.find(' ')), number = first.substr(name.size());
  return fit(name, columns - num_columns(number), Cut::Back) + number;
}

/// Three digits: "123", "12.3", "0.00123".
std::string rate_text(double rate) {
  if (rate < 0.9995) return fmt::format("{:.3g}", rate);
  return fmt::format("{:.{}f}", rate, rate >= 99.95 ? 0 : rate >= 9.995 ? 1 : 2);
}
/// Of whole bytes per second, as the JSON report has them.
std::string gigabytes_text(double bytes_per_second) { return rate_text(std::round(bytes_per_second) / 1e9); }

bool is_external(const PortUse& port) { return port.name.starts_with("external"); }

std::string port_text(const PortUse& port) {
  constexpr std::array<std::pair<std::string_view, const char*>, 5> kTexts{{{"sram_read", "SRAM read"},
                                                                            {"sram_write", "SRAM write"},
                                                                            {"external_read", "external read"},
                                                                            {"external_write", "external write"},
                                                                            {"external_both", "external, both"}}};
  return std::find_if(kTexts.begin(), kTexts.end(), [&](const auto& text) { return text.first == port.name; })->second;
}

constexpr int64_t kLabelColumns = 17;

/// A line of the totals: its label, then its text in a column of their own.
void put_total(Page& page, const std::string& label, const std::string& text) {
  page.paragraph(Paint::Bold, fmt::format("{:<{}}", label, kLabelColumns - 1), text, kLabelColumns);
}

std::string with_unit(int64_t value, std::string_view unit) {
  return fmt::format("{}{}{}", with_thousands(value), kNoBreak, unit);
}
std::string cycles_text(int64_t cycles, const Report& report) {
  const double seconds = static_cast<double>(cycles) / static_cast<double>(report.config.clock_hz);
  return fmt::format("{} = {}", with_unit(cycles, "cycles"), seconds_text(seconds));
}

std::string inferences_text(const Report& report) {
  const Inferences found = inferences(report);
  if (found.loaded_bytes == 0 && report.config.memory_mode == spec::MemoryMode::Sram)
    return "takes as long as the following ones: there are no weights and commands to load";
  if (found.loaded_bytes == 0)
    return "takes as long as the following ones: weights and commands come from external memory each time";
  return fmt::format(
      "{}: {} of weights and commands come into SRAM first, at {} from external memory; the following ones find them there",
      cycles_text(found.first_cycles, report), with_unit(found.loaded_bytes, "B"), bytes_per_cycle_text(report.config));
}

/// The size that the memory plan was made for, where it is a smaller one. The plan says which maps stay and how layers are
/// cut; the order of the commands, and with it the places of what is loaded ahead, has the whole SRAM.
std::string planned_text(const Report& report) {
  if (report.planned_sram_bytes == 0 || report.planned_sram_bytes == report.config.sram_bytes) return "";
  const bool uses_more = report.sram_peak_bytes > report.planned_sram_bytes;
  return fmt::format("; maps and cuts planned for {}{}", base::bytes_text(report.planned_sram_bytes),
                     uses_more ? ", loads ahead use more" : "");
}

std::string sram_peak_text(const Report& report) {
  const package::SramPeak& peak = report.sram_peak;
  return fmt::format("{} of {}: maps {}, weights {}, commands {}, gaps {}{}", with_unit(report.sram_peak_bytes, "B"),
                     base::bytes_text(report.config.sram_bytes), with_unit(peak.map_bytes, "B"),
                     with_unit(peak.weight_bytes, "B"), with_unit(peak.command_bytes, "B"),
                     with_unit(sram_peak_gap_bytes(report), "B"), planned_text(report));
}

std::string external_text(const Report& report) {
  if (!uses_external_memory(report))
    return inferences(report).loaded_bytes > 0 ? "used before the first inference alone" : "not used";
  return fmt::format("{} occupied", with_unit(report.external_footprint_bytes, "B"));
}

std::string need_text(const Report& report) {
  const base::Ratio least = *report.least_external_bytes_per_cycle;
  const bool is_all = least == report.config.external.bytes_per_cycle;
  const std::string needed =
      fmt::format("{}{}B per cycle ({}{}GB/s)", rate_text(least.value()), kNoBreak,
                  rate_text(least.value() * static_cast<double>(report.config.clock_hz) / 1e9), kNoBreak);
  return fmt::format("{}{}: with less external bandwidth the same commands take over 1{}% more cycles", is_all ? "all " : "",
                     is_all ? needed : fmt::format("{} of {}", needed, bytes_per_cycle_text(report.config)), kNoBreak);
}

/// "dma0 3, dma1 0, mac 8, vec 2 of 8 commands waited at most; mac full for 1,076 cycles, commands held up for 900"
std::string queues_text(const Report& report) {
  std::string most, full;
  for (const QueueFill& queue : report.queues) {
    most += fmt::format("{}{}{}{}", most.empty() ? "" : ", ", queue.name, kNoBreak, queue.most_commands);
    if (queue.full_cycles == 0) continue;
    full += fmt::format("; {} full for {}, {}", queue.name, with_unit(queue.full_cycles, "cycles"),
                        queue.holding_cycles == 0 ? "which held up no command"
                                                  : "commands held up for " + with_thousands(queue.holding_cycles));
  }
  return fmt::format("{} of {} commands waited at most{}", most, report.queues.front().depth_commands, full);
}

}  // namespace

void put_units(Page& page, const Report& report) {
  if (report.units.empty() || report.cycles == 0) return;
  const auto percent = [&](int64_t cycles) {
    return percent_text(100.0 * static_cast<double>(cycles) / static_cast<double>(report.cycles));
  };
  std::vector<std::string> stalls;
  for (const Unit& unit : report.units) stalls.push_back(stalls_text(unit));
  const auto fitted = [&](int64_t columns) {
    std::vector<std::string> texts;
    for (const std::string& text : stalls) texts.push_back(first_stalls(text, columns));
    return texts;
  };
  Table table(page.width_columns());
  table.add_column("unit", {});
  for (const char* heading : {"busy", "stall", "idle"}) table.add_column(heading, {.align = Align::Right});
  table.add_column("stalls (cycles), largest first", {.drop_rank = 1, .wanted_columns = 20, .fitted = fitted});
  for (size_t i = 0; i < report.units.size(); ++i) {
    const Unit& unit = report.units[i];
    int64_t stalled = 0;
    for (const auto& stall : unit.stall_cycles) stalled += stall.second;
    table.add_row({unit.name, percent(unit.busy_cycles), percent(stalled), percent(unit.idle_cycles), stalls[i]});
  }
  page.empty_line();
  page.table(table);
}

void put_memories(Page& page, const Report& report, const ShortNames& names) {
  const std::vector<PortUse> ports = port_uses(report);
  if (ports.empty()) return;
  Table table(page.width_columns());
  table.add_column("bandwidth (GB/s)", {});
  table.add_column("bytes", {.align = Align::Right, .drop_rank = 1});
  table.add_column("average", {.align = Align::Right});
  table.add_column("peak", {.align = Align::Right});
  table.add_column("limit", {.align = Align::Right, .drop_rank = 2});
  table.add_column("peak in layer", {.drop_rank = 3, .wanted_columns = 16});
  for (const PortUse& port : ports) {
    if (is_external(port) && !uses_external_memory(report)) continue;
    const auto idx = static_cast<size_t>(port.peak_layer_idx);
    table.add_row({port_text(port), with_thousands(port.bytes), gigabytes_text(port.average_bytes_per_second),
                   gigabytes_text(port.peak_bytes_per_second),
                   port.limit_bytes_per_second > 0 ? gigabytes_text(port.limit_bytes_per_second) : "",
                   port.peak_layer_idx < 0 ? "" : fmt::format("{} {}", port.peak_layer_idx, names.names[idx])});
  }
  page.empty_line();
  page.table(table);
}

void put_totals(Page& page, const Report& report) {
  page.empty_line();
  put_total(page, "total",
            fmt::format("{}, {} at {}{}MHz", cycles_text(report.cycles, report), frames_text(frames_per_second(report)),
                        static_cast<double>(report.config.clock_hz) / 1e6, kNoBreak));
  put_total(page, "",
            fmt::format("{}, utilisation{}{}, {} of weights, {}", with_unit(report.macs(), "MACs"), kNoBreak,
                        percent_text(utilization_percent(report.macs(), report.cycles, report.config)),
                        with_unit(report.weight_bytes, "B"), with_unit(report.commands, "commands")));
  put_total(page, "first inference", inferences_text(report));
  put_total(page, "SRAM peak", sram_peak_text(report));
  put_total(page, "external memory", external_text(report));
  if (report.least_external_bytes_per_cycle) put_total(page, "bandwidth need", need_text(report));
  if (!report.queues.empty()) put_total(page, "queues", queues_text(report));
}

}  // namespace vernier::report
