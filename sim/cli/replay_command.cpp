// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/replay_command.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/cosim_network.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/cli/places.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/rtl_backend.hpp"
#include "sim/cli/traces.hpp"
#include "sim/cli/version.hpp"
#include "sim/cli/wave_file.hpp"
#include "sim/cosim/cosim.hpp"
#include "sim/cosim/replay_file.hpp"
#include "sim/cosim/vector_files.hpp"

#include <algorithm>
#include <filesystem>

namespace vernier::cli {
namespace {

void refuse_other_options(const CosimCommand& command) {
  const auto refuse = [](const char* option) {
    throw base::UserError(option, "cannot go with --replay: the file has all that is needed");
  };
  if (!command.subject.empty())
    throw base::UserError("--replay", "'{}' cannot go with it: the file says what runs", command.subject);
  if (command.machine.config) refuse("--config");
  if (command.vectors) refuse("--vectors");
  refuse_network_options(command, "a replay", refuse);
}

void check_replay_places(const CosimCommand& command) {
  std::vector<Place> written;
  for (const std::string& file : report_files(command.reports)) written.push_back({"--report", file});
  for (const Place& place : trace_places(command.traces)) written.push_back(place);
  refuse_overwriting({{"--replay", *command.replay}}, written);
}

std::string text_of(const cosim::Replay& replay, const cosim::ReplayReport& report) {
  using base::with_thousands;
  const cosim::LockStepResult& result = report.result;
  const int64_t specified = spec::rtl_block_of_unit(replay.unit)->latency_cycles;
  const std::string if_equal = report.latency_cycles == specified
                                   ? "every result equal"
                                   : fmt::format("every result equal, each {} after its vector, hw/spec says {}",
                                                 base::counted(report.latency_cycles, "cycle"), specified);
  std::string text =
      fmt::format("replay of {} on {}, {} lanes: {} compared: {}\n", replay.unit, base::printable(replay.config),
                  replay.datapath.lanes, base::counted(result.vectors, "vector"), result.verdict(if_equal));
  if (result.mismatches == 0) text += fmt::format("the file was written for: {}\n", base::printable(replay.mismatch));
  for (const std::string& mismatch : result.first_mismatches) text += fmt::format("mismatch: {}\n", mismatch);
  const auto num_shown = static_cast<int64_t>(result.first_mismatches.size());
  if (result.mismatches > num_shown) text += fmt::format("and {} more\n", with_thousands(result.mismatches - num_shown));
  return text;
}

}  // namespace

std::string quiet_text(const std::string& text, const std::vector<std::string>& mismatches) {
  const std::string verdict = text.substr(0, text.find('\n') + 1);
  return mismatches.empty() ? verdict : fmt::format("{}mismatch: {}\n", verdict, mismatches.front());
}

std::string replay_file_of(const std::string& subject) {
  return std::filesystem::path(subject).filename().string() + ".replay.json";
}

WrittenReplay write_replay(const cosim::FirstFault& fault, const std::string& subject, const std::string& config,
                           const spec::Datapath& datapath, const RtlSource& source) {
  WrittenReplay written;
  try {
    written.replay = cosim::make_replay(fault, config, datapath, source.is_strict, source.make_block);
    written.replay->reset_seed = source.reset_seed;
    const std::string file = replay_file_of(subject);
    base::write_text_file(file, cosim::replay_text(*written.replay, tool_version()));
    written.file = file;
    const std::string rtl = !source.is_foreign ? "" : source.is_strict ? " --rtl DIR --strict-cycles" : " --rtl DIR";
    if (written.replay->is_reproduced) {
      written.text =
          fmt::format("replay: {} shows the first mismatch alone: vernier cosim --replay {}{}\n", file, file, rtl);
    } else {
      written.text = fmt::format(
          "replay: {} has what came before the first mismatch, which it does not show alone: it needs more of the run\n",
          file);
    }
  } catch (const base::UserError& error) {
    written.text = fmt::format("replay: none, {}\n", error.what());
  } catch (const cosim::Hang& hang) {
    written.text = fmt::format("replay: none, a part of the run stands still: {}\n", hang.what());
  }
  return written;
}

std::string add_vector_files(base::FileSet& files, const std::string& folder, const cosim::Replay& replay) {
  files.make_directory(folder);
  const std::vector<cosim::VectorFile> vectors = cosim::vector_files(replay);
  for (const cosim::VectorFile& file : vectors) files.add_text(std::filesystem::path(folder) / file.name, file.text);
  return fmt::format("vectors: {} files in {}\n", vectors.size(), folder);
}

int replay(const CosimCommand& command) {
  refuse_other_options(command);
  check_replay_places(command);
  const cosim::Replay replay = cosim::read_replay(*command.replay);
  base::FileSet files;
  Progress progress;
  RtlSource source =
      started_from(rtl_source(command.rtl, [&](const std::string& what) { progress.phase(what); }), replay.reset_seed);
  std::string vectors_text;
  if (command.vectors_dir) vectors_text = add_vector_files(files, *command.vectors_dir, replay);
  std::optional<WaveFile> wave;
  cosim::ReplayReport report;
  try {
    const auto lanes = static_cast<int>(replay.datapath.lanes);
    if (replay.array && needs_own_array(source, lanes)) source = with_own_array(source);
    auto block = source.make_block(replay.unit, lanes);
    if (!command.traces.waves.empty())
      block->open_wave(wave.emplace(files, command.traces.waves.front(), *spec::rtl_block_of_unit(replay.unit)));
    report = cosim::run_replay(replay, std::move(block), source.is_foreign, source.is_strict, *command.replay);
  } catch (const cosim::Hang& hang) {
    progress.done();
    if (wave) wave->finish({});
    files.commit();
    print_text(stderr, fmt::format("vernier: {}: {}\n", *command.replay, hang.what()));
    return kExitFault;
  }
  progress.done();
  if (wave) wave->finish(report.result.first_place);
  if (report.array_fault)
    cosim::add_rtl_accumulator(report.result.first_mismatches,
                               {.unit = replay.unit, .mismatch = {}, .array = std::move(report.array_fault)},
                               replay.datapath, source.make_block);
  cosim::CosimReport unit;
  unit.options.unit = replay.unit;
  unit.options.config = replay.config;
  unit.options.lanes = static_cast<int>(replay.datapath.lanes);
  unit.result = report.result;
  unit.latency_cycles = report.latency_cycles;
  unit.replay_file = *command.replay;
  const std::string json = cosim::cosim_json(unit, tool_version());
  const bool json_on_stdout = std::ranges::find(command.reports, "-") != command.reports.end();
  for (const std::string& file : command.reports) {
    if (file != "-") files.add_text(file, json);
  }
  files.commit();
  std::string text = text_of(replay, report) + vectors_text;
  if (const std::string note = note_that_all_is_ours(source, {replay.unit}); !note.empty())
    text += fmt::format("note: {}\n", note);
  if (command.is_quiet) text = quiet_text(text, report.result.first_mismatches);
  print_text(json_on_stdout ? stderr : stdout, text);
  if (json_on_stdout) print_text(stdout, json);
  return report.result.mismatches == 0 ? kExitSuccess : kExitMismatch;
}

}  // namespace vernier::cli
