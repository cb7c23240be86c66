// SPDX-License-Identifier: Apache-2.0
// Long because: the way of a run on the machine from its package to its report is told in one place.
#include "compiler/emit/compile.hpp"
#include "compiler/reference/interpreter.hpp"
#include "hw/base/error.hpp"
#include "sim/check/repeated_checker.hpp"
#include "sim/explain/least_bandwidth.hpp"
#include "sim/flow/files/output_files.hpp"
#include "sim/flow/files/report_files.hpp"
#include "sim/flow/look/first_difference.hpp"
#include "sim/flow/look/traces.hpp"
#include "sim/flow/model/inputs.hpp"
#include "sim/flow/model/source_graph.hpp"
#include "sim/flow/model/variables.hpp"
#include "sim/flow/rtl/core_rtl.hpp"
#include "sim/flow/rtl/first_mismatch.hpp"
#include "sim/flow/rtl/rtl_rate.hpp"
#include "sim/flow/rtl/written_replay.hpp"
#include "sim/flow/run/build_report.hpp"
#include "sim/flow/run/carry.hpp"
#include "sim/flow/run/chosen_fault.hpp"
#include "sim/flow/run/cpu_trace.hpp"
#include "sim/flow/run/job_progress.hpp"
#include "sim/flow/run/run_samples.hpp"
#include "sim/flow/run/run_steps.hpp"
#include "sim/flow/run/to_checker.hpp"
#include "sim/report/node_data.hpp"
#include "sim/soc/firmware_image.hpp"
#include "sim/soc/kept.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

namespace vernier::flow {
namespace {

/// Values are off: the outputs are known by name and shape only.
void list_outputs(report::Report& report, const package::Package& package) {
  const std::vector<End> outputs = ends_of(package).outputs;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const package::TensorEntry& tensor = package.tensors[package.outputs[i]];
    report.outputs.push_back({tensor.name, "", tensor.shape, dtype_of(outputs[i], tensor.type)});
  }
}

/// What node data lie over, with a note where they cannot show all.
void add_source_graph(report::Report& report, const Model& model) {
  report.source_graph = source_graph(model);
  const std::vector<std::string> missing = report::layers_without_node(report);
  if (missing.empty()) return;
  report.notes.push_back(
      fmt::format("the file has no node of {} of the layers, '{}' is one: node data (.mx.json) are without them",
                  missing.size(), missing.front()));
}

/// A run on the machine, whose values come from the kernels or from RTL.
class Simulation {
 public:
  /// What is refused because there is no RTL is refused before long work.
  explicit Simulation(Run& run)
      : run_(run), request_(run.request), control_(control_of(request_, has_control_flow(*run.model))) {
    if (!request_.no_check && !run.model->graph)
      throw base::UserError(run.model->file, "holds no source graph to check against, allowed with --no-check only");
    if (request_.firmware)
      given_firmware_ = soc::parse_firmware_elf(base::read_file(*request_.firmware), *request_.firmware);
    if (request_.backend != "rtl") return;
    const config::MachineConfig config = run.model->package ? run.model->package->config : config_of(request_.machine);
    if (has_core_scope(request_.rtl)) {
      core_.emplace(config, request_.rtl, [&run](const std::string& what) { run.observer.phase(what); });
      return;
    }
    rtl_source_ = rtl_source(request_.rtl, [&run](const std::string& what) { run.observer.phase(what); });
    blocks_.emplace(config.datapath, rtl_source_);
  }

  RunResult result() {
    prepare();
    if (std::optional<Failure> failure = run_jobs()) return {.failure = std::move(failure)};
    if (session_) rtl_.emplace(std::move(*session_).finish());
    report::Report report = make_report();
    if (run_.samples) {
      if (std::optional<Failure> failure = run_further_samples(report)) return {.failure = std::move(failure)};
    }
    if (!request_.no_check) add_check(report);
    if (!request_.values) list_outputs(report, package_);
    if (wants_node_data(request_.report_files)) add_source_graph(report, *run_.model);
    if (request_.rerun_folder) look_again(report);
    if (!request_.traces.is_empty()) {
      run_.observer.phase("writing waves");
      if (report.check.first_difference) traces_->mark(report.check.first_difference->cycle);
      add_traces();
      if (rtl_) report.notes.insert(report.notes.end(), rtl_->wave_notes().begin(), rtl_->wave_notes().end());
    }
    if (own_npu_ && !request_.injection) own_npu_->keep();
    return finish_run(run_, files_, std::move(report), ends_.outputs, std::move(job_.outputs), std::move(job_.variables));
  }

