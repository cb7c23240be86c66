// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/disasm_command.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/package/disassembler.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/layer_choice.hpp"
#include "sim/cli/out_of_memory.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/cli/places.hpp"
#include "sim/cli/version.hpp"
#include "sim/report/command_remarks.hpp"
#include "sim/report/layer_names.hpp"
#include "sim/report/report.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

namespace vernier::cli {
namespace {

using Filter = std::function<bool(const package::ListedCommand&)>;

std::vector<std::string> layer_names(const package::Package& package) {
  std::vector<std::string> names;
  for (const package::LayerEntry& layer : package.layers) names.push_back(layer.name);
  return names;
}

/// The commands of --layer and --unit; all where neither is given.
Filter filter_of(const DisasmCommand& command, const package::Package& package) {
  const std::map<std::string, std::string> long_names{{"mac_array", "mac"}, {"vector_unit", "vec"}};
  std::optional<std::string> unit = command.unit;
  if (unit && long_names.contains(*unit)) unit = long_names.at(*unit);
  std::optional<int64_t> layer_idx;
  if (command.layer) {
    const std::vector<std::string> names = layer_names(package);
    layer_idx = choose_layer("--layer", *command.layer, names, report::shorten_layer_names(names).names);
  }
  if (!unit && !layer_idx) return {};
  return [unit, layer_idx](const package::ListedCommand& listed) {
    return (!unit || listed.unit == *unit) && (!layer_idx || listed.layer_idx == *layer_idx);
  };
}

std::string text_of(const package::Package& package, const Filter& is_wanted, FILE* stream,
                    const std::vector<std::string>& remarks = {}) {
  package::DisassemblyStyle style;
  style.width_columns = style_of(stream).width_columns;
  // Names leave room for what they stand before.
  const std::vector<std::string> names = report::shorten_layer_names(layer_names(package)).names;
  const int64_t name_columns = std::clamp<int64_t>(style.width_columns / 3, 16, 48);
  for (const std::string& name : report::fit_names(names, name_columns))
    style.layer_names.push_back(fmt::format("{} {}", style.layer_names.size(), name));
  style.is_wanted = is_wanted;
  style.remarks = remarks;
  style.has_legend = true;
  return package::disassemble(package, style);
}

/// Of `--report FILE`: a file that is the report of a run is read, as with --cycles, and never written over.
DisasmCommand with_given_reports(DisasmCommand command) {
  const auto is_of_a_run = [](const std::string& file) {
    return file != "-" && std::filesystem::is_regular_file(file) && report::is_run_report(base::read_text_file(file));
  };
  const auto given = std::stable_partition(command.reports.begin(), command.reports.end(),
                                           [&](const std::string& file) { return !is_of_a_run(file); });
  const int64_t num_given = command.reports.end() - given + (command.cycles ? 1 : 0);
  if (num_given > 1)
    throw base::UserError("--report", "{} reports of runs are given, allowed is one, whose cycles are shown", num_given);
  if (given != command.reports.end()) command.cycles = *given;
  command.reports.erase(given, command.reports.end());
  return command;
}

}  // namespace

std::string disassembly(const package::Package& package, FILE* stream) { return text_of(package, {}, stream); }

int disasm(const DisasmCommand& given) {
  const DisasmCommand command = with_given_reports(given);
  check_report_places(command.reports, {".json"});
  std::vector<Place> written;
  for (const std::string& file : command.reports) {
    if (file != "-") written.push_back({"--report", file});
  }
  std::vector<Place> read{{"PACKAGE", command.package}};
  if (command.cycles) read.push_back({"--cycles", *command.cycles});
  refuse_overwriting(read, written);
  set_activity("disassembling");
  const package::Package package = package::from_bytes(command.package, base::read_file(command.package));
  const Filter is_wanted = filter_of(command, package);
  std::vector<std::string> remarks;
  if (command.cycles) remarks = report::command_remarks(*command.cycles, base::read_text_file(*command.cycles), package);
  bool json_on_stdout = false;
  base::FileSet files;
  for (const std::string& file : command.reports) {
    json_on_stdout = json_on_stdout || file == "-";
    if (file != "-") files.add_text(file, report::to_json(package, tool_version(), is_wanted));
  }
  files.commit();
  FILE* people = json_on_stdout ? stderr : stdout;
  print_text(people, text_of(package, is_wanted, people, remarks));
  if (json_on_stdout) print_text(stdout, report::to_json(package, tool_version(), is_wanted));
  return kExitSuccess;
}

}  // namespace vernier::cli
