// SPDX-License-Identifier: Apache-2.0
// The page of a run holds the JSON report; its long lists as columns, compressed: the 49,000 commands and 34,000 blocks of
// ResNet-50 with 48 KiB of SRAM are 23 MB in the JSON report and less than 1 MB here.
#include "sim/report/json_parts.hpp"
#include "sim/report/layer_names.hpp"
#include "sim/report/page_texts.hpp"
#include "sim/report/report.hpp"
#include "sim/report/web_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace vernier::report {
namespace {

/// `"name": [1, 2]`, of what `value` gives for each command.
template <typename Value>
std::string column(std::string_view name, const Report& report, const Value& value) {
  std::string text = fmt::format("\"{}\":[", name);
  for (const Command& command : report.command_list)
    fmt::format_to(std::back_inserter(text), "{},", static_cast<int64_t>(value(command)));
  if (!report.command_list.empty()) text.pop_back();
  return text + "]";
}

/// The same of how much more a value is than that of the command before.
template <typename Value>
std::string differences(std::string_view name, const Report& report, const Value& value) {
  int64_t before = 0;
  return column(name, report, [&](const Command& command) {
    const int64_t now = value(command);
    return now - std::exchange(before, now);
  });
}

/// The names that commands have, each once, and the column of their places among these.
template <typename Value>
std::string named_column(std::string_view names, std::string_view name, const Report& report, const Value& value) {
  std::vector<std::string_view> found;
  const auto place_of = [&](const Command& command) {
    const std::string_view wanted = value(command);
    const auto at = std::find(found.begin(), found.end(), wanted);
    if (at != found.end()) return at - found.begin();
    found.push_back(wanted);
    return static_cast<std::ptrdiff_t>(found.size()) - 1;
  };
  const std::string places = column(name, report, place_of);
  return fmt::format("\"{}\":[{}],{}", names, found.empty() ? "" : fmt::format("\"{}\"", fmt::join(found, "\",\"")), places);
}

/// By name of the cycles: which commands have some, as differences of their numbers, and how many.
template <typename Value>
std::string cycles_column(std::string_view name, const Report& report, const Value& value) {
  struct Column {
    std::string at, cycles;
    size_t before = 0;
  };
  std::map<std::string_view, Column> columns;
  for (size_t i = 0; i < report.command_list.size(); ++i) {
    for (const auto& [cause, cycles] : value(report.command_list[i])) {
      Column& entry = columns[cause];
      const char* comma = entry.at.empty() ? "" : ",";
      fmt::format_to(std::back_inserter(entry.at), "{}{}", comma, i - entry.before);
      fmt::format_to(std::back_inserter(entry.cycles), "{}{}", comma, cycles);
      entry.before = i;
    }
  }
  std::string text = fmt::format("\"{}\":{{", name);
  for (const auto& [cause, entry] : columns)
    fmt::format_to(std::back_inserter(text), "\"{}\":{{\"at\":[{}],\"cycles\":[{}]}},", cause, entry.at, entry.cycles);
  if (!columns.empty()) text.pop_back();
  return text + "}";
}

std::string commands_json(const Report& report) {
  const std::vector<std::string> parts{
      fmt::format("\"count\":{}", report.command_list.size()),
      column("layer_idx", report, [](const Command& c) { return c.layer_idx; }),
      named_column("units", "unit", report, [](const Command& c) { return c.unit; }),
      named_column("queues", "queue", report, [](const Command& c) { return c.queue; }),
      differences("dispatch_cycle", report, [](const Command& c) { return c.dispatch_cycle; }),
      differences("start_cycle", report, [](const Command& c) { return c.start_cycle; }),
      column("length_cycles", report, [](const Command& c) { return c.end_cycle - c.start_cycle; }),
      column("busy_cycles", report, [](const Command& c) { return c.busy_cycles; }),
      column("sram_read_bytes", report, [](const Command& c) { return c.traffic.sram_read_bytes; }),
      column("sram_write_bytes", report, [](const Command& c) { return c.traffic.sram_write_bytes; }),
      column("external_read_bytes", report, [](const Command& c) { return c.traffic.external_read_bytes; }),
      column("external_write_bytes", report, [](const Command& c) { return c.traffic.external_write_bytes; }),
      cycles_column("stall_cycles", report, [](const Command& c) { return c.stall_cycles; }),
      cycles_column("wait_cycles", report, [](const Command& c) { return c.wait_cycles; })};
  return fmt::format("{{{}}}", fmt::join(parts, ","));
}

std::string blocks_json(const Report& report) {
  std::string text = "[";
  for (const SramBlock& block : report.sram_blocks) {
    fmt::format_to(std::back_inserter(text), "{}[{},{},{},{},{},{}]", text.size() > 1 ? "," : "", json_text(block.name),
                   block.is_constant, block.begin_byte, block.end_byte, block.first_cycle, block.end_cycle);
  }
  return text + "]";
}

}  // namespace

std::string to_html(const Report& report) {
  std::vector<std::string> names;
  for (const Layer& layer : report.layers) names.push_back(layer.name);
  return web_page(fmt::format("{} on {}", report.model_name, report.config.name), kReportScript,
                  {{"report", to_json_without_lists(report)},
                   {"short_names", json_text(shorten_layer_names(names).names)},
                   {"commands", commands_json(report), true},
                   {"sram_blocks", blocks_json(report), true}});
}

}  // namespace vernier::report
