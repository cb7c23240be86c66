// SPDX-License-Identifier: Apache-2.0
#include "hw/base/text.hpp"

#include "sim/report/figures.hpp"
#include "sim/report/measured_error.hpp"
#include "sim/report/text_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace vernier::report {
namespace {

using base::with_thousands;

void put_headline(Page& page, const Report& report) {
  const std::string_view memory = spec::kMemoryModeNames[static_cast<size_t>(report.config.memory_mode)];
  page.paragraph(Paint::Bold, report.model_name,
                 fmt::format("on {} ({} MACs per cycle, memory {}, optimize {}, backend {})", report.config.name,
                             report.config.datapath.macs_per_cycle(), memory, report.optimize, report.backend));
  if (report.cycles > 0) page.paragraph(Paint::None, "assumes", assumptions(report));
}

std::string reference_text(const Report& report) {
  return fmt::format("on the reference: {} layers, {} MACs; no machine, so no cycles", report.layers.size(),
                     with_thousands(report.macs()));
}

void put_variables(Page& page, const Report& report) {
  for (const Variable& variable : report.variables) {
    page.paragraph(
        Paint::None, "variable",
        fmt::format("{} {} {}, {}{}B, first value: {}", variable.name, variable.dtype, base::to_string(variable.shape),
                    with_thousands(variable.num_bytes), kNoBreak, variable.source));
  }
}

/// There is no machine to tell of.
void put_reference(Page& page, const Report& report) {
  page.paragraph(Paint::Bold, report.model_name, reference_text(report));
  for (const Output& output : report.outputs) {
    page.paragraph(Paint::None, "output",
                   fmt::format("{} {} {}{}", output.tensor, output.dtype, base::to_string(output.shape),
                               output.file.empty() ? "" : fmt::format(" in {}", output.file)));
  }
  put_variables(page, report);
}

/// "random inputs, seed 1"; empty where values were not computed.
std::string inputs_text(const RunInfo& run) {
  std::vector<std::string> files;
  size_t num_random = 0;
  for (const std::string& input : run.inputs) {
    if (input.starts_with("random"))
      ++num_random;
    else
      files.push_back(input);
  }
  const std::string random = fmt::format("random inputs, seed {}", run.seed);
  if (files.empty()) return num_random > 0 ? random : "";
  return fmt::format("inputs {}{}", fmt::join(files, ", "), num_random > 0 ? fmt::format(" and {}", random) : "");
}

/// A bound of this run, rounded up as in the JSON report; empty for one that is too large to say anything.
std::string bound_text(const Approximation& entry) {
  if (!entry.bound_percent || *entry.bound_percent > kMostShownBoundPercent) return "";
  return fmt::format("; at most {:.2f}{}% of this run's cycles", rounded_up(*entry.bound_percent), kNoBreak);
}

/// What the model expects of all that no RTL shows and that it can estimate; empty where that is nothing.
std::string estimate_text(const std::vector<Approximation>& entries) {
  double sum = 0;
  for (const Approximation& entry : entries) sum += rounded_up(entry.estimate_percent.value_or(0));
  if (sum <= 0 || sum > kMostShownBoundPercent) return "";
  return fmt::format(
      "banks in which commands in flight together meet, about {:.2f}{}% of the cycles if they meet at random; ", sum,
      kNoBreak);
}

/// What was measured of machines like this one; empty for others.
std::string measured_text(const Report& report) {
  const auto measured = measured_error(report.config.name, report.config.memory_mode);
  if (!measured || report.cycles == 0) return "";
  const bool is_core = measured->scope == MeasuredScope::Core;
  return fmt::format(
      "measured: {}, RTL takes {:+.2f} to {:+.2f}{}% of the model's cycles more, over {} networks on {} in memory mode {} "
      "(docs/results/fidelity.md)",
      is_core ? "whole networks on the core with its memory" : "commands alone, with banks and ports",
      measured->least_percent, measured->greatest_percent, kNoBreak, measured->num_networks, measured->config,
      spec::kMemoryModeNames[static_cast<size_t>(measured->memory_mode)]);
}

/// An entry of a list below its heading.
void put_entry(Page& page, const std::string& what, const std::string& text) {
  page.paragraph(Paint::None, " ", fmt::format("{}: {}", what, text), 4);
}

std::string in_brackets(const std::string& text) { return text.empty() ? "" : fmt::format("({})", text); }

}  // namespace

std::string seconds_text(double seconds) {
  if (seconds >= 1.0) return fmt::format("{:.3f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3f} ms", seconds * 1e3);
  return fmt::format("{:.3f} us", seconds * 1e6);
}

std::string frames_text(double frames_per_second) {
  if (frames_per_second >= 99.95)
    return fmt::format("{} fps", with_thousands(static_cast<int64_t>(std::llround(frames_per_second))));
  return fmt::format("{:.3g} fps", frames_per_second);
}

std::string percent_text(double percent) { return fmt::format("{:.1f}%", percent); }

