// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/network/network_result.hpp"

#include "hw/base/text.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace vernier::cosim {
namespace {

using base::counted;
using base::with_thousands;

/// 0 of nothing: what does not exist was not compared.
double percent_of(int64_t part, int64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string verdict(const NetworkResult& result) {
  if (result.commands == 0) return "nothing was compared in RTL: it has no command";
  if (result.is_nothing_compared()) {
    const std::string_view verb = result.commands == 1 ? "was" : "were";
    return fmt::format("nothing was compared in RTL: {} {} left out", counted(result.commands, "command"), verb);
  }
  if (result.mismatches() == 0 && result.cycle_mismatches() > 0)
    return fmt::format("every result that was compared is equal, {} not in the cycles of hw/spec",
                       with_thousands(result.cycle_mismatches()));
  if (result.mismatches() == 0) return "every result and every edge that was compared is equal";
  return fmt::format("{} of {} differ: {}, {} not those of hw/spec", with_thousands(result.commands_different()),
                     counted(result.commands_compared(), "command"), counted(result.mismatches(), "mismatch"),
                     counted(result.cycle_mismatches(), "edge"));
}

/// "12 commands, 5.1 % of the MACs"
std::string share_of(const NetworkGroup& group, const NetworkResult& result) {
  const std::string commands = counted(group.commands, "command");
  return group.macs == 0 ? commands : fmt::format("{}, {:.1f} % of the MACs", commands, percent_of(group.macs, result.macs));
}

std::string groups_text(const NetworkResult& result) {
  std::string text, others;
  for (const NetworkGroup& group : result.groups) {
    if (group.without_rtl.empty()) {
      text += fmt::format(
          "  {}: {}: {}\n", share_of(group, result), group.name,
          group.mismatches == 0
              ? "all equal"
              : fmt::format("{} different, {}, {} not those of hw/spec", with_thousands(group.commands_different),
                            counted(group.mismatches, "mismatch"), counted(group.cycle_mismatches, "edge")));
    } else {
      const std::string mapping = group.macs == 0 ? "" : fmt::format("{}: ", group.name);
      others += fmt::format("  {}: {}{}\n", share_of(group, result), mapping, group.without_rtl);
    }
  }
  return others.empty() ? text : text + "not compared:\n" + others;
}

}  // namespace

double NetworkResult::coverage_percent() const { return percent_of(bins_hit, bins_legal); }

NetworkGroup& NetworkResult::group(std::string_view name, std::string_view without_rtl) {
  const auto found = std::ranges::find_if(
      groups, [&](const NetworkGroup& candidate) { return candidate.name == name && candidate.without_rtl == without_rtl; });
  if (found != groups.end()) return *found;
  NetworkGroup& added = groups.emplace_back();
  added.name = name;
  added.without_rtl = without_rtl;
  return added;
}

std::string_view NetworkReport::outcome() const {
  if (!is_equal()) return "mismatch";
  return result.is_nothing_compared() ? "nothing compared" : "match";
}

int64_t NetworkResult::sum(int64_t NetworkGroup::*member) const {
  int64_t total = 0;
  for (const NetworkGroup& group : groups) total += group.*member;
  return total;
}

std::string network_text(const NetworkReport& report) {
  const NetworkResult& result = report.result;
  std::string text = fmt::format("{} on {}: {}{}\n", report.model, report.config, verdict(result),
                                 report.unused.empty() ? "" : ", " + report.unused);
  if (result.mac_commands > 0) {
    text += fmt::format("compared in RTL: {} of {} MAC commands, {:.1f} % of their {} MACs\n",
                        with_thousands(result.mac_commands_compared), with_thousands(result.mac_commands),
                        percent_of(result.macs_compared, result.macs), with_thousands(result.macs));
  }
  if (result.vector_commands_compared > 0)
    text += fmt::format("compared in RTL: {}\n", counted(result.vector_commands_compared, "vector command"));
  if (!result.is_nothing_compared()) {
    text += fmt::format("  each by itself, {} of neighbours one after the other: {} of up to {} results (seed {})\n",
                        counted(result.pairs, "pair"), counted(result.vectors(), "vector"), report.lanes, report.seed);
    text +=
        fmt::format("  cycles: RTL {}, model {}\n", with_thousands(result.rtl_cycles), with_thousands(result.model_cycles));
  }
  text += groups_text(result);
  text += mismatch_lines(result.first_mismatches, result.mismatches());
  const EndToEnd& end = report.end_to_end;
  text +=
      end.elements_different == 0
          ? fmt::format("end to end: all {} that the network's commands write equal the reference{}\n",
                        counted(end.elements_compared, "element"),
                        result.is_nothing_compared() ? "; their values are the model's, none is from RTL" : "")
          : fmt::format("end to end: {} of {} differ from the reference, first {}\n", with_thousands(end.elements_different),
                        counted(end.elements_compared, "element"), end.first_difference);
  return text;
}

}  // namespace vernier::cosim