 private:
  [[nodiscard]] const soc::FirmwareProgram& firmware() const {
    return given_firmware_ ? *given_firmware_ : soc::own_firmware();
  }
  /// Null: the project's own.
  [[nodiscard]] const soc::FirmwareProgram* firmware_option() const { return given_firmware_ ? &*given_firmware_ : nullptr; }
  [[nodiscard]] std::string firmware_name() const { return request_.firmware.value_or("built in"); }
  [[nodiscard]] std::string simulating() const { return request_.backend == "rtl" ? "simulating on RTL" : "simulating"; }

  /// From the model to a machine that is ready for its first job.
  void prepare() {
    run_.watch.lap(run_.seconds.import);
    if (request_.compiled) {
      package_ = *request_.compiled;
    } else {
      run_.observer.phase("compiling");
      package_ = package_of(*run_.model, request_.machine, has_dead_regions());
    }
    run_.watch.lap(run_.seconds.compile);
    ends_ = ends_of(package_);
    starting_ = starting_variables(*run_.model, request_.variables, request_.variable_arrays);
    refuse_carried(request_.carries, starting_);
    carries_ = carries_of(request_.carries, ends_);
    set_variables(values_of(starting_));
    reference_variables_ = values_of(starting_);
    inputs_ = request_.values
                  ? make_inputs(ends_.inputs, request_.inputs, request_.seed, run_.model->open_inputs, request_.arrays)
                  : zero_inputs(ends_.inputs);
    run_.info = run_info_of(request_, ends_.inputs);
    run_.watch.lap(run_.seconds.import);
    run_.observer.phase(simulating());
    traces_.emplace(request_.traces, package_);
    build_machine();
    if (request_.cpu_trace) begin_cpu_trace();
    if (request_.control == "cpu" && !request_.traces.is_empty()) traces_->watch_cpu(firmware());
    if (request_.injection) fault_ = choose_fault(*request_.injection, *npu_, package_, inputs_, firmware_option());
  }

  /// A mistake in a region is an error where the region runs: the reference knows, before anything is compiled. Whether
  /// there is one, in a region that does not run with these inputs.
  bool has_dead_regions() {
    const Model& model = *run_.model;
    if (model.package || !request_.values || has_state_between_iterations() ||
        !emit::has_bad_regions(*model.graph, model.file))
      return false;
    const Ends ends = ends_of(*model.graph, model.boundary);
    reference::Variables variables = values_of(starting_variables(model, request_.variables, request_.variable_arrays));
    reference::run(*model.graph,
                   make_inputs(ends.inputs, request_.inputs, request_.seed, model.open_inputs, request_.arrays), {},
                   &variables);
    return true;
  }

  [[nodiscard]] bool has_state_between_iterations() const {
    const bool has_variables = run_.model->graph && !run_.model->graph->variables.empty();
    return !request_.carries.empty() || (has_variables && request_.iterations > 1);
  }

  /// What jobs from here on begin with, also those that are run once more to look into something.
  void set_variables(const std::vector<base::Tensor>& values) {
    for (size_t i = 0; i < values.size(); ++i) package_.variables[i].value = values[i];
  }
  /// Whether an iteration begins with what the one before left.
  [[nodiscard]] bool has_state() const { return !carries_.empty() || !package_.variables.empty(); }

  /// Whether each job has inputs of its own.
  [[nodiscard]] bool is_compared_by_itself() const { return has_state() || run_.samples; }

  void build_machine() {
    if (!blocks_) {
      own_npu_.emplace(package_.config, control_);
      npu_ = &own_npu_->machine();
      return;
    }
    RtlWork work{.seed = request_.seed, .has_pairs = false};
    if (request_.traces.has_signals()) work.drawn = commands_in_window(*traces_, package_);
    if (run_.observer.on_detail)
      work.progress = [this](const cosim::RtlProgress& so_far) { run_.observer.on_detail(rate_.text(so_far)); };
    session_.emplace(std::move(*blocks_).begin(package_, std::move(work), control_));
    npu_ = &session_->machine();
  }

