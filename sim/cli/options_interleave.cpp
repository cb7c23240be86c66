// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/options_interleave.hpp"

#include "hw/base/error.hpp"
#include "sim/cli/options_values.hpp"

#include <CLI/CLI.hpp>

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

namespace vernier::cli {

namespace {

constexpr int64_t kMostInferences = 10'000, kMostArrivalCycles = 1'000'000'000;

/// "every:20000".
int64_t arrival_of(const std::string& text) {
  constexpr std::string_view kEvery = "every:";
  int64_t cycles = -1;
  if (text.starts_with(kEvery)) {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + kEvery.size(), end, cycles);
    if (error != std::errc() || stop != end) cycles = -1;
  }
  if (cycles < 0 || cycles > kMostArrivalCycles)
    throw base::UserError("--arrival", "'{}' is not every:CYCLES, with 0 to {} cycles", text, kMostArrivalCycles);
  return cycles;
}

}  // namespace

void add_interleave_options(CLI::App& sub, InterleaveTexts& texts) {
  sub.add_flag("--interleave", texts.interleave,
               "all MODELs are on one machine, and jobs of them run one after the other: a table of latencies");
  sub.add_option("--inferences", texts.inferences, "with --interleave: jobs of each MODEL; default 1")
      ->check(CLI::Validator(
          [](const std::string& text) { return complaint_about_number<int64_t>(text, 1, kMostInferences); }, ""));
  sub.add_option("--arrival", texts.arrival,
                 "with --interleave: every:CYCLES, from a job of a MODEL to its next; default: all come at once");
}

std::optional<InterleaveCommand> interleave_of(const InterleaveTexts& texts, const RunOptions& options,
                                               const std::vector<std::string>& models,
                                               const std::vector<MachineOptions>& machines) {
  if (!texts.interleave) {
    if (texts.inferences) throw base::UserError("--inferences", "goes with --interleave; --iterations repeats a run");
    if (texts.arrival) throw base::UserError("--arrival", "goes with --interleave");
    return std::nullopt;
  }
  // A fault asks for --check-all by itself, so it comes first.
  const std::array<std::pair<const char*, bool>, 16> alone{{{"--inject", options.injection.has_value()},
                                                            {"--backend", options.backend != "sim"},
                                                            {"--check-all", options.check_all},
                                                            {"--input", !options.inputs.empty()},
                                                            {"--inputs", options.samples.has_value()},
                                                            {"--float-outputs", options.float_outputs.has_value()},
                                                            {"--iterations", options.iterations != 1},
                                                            {"--carry", !options.carries.empty()},
                                                            {"--variable", !options.variables.empty()},
                                                            {"--output-dir", options.output_dir.has_value()},
                                                            {"--cpu-trace", options.cpu_trace.has_value()},
                                                            {"--gdb", options.gdb_port.has_value()},
                                                            {"--wave", !options.traces.waves.empty()},
                                                            {"--timeline", !options.traces.timelines.empty()},
                                                            {"--no-rerun", options.no_rerun},
                                                            {"--verbose", options.is_verbose}}};
  for (const auto& [name, is_given] : alone) {
    if (is_given) throw base::UserError(name, "is for one run; with --interleave jobs of all models are on one machine");
  }
  if (machines.size() != 1)
    throw base::UserError("--interleave", "is for one machine, found {} configurations, memory modes or sizes",
                          machines.size());
  InterleaveCommand command;
  command.models = models;
  command.machine = machines.front();
  command.control = options.control;
  command.firmware = options.firmware;
  command.inferences = texts.inferences.value_or(1);
  check_range("--inferences", command.inferences, 1, kMostInferences);
  if (texts.arrival) command.arrival_cycles = arrival_of(*texts.arrival);
  command.values = options.values;
  command.no_check = options.no_check;
  command.seed = options.seed;
  command.reports = options.reports;
  command.is_quiet = options.is_quiet;
  return command;
}

}  // namespace vernier::cli
