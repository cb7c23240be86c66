// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/cosim_command.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/failure.hpp"
#include "sim/cli/out_of_memory.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/signals.hpp"
#include "sim/flow/rtl/network.hpp"
#include "sim/flow/rtl/replay.hpp"
#include "sim/flow/rtl/unit.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>

namespace vernier::cli {
namespace {

/// Calls refuse(option), which throws, for the first option that only a network takes. What else runs, "a unit", has one
/// wave.
void refuse_network_options(const CosimCommand& command, std::string_view what_runs,
                            const std::function<void(const char* option)>& refuse) {
  const MachineOptions& machine = command.machine;
  if (machine.memory) refuse("--memory");
  if (machine.sram_bytes) refuse("--sram-bytes");
  if (machine.optimize) refuse("--optimize");
  if (machine.batch) refuse("--batch");
  if (machine.encodings) refuse("--encodings");
  if (!machine.shapes.empty()) refuse("--shape");
  if (!machine.input_formats.empty()) refuse("--input-format");
  if (machine.signature) refuse("--signature");
  if (machine.tflite_rounding) refuse("--tflite-rounding");
  if (!machine.quantizations.empty()) refuse("--quantize");
  if (!command.inputs.empty()) refuse("--input");
  if (command.output_dir) refuse("--output-dir");
  const flow::TraceOptions& traces = command.traces;
  if (traces.wave_scope) refuse("--wave-scope");
  if (traces.wave_window) refuse("--wave-window");
  if (traces.wave_layer) refuse("--wave-layer");
  if (!traces.timelines.empty()) refuse("--timeline");
  if (traces.waves.size() > 1)
    throw base::UserError("--wave", "is given {} times, of {} there is one", traces.waves.size(), what_runs);
}

std::optional<std::string> wave_of(const CosimCommand& command) {
  return command.traces.waves.empty() ? std::nullopt : std::optional(command.traces.waves.front());
}

/// Without its program RTL never comes back.
flow::RtlChoice watched(flow::RtlChoice choice) {
  choice.on_endless_evaluation = end_endless_evaluation;
  return choice;
}

/// Text and JSON of a result, with the remarks below the text.
template <typename Result>
int print(const CosimCommand& command, const Reports& reports, const Result& result, const std::string& first_mismatch,
          std::string text) {
  if (command.is_quiet) text = quiet_text(text, first_mismatch);
  print_result(reports, text, [&] { return flow::to_json(result); });
  return exit_code_of(result.verdict());
}

template <typename Result>
std::string with_remarks(const Result& result) {
  std::string text = flow::to_text(result);
  for (const std::string& remark : result.remarks) text += remark + "\n";
  return text;
}

int cosim_unit(const CosimCommand& command, const Reports& reports) {
  refuse_network_options(command, "a unit", [&](const char* option) {
    throw base::UserError(option, "is for a MODEL; '{}' is a unit, with random operands", command.subject);
  });
  flow::UnitRequest request{.unit = command.subject, .config = command.machine.config};
  request.vectors = command.vectors.value_or(request.vectors);
  request.seed = command.seed;
  request.rtl = watched(command.rtl);
  request.wave = wave_of(command);
  request.vectors_dir = command.vectors_dir;
  request.replay_folder = "";
  request.report_files = reports.files;
  Progress progress;
  const flow::UnitResult result = flow::run_unit(request, observer_of(progress));
  progress.done();
  if (result.failure) return print_failure(*result.failure);
  return print(command, reports, result, result.report.result.first_text(), with_remarks(result));
}

int cosim_model(const CosimCommand& command, const Reports& reports) {
  if (command.vectors) throw base::UserError("--vectors", "is for a unit; '{}' is a network", command.subject);
  flow::NetworkRequest request{.model = command.subject, .machine = command.machine};
  request.inputs = command.inputs;
  request.seed = command.seed;
  request.rtl = watched(command.rtl);
  request.traces = command.traces;
  request.output_dir = command.output_dir;
  request.vectors_dir = command.vectors_dir;
  request.replay_folder = "";
  request.report_files = reports.files;
  return with_memory_errors(command.subject, [&] {
    Progress progress;
    const flow::NetworkCosimResult result = flow::cosim_network(request, observer_of(progress));
    progress.done();
    if (result.failure) return print_failure(*result.failure);
    return print(command, reports, result, result.report.result.first_text(), flow::to_text(result));
  });
}

int cosim_replay(const CosimCommand& command, const Reports& reports) {
  const auto refuse = [](const char* option) {
    throw base::UserError(option, "cannot go with --replay: the file has all that is needed");
  };
  if (!command.subject.empty())
    throw base::UserError("--replay", "'{}' cannot go with it: the file says what runs", command.subject);
  if (command.machine.config) refuse("--config");
  if (command.vectors) refuse("--vectors");
  refuse_network_options(command, "a replay", refuse);
  const flow::ReplayRequest request{.file = *command.replay,
                                    .rtl = watched(command.rtl),
                                    .wave = wave_of(command),
                                    .vectors_dir = command.vectors_dir,
                                    .report_files = reports.files};
  Progress progress;
  const flow::ReplayResult result = flow::replay(request, observer_of(progress));
  progress.done();
  if (result.failure) return print_failure(*result.failure);
  return print(command, reports, result, result.report.result.first_text(), with_remarks(result));
}

/// A name without a folder or an ending can only be that of a unit, unless there is such a file.
bool is_model(const std::string& subject) {
  return subject.find_first_of("./") != std::string::npos || std::filesystem::exists(subject);
}

}  // namespace

int cosim(const CosimCommand& command) {
  const Reports reports = take_reports(command.reports);
  if (command.replay) return cosim_replay(command, reports);
  const std::vector<std::string> units = flow::cosim_units();
  if (std::ranges::find(units, command.subject) != units.end()) return cosim_unit(command, reports);
  if (is_model(command.subject)) return cosim_model(command, reports);
  throw base::UserError("cosim", "'{}' is neither a unit ({}) nor a file of a network{}", command.subject,
                        fmt::join(units, ", "), base::suggestion(command.subject, units));
}

}  // namespace vernier::cli
