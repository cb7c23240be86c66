// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/other_commands.hpp"

#include "hw/base/text.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/config/toml_config.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/out_of_memory.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/cli/progress.hpp"
#include "sim/report/columns.hpp"

#include <fmt/format.h>

#include <utility>

namespace vernier::cli {
namespace {

using base::with_thousands;

template <typename... Args>
void print(fmt::format_string<Args...> format, Args&&... args) {
  print_text(stdout, fmt::format(format, std::forward<Args>(args)...));
}

int compile_model(const CompileCommand& command) {
  Progress progress;
  flow::CompileRequest request(static_cast<const flow::CompileRequest&>(command));
  request.stage_columns = style_of(stdout).width_columns;
  request.on_stage = [&](const std::string& text) {
    progress.done();
    print_text(stdout, text);
  };
  const flow::CompileResult result = flow::compile(request, observer_of(progress));
  progress.done();
  if (command.output.empty() || command.is_quiet || !command.stage.empty()) return kExitSuccess;
  const auto& package = *result.package;
  print("{}: {} commands, {} B of SRAM on {}, {} B\n", base::printable(command.output), package.command_layers.size(),
        with_thousands(package.sram_peak_bytes), package.config.name, with_thousands(result.file_bytes));
  for (const std::string& note : result.notes) print("note: {}\n", base::printable(note));
  return kExitSuccess;
}

}  // namespace

int compile(const CompileCommand& command) {
  return with_memory_errors(command.model, [&] { return compile_model(command); });
}

int inspect(const InspectCommand& command) {
  set_activity("inspecting");
  return with_memory_errors(command.model, [&] {
    const report::TextStyle style = style_of(stdout);
    print_text(stdout, flow::to_text(flow::inspect(command), style), style.has_color);
    return kExitSuccess;
  });
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
