// SPDX-License-Identifier: Apache-2.0
// The command line as data. CLI11 stays in options.cpp and options_words.cpp.
#pragma once

#include "sim/cli/rtl_folder_option.hpp"
#include "sim/cli/trace_options.hpp"
#include "sim/flow/injection.hpp"
#include "sim/flow/machine_options.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace vernier::cli {

using flow::MachineOptions;

struct RunOptions {
  std::string command_line;  // as given
  std::string model;
  MachineOptions machine;
  std::string backend = "sim";           // sim, rtl, reference
  std::optional<std::string> control;    // direct, cpu; absent: cpu for control flow, else direct
  std::optional<std::string> firmware;   // FILE.elf, of control cpu; built in when absent
  std::optional<std::string> cpu_trace;  // FILE, of control cpu
  std::optional<int64_t> gdb_port;       // of control cpu; 0: any that is free
  bool no_check = false, check_all = false;
  std::vector<std::string> inputs;  // [NAME=]FILE.npy
  uint64_t seed = 1;
  int64_t iterations = 1;
  std::vector<std::string> carries;  // OUTPUT=INPUT, from one iteration to the next
  std::optional<std::string> output_dir;
  std::vector<std::string> reports;  // FILE.json, FILE.csv or -
  TraceOptions traces;
  std::optional<flow::InjectionRequest> injection;
  bool no_rerun = false;  // a mismatch is not looked into by running once more
  bool is_quiet = false, is_verbose = false;
  bool values = true;  // false: `vernier estimate`, the machine with values off
  RtlChoice rtl;       // of backend rtl
};

/// More than one run: each combination of models, configurations, memory modes and sizes of SRAM, in that order, the last
/// changing fastest.
struct SeveralRuns {
  std::vector<RunOptions> runs;      // without reports
  std::optional<int64_t> jobs;       // --jobs: at the same time; as many as there are processors when absent
  std::vector<std::string> reports;  // of the table
  bool is_quiet = false, is_verbose = false;
};

/// `run` or `estimate` with --interleave: jobs of several networks on one machine.
struct InterleaveCommand {
  std::vector<std::string> models;
  MachineOptions machine;
  std::optional<std::string> control;   // as in RunOptions
  std::optional<std::string> firmware;  // FILE.elf, of control cpu
  int64_t inferences = 1;               // of each model
  int64_t arrival_cycles = 0;           // between two jobs of a model; 0: all come at once
  bool values = true, no_check = false;
  uint64_t seed = 1;
  std::vector<std::string> reports;  // FILE.json or -
  bool is_quiet = false;
};

struct CompileCommand {
  std::string model;
  MachineOptions machine;
  std::string output;  // FILE.vnpu
  std::string dump;    // ir, schedule, stream or empty
  bool is_quiet = false;
};

struct DisasmCommand {
  std::string package;
  std::optional<std::string> layer, unit;  // --layer, --unit: only the commands of that one
  std::optional<std::string> cycles;       // --cycles: the JSON report of a run of the package
  std::vector<std::string> reports;        // FILE.json or -
};

/// Bytes of SRAM at the end of a cycle; `to_bytes` is the first that is not meant.
struct SramWindow {
  int64_t from_bytes = 0, to_bytes = 0, cycle = 0;
};

/// Whose sums are meant: those of one command, of the command that is on the array in a cycle, or of a tensor.
struct AccumulatorChoice {
  std::optional<int64_t> command_idx, cycle;
  std::string name;  // of a tensor or a layer, where neither is given
};

/// `vernier dump`: one of tensor, SRAM and accumulators.
struct DumpCommand {
  std::string model;
  MachineOptions machine;
  std::optional<std::string> tensor;  // name of a tensor or a layer, or all
  std::optional<SramWindow> sram;
  std::optional<AccumulatorChoice> accumulator;
  std::vector<std::string> inputs;  // [NAME=]FILE.npy
  uint64_t seed = 1;
  std::string output;  // FILE.npy, .hex, .txt; a folder for all; empty: text on standard output
  bool is_quiet = false;
};

/// `vernier explain`: one layer's story.
struct ExplainCommand {
  std::string model;
  MachineOptions machine;
  std::string layer;                 // its name, shortened name or number
  std::vector<std::string> reports;  // FILE.json or -
  bool is_verbose = false;           // no part of the text is cut
};

struct InspectCommand {
  std::string model;
  MachineOptions machine;
};

struct ConfigCommand {
  enum class Action { List, Show, Check } action = Action::List;
  std::string name;
};

struct CosimCommand {
  std::string subject;     // name of a unit, or MODEL
  MachineOptions machine;  // of a unit: the configuration alone
  uint64_t seed = 1;
  std::optional<int64_t> vectors;   // of a unit; 100,000 when absent
  std::vector<std::string> inputs;  // [NAME=]FILE.npy, of a model
  std::optional<std::string> output_dir;
  std::vector<std::string> reports;  // FILE.json or -
  TraceOptions traces;               // of a unit: one FILE.fst or FILE.vcd
  RtlChoice rtl;
  std::optional<std::string> replay;       // FILE.replay.json instead of a subject
  std::optional<std::string> vectors_dir;  // --export-vectors
  bool is_quiet = false;
};

/// `vernier convert`: any network that is read to a TOSA flatbuffer.
struct ConvertCommand {
  std::string model;
  MachineOptions machine;  // level and batch alone
  std::string output;      // OUT.tosa
  bool is_quiet = false;
};

/// `vernier quantize`, or `vernier dequantize`: QuantizeV2 and Dequantize of TensorFlow.
struct QuantizeCommand {
  bool is_dequantize = false;
  std::string input;                      // FILE.npy
  std::string mode, type;                 // TensorFlow's names
  std::string min, max;                   // numbers, or FILE.npy
  std::optional<std::string> round_mode;  // HALF_AWAY_FROM_ZERO when absent
  bool narrow_range = false;
  std::optional<int64_t> axis;
  std::optional<std::string> ensure_minimum_range;  // 0.01 when absent
  std::string output;                               // FILE.npy
};

/// `vernier encodings`: AIMET's encodings files.
struct EncodingsCommand {
  enum class Action { Check, Convert, Export } action = Action::Check;
  std::string input;                 // the network, of Export
  std::string output, version;       // of Convert and Export
  std::optional<std::string> model;  // of Check: the network that they are for
  MachineOptions machine;            // batch and shapes alone, of the network
};

/// `vernier compare`: reports of several runs.
struct CompareCommand {
  std::vector<std::string> files;    // the first is the base
  std::vector<std::string> reports;  // FILE.json or -
};

/// --help or --version: print this and stop.
struct PrintAndExit {
  std::string text;
};

using Command = std::variant<PrintAndExit, RunOptions, SeveralRuns, InterleaveCommand, CompileCommand, DisasmCommand,
                             DumpCommand, ExplainCommand, InspectCommand, ConfigCommand, CosimCommand, ConvertCommand,
                             QuantizeCommand, EncodingsCommand, CompareCommand>;

/// UserError for anything that is no legal command line; unknown names and options suggest the nearest.
Command parse_command_line(int argc, const char* const* argv);

}  // namespace vernier::cli