  /// The first of the files, which is written as the jobs run.
  void begin_cpu_trace() {
    files_.begin(*request_.cpu_trace);
    cpu_trace_.emplace([this](const std::string& text) { files_.append(std::as_bytes(std::span(text))); }, firmware(),
                       firmware_name());
  }

  /// Every iteration is a job. With state that is handed on each one is compared by itself, and the first that differs is
  /// the last: what it hands on is wrong. The inputs are those of the last job.
  std::optional<Failure> run_jobs() {
    const std::string what = simulating();
    for (int64_t i = 0; i < request_.iterations; ++i) {
      run_.observer.phase(request_.iterations > 1 ? fmt::format("{} {} of {}", what, i + 1, request_.iterations) : what);
      if (i > 0 && has_state()) {
        carry(carries_, job_.outputs, inputs_);
        set_variables(job_.variables);
        checker_.expect_anew();
      }
      rate_ = RtlRate();
      if (std::optional<Failure> failure = run_job(i + 1 == request_.iterations)) return failure;
      if (!is_compared_by_itself() || request_.no_check) continue;
      compare_values();
      if (!checker_.outcome().is_match()) break;
    }
    return std::nullopt;
  }

  /// A job, which is compared. With check_all every piece goes to the checker as the command that produces it retires.
  std::optional<Failure> run_job(bool is_last) {
    check::Checker& values = checker_.begin_job();
    if (cpu_trace_) cpu_trace_->begin_job();
    kit::Watchers watchers;
    watchers.add(traces_->begin_job());
    JobProgress job_progress(npu_->signals(), static_cast<int64_t>(package_.command_layers.size()),
                             [this](const std::string& text) { run_.observer.on_detail(text); });
    if (run_.observer.on_detail && !session_) watchers.add(&job_progress);
    soc::JobOptions options = job_options();
    options.watcher = watchers.observer();
    if (request_.check_all) options.on_piece = pieces_to(values, package_);
    std::optional<cosim::Hang> rtl_hang;
    if (session_) {
      RtlJob on_rtl = session_->run_job(inputs_, options, is_last);
      job_ = std::move(on_rtl.job);
      rtl_hang = std::move(on_rtl.hang);
    } else {
      job_ = npu_->run(package_, inputs_, options);
    }
    if (cpu_trace_) cpu_trace_->finish();
    if (core_ && job_.is_done()) {
      CoreJobRun on_core = core_->run_job(package_, inputs_, job_, *npu_, run_.observer.on_detail);
      job_.outputs = std::move(on_core.outputs);
      job_.variables = std::move(on_core.variables);
      rtl_hang = std::move(on_core.hang);
    }
    if (rtl_hang || !job_.is_done()) return failure_of_job(rtl_hang);
    run_.watch.lap(run_.seconds.simulate);
    if (!request_.no_check) add_outputs(values, package_, job_);
    checker_.end_job();
    run_.watch.lap(run_.seconds.check);
    return std::nullopt;
  }

  /// The job of the first sample is the one that the report tells of.
  std::optional<Failure> run_further_samples(report::Report& report) {
    run_.scores->take(0, job_.outputs, files_);
    soc::JobResult first = job_;
    std::optional<Failure> failure;
    if (request_.no_check || checker_.outcome().is_match()) {
      run_samples(run_, files_, has_state(), [&](size_t sample, bool is_alone) {
        SampleOutcome outcome = run_sample(sample, is_alone, failure);
        if (outcome.is_last && !failure)
          report.notes.push_back(
              fmt::format("sample '{}' differs from the reference, and samples after it have not been run",
                          run_.samples->arrays().samples()[sample]));
        return outcome;
      });
    }
    job_ = std::move(first);
    run_.watch.lap(run_.seconds.simulate);
    return failure;
  }

