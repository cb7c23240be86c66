// SPDX-License-Identifier: Apache-2.0
// What a run is asked for: `vernier run` and `vernier estimate` as data.
#pragma once

#include "hw/package/package.hpp"
#include "sim/flow/look/trace_options.hpp"
#include "sim/flow/model/inputs.hpp"
#include "sim/flow/model/machine_options.hpp"
#include "sim/flow/rtl/rtl_choice.hpp"
#include "sim/flow/run/injection.hpp"
#include "sim/flow/samples/samples_request.hpp"
#include "sim/soc/npu.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vernier::flow {

struct Model;

inline constexpr int64_t kMostIterations = 1'000'000;

struct RunRequest {
  std::string command_line{};  // how the report says that it was asked for
  std::string model{};         // file
  MachineOptions machine{};
  /// What load_model() gave of `model` and `machine`, and package_of() of that. Absent: the run reads, and compiles.
  std::shared_ptr<const Model> loaded{};
  std::shared_ptr<const package::Package> compiled{};
  std::string backend = "sim";             // sim, rtl, reference
  std::optional<std::string> control{};    // direct, cpu; absent: cpu for control flow, else direct
  std::optional<std::string> firmware{};   // FILE.elf, of control cpu; built in when absent
  std::optional<std::string> cpu_trace{};  // FILE, of control cpu
  std::optional<int64_t> gdb_port{};       // of control cpu; 0: any that is free
  bool values = true;                      // false: the machine with values off, and no check; as estimate() has it
  bool no_check = false, check_all = false;
  std::vector<std::string> inputs{};           // [NAME=]FILE.npy
  InputArrays arrays{};                        // inputs in memory
  std::optional<std::string> float_outputs{};  // FOLDER or FILE.npz: tensors as floats, of the (first) input
  std::optional<SamplesRequest> samples{};     // many inputs, each a job; the figures of the machine are those of the first
  uint64_t seed = 1;
  int64_t iterations = 1;
  std::vector<std::string> carries{};    // OUTPUT=INPUT, from one iteration to the next
  std::vector<std::string> variables{};  // NAME=FILE.npy, before the first iteration
  InputArrays variable_arrays{};         // the same in memory
  std::optional<InjectionRequest> injection{};
  RtlChoice rtl{};                          // of backend rtl
  bool finds_least_bandwidth = true;        // the least external bandwidth that costs nothing, by simulating slower memories
  bool lists_folded = false;                // tensors that no command materialises, also without check_all
  std::optional<std::string> output_dir{};  // of the outputs as .npy
  std::vector<std::string> report_files{};  // FILE.json, .csv, .html, .mx.json
  TraceOptions traces{};                    // files of waves and timelines
  std::optional<std::string> rerun_folder{};  // a mismatch is looked into by one run more, whose wave and replay go there;
                                              // empty: the working folder; absent: it is not
};

/// UserError, naming the option of the command line, for what is no legal value or does not go together. Of a package it may
/// only be known with its contents: control_of() tells.
void check_request(const RunRequest& request);
/// UserError where a file cannot be written, before anything is done.
void check_places(const RunRequest& request);

/// Who starts the streams of a model: the control CPU, where values decide what runs. UserError where the request does not
/// fit the model.
soc::Control control_of(const RunRequest& request, bool has_control_flow);

}  // namespace vernier::flow
