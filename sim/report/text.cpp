// SPDX-License-Identifier: Apache-2.0
#include "hw/base/text.hpp"

#include "sim/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace vernier::report {
namespace {

using base::first_name;
using base::shortened;
using base::with_thousands;

constexpr int64_t kBarColumns = 10;
constexpr int64_t kLeastNameColumns = 16;

class Painter {
 public:
  explicit Painter(const TextStyle& style) : style_(style) {}
  [[nodiscard]] std::string bold(const std::string& text) const { return paint("1", text); }
  [[nodiscard]] std::string good(const std::string& text) const { return paint("32", text); }
  [[nodiscard]] std::string bad(const std::string& text) const { return paint("31", text); }
  [[nodiscard]] std::string dim(const std::string& text) const { return paint("2", text); }

 private:
  [[nodiscard]] std::string paint(const char* code, const std::string& text) const {
    return style_.has_color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }
  TextStyle style_;
};

std::string bar(double percent) {
  const auto filled =
      static_cast<size_t>(std::clamp(percent / 100.0 * kBarColumns + 0.5, 0.0, static_cast<double>(kBarColumns)));
  return std::string(filled, '#') + std::string(static_cast<size_t>(kBarColumns) - filled, '.');
}

std::string seconds_text(double seconds) {
  if (seconds >= 1.0) return fmt::format("{:.3f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3f} ms", seconds * 1e3);
  return fmt::format("{:.3f} us", seconds * 1e6);
}

/// A layer is known by the operator that does its work; the others are counted.
std::string operators_text(const std::vector<std::string>& operators) {
  if (operators.empty()) return "";
  const auto works = std::find_if(operators.begin(), operators.end(), [](const std::string& name) {
    return name.find("CONV") != std::string::npos || name.find("POOL") != std::string::npos || name == "MATMUL";
  });
  const std::string& name = works == operators.end() ? operators.front() : *works;
  return operators.size() == 1 ? name : fmt::format("{} +{}", name, operators.size() - 1);
}

void put_layers(std::string& text, const Report& report, const TextStyle& style, const Painter& painter) {
  // What is left of the width goes to the name; where it is too little, the bar goes and the operators are shortened.
  constexpr int64_t kFixedColumns = 51, kOperatorColumns = 22, kFewOperatorColumns = 15;
  const bool is_wide = style.width_columns >= kFixedColumns + kBarColumns + 1 + kOperatorColumns + kLeastNameColumns;
  const int64_t bar_columns = is_wide ? kBarColumns + 1 : 0;
  const int64_t operator_columns = is_wide ? kOperatorColumns : kFewOperatorColumns;
  const int64_t name_columns =
      std::max(kLeastNameColumns - 3, style.width_columns - kFixedColumns - bar_columns - operator_columns);
  const auto out = std::back_inserter(text);
  const std::string header =
      fmt::format("{:>3} {:<{}} {:<{}} {:>11} {:>13} {:>6} {:<{}}{}", "#", "layer", name_columns, "operators",
                  operator_columns, "cycles", "MACs", "util", "", bar_columns, "bound by");
  fmt::format_to(out, "{}\n", painter.bold(header));
  for (const Layer& layer : report.layers) {
    const double percent = utilization_percent(layer.macs, layer.working_cycles, report.config);
    fmt::format_to(out, "{:>3} {:<{}} {:<{}} {:>11} {:>13} {:>5.1f}% {:<{}}{}\n", layer.layer_idx,
                   shortened(first_name(layer.name), name_columns), name_columns,
                   shortened(operators_text(layer.operators), operator_columns), operator_columns,
                   with_thousands(layer.attributed_cycles), with_thousands(layer.macs), percent, is_wide ? bar(percent) : "",
                   bar_columns, layer.bound_by);
  }
}

/// The largest of them, at most three, as many as the columns hold.
std::string largest_text(const std::vector<std::pair<std::string, int64_t>>& stalls, int64_t columns) {
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(stalls.size(), 3); ++i) {
    const std::string entry = fmt::format("{}{} {}", i == 0 ? "" : ", ", stalls[i].first, with_thousands(stalls[i].second));
    if (i > 0 && text.size() + entry.size() > static_cast<size_t>(std::max<int64_t>(columns, 0))) break;
    text += entry;
  }
  return text;
}

