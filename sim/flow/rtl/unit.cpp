// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/rtl/unit.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/text.hpp"
#include "hw/config/toml_config.hpp"
#include "sim/cosim/replay/drawn_replay.hpp"
#include "sim/flow/files/places.hpp"
#include "sim/flow/files/report_files.hpp"
#include "sim/flow/files/version.hpp"
#include "sim/flow/model/choices.hpp"
#include "sim/flow/rtl/wave_file.hpp"
#include "sim/flow/rtl/written_replay.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace vernier::flow {
namespace {

/// RTL from elsewhere is also compared from so many other values of its registers, so many vectors each.
constexpr uint64_t kOtherStarts = 4;
constexpr int64_t kVectorsOfStart = 1000;

/// What a run with this seed starts registers from. It is at least 1, because 0 would draw another one each time; it is
/// drawn, because Verilator's first values are alike for seeds that differ in a few bits.
int reset_seed_of(uint64_t seed) { return static_cast<int>(cosim::Random(seed).within(1, INT32_MAX)); }

/// A run of `options`. Where RTL from elsewhere was equal in all of it, short ones from other values of what nothing has
/// written: the first that is not equal, on the RTL that `source` then makes, else the run.
cosim::CosimReport run_from_several_starts(const cosim::CosimOptions& options, RtlSource& source, std::string& note) {
  cosim::CosimReport report = cosim::run_cosim(options, source.make(options.unit, options.lanes));
  if (!source.concerns(options.unit)) return report;
  cosim::CosimOptions short_run = options;
  short_run.vectors = std::min(options.vectors, kVectorsOfStart);
  short_run.wave = nullptr;
  short_run.progress = {};
  short_run.kept_cycles = 0;
  for (uint64_t i = 1; i <= kOtherStarts && report.result.mismatches == 0; ++i) {
    RtlSource other = source;
    other.reset_seed = reset_seed_of(options.seed + i);
    cosim::CosimReport found = cosim::run_cosim(short_run, other.make(options.unit, options.lanes));
    if (found.result.mismatches == 0) continue;
    note = fmt::format("{} vectors were equal before, with other values of what nothing has written: these matter here",
                       base::with_thousands(report.result.vectors));
    report = std::move(found);
    source = other;
  }
  return report;
}

/// A co-simulation of a unit, step by step.
class UnitRun {
 public:
  UnitRun(const UnitRequest& request, const Observer& observer) : request_(request), observer_(observer) {
    const config::MachineConfig config = config::load_config(request.config.value_or("v256"));
    options_.unit = request.unit;
    options_.config = config.name;
    options_.lanes = config.datapath.lanes;
    options_.sram_read_words = config.datapath.sram_read_words;
    options_.vectors = request.vectors;
    options_.seed = request.seed;
    if (request.vectors_dir) options_.kept_cycles = kExportedCycles;
    if (request.wave) options_.wave = &wave_.emplace(files_, *request.wave, *spec::rtl_block_of_unit(request.unit));
    options_.progress = [this](const cosim::LockStepResult& so_far) {
      observer_.phase(fmt::format("co-simulating: {} of {} vectors, {} mismatches", base::with_thousands(so_far.vectors),
                                  base::with_thousands(options_.vectors), base::with_thousands(so_far.mismatches)));
    };
    source_ = rtl_source(request.rtl, [this](const std::string& what) { observer_.phase(what); });
    source_.reset_seed = reset_seed_of(request.seed);
    options_.is_foreign = source_.is_foreign();
    options_.is_strict = source_.is_strict;
  }

  UnitResult result() {
    std::string start_note;
    try {
      result_.report = run_from_several_starts(options_, source_, start_note);
    } catch (const cosim::Hang& hang) {
      if (wave_) wave_->finish({});
      files_.commit();
      return {.failure = Failure{request_.unit, RtlFailure{hang.what()}}};
    }
    cosim::CosimReport& report = result_.report;
    if (wave_)
      wave_->finish(start_note.empty() ? report.result.first_place : std::nullopt);  // that of the run that is drawn
    if (report.fault && request_.replay_folder) {
      keep_fault();
    } else if (!report.fault && request_.vectors_dir) {
      result_.remarks.push_back(add_vectors());
    }
    const bool has_array = spec::rtl_block_of_unit(options_.unit)->kind != spec::RtlKind::Pipe;
    if (report.result.mismatches > 0 && has_array && needs_own_array(source_, options_.lanes))
      result_.remarks.emplace_back(
          "note: a unit of --rtl has another depth than hw/spec's, which the array is built for: 'cosim rescale' and "
          "'cosim table' compare them by themselves");
    if (!start_note.empty()) result_.remarks.push_back("note: " + start_note);
    if (const std::string note = note_that_all_is_ours(source_, {options_.unit}); !note.empty())
      result_.remarks.push_back("note: " + note);
    add_texts(files_, request_.report_files, [&] { return to_json(result_); });
    files_.commit();
    return std::move(result_);
  }

 private:
  /// The replay of the first mismatch, and its vectors.
  void keep_fault() {
    cosim::CosimReport& report = result_.report;
    observer_.phase("looking for the least that shows the first mismatch");
    const spec::Datapath datapath = cosim::datapath_of(options_);
    report.replay_file = keep_first_fault(
        {*report.fault, replay_file_of(*request_.replay_folder, request_.unit), options_.config, datapath, source_},
        report.result.first_mismatches, request_.vectors_dir, files_, result_.remarks);
  }

  /// Of a run without a mismatch: its first cycles.
  std::string add_vectors() {
    const cosim::CosimReport& report = result_.report;
    if (report.kept.size() > 0) {
      cosim::Replay run{.unit = options_.unit, .config = options_.config, .datapath = cosim::datapath_of(options_)};
      run.lanes.emplace(cosim::LaneReplay{report.kept});
      return add_vector_files(files_, *request_.vectors_dir, run);
    }
    if (spec::rtl_block_of_unit(options_.unit)->kind == spec::RtlKind::Core)
      return "vectors: none, those of core are of its parts: datapath and vector";
    return add_vector_files(
        files_, *request_.vectors_dir,
        cosim::drawn_replay(options_.unit, options_.config, cosim::datapath_of(options_), options_.seed, options_.vectors));
  }

  const UnitRequest& request_;
  const Observer& observer_;
  base::FileSet files_;
  std::optional<WaveFile> wave_;
  cosim::CosimOptions options_;
  RtlSource source_;
  UnitResult result_;
};

}  // namespace

Verdict UnitResult::verdict() const {
  if (failure) return failure->verdict();
  return report.result.mismatches == 0 ? Verdict::Good : Verdict::Mismatch;
}

std::vector<std::string> cosim_units() { return cosim::cosim_units(); }

UnitResult run_unit(const UnitRequest& request, const Observer& observer) {
  check_choice("UNIT", request.unit, cosim_units());
  check_report_places(request.report_files, {".json"});
  if (request.wave) check_file_place("--wave", *request.wave, {".fst", ".vcd"});
  return UnitRun(request, observer).result();
}

std::string to_text(const UnitResult& result) { return cosim::cosim_text(result.report); }
std::string to_json(const UnitResult& result) { return cosim::cosim_json(result.report, tool_version()); }

}  // namespace vernier::flow
