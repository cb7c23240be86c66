// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/other_commands.hpp"

#include "compiler/emit/compile.hpp"
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/text.hpp"
#include "hw/package/disassembler.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/model.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/report/report.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace vernier::cli {
namespace {

using base::with_thousands;

template <typename... Args>
void print(fmt::format_string<Args...> format, Args&&... args) {
  print_text(stdout, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace

int compile(const CompileCommand& command) {
  const Model model = load_model(command.model, command.machine.level);
  if (model.package) throw base::UserError(command.model, "is a package already, expected a TOSA flatbuffer (.tosa)");
  std::error_code ignored;  // a package that is not there yet is not the network
  if (std::filesystem::equivalent(command.model, command.output, ignored))
    throw base::UserError(command.output, "is the network itself, expected another file for the package");
  const config::MachineConfig config = config_of(command.machine);
  const emit::ModelSource source{model.file, model.bytes};
  const emit::CompileOptions options{command.machine.optimize.value_or(1)};
  if (!command.dump.empty()) print_text(stdout, emit::print_stage(command.dump, *model.graph, source, config, options));
  if (command.output.empty()) return kExitSuccess;
  const package::Package package = emit::compile(*model.graph, source, config, options);
  const std::vector<std::byte> bytes = package::to_bytes(package);
  base::write_file(command.output, bytes);
  if (!command.is_quiet && command.dump.empty()) {
    print("{}: {} commands, {} B of SRAM on {}, {} B\n", command.output, package.command_layers.size(),
          with_thousands(package.sram_peak_bytes), config.name, with_thousands(static_cast<int64_t>(bytes.size())));
  }
  return kExitSuccess;
}

int disasm(const DisasmCommand& command) {
  check_report_places(command.reports, {".json"});
  const package::Package package = package::from_bytes(command.package, base::read_file(command.package));
  bool json_on_stdout = false;
  base::FileSet files;
  for (const std::string& file : command.reports) {
    json_on_stdout = json_on_stdout || file == "-";
    if (file != "-") files.add_text(file, report::to_json(package, VERNIER_VERSION));
  }
  files.commit();
  print_text(json_on_stdout ? stderr : stdout, package::disassemble(package));
  if (json_on_stdout) print_text(stdout, report::to_json(package, VERNIER_VERSION));
  return kExitSuccess;
}

int config(const ConfigCommand& command) {
  if (command.action == ConfigCommand::Action::List) {
    for (const spec::Preset& preset : spec::kPresets) {
      print("{:<12} {:>5} MACs a cycle, {:>3} B read and {:>2} B written a cycle, {} of SRAM, memory {}\n", preset.name,
            preset.datapath.macs_per_cycle(), preset.datapath.sram_read_words * preset.datapath.word_bytes(),
            preset.datapath.sram_write_words * preset.datapath.word_bytes(), base::bytes_text(preset.sram_bytes),
            spec::kMemoryModeNames[static_cast<size_t>(preset.memory_mode)]);
    }
    return kExitSuccess;
  }
  const config::MachineConfig loaded = config::load_config(command.name);
  if (command.action == ConfigCommand::Action::Check) {
    print("{}: legal, based on {}\n", command.name, loaded.base);
    return kExitSuccess;
  }
  for (const config::ConfigValue& value : config::values_of(loaded)) {
    print("{:<34} {:>14}  {}{}\n", value.key, value.value, value.meaning,
          value.is_overridable ? "" : " (fixed by the preset)");
  }
  return kExitSuccess;
}

}  // namespace vernier::cli
