// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/rtl/replay.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/text.hpp"
#include "sim/cosim/network/cosim.hpp"
#include "sim/cosim/replay/replay_file.hpp"
#include "sim/flow/files/places.hpp"
#include "sim/flow/files/report_files.hpp"
#include "sim/flow/files/version.hpp"
#include "sim/flow/look/traces.hpp"
#include "sim/flow/rtl/wave_file.hpp"
#include "sim/flow/rtl/written_replay.hpp"

#include <fmt/format.h>

#include <utility>

namespace vernier::flow {
namespace {

void check_replay_places(const ReplayRequest& request) {
  check_report_places(request.report_files, {".json"});
  if (request.wave) check_file_place("--wave", *request.wave, {".fst", ".vcd"});
  std::vector<Place> written = places_of("--report", request.report_files);
  TraceOptions traces;
  if (request.wave) traces.waves = {*request.wave};
  for (const Place& place : trace_places(traces)) written.push_back(place);
  refuse_overwriting({{"--replay", request.file}}, written);
}

}  // namespace

Verdict ReplayResult::verdict() const {
  if (failure) return failure->verdict();
  return report.result.mismatches == 0 ? Verdict::Good : Verdict::Mismatch;
}

ReplayResult replay(const ReplayRequest& request, const Observer& observer) {
  check_replay_places(request);
  ReplayResult result{.file = request.file, .replay = cosim::read_replay(request.file)};
  const cosim::Replay& replay = result.replay;
  base::FileSet files;
  RtlSource source = rtl_source(request.rtl, [&](const std::string& what) { observer.phase(what); });
  source.reset_seed = replay.reset_seed;
  if (request.vectors_dir) result.remarks.push_back(add_vector_files(files, *request.vectors_dir, replay));
  std::optional<WaveFile> wave;
  try {
    const auto lanes = static_cast<int>(replay.datapath.lanes);
    const bool is_array = spec::rtl_block_of_unit(replay.unit)->kind == spec::RtlKind::Array;
    source.has_own_array = is_array && needs_own_array(source, lanes);
    auto block = source.make(replay.unit, lanes);
    if (request.wave) block->open_wave(wave.emplace(files, *request.wave, *spec::rtl_block_of_unit(replay.unit)));
    result.report = cosim::run_replay(replay, std::move(block), source.is_foreign(), source.is_strict, request.file);
  } catch (const cosim::Hang& hang) {
    if (wave) wave->finish({});
    files.commit();
    result.failure = Failure{request.file, RtlFailure{hang.what()}};
    return result;
  }
  cosim::ReplayReport& report = result.report;
  if (wave) wave->finish(report.result.first_place);
  if (report.array_fault)
    cosim::add_rtl_accumulator(report.result.first_mismatches,
                               {.unit = replay.unit, .mismatch = {}, .commands = std::exchange(report.array_fault, {})},
                               replay.datapath, source.maker());
  if (const std::string note = note_that_all_is_ours(source, {replay.unit}); !note.empty())
    result.remarks.push_back("note: " + note);
  add_texts(files, request.report_files, [&] { return to_json(result); });
  files.commit();
  return result;
}

std::string to_text(const ReplayResult& replayed) {
  const cosim::Replay& replay = replayed.replay;
  const cosim::ReplayReport& report = replayed.report;
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
  return text + cosim::mismatch_lines(result.first_mismatches, result.mismatches);
}

std::string to_json(const ReplayResult& result) {
  const cosim::Replay& replay = result.replay;
  cosim::CosimReport unit;
  unit.options.unit = replay.unit;
  unit.options.config = replay.config;
  unit.options.lanes = static_cast<int>(replay.datapath.lanes);
  unit.result = result.report.result;
  unit.latency_cycles = result.report.latency_cycles;
  unit.replay_file = result.file;
  return cosim::cosim_json(unit, tool_version());
}

}  // namespace vernier::flow
