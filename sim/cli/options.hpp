// SPDX-License-Identifier: Apache-2.0
// The command line as data. CLI11 stays in options.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace vernier::cli {

/// What says which machine, and how a model is compiled for it.
struct MachineOptions {
  std::optional<std::string> config;  // --config; "v256" when absent (a package brings its own)
  std::optional<std::string> memory;  // --memory
  std::optional<int64_t> sram_bytes;  // --sram-bytes
  std::optional<int64_t> optimize;    // --optimize; 1 when absent
  std::string level = "8k";           // --level
};

struct RunOptions {
  std::string model;
  MachineOptions machine;
  std::string backend = "sim";  // sim, reference
  bool no_check = false, check_all = false;
  std::vector<std::string> inputs;  // [NAME=]FILE.npy
  uint64_t seed = 1;
  int64_t iterations = 1;
  std::optional<std::string> output_dir;
  std::vector<std::string> reports;  // FILE.json, FILE.csv or -
  bool is_quiet = false, is_verbose = false;
  bool values = true;  // false: `vernier estimate`, the machine with values off
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
  std::vector<std::string> reports;  // FILE.json or -
};

struct InspectCommand {
  std::string model;
  MachineOptions machine;
};

struct ConfigCommand {
  enum class Action { List, Show, Check } action = Action::List;
  std::string name;
};

/// --help or --version: print this and stop.
struct PrintAndExit {
  std::string text;
};

using Command = std::variant<PrintAndExit, RunOptions, CompileCommand, DisasmCommand, InspectCommand, ConfigCommand>;

/// UserError for anything that is no legal command line; unknown names and options suggest the nearest.
Command parse_command_line(int argc, const char* const* argv);

}  // namespace vernier::cli
