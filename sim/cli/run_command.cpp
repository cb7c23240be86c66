// SPDX-License-Identifier: Apache-2.0
// Long because: the way of a run from the file to its report is told in one place.
#include "sim/cli/run_command.hpp"

#include "compiler/emit/compile.hpp"
#include "compiler/reference/interpreter.hpp"
#include "hw/base/checksum.hpp"
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/text.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/failure.hpp"
#include "sim/cli/first_difference.hpp"
#include "sim/cli/first_mismatch.hpp"
#include "sim/cli/job_progress.hpp"
#include "sim/cli/options_control.hpp"
#include "sim/cli/out_of_memory.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/cli/places.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/replay_command.hpp"
#include "sim/cli/rtl_backend.hpp"
#include "sim/cli/rtl_rate.hpp"
#include "sim/cli/traces.hpp"
#include "sim/cli/version.hpp"
#include "sim/explain/least_bandwidth.hpp"
#include "sim/flow/build_report.hpp"
#include "sim/flow/carry.hpp"
#include "sim/flow/cpu_trace.hpp"
#include "sim/flow/ends.hpp"
#include "sim/flow/inputs.hpp"
#include "sim/flow/model.hpp"
#include "sim/flow/output_files.hpp"
#include "sim/flow/source_graph.hpp"
#include "sim/flow/to_checker.hpp"
#include "sim/gdb/server.hpp"
#include "sim/report/node_data.hpp"
#include "sim/soc/firmware_image.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

