// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/rtl/network.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "sim/check/repeated_checker.hpp"
#include "sim/flow/files/output_files.hpp"
#include "sim/flow/files/places.hpp"
#include "sim/flow/files/report_files.hpp"
#include "sim/flow/files/version.hpp"
#include "sim/flow/look/traces.hpp"
#include "sim/flow/model/ends.hpp"
#include "sim/flow/model/inputs.hpp"
#include "sim/flow/model/model.hpp"
#include "sim/flow/rtl/rtl_rate.hpp"
#include "sim/flow/rtl/written_replay.hpp"
#include "sim/flow/run/to_checker.hpp"

#include <fmt/ranges.h>

#include <filesystem>
#include <utility>

namespace vernier::flow {
namespace {

/// Nothing that is written is what is read, or written twice.
void check_network_places(const NetworkRequest& request, const package::Package& package) {
  std::vector<Place> read = read_places(request.model, request.machine);
  for (const std::string& file : input_files(ends_of(package).inputs, request.inputs)) read.push_back({"--input", file});
  std::vector<Place> written = places_of("--report", request.report_files);
  for (const Place& place : trace_places(request.traces)) written.push_back(place);
  for (const Place& place : output_places(request.output_dir, ends_of(package).outputs)) written.push_back(place);
  refuse_overwriting(read, written);
}

cosim::EndToEnd end_to_end_of(const check::Outcome& outcome) {
  cosim::EndToEnd end{outcome.elements_compared, outcome.elements_different, {}};
  if (!outcome.first) return end;
  const check::Difference& first = *outcome.first;
  end.first_difference = fmt::format("{}[{}]: expected {}, actual {}", first.tensor, fmt::join(first.coordinates, ", "),
                                     first.expected, first.actual);
  if (first.origin.command_idx >= 0) end.first_difference += fmt::format(", of command {}", first.origin.command_idx);
  return end;
}

class NetworkRun {
 public:
  NetworkRun(const NetworkRequest& request, const Observer& observer) : request_(request), observer_(observer) {}

  NetworkCosimResult result() {
    load();
    soc::JobResult job;
    if (std::optional<Failure> failure = simulate(job)) return {.failure = std::move(failure)};
    observer_.phase("checking");
    reference::Variables variables = reference::initial_variables(*model_.graph);
    result_.warnings = check_against_reference({*model_.graph, package_, variables}, checker_, inputs_, true);
    result_.report.end_to_end = end_to_end_of(checker_.outcome());
    add_vectors();
    collect_notes();
    add_texts(files_, request_.report_files, [&] { return to_json(result_); });
    report::Report listed;
    add_outputs(files_, listed, request_.output_dir, ends_of(package_).outputs, job.outputs);
    files_.commit();
    result_.outputs = std::move(job.outputs);
    return std::move(result_);
  }

 private:
  void load() {
    observer_.phase("reading " + request_.model);
    model_ = load_model(request_.model, request_.machine);
    if (!model_.graph) throw base::UserError(model_.file, "holds no source graph to check against");
    // What is refused because there is no RTL is refused before long work.
    const config::MachineConfig config = model_.package ? model_.package->config : config_of(request_.machine);
    const RtlSource source = rtl_source(request_.rtl, [this](const std::string& what) { observer_.phase(what); });
    blocks_.emplace(config.datapath, source, request_.vectors_dir ? kExportedCycles : 0);
    cosim::NetworkReport& report = result_.report;
    report.has_own_cycles = !source.is_strict;
    observer_.phase("compiling");
    package_ = package_of(model_, request_.machine);
    check_network_places(request_, package_);
    inputs_ = make_inputs(ends_of(package_).inputs, request_.inputs, request_.seed, model_.open_inputs);
    report.model = std::filesystem::path(model_.file).filename().string();
    report.config = package_.config.name;
    report.lanes = static_cast<int>(config.datapath.lanes);
    report.seed = request_.seed;
  }

