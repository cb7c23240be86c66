// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/cosim_command.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/text.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/config/toml_config.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/cosim_network.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/replay_command.hpp"
#include "sim/cli/rtl_backend.hpp"
#include "sim/cli/version.hpp"
#include "sim/cli/wave_file.hpp"
#include "sim/cosim/cosim.hpp"
#include "sim/cosim/drawn_replay.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>

namespace vernier::cli {
namespace {

/// RTL from elsewhere is also compared from so many other values of its registers, so many vectors each.
constexpr uint64_t kOtherStarts = 4;
constexpr int64_t kVectorsOfStart = 1000;

/// A name without a folder or an ending can only be that of a unit, unless there is such a file.
bool is_model(const std::string& subject) {
  return subject.find_first_of("./") != std::string::npos || std::filesystem::exists(subject);
}

void refuse_options_of_models(const CosimCommand& command) {
  const auto refuse = [&](const char* option) {
    throw base::UserError(option, "is for a MODEL; '{}' is a unit, with random operands", command.subject);
  };
  refuse_network_options(command, "a unit", refuse);
}

/// What a run with this seed starts registers from. It is at least 1, because 0 would draw another one each time; it is
/// drawn, because Verilator's first values are alike for seeds that differ in a few bits.
int reset_seed_of(uint64_t seed) { return static_cast<int>(cosim::Random(seed).within(1, INT32_MAX)); }

/// A run of `options`. Where RTL from elsewhere was equal in all of it, short ones from other values of what nothing has
/// written: the first that is not equal, on the RTL that `source` then makes, else the run.
cosim::CosimReport run_from_several_starts(const cosim::CosimOptions& options, RtlSource& source, std::string& note) {
  cosim::CosimReport report = cosim::run_cosim(options, source.make_block(options.unit, options.lanes));
  if (!source.is_foreign || !source.concerns(options.unit)) return report;
  cosim::CosimOptions short_run = options;
  short_run.vectors = std::min(options.vectors, kVectorsOfStart);
  short_run.wave = nullptr;
  short_run.progress = {};
  short_run.kept_cycles = 0;
  for (uint64_t i = 1; i <= kOtherStarts && report.result.mismatches == 0; ++i) {
    const RtlSource other = started_from(source, reset_seed_of(options.seed + i));
    cosim::CosimReport found = cosim::run_cosim(short_run, other.make_block(options.unit, options.lanes));
    if (found.result.mismatches == 0) continue;
    note = fmt::format("{} vectors were equal before, with other values of what nothing has written: these matter here",
                       base::with_thousands(report.result.vectors));
    report = std::move(found);
    source = other;
  }
  return report;
}

int cosim_unit(const CosimCommand& command) {
  refuse_options_of_models(command);
  const config::MachineConfig config = config::load_config(command.machine.config.value_or("v256"));
  cosim::CosimOptions options;
  options.unit = command.subject;
  options.config = config.name;
  options.lanes = config.datapath.lanes;
  options.sram_read_words = config.datapath.sram_read_words;
  options.vectors = command.vectors.value_or(options.vectors);
  options.seed = command.seed;
  if (command.vectors_dir) options.kept_cycles = kExportedCycles;
  base::FileSet files;
  std::optional<WaveFile> wave;
  if (!command.traces.waves.empty())
    options.wave = &wave.emplace(files, command.traces.waves.front(), *spec::rtl_block_of_unit(command.subject));
  Progress progress;
  options.progress = [&](const cosim::LockStepResult& so_far) {
    progress.phase(fmt::format("co-simulating: {} of {} vectors, {} mismatches", base::with_thousands(so_far.vectors),
                               base::with_thousands(options.vectors), base::with_thousands(so_far.mismatches)));
  };
  RtlSource source = started_from(rtl_source(command.rtl, [&](const std::string& what) { progress.phase(what); }),
                                  reset_seed_of(command.seed));
  options.is_foreign = source.is_foreign;
  options.is_strict = source.is_strict;
  cosim::CosimReport report;
  std::string start_note;
  try {
    report = run_from_several_starts(options, source, start_note);
  } catch (const cosim::Hang& hang) {
    progress.done();
    if (wave) wave->finish({});
    files.commit();
    print_text(stderr, fmt::format("vernier: {}: {}\n", command.subject, hang.what()));
    return kExitFault;
  }
  if (wave) wave->finish(start_note.empty() ? report.result.first_place : std::nullopt);  // that of the run that is drawn
  std::string replay_text;
  if (report.fault) {
    progress.phase("looking for the least that shows the first mismatch");
    cosim::add_rtl_accumulator(report.result.first_mismatches, *report.fault, cosim::datapath_of(options),
                               source.make_block);
    const WrittenReplay written =
        write_replay(*report.fault, command.subject, config.name, cosim::datapath_of(options), source);
    report.replay_file = written.file;
    replay_text = written.text;
    if (command.vectors_dir && written.replay) replay_text += add_vector_files(files, *command.vectors_dir, *written.replay);
  } else if (command.vectors_dir) {
    const bool is_core = spec::rtl_block_of_unit(options.unit)->kind == spec::RtlKind::Core;
    replay_text = "vectors: none, those of core are of its parts: datapath and vector\n";
    if (report.kept.size() == 0 && !is_core) {
      replay_text = add_vector_files(
          files, *command.vectors_dir,
          cosim::drawn_replay(options.unit, options.config, cosim::datapath_of(options), options.seed, options.vectors));
    } else if (report.kept.size() > 0) {
      cosim::Replay run{.unit = options.unit, .config = options.config, .datapath = cosim::datapath_of(options)};
      run.lanes.emplace(cosim::LaneReplay{report.kept});
      replay_text = add_vector_files(files, *command.vectors_dir, run);
    }
  }
  const bool has_array = spec::rtl_block_of_unit(options.unit)->kind != spec::RtlKind::Pipe;
  if (report.result.mismatches > 0 && has_array && needs_own_array(source, options.lanes))
    replay_text +=
        "note: a unit of --rtl has another depth than hw/spec's, which the array is built for: 'cosim rescale' and "
        "'cosim table' compare them by themselves\n";
  if (!start_note.empty()) replay_text += fmt::format("note: {}\n", start_note);
  if (const std::string note = note_that_all_is_ours(source, {options.unit}); !note.empty())
    replay_text += fmt::format("note: {}\n", note);
  progress.done();
  const std::string json = cosim::cosim_json(report, tool_version());
  const bool json_on_stdout = std::ranges::find(command.reports, "-") != command.reports.end();
  for (const std::string& file : command.reports) {
    if (file != "-") files.add_text(file, json);
  }
  files.commit();
  const std::string text = cosim::cosim_text(report);
  print_text(json_on_stdout ? stderr : stdout,
             command.is_quiet ? quiet_text(text, report.result.first_mismatches) : text + replay_text);
  if (json_on_stdout) print_text(stdout, json);
  return report.result.mismatches == 0 ? kExitSuccess : kExitMismatch;
}

}  // namespace

int cosim(const CosimCommand& command) {
  check_report_places(command.reports, {".json"});
  if (command.replay) return replay(command);
  const std::vector<std::string> units = cosim::cosim_units();
  if (std::ranges::find(units, command.subject) != units.end()) return cosim_unit(command);
  if (!is_model(command.subject)) {
    throw base::UserError("cosim", "'{}' is neither a unit ({}) nor a file of a network{}", command.subject,
                          fmt::join(units, ", "), base::suggestion(command.subject, units));
  }
  if (command.vectors) throw base::UserError("--vectors", "is for a unit; '{}' is a network", command.subject);
  return cosim_network(command);
}

}  // namespace vernier::cli