void put_check(Page& page, const Report& report) {
  const Check& check = report.check;
  const std::string inputs = inputs_text(report.run);
  const bool has_samples = report.accuracy && !report.accuracy->place.empty();
  const std::string each =
      has_samples ? fmt::format(" in each of {}", base::counted(report.accuracy->num_samples, "sample")) : "";
  if (check.result == "match") {
    page.paragraph(
        Paint::Good, "check: match,",
        fmt::format("all {} elements of {} tensor{} equal the reference{} {}", with_thousands(check.elements_compared),
                    check.tensors_compared, check.tensors_compared == 1 ? "" : "s", each, in_brackets(inputs)));
  } else if (check.result == "skipped") {
    const bool has_values = !report.run.inputs.empty();
    page.paragraph(Paint::None, "check: skipped", in_brackets(has_values ? inputs : "values were not computed"));
  } else {
    page.paragraph(Paint::Bad, "check: MISMATCH,",
                   fmt::format("{} of {} elements differ from the reference {}", with_thousands(check.elements_different),
                               with_thousands(check.elements_compared), in_brackets(inputs)));
    if (check.first_difference) {
      page.paragraph(Paint::None, "  first:", to_string(*check.first_difference), 4);
      const std::string& operands = check.first_difference->operands;
      if (!operands.empty()) page.paragraph(Paint::None, "  its operands:", operands, 4);
    }
  }
}

void put_streams(Page& page, const Report& report) {
  std::set<int32_t> different;
  for (const soc::StreamRun& run : report.streams) different.insert(run.stream);
  page.paragraph(
      Paint::None, "control flow:",
      fmt::format("{} of {}, {} cycles between them", base::counted(static_cast<int64_t>(report.streams.size()), "run"),
                  base::counted(static_cast<int64_t>(different.size()), "stream"),
                  with_thousands(report.control ? report.control->between_cycles : 0)));
}

void put_control(Page& page, const soc::ControlUse& control) {
  const std::string between =
      control.between_cycles > 0 ? fmt::format(", {} between its streams", with_thousands(control.between_cycles)) : "";
  page.paragraph(
      Paint::None, "control CPU:",
      fmt::format("{} cycles beside those of the network ({} before its start{}, {} after its end), {}; boot {}",
                  with_thousands(control.job_overhead_cycles()), with_thousands(control.submit_cycles), between,
                  with_thousands(control.interrupt_cycles), base::counted(control.firmware_instructions, "instruction"),
                  with_thousands(control.boot_cycles)));
}

void put_remarks(Page& page, const Report& report, const TextStyle& style) {
  for (const std::string& warning : report.warnings) page.paragraph(Paint::Bad, "warning:", warning);
  if (!report.injected.empty()) page.paragraph(Paint::Bold, "injected:", report.injected);
  for (const std::string& note : report.notes) page.paragraph(Paint::Bold, "note:", note);
  if (const auto& use = report.tflite_rounding)
    page.aside(Paint::Dim, fmt::format("rounds as {} (--tflite-rounding), {} may change with it", use->flavour,
                                       base::counted(std::ssize(use->layers), "layer")));
  if (!report.approximations.empty()) {
    if (const std::string measured = measured_text(report); !measured.empty()) page.aside(Paint::Dim, measured);
    page.aside(Paint::Dim,
               fmt::format("not measured: {}{} approximations ({}), the first: {}", estimate_text(report.approximations),
                           report.approximations.size(), style.lists_approximations ? "listed below" : "-v lists them",
                           report.approximations.front().what));
  }
  if (style.lists_approximations) {
    for (const Approximation& entry : report.approximations) put_entry(page, entry.what, entry.error + bound_text(entry));
  }
  if (!report.check.folded.empty()) page.aside(Paint::Dim, "tensors that no command makes, each with its reason:");
  for (const auto& [tensor, reason] : report.check.folded) put_entry(page, tensor, reason);
  const HostSeconds& host = report.host_seconds;
  page.aside(Paint::Dim, fmt::format("host: compile {}, simulate {}, check {}, total {}", seconds_text(host.compile),
                                     seconds_text(host.simulate), seconds_text(host.check), seconds_text(host.total)));
}

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
  std::vector<std::string> full_names;
  for (const Layer& layer : report.layers) full_names.push_back(base::printable(layer.name));
  const ShortNames names = shorten_layer_names(full_names);
  Page page(style);
  if (report.backend == "reference") {
    put_reference(page, report);
  } else {
    put_headline(page, report);
    page.empty_line();
    put_layers(page, report, names);
    put_units(page, report);
    put_memories(page, report, names);
    put_costliest(page, report, names);
    put_totals(page, report);
    put_variables(page, report);
  }
  put_check(page, report);
  if (report.accuracy) put_accuracy(page, *report.accuracy, style.lists_approximations);
  if (report.rtl) put_rtl(page, *report.rtl);
  if (!report.streams.empty()) put_streams(page, report);
  if (report.control) put_control(page, *report.control);
  put_remarks(page, report, style);
  return page.text();
}

std::string to_summary(const Report& report) {
  const std::string accuracy = report.accuracy ? accuracy_summary(*report.accuracy) : "";
  if (report.backend == "reference")
    return fmt::format("{}: {}{}\n", base::printable(report.model_name), reference_text(report), accuracy);
  return fmt::format("{}: {} cycles, {}, {}, utilisation {:.1f}%, check {}{}{}\n", base::printable(report.model_name),
                     with_thousands(report.cycles),
                     seconds_text(static_cast<double>(report.cycles) / static_cast<double>(report.config.clock_hz)),
                     frames_text(frames_per_second(report)),
                     utilization_percent(report.macs(), report.cycles, report.config), report.check.result,
                     report.rtl ? rtl_summary(*report.rtl) : "", accuracy);
}

}  // namespace vernier::report