  /// The job, with its waves, also where it does not come to its end.
  std::optional<Failure> simulate(soc::JobResult& job) {
    Traces traces(request_.traces, package_);
    RtlWork work{.seed = request_.seed};
    if (request_.traces.has_signals()) work.drawn = commands_in_window(traces, package_);
    observer_.phase("co-simulating");
    const RtlRate rate;
    if (observer_.on_detail)
      work.progress = [&](const cosim::RtlProgress& so_far) { observer_.on_detail(rate.text(so_far)); };
    RtlSession session = std::move(*blocks_).begin(package_, std::move(work));
    check::Checker& values = checker_.begin_job();
    soc::JobOptions options;
    options.on_piece = pieces_to(values, package_);
    options.watcher = traces.begin_job();
    RtlJob on_rtl = session.run_job(inputs_, options);
    job = std::move(on_rtl.job);
    rtl_.emplace(std::move(session).finish());
    std::optional<Failure> failure;
    if (on_rtl.hang) {
      const std::string replay_file =
          request_.replay_folder ? replay_file_of(*request_.replay_folder, request_.model) : std::string();
      failure = Failure{request_.model, rtl_failure(*rtl_, package_.config, *on_rtl.hang, replay_file)};
    } else if (!job.is_done()) {
      failure = Failure{model_.file, MachineFailure{job.status, job.cycles}};
    }
    if (!request_.traces.is_empty()) {
      observer_.phase("writing waves");
      traces.add(files_, rtl_->signals(), job, rtl_->waves());
    }
    result_.report.result = rtl_->result();
    result_.report.unused = rtl_->unused();
    if (failure) {
      failure->notes = rtl_->wave_notes();
      files_.commit();
      return failure;
    }
    add_outputs(values, package_, job);
    checker_.end_job();
    return std::nullopt;
  }

  /// Of the first mismatch, or those that were asked for.
  void add_vectors() {
    std::vector<std::string>& remarks = result_.remarks;
    if (rtl_->fault()) {
      if (request_.replay_folder) keep_fault(*rtl_->fault());
      return;
    }
    if (!request_.vectors_dir) return;
    for (const std::string unit : {"rescale", "table"}) {
      cosim::Replay replay{.unit = unit, .config = package_.config.name, .datapath = package_.config.datapath};
      replay.lanes = rtl_->kept_inputs(unit);
      if (!replay.lanes) continue;
      remarks.push_back(add_vector_files(files_, (std::filesystem::path(*request_.vectors_dir) / unit).string(), replay));
    }
    if (remarks.empty())
      remarks.emplace_back("vectors: none, no vector command of this network has a rescale or a table step");
  }

  void keep_fault(const cosim::FirstFault& fault) {
    observer_.phase("looking for the least that shows the first mismatch");
    const config::MachineConfig& config = package_.config;
    result_.report.replay_file = keep_first_fault(
        {fault, replay_file_of(*request_.replay_folder, request_.model), config.name, config.datapath, rtl_->source()},
        result_.report.result.first_mismatches, request_.vectors_dir, files_, result_.remarks);
  }

  void collect_notes() {
    for (const std::vector<std::string>& more :
         {rtl_->notes(), rtl_->wave_notes(), model_.notes, notes_of(package_.config, request_.machine)})
      result_.notes.insert(result_.notes.end(), more.begin(), more.end());
  }

  const NetworkRequest& request_;
  const Observer& observer_;
  base::FileSet files_;
  Model model_;
  package::Package package_;
  std::vector<base::Tensor> inputs_;
  std::optional<RtlBlocks> blocks_;  // and then
  std::optional<RtlOutcome> rtl_;
  check::RepeatedChecker checker_;
  NetworkCosimResult result_;
};

}  // namespace

Verdict NetworkCosimResult::verdict() const {
  if (failure) return failure->verdict();
  if (!report.is_equal()) return Verdict::Mismatch;
  return warnings.empty() ? Verdict::Good : Verdict::Unpredictable;
}

NetworkCosimResult cosim_network(const NetworkRequest& request, const Observer& observer) {
  check_report_places(request.report_files, {".json"});
  check_trace_places(request.traces);
  if (request.output_dir) check_directory_place("--output-dir", *request.output_dir);
  try {
    return NetworkRun(request, observer).result();
  } catch (const cosim::Hang& hang) {  // of RTL that answers nothing, before there is a job
    return {.failure = Failure{request.rtl.folder.value_or("rtl"), RtlFailure{hang.what()}}};
  }
}

std::string to_summary(const NetworkCosimResult& result) { return cosim::network_text(result.report); }

std::string to_text(const NetworkCosimResult& result) {
  std::string text = to_summary(result);
  for (const std::string& note : result.notes) text += fmt::format("note: {}\n", note);
  for (const std::string& warning : result.warnings) text += fmt::format("warning: {}\n", warning);
  for (const std::string& remark : result.remarks) text += remark + "\n";
  return text;
}

std::string to_json(const NetworkCosimResult& result) { return cosim::network_json(result.report, tool_version()); }

}  // namespace vernier::flow
