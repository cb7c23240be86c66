// SPDX-License-Identifier: Apache-2.0
// What the text report says of RTL.
#include "hw/base/text.hpp"
#include "sim/report/figures.hpp"
#include "sim/report/text_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

namespace vernier::report {
namespace {

using base::with_thousands;

/// "12,345 cycles on the core, model 12,300 (+0.37 %)"
std::string core_cycles_text(const RtlUse::Core& core) {
  const auto model = static_cast<double>(core.model_total_cycles);
  const double percent = model > 0 ? 100.0 * (static_cast<double>(core.total_cycles) - model) / model : 0.0;
  return fmt::format("{} cycles on the core, model {} ({:+.2f}{}%)", with_thousands(core.total_cycles),
                     with_thousands(core.model_total_cycles), percent, kNoBreak);
}

void put_mismatches(Page& page, const RtlUse& rtl) {
  for (const std::string& text : rtl.first_mismatches) page.paragraph(Paint::None, "  mismatch:", text, 4);
}

/// All commands together on the core with its memory.
void put_core(Page& page, const RtlUse& rtl, const RtlUse::Core& core) {
  const std::string compared =
      fmt::format("of {} of its SRAM; {} ran together on the core, the test bench moved data for {}",
                  base::counted(core.compared_bytes, "byte"), base::counted(rtl.commands, "command"),
                  base::counted(rtl.commands_without_rtl, "other"));
  if (rtl.mismatches == 0) {
    page.paragraph(Paint::Good, "RTL: equal,", "in every one " + compared);
  } else {
    page.paragraph(Paint::Bad, "RTL: MISMATCH,",
                   fmt::format("{} of {} wrong, {}", base::counted(core.wrong_bytes, "byte"),
                               base::counted(rtl.mismatches, "command"), compared));
  }
  put_mismatches(page, rtl);
  std::string worst;
  if (core.worst_command) {
    const RtlUse::Core::Worst& command = *core.worst_command;
    worst = fmt::format("; furthest off: command {} on {}, layer '{}', {}, model {} ({:+.2f}{}%)", command.command_idx,
                        command.unit, base::printable(command.layer), with_thousands(command.cycles),
                        with_thousands(command.model_cycles), command.percent, kNoBreak);
  }
  page.paragraph(Paint::None, "RTL cycles:", core_cycles_text(core) + worst);
}

}  // namespace

void put_rtl(Page& page, const RtlUse& rtl) {
  if (rtl.core) return put_core(page, rtl, *rtl.core);
  const std::string compared =
      fmt::format("of {} results; values of {} come from RTL, {} others have none", with_thousands(rtl.vectors),
                  base::counted(rtl.commands, "command"), with_thousands(rtl.commands_without_rtl));
  if (rtl.mismatches == 0) {
    std::string edges = "in every value and every edge ";
    if (rtl.memory == "banked") edges = "in every value ";
    if (rtl.cycle_mismatches > 0)
      edges = fmt::format("in every value, {} not in the cycles of hw/spec, ", base::counted(rtl.cycle_mismatches, "edge"));
    page.paragraph(Paint::Good, "RTL: equal,", edges + compared);
  } else {
    page.paragraph(Paint::Bad, "RTL: MISMATCH,",
                   fmt::format("{}, {} not those of hw/spec, {}", base::counted(rtl.mismatches, "mismatch"),
                               base::counted(rtl.cycle_mismatches, "edge"), compared));
  }
  if (!rtl.unused.empty()) page.paragraph(Paint::Bold, "RTL:", base::printable(rtl.unused));
  put_mismatches(page, rtl);
  std::vector<std::string> modes;
  for (const RtlUse::Modes& of_unit : rtl.modes)
    modes.push_back(
        fmt::format("{} of {} of {}", with_thousands(of_unit.reached), base::counted(of_unit.all, "mode"), of_unit.unit));
  if (!modes.empty())
    page.paragraph(Paint::None, "RTL modes:",
                   fmt::format("the network reaches {}; 'vernier cosim UNIT' draws the others", fmt::join(modes, ", ")));
  std::vector<std::string> slowest;
  for (const RtlUse::SlowCommand& command : rtl.slowest_commands) {
    if (slowest.size() == kNumCostliest) break;
    slowest.push_back(fmt::format("command {} on {} {}", command.command_idx, command.unit, with_thousands(command.cycles)));
  }
  if (slowest.empty()) return;
  const std::string_view memory = rtl.memory == "banked"      ? ", with banks and ports"
                                  : rtl.memory == "unlimited" ? ", addresses of npu_agu"
                                                              : "";
  page.paragraph(Paint::None, fmt::format("RTL cycles{}", memory),
                 fmt::format("{}, model {}; most: {}", with_thousands(rtl.rtl_cycles), with_thousands(rtl.model_cycles),
                             fmt::join(slowest, ", ")));
}

std::string rtl_summary(const RtlUse& rtl) {
  if (rtl.core && rtl.mismatches == 0) return ", RTL equal, " + core_cycles_text(*rtl.core);
  const std::string unused = rtl.unused.empty() ? "" : ", " + base::printable(rtl.unused);
  if (rtl.mismatches == 0) {
    const bool has_own_edges = rtl.memory == "banked" || rtl.cycle_mismatches > 0;
    return (has_own_edges ? ", RTL equal in every value" : ", RTL equal") + unused;
  }
  const std::string first = rtl.first_mismatches.empty() ? "" : ", first: " + base::printable(rtl.first_mismatches.front());
  return fmt::format(", RTL {}{}{}", base::counted(rtl.mismatches, "mismatch"), first, unused);
}

}  // namespace vernier::report
