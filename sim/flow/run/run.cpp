// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/run/run.hpp"

#include "compiler/reference/interpreter.hpp"
#include "hw/base/checksum.hpp"
#include "hw/base/error.hpp"
#include "sim/flow/files/output_files.hpp"
#include "sim/flow/files/places.hpp"
#include "sim/flow/files/report_files.hpp"
#include "sim/flow/files/version.hpp"
#include "sim/flow/look/traces.hpp"
#include "sim/flow/model/inputs.hpp"
#include "sim/flow/model/variables.hpp"
#include "sim/flow/rtl/rtl_session.hpp"
#include "sim/flow/run/build_report.hpp"
#include "sim/flow/run/carry.hpp"
#include "sim/flow/run/run_samples.hpp"
#include "sim/flow/run/run_steps.hpp"
#include "sim/flow/samples/float_gaps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace vernier::flow {
namespace {

/// Nothing that the run writes is what it reads, or written twice.
void refuse_overwriting(const Run& run) {
  const RunRequest& request = run.request;
  const Ends ends = ends_of(*run.model);
  std::vector<Place> read = read_places(request.model, request.machine);
  if (request.firmware) read.push_back({"--firmware", *request.firmware});
  for (const std::string& file : input_files(ends.inputs, request.inputs)) read.push_back({"--input", file});
  if (request.samples) {
    const SamplesRequest& samples = *request.samples;
    read.push_back({"--inputs", samples.inputs});
    if (samples.labels) read.push_back({"--labels", *samples.labels});
    if (samples.expected) read.push_back({"--expected", *samples.expected});
  }
  for (const std::string& file : variable_files(*run.model, request.variables)) read.push_back({"--variable", file});
  std::vector<Place> written = places_of("--report", report_files(request.report_files));
  for (const Place& place : trace_places(request.traces)) written.push_back(place);
  if (request.cpu_trace) written.push_back({"--cpu-trace", *request.cpu_trace});
  if (!request.samples) {  // else there is a file for each sample, which its scores see to
    for (const Place& place : output_places(request.output_dir, ends.outputs)) written.push_back(place);
  }
  flow::refuse_overwriting(read, written);
}

/// What can be wrong with the samples is told before long work, as far as it is known then.
void open_samples(Run& run) {
  const Ends ends = ends_of(*run.model);
  run.samples.emplace(*run.request.samples, ends.inputs);
  run.request.arrays = run.samples->arrays_of(0);
  run.scores.emplace(*run.request.samples, run.request.output_dir, ends.outputs, *run.samples);
}

void compare_floats(Run& run) {
  const RunRequest& request = run.request;
  const Ends ends = ends_of(*run.model);
  const std::vector<base::Tensor> inputs =
      make_inputs(ends.inputs, request.inputs, request.seed, run.model->open_inputs, request.arrays);
  run.observer.phase("comparing with floats");
  run.floats = compare_with_floats(*run.model, *request.float_outputs, inputs,
                                   values_of(starting_variables(*run.model, request.variables, request.variable_arrays)));
  if (run.samples) run.floats->sample = run.samples->arrays().samples().front();
}

/// `first` is what the first sample gave; the variables go from each sample to the next.
void run_samples_of_reference(Run& run, base::FileSet& files, reference::Result& first, reference::Variables& variables) {
  const ir::Graph& graph = *run.model->graph;
  run.scores->take(0, first.outputs, files);
  const auto add_warnings = [&](const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings) {
      if (std::ranges::find(first.unpredictable, warning) == first.unpredictable.end())
        first.unpredictable.push_back(warning);
    }
  };
  const auto run_one = [&](size_t sample) {
    reference::Result result = reference::run(graph, run.samples->inputs(sample), {}, &variables);
    add_warnings(result.unpredictable);
    return std::move(result.outputs);
  };
  run_samples(run, files, !variables.empty(), [&](size_t sample, bool is_alone) -> SampleOutcome {
    const size_t num_warnings = first.unpredictable.size();
    std::vector<base::Tensor> outputs = run_one(sample);
    if (!is_alone && first.unpredictable.size() > num_warnings) return {};
    return {std::move(outputs), false};
  });
}

