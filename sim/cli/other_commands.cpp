// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/other_commands.hpp"

#include "compiler/emit/compile.hpp"
#include "compiler/passes/program.hpp"
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/text.hpp"
#include "hw/package/disassembler.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/model.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace vernier::cli {
namespace {

using base::with_thousands;

template <typename... Args>
void print(fmt::format_string<Args...> format, Args&&... args) {
  print_text(stdout, fmt::format(format, std::forward<Args>(args)...));
}

void print_tensor_lines(const ir::Graph& graph, const std::vector<ir::TensorId>& ids, const char* what) {
  for (const ir::TensorId id : ids) {
    const ir::TensorInfo& tensor = graph.tensor(id);
    print("{:<8} {:<24} {} {}\n", what, tensor.name, base::to_string(tensor.type), base::to_string(tensor.shape));
  }
}

void print_operator_counts(const ir::Graph& graph) {
  std::map<std::string_view, std::pair<int64_t, int64_t>> counts;  // operators, MACs
  for (const ir::Operator& op : graph.operators) {
    auto& [number, macs] = counts[ir::to_string(op.kind)];
    ++number;
    macs += ir::macs_of(graph, op);
  }
  print("\n{:<26} {:>6} {:>16}\n", "operator", "count", "MACs");
  for (const auto& [name, count] : counts) print("{:<26} {:>6} {:>16}\n", name, count.first, with_thousands(count.second));
}

void print_sizes(const ir::Graph& graph) {
  int64_t constant_bytes = 0, largest_bytes = 0, macs = 0;
  for (const ir::TensorInfo& tensor : graph.tensors) {
    const int64_t bytes = base::num_elements(tensor.shape) * base::stored_bytes(tensor.type);
    (tensor.constant ? constant_bytes : largest_bytes) =
        tensor.constant ? constant_bytes + bytes : std::max(largest_bytes, bytes);
  }
  for (const ir::Operator& op : graph.operators) macs += ir::macs_of(graph, op);
  print("\n{} operators in {} layers, {} MACs, constants {} B, largest feature map {} B\n", graph.operators.size(),
        ir::layers_of(graph).size(), with_thousands(macs), with_thousands(constant_bytes), with_thousands(largest_bytes));
}

/// A line an operator: what it gives and which unit works for it.
void print_placement(const Model& model, const MachineOptions& options) {
  const ir::Graph& graph = *model.graph;
  const config::MachineConfig config = config_of(options);
  const passes::Program program = passes::lower(graph, config, {options.optimize.value_or(1)}, model.file);
  std::vector<std::string> where(graph.operators.size());
  for (const passes::Step& step : program.steps) {
    const std::string_view queue = spec::kQueueNames[static_cast<size_t>(step.command.header.queue)];
    for (const ir::OpId op : step.ops) {
      std::string& units = where[static_cast<size_t>(op)];
      const std::string_view unit = queue.substr(0, 3);  // dma0 and dma1 are one unit
      if (units.find(unit) == std::string::npos) units += fmt::format("{}{}", units.empty() ? "" : "+", unit);
    }
  }
  fmt::print("\non {} at optimize {} (mac: MAC array, vec: vector unit, dma: copy, -: no command of its own)\n", config.name,
             options.optimize.value_or(1));
  fmt::print("{:<8} {:<22} {:<20} {:<8} {:<20} {:>14}\n", "runs on", "operator", "result", "type", "shape", "MACs");
  for (size_t i = 0; i < graph.operators.size(); ++i) {
    const ir::Operator& op = graph.operators[i];
    const ir::TensorInfo& result = graph.tensor(op.outputs.front());
    fmt::print("{:<8} {:<22} {:<20} {:<8} {:<20} {:>14}\n", where[i].empty() ? "-" : where[i], ir::to_string(op.kind),
               result.name, base::to_string(result.type), base::to_string(result.shape),
               with_thousands(ir::macs_of(graph, op)));
  }
}

}  // namespace

int compile(const CompileCommand& command) {
  const Model model = load_model(command.model, command.machine.level);
  if (model.package) throw base::UserError(command.model, "is a package already, expected a TOSA flatbuffer (.tosa)");
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
  print_text(stdout, package::disassemble(package::from_bytes(command.package, base::read_file(command.package))));
  return kExitSuccess;
}

int inspect(const InspectCommand& command) {
  const Model model = load_model(command.model, command.machine.level);
  if (model.package) {
    const package::Package& package = *model.package;
    print("{}: package of {} for {} (memory {}, optimize {}), {} commands, {} B of SRAM\n", model.file, package.model_name,
          package.config.name, spec::kMemoryModeNames[static_cast<size_t>(package.config.memory_mode)], package.optimize,
          package.command_layers.size(), with_thousands(package.sram_peak_bytes));
  } else {
    print("{}: TOSA network\n", model.file);
  }
  if (!model.graph) return kExitSuccess;
  print_tensor_lines(*model.graph, model.graph->inputs, "input");
  print_tensor_lines(*model.graph, model.graph->outputs, "output");
  print_operator_counts(*model.graph);
  print_sizes(*model.graph);
  if (!model.package) print_placement(model, command.machine);
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