  /// A sample after the first one, without waves. What is found is kept where it `is_alone`.
  SampleOutcome run_sample(size_t sample, bool is_alone, std::optional<Failure>& failure) {
    inputs_ = run_.samples->inputs(sample);
    if (has_state()) set_variables(job_.variables);
    checker_.expect_anew();
    check::Checker& values = checker_.begin_job();
    soc::JobOptions options = job_options();
    if (request_.check_all) options.on_piece = pieces_to(values, package_);
    job_ = npu_->run(package_, inputs_, options);
    if (!job_.is_done()) {
      if (is_alone) failure = failure_of_job({});
      return {.is_last = true};
    }
    if (!request_.no_check) {
      const size_t num_warnings = warnings_.size();
      add_outputs(values, package_, job_);
      checker_.end_job();
      compare_values();
      if (!checker_.outcome().is_match()) return {.is_last = true};
      if (!is_alone && warnings_.size() > num_warnings) return {};
    }
    return {.outputs = job_.outputs};
  }

  soc::JobOptions job_options() {
    soc::JobOptions options;
    if (run_.debugger) options.debugger = &*run_.debugger;
    options.firmware = firmware_option();
    if (cpu_trace_ || traces_->cpu() != nullptr) {
      options.on_instruction = [this, cpu = traces_->cpu()](const riscv::Executed& executed) {
        if (cpu_trace_) cpu_trace_->take(executed);
        if (cpu != nullptr) cpu->take(executed);
      };
    }
    options.values = request_.values;
    options.injection = fault_.injection;
    options.on_console = run_.observer.on_console;
    return options;
  }

  /// What the machine did until then is what a wave is wanted for.
  Failure failure_of_job(const std::optional<cosim::Hang>& rtl_hang) {
    if (session_) rtl_.emplace(std::move(*session_).finish());
    add_traces();
    files_.commit();
    Failure failure{run_.model->file, MachineFailure{job_.status, job_.cycles}, fault_.text, {}};
    if (rtl_) failure.notes = rtl_->wave_notes();
    const std::string replay_file =
        request_.rerun_folder ? replay_file_of(*request_.rerun_folder, run_.model->file) : std::string();
    if (rtl_hang && core_) failure.cause = RtlFailure{rtl_hang->what()};
    if (rtl_hang && rtl_) failure.cause = rtl_failure(*rtl_, package_.config, *rtl_hang, replay_file);
    return failure;
  }

  /// Of the jobs since the inputs changed.
  void compare_values() {
    if (!run_.samples) run_.observer.phase("checking");
    for (std::string& warning : check_against_reference({*run_.model->graph, package_, reference_variables_}, checker_,
                                                        inputs_, request_.check_all)) {
      if (std::ranges::find(warnings_, warning) == warnings_.end()) warnings_.push_back(std::move(warning));
    }
    run_.watch.lap(run_.seconds.check);
  }

  report::Report make_report() {
    report::Report report = base_report(package_, run_.model->file, request_.backend);
    add_simulation(report, package_, job_);
    report.firmware = {firmware_name(), firmware().sha256};
    if (core_) report.rtl = core_->use();
    if (rtl_) {
      report.rtl = rtl_->use();
      for (const std::string& note : rtl_->notes()) report.notes.push_back(note);
    }
    run_.watch.lap(run_.seconds.report);
    const bool has_one_stream = package_.flow.steps.empty();  // else its values would be needed
    if (request_.finds_least_bandwidth && has_one_stream) {
      if (package_.config.memory_mode != spec::MemoryMode::Sram) run_.observer.phase("simulating slower external memories");
      report.least_external_bytes_per_cycle = explain::least_external_bandwidth(package_, job_);
      run_.watch.lap(run_.seconds.report);
    }
    for (std::string& note : notes_of(*run_.model, package_, request_.machine)) report.notes.push_back(std::move(note));
    for (const Carry& one : carries_) report.notes.push_back(note_of(one, ends_));
    report.variables = reported(starting_);
    for (std::string& note : notes_of(starting_)) report.notes.push_back(std::move(note));
    return report;
  }

