// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/run/run_request.hpp"

#include "hw/base/error.hpp"
#include "sim/flow/files/places.hpp"
#include "sim/flow/files/report_files.hpp"
#include "sim/flow/look/traces.hpp"
#include "sim/flow/model/choices.hpp"

#include <string_view>

namespace vernier::flow {
namespace {

constexpr int64_t kMostPort = UINT16_MAX;

/// What goes with the control CPU alone, and is given.
std::optional<std::string> option_of_cpu(const RunRequest& request) {
  if (request.firmware) return "--firmware";
  if (request.cpu_trace) return "--cpu-trace";
  if (request.gdb_port) return "--gdb";
  return std::nullopt;
}

void refuse_without_cpu(const RunRequest& request) {
  if (const auto option = option_of_cpu(request))
    throw base::UserError(*option, "is for --control cpu, found control 'direct'");
  if (request.injection && units::is_of_control_system(request.injection->site))
    throw base::UserError("--inject", "{} is a fault of the control system, which goes with --control cpu",
                          kind_of(request.injection->site));
}

void check_control(const RunRequest& request) {
  check_choice("--control", request.control.value_or("direct"), {"direct", "cpu"});
  if (request.control == "cpu" && request.backend == "reference")
    throw base::UserError("--control", "'cpu' is for backends 'sim' and 'rtl', found backend 'reference'");
  // Without the option a model may have control flow, and then takes the control CPU by itself: control_of() tells.
  if (request.control == "direct") refuse_without_cpu(request);
  if (!request.gdb_port) return;
  check_range("--gdb", *request.gdb_port, 0, kMostPort);
  if (request.iterations != 1)
    throw base::UserError("--gdb", "is for one iteration, found --iterations {}", request.iterations);
}

/// What the core with its memory has no part for.
void check_core_scope(const RunRequest& request) {
  if (!has_core_scope(request.rtl)) return;
  if (request.control == "cpu")
    throw base::UserError("--control", "'cpu' cannot go with --rtl-scope core, whose commands come from the test bench");
  if (request.check_all)
    throw base::UserError("--check-all",
                          "cannot go with --rtl-scope core, whose inner tensors nobody sees; every byte of its SRAM is "
                          "compared at the end");
  if (!request.values) throw base::UserError("--rtl-scope", "'core' needs values, which an estimate does not have");
}

void check_rtl(const RunRequest& request) {
  check_rtl_choice(request.rtl, !request.traces.waves.empty());
  if (request.backend == "rtl") return check_core_scope(request);
  const auto refuse = [&](const char* option) {
    throw base::UserError(option, "is for --backend rtl, found backend '{}'", request.backend);
  };
  if (request.rtl.folder) refuse("--rtl");
  if (request.rtl.scope) refuse("--rtl-scope");
  if (request.rtl.memory) refuse("--rtl-memory");
  if (request.rtl.wave_memories) refuse("--wave-memories");
}

/// Many inputs are many jobs, and what is for one job alone says nothing of them.
void check_samples(const RunRequest& request) {
  if (!request.samples) return;
  const auto refuse = [](const char* option, const char* why) {
    throw base::UserError(option, "cannot go with --inputs, {}", why);
  };
  if (!request.inputs.empty() || !request.arrays.empty()) refuse("--input", "which gives the inputs of every sample");
  if (request.backend == "rtl")
    throw base::UserError("--inputs", "is for backends 'sim' and 'reference', found backend 'rtl'");
  if (request.iterations != 1) refuse("--iterations", "where each sample is run once");
  if (!request.carries.empty()) refuse("--carry", "where only variables go from one sample to the next");
  if (request.injection) refuse("--inject", "where a fault would be in one sample of many");
  if (request.gdb_port) refuse("--gdb", "where each sample is a job");
  if (request.cpu_trace) refuse("--cpu-trace", "where each sample is a job");
}

}  // namespace

void check_request(const RunRequest& request) {
  check_choice("--backend", request.backend, {"sim", "rtl", "reference"});
  check_rtl(request);
  check_samples(request);
  if (request.float_outputs && !request.samples && request.inputs.empty() && request.arrays.empty())
    throw base::UserError("--float-outputs", "goes with --input or --inputs: the floats are those of one input");
  check_range("--iterations", request.iterations, 1, kMostIterations);
  if (!request.carries.empty() && request.iterations == 1)
    throw base::UserError("--carry", "goes with --iterations N of 2 or more: it hands on what an iteration gives");
  if (request.no_check && request.check_all) throw base::UserError("--check-all", "cannot go with --no-check");
  if (request.injection) {
    if (request.no_check) throw base::UserError("--inject", "cannot go with --no-check");
    if (!request.values) throw base::UserError("--inject", "needs values, which an estimate does not have");
    if (request.backend == "reference") throw base::UserError("--inject", "backend 'reference' is no machine");
    if (request.backend == "rtl")
      throw base::UserError("--inject", "backend 'rtl' has no faults, allowed with backend 'sim'");
  }
  check_control(request);
  if (request.backend != "reference") return;
  if (!request.traces.is_empty())
    throw base::UserError(request.traces.waves.empty() ? "--timeline" : "--wave",
                          "backend 'reference' has no cycles, allowed with backends 'sim' and 'rtl'");
  if (wants_node_data(request.report_files))
    throw base::UserError("--report", "node data (.mx.json) show cycles, and backend 'reference' has none");
}

void check_places(const RunRequest& request) {
  check_report_places(request.report_files, {".json", ".csv", ".html", ".mx.json"});
  check_trace_places(request.traces);
  if (request.cpu_trace) check_file_place("--cpu-trace", *request.cpu_trace, {});
  if (request.output_dir) check_directory_place("--output-dir", *request.output_dir);
}

soc::Control control_of(const RunRequest& request, bool has_control_flow) {
  if (!has_control_flow) {
    if (request.control == "cpu") return soc::Control::Cpu;
    refuse_without_cpu(request);
    return soc::Control::Direct;
  }
  constexpr std::string_view kHas = "has control flow";
  if (!request.values) throw base::UserError(request.model, "{}, and its values decide what runs: it needs run", kHas);
  if (request.control == "direct")
    throw base::UserError("--control", "'direct' cannot run {}, which {}; allowed is 'cpu'", request.model, kHas);
  if (request.backend != "sim")
    throw base::UserError(request.model, "{}, allowed with backend 'sim', found backend '{}'", kHas, request.backend);
  if (request.injection) throw base::UserError("--inject", "is for one stream, and {} {}", request.model, kHas);
  return soc::Control::Cpu;
}

}  // namespace vernier::flow