void put_units(std::string& text, const Report& report, const TextStyle& style, const Painter& painter) {
  constexpr int64_t kUnitColumns = 41;  // before the stalls
  if (report.units.empty() || report.cycles == 0) return;
  const auto out = std::back_inserter(text);
  fmt::format_to(
      out, "\n{}\n",
      painter.bold(fmt::format("{:<18} {:>6} {:>6} {:>6}  {}", "unit", "busy", "stall", "idle", "largest stalls (cycles)")));
  const auto percent = [&](int64_t cycles) {
    return 100.0 * static_cast<double>(cycles) / static_cast<double>(report.cycles);
  };
  for (const Unit& unit : report.units) {
    auto stalls = unit.stall_cycles;
    std::stable_sort(stalls.begin(), stalls.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    int64_t stall_total = 0;
    for (const auto& stall : stalls) stall_total += stall.second;
    fmt::format_to(out, "{:<18} {:>5.1f}% {:>5.1f}% {:>5.1f}%  {}\n", unit.name, percent(unit.busy_cycles),
                   percent(stall_total), percent(unit.idle_cycles),
                   largest_text(stalls, style.width_columns - kUnitColumns));
  }
}

void put_totals(std::string& text, const Report& report, const Painter& painter) {
  const auto out = std::back_inserter(text);
  const Traffic& traffic = report.traffic;
  fmt::format_to(out, "\n{} {} cycles = {} at {} MHz, {} MACs, utilisation {:.1f}%\n", painter.bold("total"),
                 with_thousands(report.cycles),
                 seconds_text(static_cast<double>(report.cycles) / static_cast<double>(report.config.clock_hz)),
                 report.config.clock_hz / 1'000'000, with_thousands(report.macs()),
                 utilization_percent(report.macs(), report.cycles, report.config));
  fmt::format_to(out,
                 "      SRAM {} B read, {} B written, peak {} B of {}\n"
                 "      SRAM ports {} B read and {} B written a cycle\n",
                 with_thousands(traffic.sram_read_bytes), with_thousands(traffic.sram_write_bytes),
                 with_thousands(report.sram_peak_bytes), base::bytes_text(report.config.sram_bytes),
                 report.config.datapath.sram_read_words * report.config.datapath.word_bytes(),
                 report.config.datapath.sram_write_words * report.config.datapath.word_bytes());
  fmt::format_to(out, "      external memory {} B read, {} B written; weights {} B; {} commands\n",
                 with_thousands(traffic.external_read_bytes), with_thousands(traffic.external_write_bytes),
                 with_thousands(report.weight_bytes), with_thousands(report.commands));
}

void put_check(std::string& text, const Report& report, const Painter& painter) {
  const auto out = std::back_inserter(text);
  const Check& check = report.check;
  if (check.result == "match") {
    fmt::format_to(out, "{} all {} elements of {} tensor{} equal the reference\n", painter.good("check: match,"),
                   with_thousands(check.elements_compared), check.tensors_compared, check.tensors_compared == 1 ? "" : "s");
  } else if (check.result == "skipped") {
    fmt::format_to(out, "check: skipped\n");
  } else {
    fmt::format_to(out, "{} {} of {} elements differ from the reference\n", painter.bad("check: MISMATCH,"),
                   with_thousands(check.elements_different), with_thousands(check.elements_compared));
    if (check.first_difference) {
      const FirstDifference& d = *check.first_difference;
      fmt::format_to(out, "  first: tensor '{}' {} expected {} found {}, layer {}, command {}, cycle {}\n", d.tensor,
                     base::to_string(d.coordinates), d.expected, d.actual, d.layer_idx, d.command_idx, d.cycle);
    }
  }
  for (const auto& [tensor, reason] : check.folded) fmt::format_to(out, "  not compared: {}: {}\n", tensor, reason);
}

void put_approximations(std::string& text, const Report& report, const TextStyle& style, const Painter& painter) {
  if (report.approximations.empty()) return;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{}\n",
                 painter.dim(fmt::format("{} approximations ({}), the first: {}", report.approximations.size(),
                                         style.lists_approximations ? "listed below" : "-v lists them",
                                         report.approximations.front().first)));
  if (!style.lists_approximations) return;
  for (const auto& [what, error] : report.approximations) fmt::format_to(out, "  {}: {}\n", what, error);
}

}  // namespace

int64_t Report::macs() const {
  int64_t sum = 0;
  for (const Layer& layer : layers) sum += layer.macs;
  return sum;
}

double utilization_percent(int64_t macs, int64_t cycles, const config::MachineConfig& config) {
  if (cycles == 0) return 0.0;
  return 100.0 * static_cast<double>(macs) / (static_cast<double>(cycles) * config.datapath.macs_per_cycle());
}

std::string to_text(const Report& report, const TextStyle& style) {
  const Painter painter(style);
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{} on {} ({} MACs a cycle, memory {}, optimize {}, backend {})\n\n", painter.bold(report.model_name),
                 report.config.name, report.config.datapath.macs_per_cycle(),
                 spec::kMemoryModeNames[static_cast<size_t>(report.config.memory_mode)], report.optimize, report.backend);
  put_layers(text, report, style, painter);
  put_units(text, report, style, painter);
  put_totals(text, report, painter);
  put_check(text, report, painter);
  for (const std::string& warning : report.warnings) fmt::format_to(out, "{} {}\n", painter.bad("warning:"), warning);
  put_approximations(text, report, style, painter);
  fmt::format_to(
      out, "{}\n",
      painter.dim(fmt::format("host: compile {}, simulate {}, check {}, total {}", seconds_text(report.host_seconds.compile),
                              seconds_text(report.host_seconds.simulate), seconds_text(report.host_seconds.check),
                              seconds_text(report.host_seconds.total))));
  return text;
}

std::string to_summary(const Report& report) {
  return fmt::format("{}: {} cycles, {}, utilisation {:.1f}%, check {}\n", report.model_name, with_thousands(report.cycles),
                     seconds_text(static_cast<double>(report.cycles) / static_cast<double>(report.config.clock_hz)),
                     utilization_percent(report.macs(), report.cycles, report.config), report.check.result);
}

}  // namespace vernier::report