  void add_check(report::Report& report) {
    if (!is_compared_by_itself()) compare_values();
    report.warnings = std::move(warnings_);
    flow::add_check(report, package_, checker_.outcome(), request_.check_all || request_.lists_folded);
    report.check.iterations_compared = run_.samples ? run_.scores->result().num_samples : checker_.num_jobs();
    report.injected = fault_.text;
    run_.watch.lap(run_.seconds.check);
  }

  void add_traces() {
    if (request_.traces.is_empty()) return;
    const std::vector<const cosim::RtlWave*> none;
    traces_->add(files_, rtl_ ? rtl_->signals() : npu_->signals(), job_, rtl_ ? rtl_->waves() : none);
  }

  /// What nobody asked for by name: where it cannot be written, the run is what it is without it.
  void look_again(report::Report& report) {
    try {
      base::FileSet files;
      if (rtl_ && !rtl_->is_equal()) {
        look_at_mismatch(files, report);
      } else if (report.check.first_difference) {
        look_at_difference(files, report, *checker_.outcome().first);
      }
      files.commit();
    } catch (const base::UserError& error) {
      report.notes.push_back(fmt::format("waves of the first difference: none, {}", error.what()));
    }
  }

  /// After a mismatch of RTL: its replay, and where the run has no wave one of the job once more.
  void look_at_mismatch(base::FileSet& files, report::Report& report) {
    if (rtl_->fault()) {
      rtl_->add_accumulator();
      report.rtl = rtl_->use();
      report.notes.push_back(write_replay(*rtl_->fault(), replay_file_of(*request_.rerun_folder, run_.model->file),
                                          package_.config.name, package_.config.datapath, rtl_->source())
                                 .text);
    }
    if (request_.traces.has_signals() || rtl_->result().first_command_different < 0) return;
    run_.observer.phase("running once more around the first mismatch of RTL");
    const std::string file = first_difference_file(*request_.rerun_folder, run_.model->file);
    const MismatchLook look = look_into({package_, inputs_, request_.seed, rtl_->result(), rtl_source_, file}, files);
    report.notes.push_back(to_text(look, file));
  }

  /// After a mismatch: the same job once more, for the operands of the first element that differs and, where the run has no
  /// wave, one of the cycles around it.
  void look_at_difference(base::FileSet& files, report::Report& report, const check::Difference& first) {
    if (first.origin.command_idx < 0) return;
    run_.observer.phase("running once more around the first difference");
    DifferenceRequest request{package_, inputs_, first, fault_.injection};
    if (!request_.traces.has_signals()) request.wave_file = first_difference_file(*request_.rerun_folder, run_.model->file);
    const DifferenceLook look = look_into(request, files);
    report.check.first_difference->operands = look.operands;
    if (request.wave_file.empty()) return;
    report.notes.push_back(
        fmt::format("waves of cycles {} to {}, around the first difference: gtkwave --dump {} --save {}.gtkw",
                    look.window.from_cycle, look.window.to_cycle, request.wave_file, request.wave_file));
  }

  Run& run_;
  const RunRequest& request_;
  soc::Control control_;
  std::optional<soc::FirmwareProgram> given_firmware_;  // else the project's own
  RtlSource rtl_source_;
  package::Package package_;
  Ends ends_;
  std::vector<Carry> carries_;
  std::vector<StartingVariable> starting_;    // variables before the first iteration
  reference::Variables reference_variables_;  // as the reference has them
  std::vector<base::Tensor> inputs_;
  std::optional<Traces> traces_;
  std::optional<CoreRtl> core_;      // of backend rtl with scope core; with scope command the three below
  std::optional<RtlBlocks> blocks_;  // of backend rtl, one after the other: blocks, session, outcome
  std::optional<RtlSession> session_;
  std::optional<RtlOutcome> rtl_;
  std::optional<soc::KeptNpu> own_npu_;  // of backend sim
  soc::Npu* npu_ = nullptr;
  RtlRate rate_;
  check::RepeatedChecker checker_;
  soc::JobResult job_;  // the last one
  ChosenFault fault_;
  base::FileSet files_;
  std::optional<CpuTrace> cpu_trace_;
  std::vector<std::string> warnings_;  // of the reference
};

}  // namespace

RunResult run_simulation(Run& run) { return Simulation(run).result(); }

}  // namespace vernier::flow