namespace vernier::cli {

using flow::Model;

namespace {

/// Adds the time since the last lap to a phase of the report.
class Stopwatch {
 public:
  void lap(double& phase) {
    const auto now = Clock::now();
    phase += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }
  [[nodiscard]] double total() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

struct Run {
  Run(const RunOptions& given, const ReportSink& given_sink) : options(given), sink(given_sink) {}
  const RunOptions& options;
  const ReportSink& sink;
  Model model;
  report::HostSeconds seconds;
  Stopwatch watch;
  Progress progress;
  report::RunInfo info;
  std::optional<gdb::Server> debugger;  // of the control CPU
};

/// How the run was asked for, once its inputs are known; `estimate` has none.
report::RunInfo run_info_of(const RunOptions& options, const std::vector<flow::End>& inputs) {
  std::vector<std::string> sources;
  if (options.values) sources = flow::input_sources(inputs, options.inputs, options.seed);
  return {options.command_line, options.seed, std::move(sources), options.iterations, std::string(commit())};
}

/// Nothing that the run writes is what it reads, or written twice.
void refuse_overwriting(const Run& run) {
  const RunOptions& options = run.options;
  std::vector<Place> read{{"MODEL", options.model}}, written;
  if (options.machine.config) read.push_back({"--config", *options.machine.config});
  if (options.machine.encodings) read.push_back({"--encodings", *options.machine.encodings});
  const flow::Ends ends = flow::ends_of(run.model);
  if (options.firmware) read.push_back({"--firmware", *options.firmware});
  for (const std::string& file : flow::input_files(ends.inputs, options.inputs)) read.push_back({"--input", file});
  for (const std::string& file : report_files(options.reports)) written.push_back({"--report", file});
  for (const Place& place : trace_places(options.traces)) written.push_back(place);
  if (options.cpu_trace) written.push_back({"--cpu-trace", *options.cpu_trace});
  if (options.output_dir) {
    for (const std::string& name : flow::output_file_names(ends.outputs))
      written.push_back({"--output-dir", (std::filesystem::path(*options.output_dir) / name).string()});
  }
  cli::refuse_overwriting(read, written);
}

int finish(Run& run, base::FileSet& files, report::Report& report, const std::vector<flow::End>& infos,
           const std::vector<base::Tensor>& outputs) {
  flow::add_outputs(files, report, run.options.output_dir, infos, outputs);
  report.tool_version = tool_version();
  report.run = run.info;
  run.watch.lap(run.seconds.report);
  run.seconds.total = run.watch.total();
  report.host_seconds = run.seconds;
  report.notes.insert(report.notes.begin(), run.model.notes.begin(), run.model.notes.end());
  if (run.sink) {
    run.sink(report);
  } else {
    add_reports(files, report, run.options);
    files.commit();
    run.progress.done();
    print_reports(report, run.options);
  }
  if (report.check.result == "mismatch") return kExitMismatch;
  if (report.rtl && report.rtl->mismatches > 0) return kExitMismatch;
  return report.warnings.empty() ? kExitSuccess : kExitUnpredictable;
}

int run_reference(Run& run) {
  if (!run.model.graph) throw base::UserError(run.model.file, "holds no source graph, backend 'reference' needs one");
  const ir::Graph& graph = *run.model.graph;
  const flow::Ends ends = flow::ends_of(graph, run.model.boundary);
  std::vector<base::Tensor> inputs =
      flow::make_inputs(ends.inputs, run.options.inputs, run.options.seed, run.model.open_inputs);
  run.info = run_info_of(run.options, ends.inputs);
  run.watch.lap(run.seconds.import);
  package::Package shown;  // what a report says of a model without a machine
  if (run.model.package) {
    flow::require_same_machine(run.model, run.options.machine);
    shown = *run.model.package;
  } else {
    shown.config = flow::config_of(run.options.machine);
    shown.model_name = std::filesystem::path(run.model.file).filename().string();
    shown.model_sha256 = base::sha256_hex(run.model.bytes);
    shown.optimize = run.options.machine.optimize.value_or(1);
    shown.layers = emit::layer_entries(graph, run.model.file, shown.config, {shown.optimize});
  }
  run.watch.lap(run.seconds.compile);
  run.progress.phase("running the reference");
  reference::Result result = reference::run(graph, inputs);
  const std::vector<flow::Carry> carries = flow::carries_of(run.options.carries, ends);
  for (int64_t i = 1; i < run.options.iterations && !carries.empty(); ++i) {
    flow::carry(carries, result.outputs, inputs);
    result = reference::run(graph, inputs);
  }
  run.watch.lap(run.seconds.simulate);
  report::Report report = flow::base_report(shown, run.model.file, run.options.backend);
  for (const flow::Carry& one : carries) report.notes.push_back(flow::note_of(one, ends));
  report.warnings = result.unpredictable;
  base::FileSet files;
  return finish(run, files, report, ends.outputs, result.outputs);
}

/// Values are off: the outputs are known by name and shape only.
void list_outputs(report::Report& report, const package::Package& package) {
  const std::vector<flow::End> outputs = flow::ends_of(package).outputs;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const package::TensorEntry& tensor = package.tensors[package.outputs[i]];
    report.outputs.push_back({tensor.name, "", tensor.shape, flow::dtype_of(outputs[i], tensor.type)});
  }
}

/// What node data lie over, with a note where they cannot show all.
void add_source_graph(report::Report& report, const Model& model) {
  report.source_graph = flow::source_graph(model);
  const std::vector<std::string> missing = report::layers_without_node(report);
  if (missing.empty()) return;
  report.notes.push_back(
      fmt::format("the file has no node of {} of the layers, '{}' is one: node data (.mx.json) are without them",
                  missing.size(), missing.front()));
}

/// The machine of a run, whose values come from the kernels or from RTL, and what its jobs gave.
struct Simulation {
  std::optional<RtlBackend> rtl;  // outlives the machine
  std::unique_ptr<soc::Npu> npu;
  RtlRate rate;
  check::RepeatedChecker checker;
  soc::JobResult job;                            // the last one
  std::optional<soc::FirmwareProgram> firmware;  // given, not built in
  ChosenFault fault;
  base::FileSet files;
  std::optional<flow::CpuTrace> cpu_trace;
  std::vector<std::string> warnings;  // of the reference

