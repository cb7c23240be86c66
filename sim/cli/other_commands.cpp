// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/other_commands.hpp"

#include "compiler/emit/compile.hpp"
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/text.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/disasm_command.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/out_of_memory.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/cli/places.hpp"
#include "sim/cli/progress.hpp"
#include "sim/flow/model.hpp"
#include "sim/report/columns.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace vernier::cli {
namespace {

using base::with_thousands;

template <typename... Args>
void print(fmt::format_string<Args...> format, Args&&... args) {
  print_text(stdout, fmt::format(format, std::forward<Args>(args)...));
}

int compile_model(const CompileCommand& command) {
  Progress progress;
  progress.phase("reading " + command.model);
  const flow::Model model = flow::load_network(command.model, command.machine);
  std::vector<Place> read{{"MODEL", command.model}};
  if (command.machine.config) read.push_back({"--config", *command.machine.config});
  if (command.machine.encodings) read.push_back({"--encodings", *command.machine.encodings});
  if (!command.output.empty()) refuse_overwriting(read, {{"-o", command.output}});
  const config::MachineConfig config = flow::config_of(command.machine);
  const emit::ModelSource source = flow::source_of(model);
  const emit::CompileOptions options{command.machine.optimize.value_or(1)};
  progress.phase("compiling");
  const bool dumps_stream = command.dump == "stream";
  if (!command.dump.empty() && !dumps_stream) {
    const std::string stage = emit::print_stage(command.dump, *model.graph, source, config, options);
    progress.done();
    print_text(stdout, stage);
  }
  if (command.output.empty() && !dumps_stream) return kExitSuccess;
  const package::Package package = emit::compile(*model.graph, source, config, options);
  progress.done();
  if (dumps_stream) print_text(stdout, disassembly(package, stdout));
  if (command.output.empty()) return kExitSuccess;
  set_activity("writing the package");
  const std::vector<std::byte> bytes = package::to_bytes(package);
  base::write_file(command.output, bytes);
  if (!command.is_quiet && command.dump.empty()) {
    print("{}: {} commands, {} B of SRAM on {}, {} B\n", base::printable(command.output), package.command_layers.size(),
          with_thousands(package.sram_peak_bytes), config.name, with_thousands(static_cast<int64_t>(bytes.size())));
    for (const std::string& note : model.notes) print("note: {}\n", base::printable(note));
    for (const std::string& note : flow::notes_of(config, command.machine)) print("note: {}\n", base::printable(note));
  }
  return kExitSuccess;
}

}  // namespace

int compile(const CompileCommand& command) {
  return with_memory_errors(command.model, [&] { return compile_model(command); });
}

int config(const ConfigCommand& command) {
  if (command.action == ConfigCommand::Action::List) {
    for (const spec::Preset& preset : spec::kPresets) {
      const std::string label = fmt::format("{:<12} {:>5} MACs", preset.name, preset.datapath.macs_per_cycle());
      const std::string text =
          fmt::format("and {:>3} B read, {:>2} B written per cycle, {} of SRAM, memory {}",
                      preset.datapath.sram_read_words * preset.datapath.word_bytes(),
                      preset.datapath.sram_write_words * preset.datapath.word_bytes(), base::bytes_text(preset.sram_bytes),
                      spec::kMemoryModeNames[static_cast<size_t>(preset.memory_mode)]);
      print_text(stdout, report::wrapped(label, text, style_of(stdout).width_columns, 13));
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
