// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/cosim_network.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/text.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/failure.hpp"
#include "sim/cli/out_of_memory.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/cli/places.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/replay_command.hpp"
#include "sim/cli/rtl_backend.hpp"
#include "sim/cli/rtl_rate.hpp"
#include "sim/cli/traces.hpp"
#include "sim/cli/version.hpp"
#include "sim/flow/ends.hpp"
#include "sim/flow/inputs.hpp"
#include "sim/flow/model.hpp"
#include "sim/flow/output_files.hpp"
#include "sim/flow/to_checker.hpp"
#include "sim/waves/wave.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>

namespace vernier::cli {
namespace {

/// Nothing that is written is what is read, or written twice.
void check_places(const CosimCommand& command, const package::Package& package) {
  std::vector<Place> read{{"MODEL", command.subject}}, written;
  if (command.machine.config) read.push_back({"--config", *command.machine.config});
  if (command.machine.encodings) read.push_back({"--encodings", *command.machine.encodings});
  for (const std::string& file : flow::input_files(flow::ends_of(package).inputs, command.inputs))
    read.push_back({"--input", file});
  for (const std::string& file : command.reports) {
    if (file != "-") written.push_back({"--report", file});
  }
  for (const Place& place : trace_places(command.traces)) written.push_back(place);
  if (command.output_dir) {
    for (const std::string& name : flow::output_file_names(flow::ends_of(package).outputs))
      written.push_back({"--output-dir", (std::filesystem::path(*command.output_dir) / name).string()});
  }
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
  explicit NetworkRun(const CosimCommand& command) : command_(command) {}

  int run() {
    load();
    soc::JobResult job;
    if (const int code = simulate(job); code != kExitSuccess) return code;
    progress_.phase("checking");
    const std::vector<std::string> warnings = flow::check_against_reference(*model_.graph, checker_, inputs_, true);
    report_.end_to_end = end_to_end_of(checker_.outcome());
    write(job, warnings);
    if (!report_.is_equal()) return kExitMismatch;
    return warnings.empty() ? kExitSuccess : kExitUnpredictable;
  }

 private:
  void load() {
    progress_.phase("reading " + command_.subject);
    model_ = flow::load_model(command_.subject, command_.machine);
    if (!model_.graph) throw base::UserError(model_.file, "holds no source graph to check against");
    // What is refused because there is no RTL is refused before long work.
    const config::MachineConfig config = model_.package ? model_.package->config : flow::config_of(command_.machine);
    const RtlSource source = rtl_source(command_.rtl, [this](const std::string& what) { progress_.phase(what); });
    RtlBackend::Work work;
    if (command_.vectors_dir) work.kept_cycles = kExportedCycles;
    rtl_.emplace(config.datapath, work, source);
    report_.has_own_cycles = !source.is_strict;
    progress_.phase("compiling");
    package_ = flow::package_of(model_, command_.machine);
    check_places(command_, package_);
    inputs_ = flow::make_inputs(flow::ends_of(package_).inputs, command_.inputs, command_.seed, model_.open_inputs);
    report_.model = std::filesystem::path(model_.file).filename().string();
    report_.config = package_.config.name;
    report_.lanes = static_cast<int>(config.datapath.lanes);
    report_.seed = command_.seed;
  }

  /// The exit code: of a job that ended well, kExitSuccess.
  int simulate(soc::JobResult& job) {
    Traces traces(command_.traces, package_);
    if (command_.traces.has_signals()) rtl_->draw(traces, package_);
    progress_.phase("co-simulating");
    const RtlRate rate;
    const auto progress = [&](const cosim::RtlProgress& so_far) { progress_.detail(rate.text(so_far)); };
    soc::Npu npu(package_.config, rtl_->datapath(package_, command_.seed, progress));
    check::Checker& values = checker_.begin_job();
    soc::JobOptions options;
    options.on_piece = flow::pieces_to(values, package_);
    options.watcher = traces.begin_job();
    int code = kExitSuccess;
    try {
      job = npu.run(package_, inputs_, options);
      progress_.done();
      if (!job.is_done()) code = report_failure(model_.file, job);
    } catch (const cosim::Hang& hang) {
      progress_.done();
      job = npu.stopped(package_);
      code = report_rtl_hang(command_.subject, *rtl_, package_.config, false, hang);
    }
    const std::vector<const cosim::RtlWave*> waves = rtl_->finish_waves(wave_notes_);
    if (!command_.traces.is_empty()) {
      progress_.phase("writing waves");
      traces.add(files_, npu.signals(), job, waves);
      progress_.done();
    }
    rtl_->finish();
    report_.result = rtl_->result();
    report_.unused = rtl_->unused();
    if (code != kExitSuccess) {
      files_.commit();
      for (const std::string& note : wave_notes_) print_text(stderr, fmt::format("note: {}\n", note));
      return code;
    }
    flow::add_outputs(values, package_, job);
    checker_.end_job();
    return code;
  }

  /// The line for people: of the replay of the first mismatch, or of the vectors that were asked for.
  std::string write_vectors() {
    if (rtl_->fault()) {
      progress_.phase("looking for the least that shows the first mismatch");
      cosim::add_rtl_accumulator(report_.result.first_mismatches, *rtl_->fault(), package_.config.datapath,
                                 rtl_->source().make_block);
      const WrittenReplay written =
          write_replay(*rtl_->fault(), command_.subject, package_.config.name, package_.config.datapath, rtl_->source());
      report_.replay_file = written.file;
      if (!command_.vectors_dir || !written.replay) return written.text;
      return written.text + add_vector_files(files_, *command_.vectors_dir, *written.replay);
    }
    if (!command_.vectors_dir) return {};
    std::string text;
    for (const std::string unit : {"rescale", "table"}) {
      cosim::Replay replay{.unit = unit, .config = package_.config.name, .datapath = package_.config.datapath};
      replay.lanes = rtl_->kept_inputs(unit);
      if (!replay.lanes) continue;
      text += add_vector_files(files_, (std::filesystem::path(*command_.vectors_dir) / unit).string(), replay);
    }
    return text.empty() ? "vectors: none, no vector command of this network has a rescale or a table step\n" : text;
  }

  void write(const soc::JobResult& job, const std::vector<std::string>& warnings) {
    const std::string vectors_text = write_vectors();
    const std::string json = cosim::network_json(report_, tool_version());
    const bool json_on_stdout = std::ranges::find(command_.reports, "-") != command_.reports.end();
    for (const std::string& file : command_.reports) {
      if (file != "-") files_.add_text(file, json);
    }
    report::Report listed;
    flow::add_outputs(files_, listed, command_.output_dir, flow::ends_of(package_).outputs, job.outputs);
    files_.commit();
    progress_.done();
    std::string text = cosim::network_text(report_);
    for (const std::string& note : rtl_->notes()) text += fmt::format("note: {}\n", note);
    for (const std::string& note : wave_notes_) text += fmt::format("note: {}\n", note);
    for (const std::string& note : model_.notes) text += fmt::format("note: {}\n", note);
    for (const std::string& note : flow::notes_of(package_.config, command_.machine))
      text += fmt::format("note: {}\n", note);
    for (const std::string& warning : warnings) text += fmt::format("warning: {}\n", warning);
    text += vectors_text;
    if (command_.is_quiet) text = quiet_text(text, report_.result.first_mismatches);
    print_text(json_on_stdout ? stderr : stdout, text);
    if (json_on_stdout) print_text(stdout, json);
  }

  const CosimCommand& command_;
  Progress progress_;
  base::FileSet files_;
  flow::Model model_;
  std::optional<RtlBackend> rtl_;
  package::Package package_;
  std::vector<base::Tensor> inputs_;
  check::RepeatedChecker checker_;
  cosim::NetworkReport report_;
  std::vector<std::string> wave_notes_;
};

}  // namespace

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
  if (!machine.quantizations.empty()) refuse("--quantize");
  if (!command.inputs.empty()) refuse("--input");
  if (command.output_dir) refuse("--output-dir");
  const TraceOptions& traces = command.traces;
  if (traces.wave_scope) refuse("--wave-scope");
  if (traces.wave_window) refuse("--wave-window");
  if (traces.wave_layer) refuse("--wave-layer");
  if (!traces.timelines.empty()) refuse("--timeline");
  if (traces.waves.size() > 1)
    throw base::UserError("--wave", "is given {} times, of {} there is one", traces.waves.size(), what_runs);
  check_file_places("--wave", traces.waves, {".fst", ".vcd"});
  for (const std::string& file : traces.waves) (void)waves::wave_format_of(file);
}

int cosim_network(const CosimCommand& command) {
  RunOptions places;
  places.output_dir = command.output_dir;
  places.traces = command.traces;
  check_places(places);
  return with_memory_errors(command.subject, [&] {
    try {
      return NetworkRun(command).run();
    } catch (const cosim::Hang& hang) {  // of RTL that answers nothing, before there is a job
      return report_silent_rtl(command.rtl, hang);
    }
  });
}

}  // namespace vernier::cli
