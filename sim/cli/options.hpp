// SPDX-License-Identifier: Apache-2.0
// The command line as data: what the library is asked for, and what is printed of it. CLI11 stays in the .cpp files of
// options.
#pragma once

#include "sim/flow/files/compare.hpp"
#include "sim/flow/files/compile.hpp"
#include "sim/flow/files/convert.hpp"
#include "sim/flow/files/disassemble.hpp"
#include "sim/flow/files/encodings.hpp"
#include "sim/flow/files/quantize.hpp"
#include "sim/flow/look/dump.hpp"
#include "sim/flow/look/explain.hpp"
#include "sim/flow/look/inspect.hpp"
#include "sim/flow/look/trace_options.hpp"
#include "sim/flow/model/machine_options.hpp"
#include "sim/flow/rtl/rtl_choice.hpp"
#include "sim/flow/run/interleave.hpp"
#include "sim/flow/run/run_request.hpp"
#include "sim/flow/run/verify.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace vernier::cli {

using flow::MachineOptions;

/// `run` or `estimate`: what the library is asked for, and what only a terminal has.
struct RunOptions : flow::RunRequest {
  std::vector<std::string> reports;  // as given: FILE or -
  std::optional<int64_t> jobs;       // --jobs: processes for samples; as many as there are processors when absent
  bool no_rerun = false;             // a mismatch is not looked into by running once more
  bool is_quiet = false, is_verbose = false;
};

/// More than one run: each combination of models, configurations, memory modes and sizes of SRAM, in that order, the last
/// changing fastest.
struct SeveralRuns {
  std::vector<flow::RunRequest> runs;
  std::optional<int64_t> jobs;       // --jobs: at the same time; as many as there are processors when absent
  std::vector<std::string> reports;  // of the table
  bool is_quiet = false, is_verbose = false;
};

/// `run` or `estimate` with --interleave.
struct InterleaveCommand : flow::InterleaveRequest {
  std::vector<std::string> reports;  // FILE.json or -
  bool is_quiet = false;
};

struct CompileCommand : flow::CompileRequest {
  bool is_quiet = false;
};

struct DisasmCommand : flow::DisasmRequest {
  std::vector<std::string> reports;  // FILE.json or -, or the report of a run
};

struct DumpCommand : flow::DumpRequest {
  bool is_quiet = false;
};

struct ExplainCommand : flow::ExplainRequest {
  std::vector<std::string> reports;  // FILE.json or -
  bool is_verbose = false;           // no part of the text is cut
};

using InspectCommand = flow::InspectRequest;

struct ConfigCommand {
  enum class Action { List, Show, Check } action = Action::List;
  std::string name;
};

/// `vernier cosim`: of a unit, of a network, or of a replay.
struct CosimCommand {
  std::string subject;     // name of a unit, or MODEL
  MachineOptions machine;  // of a unit: the configuration alone
  uint64_t seed = 1;
  std::optional<int64_t> vectors;   // of a unit; 100,000 when absent
  std::vector<std::string> inputs;  // [NAME=]FILE.npy, of a model
  std::optional<std::string> output_dir;
  std::vector<std::string> reports;  // FILE.json or -
  flow::TraceOptions traces;         // of a unit: one FILE.fst or FILE.vcd
  flow::RtlChoice rtl;
  std::optional<std::string> replay;       // FILE.replay.json instead of a subject
  std::optional<std::string> vectors_dir;  // --export-vectors
  bool is_quiet = false;
};

struct ConvertCommand : flow::ConvertRequest {
  bool is_quiet = false;
};

using QuantizeCommand = flow::QuantizeRequest;

/// `vernier encodings`: AIMET's encodings files.
struct EncodingsCommand {
  enum class Action { Check, Convert, Export } action = Action::Check;
  std::string input;                 // the network, of Export
  std::string output, version;       // of Convert and Export
  std::optional<std::string> model;  // of Check: the network that they are for
  flow::OpenDimensions open;         // of the network
};

struct CompareCommand : flow::CompareRequest {
  std::vector<std::string> reports;  // FILE.json, FILE.html or -
};

/// `vernier verify`: tests of the conformance suite.
struct VerifyCommand : flow::VerifyRequest {
  std::vector<std::string> reports;  // FILE.json or -
  bool is_quiet = false, is_verbose = false;
};

/// --help or --version: print this and stop.
struct PrintAndExit {
  std::string text;
};

using Command = std::variant<PrintAndExit, RunOptions, SeveralRuns, InterleaveCommand, CompileCommand, DisasmCommand,
                             DumpCommand, ExplainCommand, InspectCommand, ConfigCommand, CosimCommand, ConvertCommand,
                             QuantizeCommand, EncodingsCommand, CompareCommand, VerifyCommand>;

/// UserError for anything that is no legal command line; unknown names and options suggest the nearest.
Command parse_command_line(int argc, const char* const* argv);

}  // namespace vernier::cli