  [[nodiscard]] auto finish_waves(std::vector<std::string>& notes) {
    return rtl ? rtl->finish_waves(notes) : std::vector<const cosim::RtlWave*>{};
  }
};

/// With --check-all every piece goes to the checker as the command that produces it retires.
soc::JobOptions job_options_of(Run& run, const package::Package& package, check::Checker& checker,
                               kit::SignalObserver* watcher, Simulation& simulation, Traces& traces) {
  const RunOptions& options = run.options;
  soc::JobOptions job_options;
  if (run.debugger) job_options.debugger = &*run.debugger;
  if (simulation.firmware) job_options.firmware = &*simulation.firmware;
  if (simulation.cpu_trace || traces.cpu() != nullptr) {
    job_options.on_instruction = [&simulation, cpu = traces.cpu()](const riscv::Executed& executed) {
      if (simulation.cpu_trace) simulation.cpu_trace->take(executed);
      if (cpu != nullptr) cpu->take(executed);
    };
  }
  job_options.values = options.values;
  job_options.watcher = watcher;
  job_options.injection = simulation.fault.injection;
  job_options.on_console = print_console_line;
  if (options.check_all) job_options.on_piece = flow::pieces_to(checker, package);
  return job_options;
}

/// After a mismatch: the same job once more, for the operands of the first element that differs and, where the run has no
/// wave, one of the cycles around it.
void look_into(Run& run, base::FileSet& files, report::Report& report, const package::Package& package,
               const std::vector<base::Tensor>& inputs, const check::Difference& first, const ChosenFault& fault) {
  if (first.origin.command_idx < 0) return;
  run.progress.phase("running once more around the first difference");
  TraceOptions options;
  if (!run.options.traces.has_signals()) options.waves = {first_difference_file(run.model.file)};
  OperandsOf operands(package, first);
  soc::Npu npu(package.config, operands.datapath());
  Traces traces(options, package);
  soc::JobOptions job_options;
  job_options.watcher = traces.begin_job();
  job_options.injection = fault.injection;
  job_options.on_sums = [&](int32_t command_idx, std::span<const int64_t> sums) { operands.take_sums(command_idx, sums); };
  const soc::JobResult job = npu.run(package, inputs, job_options);
  report.check.first_difference->operands = operands.text();
  if (options.waves.empty()) return;
  const waves::Window window = window_around(job, first.origin.command_idx);
  traces.mark(first.origin.cycle);
  traces.set_window(window);
  traces.add(files, npu.signals(), job);
  report.notes.push_back(
      fmt::format("waves of cycles {} to {}, around the first difference: gtkwave --dump {} --save {}.gtkw",
                  window.from_cycle, window.to_cycle, options.waves.front(), options.waves.front()));
}

void build_machine(Run& run, Simulation& simulation, const package::Package& package, const Traces& traces,
                   soc::Control control) {
  if (!simulation.rtl) {
    simulation.npu = std::make_unique<soc::Npu>(package.config, control);
    return;
  }
  if (run.options.traces.has_signals()) simulation.rtl->draw(traces, package);
  cosim::RtlProgressSink sink;
  if (run.progress.is_terminal())
    sink = [&](const cosim::RtlProgress& so_far) { run.progress.detail(simulation.rate.text(so_far)); };
  simulation.npu = std::make_unique<soc::Npu>(package.config,
                                              simulation.rtl->datapath(package, run.options.seed, std::move(sink)), control);
}

/// The first of the files, which is written as the jobs run.
void begin_cpu_trace(Simulation& simulation, const RunOptions& options) {
  simulation.files.begin(*options.cpu_trace);
  simulation.cpu_trace.emplace(
      [&simulation](const std::string& text) { simulation.files.append(std::as_bytes(std::span(text))); },
      simulation.firmware ? *simulation.firmware : soc::own_firmware(), options.firmware.value_or("built in"));
}

/// The port is taken before long work.
void open_debugger(Run& run) {
  run.debugger.emplace(static_cast<uint16_t>(*run.options.gdb_port), "--gdb",
                       [](const std::string& line) { print_text(stderr, line + "\n"); });
}

/// A job, which is compared. The exit code: kExitSuccess when it is done, else all has been said.
int run_job(Run& run, Simulation& simulation, const package::Package& package, const std::vector<base::Tensor>& inputs,
            Traces& traces) {
  const RunOptions& options = run.options;
  soc::Npu& npu = *simulation.npu;
  check::Checker& values = simulation.checker.begin_job();
  if (simulation.cpu_trace) simulation.cpu_trace->begin_job();
  kit::Watchers watchers;
  watchers.add(traces.begin_job());
  JobProgress job_progress(npu.signals(), static_cast<int64_t>(package.command_layers.size()),
                           [&run](const std::string& text) { run.progress.detail(text); });
  if (run.progress.is_terminal() && !simulation.rtl) watchers.add(&job_progress);
  std::optional<cosim::Hang> rtl_hang;
  try {
    simulation.job = npu.run(package, inputs, job_options_of(run, package, values, watchers.observer(), simulation, traces));
  } catch (const cosim::Hang& hang) {
    rtl_hang = hang;
    simulation.job = npu.stopped(package);
  }
  const soc::JobResult& job = simulation.job;
  if (simulation.cpu_trace) simulation.cpu_trace->finish();
  if (rtl_hang || !job.is_done()) {
    // What it did until then is what a wave is wanted for.
    std::vector<std::string> notes;
    traces.add(simulation.files, npu.signals(), job, simulation.finish_waves(notes));
    simulation.files.commit();
    run.progress.done();
    for (const std::string& note : notes) print_text(stderr, fmt::format("note: {}\n", note));
    const std::string& fault = simulation.fault.text;
    if (!fault.empty()) print_text(stderr, fmt::format("vernier: injected: {}\n", fault));
    if (!rtl_hang) return report_failure(run.model.file, job);
    return report_rtl_hang(run.model.file, *simulation.rtl, package.config, options.no_rerun, *rtl_hang);
  }
  run.watch.lap(run.seconds.simulate);
  if (!options.no_check) flow::add_outputs(values, package, job);
  simulation.checker.end_job();
  run.watch.lap(run.seconds.check);
  return kExitSuccess;
}

/// The jobs since the inputs changed.
void compare_values(Run& run, Simulation& simulation, const std::vector<base::Tensor>& inputs) {
  run.progress.phase("checking");
  simulation.warnings = flow::check_against_reference(*run.model.graph, simulation.checker, inputs, run.options.check_all);
  run.watch.lap(run.seconds.check);
}

/// Every iteration is a job. With state that is handed on each one is compared by itself, and the first that differs is the
/// last: what it hands on is wrong. The inputs are those of the last job.
int run_jobs(Run& run, Simulation& simulation, const package::Package& package, std::vector<base::Tensor>& inputs,
             Traces& traces, const std::vector<flow::Carry>& carries) {
  const RunOptions& options = run.options;
  const std::string what = simulation.rtl ? "simulating on RTL" : "simulating";
  for (int64_t i = 0; i < options.iterations; ++i) {
    run.progress.phase(options.iterations > 1 ? fmt::format("{} {} of {}", what, i + 1, options.iterations) : what);
    if (i > 0 && !carries.empty()) {
      flow::carry(carries, simulation.job.outputs, inputs);
      simulation.checker.expect_anew();
    }
    simulation.rate = RtlRate();
    if (simulation.rtl) simulation.rtl->begin_job(i + 1 == options.iterations);
    if (const int code = run_job(run, simulation, package, inputs, traces); code != kExitSuccess) return code;
    if (carries.empty() || options.no_check) continue;
    compare_values(run, simulation, inputs);
    if (!simulation.checker.outcome().is_match()) break;
  }
  return kExitSuccess;
}

void add_check(Run& run, Simulation& simulation, report::Report& report, const package::Package& package,
               const std::vector<base::Tensor>& inputs) {
  const RunOptions& options = run.options;
  if (options.carries.empty()) compare_values(run, simulation, inputs);
  const check::RepeatedChecker& checker = simulation.checker;
  report.warnings = std::move(simulation.warnings);
  flow::add_check(report, package, checker.outcome(), options.check_all || options.is_verbose);
  report.check.iterations_compared = checker.num_jobs();
  report.injected = simulation.fault.text;
  run.watch.lap(run.seconds.check);
}

/// After a mismatch of RTL: its replay, and where the run has no wave one of the job once more.
void look_into_rtl(Run& run, const RtlBackend& rtl, base::FileSet& files, report::Report& report,
                   const package::Package& package, const std::vector<base::Tensor>& inputs, const RtlSource& source) {
  const RunOptions& options = run.options;
  if (rtl.fault()) {
    cosim::add_rtl_accumulator(report.rtl->first_mismatches, *rtl.fault(), package.config.datapath, rtl.source().make_block);
    const std::string text =
        write_replay(*rtl.fault(), run.model.file, package.config.name, package.config.datapath, rtl.source()).text;
    report.notes.push_back(text.substr(0, text.size() - 1));
  }
  if (options.traces.has_signals() || rtl.result().first_command_different < 0) return;
  run.progress.phase("running once more around the first mismatch of RTL");
  const std::string file = first_difference_file(run.model.file);
  report.notes.push_back(draw_first_mismatch(file, files, package, inputs, options.seed, rtl.result(), source));
}

/// What nobody asked for: where it cannot be written, the run is what it is without it.
void look_again(Run& run, Simulation& simulation, report::Report& report, const package::Package& package,
                const std::vector<base::Tensor>& inputs, const RtlSource& source) {
  try {
    base::FileSet files;
    if (simulation.rtl && !simulation.rtl->is_equal()) {
      look_into_rtl(run, *simulation.rtl, files, report, package, inputs, source);
    } else if (report.check.first_difference) {
      look_into(run, files, report, package, inputs, *simulation.checker.outcome().first, simulation.fault);
    }
    files.commit();
  } catch (const base::UserError& error) {
    report.notes.push_back(fmt::format("waves of the first difference: none, {}", error.what()));
  }
}

int run_simulation(Run& run) {
  const RunOptions& options = run.options;
  // Graphs compile to packages without control flow.
  const soc::Control control = control_of(options, run.model.package ? &run.model.package->flow : nullptr);
  if (!options.no_check && !run.model.graph)
    throw base::UserError(run.model.file, "holds no source graph to check against, allowed with --no-check only");
  Simulation simulation;
  std::optional<RtlBackend>& rtl = simulation.rtl;
  RtlSource rtl_source;
  if (options.firmware) simulation.firmware = soc::parse_firmware_elf(base::read_file(*options.firmware), *options.firmware);
  if (options.backend == "rtl") {
    // What is refused because there is no RTL is refused before long work.
    const config::MachineConfig config = run.model.package ? run.model.package->config : flow::config_of(options.machine);
    rtl_source = cli::rtl_source(options.rtl, [&](const std::string& what) { run.progress.phase(what); });
    rtl.emplace(config.datapath, kRunOnce, rtl_source);
  }
  run.watch.lap(run.seconds.import);
  run.progress.phase("compiling");
  const package::Package package = flow::package_of(run.model, options.machine);
  run.watch.lap(run.seconds.compile);
  const flow::Ends ends = flow::ends_of(package);
  const std::vector<flow::Carry> carries = flow::carries_of(options.carries, ends);
  std::vector<base::Tensor> inputs =
      options.values ? flow::make_inputs(ends.inputs, options.inputs, options.seed, run.model.open_inputs)
                     : flow::zero_inputs(ends.inputs);
  run.info = run_info_of(options, ends.inputs);
  run.watch.lap(run.seconds.import);

  run.progress.phase(rtl ? "simulating on RTL" : "simulating");
  Traces traces(options.traces, package);
  build_machine(run, simulation, package, traces, control);
  soc::Npu& npu = *simulation.npu;
  if (options.cpu_trace) begin_cpu_trace(simulation, options);
  if (options.control == "cpu" && !options.traces.is_empty())
    traces.watch_cpu(simulation.firmware ? *simulation.firmware : soc::own_firmware());
  if (options.injection)
    simulation.fault =
        choose_fault(*options.injection, npu, package, inputs, simulation.firmware ? &*simulation.firmware : nullptr);
  if (const int code = run_jobs(run, simulation, package, inputs, traces, carries); code != kExitSuccess) return code;

  const soc::JobResult& job = simulation.job;
  report::Report report = flow::base_report(package, run.model.file, options.backend);
  flow::add_simulation(report, package, job);
  report.firmware = {options.firmware.value_or("built in"),
                     simulation.firmware ? simulation.firmware->sha256 : soc::own_firmware().sha256};
  if (rtl) {
    rtl->finish();
    report.rtl = rtl->use();
    for (const std::string& note : rtl->notes()) report.notes.push_back(note);
  }
  run.watch.lap(run.seconds.report);
  if (!options.is_quiet || !options.reports.empty()) {
    const bool has_one_stream = package.flow.steps.empty();  // else its values would be needed
    if (has_one_stream && package.config.memory_mode != spec::MemoryMode::Sram)
      run.progress.phase("simulating slower external memories");
    if (has_one_stream) report.least_external_bytes_per_cycle = explain::least_external_bandwidth(package, job);
    run.watch.lap(run.seconds.report);
  }
  for (std::string& note : flow::notes_of(package.config, options.machine)) report.notes.push_back(std::move(note));
  for (const flow::Carry& one : carries) report.notes.push_back(flow::note_of(one, ends));
  if (!options.no_check) add_check(run, simulation, report, package, inputs);
  if (!options.values) list_outputs(report, package);
  if (wants_node_data(options)) add_source_graph(report, run.model);
  if (!options.no_rerun && !run.sink) look_again(run, simulation, report, package, inputs, rtl_source);
  if (!options.traces.is_empty()) {
    run.progress.phase("writing waves");
    if (report.check.first_difference) traces.mark(report.check.first_difference->cycle);
    traces.add(simulation.files, npu.signals(), job, simulation.finish_waves(report.notes));
  }
  return finish(run, simulation.files, report, ends.outputs, job.outputs);
}

}  // namespace

int run(const RunOptions& options, const ReportSink& sink) {
  check_places(options);
  return with_memory_errors(options.model, [&] {
    Run run(options, sink);
    if (options.gdb_port) open_debugger(run);
    run.progress.phase("reading " + options.model);
    run.model = flow::load_model(options.model, options.machine);
    refuse_overwriting(run);
    try {
      const int code = options.backend == "reference" ? run_reference(run) : run_simulation(run);
      if (run.debugger) run.debugger->end(code);
      return code;
    } catch (const cosim::Hang& hang) {  // of RTL that answers nothing, before there is a job
      run.progress.done();
      return report_silent_rtl(options.rtl, hang);
    }
  });
}

}  // namespace vernier::cli