RunResult run_reference(Run& run) {
  if (!run.model->graph) throw base::UserError(run.model->file, "holds no source graph, backend 'reference' needs one");
  const ir::Graph& graph = *run.model->graph;
  const RunRequest& request = run.request;
  const Ends ends = ends_of(graph, run.model->boundary);
  std::vector<base::Tensor> inputs =
      make_inputs(ends.inputs, request.inputs, request.seed, run.model->open_inputs, request.arrays);
  const std::vector<StartingVariable> starting = starting_variables(*run.model, request.variables, request.variable_arrays);
  refuse_carried(request.carries, starting);
  run.info = run_info_of(request, ends.inputs);
  run.watch.lap(run.seconds.import);
  package::Package shown;  // what a report says of a model without a machine
  if (run.model->package) {
    require_same_machine(*run.model, request.machine);
    shown = *run.model->package;
  } else {
    shown.config = config_of(request.machine);
    shown.model_name = std::filesystem::path(run.model->file).filename().string();
    shown.model_sha256 = base::sha256_hex(run.model->bytes);
    shown.optimize = request.machine.optimize.value_or(1);
    shown.layers = emit::layer_entries(graph, run.model->file, shown.config, {shown.optimize});
  }
  run.watch.lap(run.seconds.compile);
  run.observer.phase("running the reference");
  reference::Variables variables = values_of(starting);
  reference::Result result = reference::run(graph, inputs, {}, &variables);
  const std::vector<Carry> carries = carries_of(request.carries, ends);
  const bool has_state = !carries.empty() || !variables.empty();
  base::FileSet files;
  if (run.samples) run_samples_of_reference(run, files, result, variables);
  for (int64_t i = 1; i < request.iterations && has_state; ++i) {
    carry(carries, result.outputs, inputs);
    result = reference::run(graph, inputs, {}, &variables);
  }
  run.watch.lap(run.seconds.simulate);
  report::Report report = base_report(shown, run.model->file, request.backend);
  for (const Carry& one : carries) report.notes.push_back(note_of(one, ends));
  report.variables = reported(starting);
  for (std::string& note : notes_of(starting)) report.notes.push_back(std::move(note));
  report.warnings = result.unpredictable;
  return finish_run(run, files, std::move(report), ends.outputs, std::move(result.outputs), std::move(variables));
}

/// The port is taken before long work.
void open_debugger(Run& run) {
  run.debugger.emplace(static_cast<uint16_t>(*run.request.gdb_port), "--gdb", [&run](const std::string& line) {
    if (run.observer.on_debugger) run.observer.on_debugger(line);
  });
}

}  // namespace

Verdict RunResult::verdict() const {
  if (failure) return failure->verdict();
  if (report.check.result == "mismatch") return Verdict::Mismatch;
  if (report.rtl && report.rtl->mismatches > 0) return Verdict::Mismatch;
  return report.warnings.empty() ? Verdict::Good : Verdict::Unpredictable;
}

report::RunInfo run_info_of(const RunRequest& request, const std::vector<End>& inputs) {
  std::vector<std::string> sources;
  if (request.values) sources = input_sources(inputs, request.inputs, request.seed, request.arrays);
  if (request.samples) std::ranges::fill(sources, fmt::format("samples of {}", request.samples->inputs));
  return {request.command_line, request.seed, std::move(sources), request.iterations, std::string(commit())};
}

RunResult finish_run(Run& run, base::FileSet& files, report::Report report, const std::vector<End>& ends,
                     std::vector<base::Tensor> outputs, std::vector<base::Tensor> variables) {
  add_outputs(files, report, run.samples ? std::nullopt : run.request.output_dir, ends, outputs);
  if (run.scores) report.accuracy = run.scores->result();
  if (run.samples) {
    if (std::string note = run.samples->arrays().note_on_order(); !note.empty()) report.notes.push_back(std::move(note));
  }
  if (run.floats) {
    if (!report.accuracy) report.accuracy.emplace();
    report.accuracy->floats = std::move(run.floats);
  }
  report.tool_version = tool_version();
  report.run = run.info;
  run.watch.lap(run.seconds.report);
  run.seconds.total = run.watch.total();
  report.host_seconds = run.seconds;
  if (run.request.values) {
    for (std::string& line : assumed_codes(ends_of(*run.model).inputs, run.request.inputs, run.request.arrays))
      report.notes.push_back(std::move(line));
  }
  report.notes.insert(report.notes.begin(), run.model->notes.begin(), run.model->notes.end());
  if (const auto& use = run.model->tflite_rounding)
    report.tflite_rounding = report::TfliteRounding{use->flavour, use->layers};
  add_reports(files, report, run.request.report_files);
  files.commit();
  return {std::move(report), ends, std::move(outputs), std::move(variables), {}};
}

RunResult run(const RunRequest& request, const Observer& observer) {
  check_request(request);
  check_places(request);
  Run run{.request = request, .observer = observer};
  if (request.injection) run.request.check_all = true;  // what it changes may be inside
  if (!request.values) {                                // there is nothing to compare
    run.request.no_check = true;
    run.request.check_all = false;
  }
  if (request.gdb_port) open_debugger(run);
  if (request.loaded) {
    run.model = request.loaded;
  } else {
    observer.phase("reading " + request.model);
    run.model = std::make_shared<const Model>(load_model(request.model, request.machine));
  }
  refuse_overwriting(run);
  if (request.samples) open_samples(run);
  if (request.float_outputs) compare_floats(run);
  try {
    RunResult result = request.backend == "reference" ? run_reference(run) : run_simulation(run);
    if (run.debugger) run.debugger->end(static_cast<int>(result.verdict()));
    return result;
  } catch (const reference::EndlessLoop& loop) {
    return {.failure = Failure{request.model, ReferenceFailure{loop.what()}}};
  } catch (const cosim::Hang& hang) {  // of RTL that answers nothing, before there is a job
    return {.failure = Failure{request.rtl.folder.value_or("rtl"), RtlFailure{hang.what()}}};
  }
}

RunResult estimate(RunRequest request, const Observer& observer) {
  request.values = false;
  return run(request, observer);
}

}  // namespace vernier::flow
