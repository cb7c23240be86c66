// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/network_result.hpp"

#include "hw/base/text.hpp"
#include "sim/cosim/json_text.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace vernier::cosim {
namespace {

using base::with_thousands;

double percent_of(int64_t part, int64_t whole) {
  return whole == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string counted(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", with_thousands(count), noun, count == 1 ? "" : noun.ends_with("ch") ? "es" : "s");
}

std::string verdict(const NetworkReport& report) {
  const NetworkResult& result = report.result;
  if (result.mac_commands_compared == 0) return "nothing was compared: no command of it has RTL";
  if (result.mismatches() == 0) return "every result and every edge equal";
  return fmt::format("{} of {} differ: {}, {} of them in cycles", with_thousands(result.commands_different()),
                     counted(result.mac_commands_compared, "command"), counted(result.mismatches(), "mismatch"),
                     with_thousands(result.cycle_mismatches()));
}

std::string group_json(const NetworkGroup& group) {
  const bool is_compared = group.without_rtl.empty();
  return fmt::format(
      "    {{\"group\": {}, \"commands\": {}, \"macs\": {}, \"vectors\": {}, \"commands_different\": {}, \"mismatches\": "
      "{}, "
      "\"cycle_mismatches\": {}, \"first_mismatch\": {}, \"without_rtl\": {}}}",
      quoted(group.name), group.commands, group.macs, group.vectors, group.commands_different, group.mismatches,
      group.cycle_mismatches, group.first_mismatch.empty() ? "null" : quoted(group.first_mismatch),
      is_compared ? "null" : quoted(group.without_rtl));
}

}  // namespace

NetworkGroup& NetworkResult::group(std::string_view name, std::string_view without_rtl) {
  const auto found = std::ranges::find_if(
      groups, [&](const NetworkGroup& candidate) { return candidate.name == name && candidate.without_rtl == without_rtl; });
  if (found != groups.end()) return *found;
  NetworkGroup& added = groups.emplace_back();
  added.name = name;
  added.without_rtl = without_rtl;
  return added;
}

int64_t NetworkResult::sum(int64_t NetworkGroup::*member) const {
  int64_t total = 0;
  for (const NetworkGroup& group : groups) total += group.*member;
  return total;
}

std::string network_text(const NetworkReport& report) {
  const NetworkResult& result = report.result;
  std::string text =
      fmt::format("{} on {}, array with rescale and table lanes in RTL: {}\n", report.model, report.config, verdict(report));
  text += fmt::format("compared: {} of {} MAC commands, {:.1f} % of their {} MACs; {} of up to {} results; seed {}\n",
                      with_thousands(result.mac_commands_compared), with_thousands(result.mac_commands),
                      percent_of(result.macs_compared, result.macs), with_thousands(result.macs),
                      counted(result.vectors(), "vector"), report.lanes, report.seed);
  text += fmt::format("each command by itself, and {} of neighbours one after the other; cycles: RTL {}, model {}\n",
                      counted(result.pairs, "pair"), with_thousands(result.rtl_cycles), with_thousands(result.model_cycles));
  for (const NetworkGroup& group : result.groups) {
    if (!group.without_rtl.empty()) continue;
    text += fmt::format("  {}: {}, {:.1f} % of the MACs, ", group.name, counted(group.commands, "command"),
                        percent_of(group.macs, result.macs));
    text += group.mismatches == 0
                ? "all equal\n"
                : fmt::format("{} different, {}, {} of them in cycles\n", with_thousands(group.commands_different),
                              counted(group.mismatches, "mismatch"), with_thousands(group.cycle_mismatches));
  }
  for (const NetworkGroup& group : result.groups) {
    if (group.without_rtl.empty()) continue;
    const std::string macs =
        group.macs == 0 ? "" : fmt::format(" ({}, {:.1f} % of the MACs)", group.name, percent_of(group.macs, result.macs));
    text += fmt::format("not compared: {}{}: {}\n", counted(group.commands, "command"), macs, group.without_rtl);
  }
  const auto num_shown = static_cast<int64_t>(result.first_mismatches.size());
  for (const std::string& mismatch : result.first_mismatches) text += fmt::format("mismatch: {}\n", mismatch);
  if (result.mismatches() > num_shown) text += fmt::format("and {} more\n", with_thousands(result.mismatches() - num_shown));
  const EndToEnd& end = report.end_to_end;
  text += end.elements_different == 0 ? fmt::format("end to end: all {} of the outputs equal the reference\n",
                                                    counted(end.elements_compared, "element"))
                                      : fmt::format("end to end: {} of {} of the outputs differ from the reference: {}\n",
                                                    with_thousands(end.elements_different),
                                                    counted(end.elements_compared, "element"), end.first_difference);
  return text;
}

std::string network_json(const NetworkReport& report, std::string_view tool_version) {
  const NetworkResult& result = report.result;
  std::vector<std::string> groups, mismatches;
  for (const NetworkGroup& group : result.groups) groups.push_back(group_json(group));
  for (const std::string& text : result.first_mismatches) mismatches.push_back("    " + quoted(text));
  const EndToEnd& end = report.end_to_end;
  std::string json = "{\n  \"schema\": \"vernier-cosim/1\",\n";
  json += fmt::format("  \"tool_version\": {},\n  \"unit\": \"datapath\",\n  \"model\": {},\n  \"config\": {},\n",
                      quoted(tool_version), quoted(report.model), quoted(report.config));
  json += fmt::format("  \"lanes\": {},\n  \"seed\": {},\n", report.lanes, report.seed);
  json += fmt::format("  \"vectors\": {},\n  \"mismatches\": {},\n  \"cycle_mismatches\": {},\n", result.vectors(),
                      result.mismatches(), result.cycle_mismatches());
  json += fmt::format("  \"model_cycles\": {},\n  \"rtl_cycles\": {},\n", result.model_cycles, result.rtl_cycles);
  json +=
      fmt::format("  \"commands_compared\": {},\n  \"commands_different\": {},\n  \"commands_without_rtl\": {},\n",
                  result.mac_commands_compared, result.commands_different(), result.commands - result.mac_commands_compared);
  json += fmt::format("  \"pairs_compared\": {},\n  \"macs\": {},\n  \"macs_compared\": {},\n", result.pairs, result.macs,
                      result.macs_compared);
  json += fmt::format("  \"coverage_bins\": {},\n  \"coverage_bins_hit\": {},\n  \"coverage_percent\": {:.4f},\n",
                      result.bins_legal, result.bins_hit, percent_of(result.bins_hit, result.bins_legal));
  json += fmt::format("  \"groups\": [\n{}\n  ],\n", fmt::join(groups, ",\n"));
  json += mismatches.empty() ? "  \"first_mismatches\": [],\n"
                             : fmt::format("  \"first_mismatches\": [\n{}\n  ],\n", fmt::join(mismatches, ",\n"));
  json += fmt::format(
      "  \"check\": {{\"result\": \"{}\", \"elements_compared\": {}, \"elements_different\": {}, \"first_difference\": "
      "{}}}\n}}\n",
      end.elements_different == 0 ? "match" : "mismatch", end.elements_compared, end.elements_different,
      end.first_difference.empty() ? "null" : quoted(end.first_difference));
  return json;
}

}  // namespace vernier::cosim
