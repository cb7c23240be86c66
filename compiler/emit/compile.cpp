// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/compile.hpp"

#include "compiler/emit/layers.hpp"
#include "compiler/emit/layout_costs.hpp"
#include "compiler/emit/refusal.hpp"
#include "compiler/emit/sram_peak.hpp"
#include "compiler/passes/merge_groups.hpp"
#include "compiler/passes/program.hpp"
#include "compiler/schedule/attempt.hpp"
#include "compiler/schedule/candidates.hpp"
#include "compiler/schedule/makespan.hpp"
#include "compiler/schedule/schedule.hpp"
#include "compiler/schedule/too_much_outside.hpp"
#include "hw/base/checksum.hpp"
#include "hw/base/error.hpp"
#include "hw/base/indexed_vector.hpp"
#include "hw/base/text.hpp"
#include "hw/package/command_codec.hpp"
#include "hw/package/disassembler.hpp"
#include "hw/spec/registers.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace vernier::emit {
namespace {

struct Compiled {
  passes::Program program;
  schedule::Schedule schedule;
};

/// No run of vectors, and no feature map, has more elements than the machine has addresses.
void require_addressable(const ir::Graph& graph, const std::string& file) {
  for (const ir::TensorInfo& tensor : graph.tensors) {
    const int64_t num_elements = base::num_elements(tensor.shape);
    if (num_elements <= spec::kMaxExternalBytes) continue;
    throw base::UserError(file, "tensor '{}' {} has {} elements, the NPU takes up to {}", tensor.name,
                          base::to_string(tensor.shape), base::with_thousands(num_elements),
                          base::with_thousands(spec::kMaxExternalBytes));
  }
}

/// A run reads each window whole: the windows of a map may have more elements than the map.
void require_short_runs(const passes::Program& program, const ir::Graph& graph, const std::string& file) {
  for (const passes::Step& step : program.steps) {
    const auto* run = std::get_if<spec::VectorCommand>(&step.command.body);
    if (run == nullptr) continue;
    base::Wide num_elements = run->lanes;
    for (const int64_t count : run->counts) num_elements *= count;
    if (num_elements <= spec::kMaxCommandElements) continue;
    const std::string layer = step.ops.empty() ? "" : graph.tensor(graph.operators[step.ops.front()].outputs.front()).name;
    throw base::UserError(file, "the layer of '{}' reads {} elements in one command, the NPU takes up to {}", layer,
                          base::with_thousands(static_cast<int64_t>(num_elements)),
                          base::with_thousands(spec::kMaxCommandElements));
  }
}

/// Whether the search took up what it finds on machines with less SRAM. These compare both forms, so this one has to.
bool is_searched_by_size(const schedule::Schedule& found, const config::MachineConfig& config) {
  return config.memory_mode != spec::MemoryMode::Sram && std::ssize(found.commands) <= schedule::kFewPlanCommands;
}

Compiled lower_and_schedule(const ir::Graph& graph, const std::string& file, const config::MachineConfig& config,
                            const CompileOptions& options, passes::LoweringOptions lowering, bool explain) {
  Compiled compiled;
  const auto lower = [&] {
    compiled.program = passes::lower(graph, config, lowering, file);
    if (static_cast<int64_t>(compiled.program.steps.size()) > schedule::kMostCommands)  // each step is a command or more
      throw schedule::TooLittleSram({}, true);
    require_short_runs(compiled.program, graph, file);
    passes::verify(compiled.program, graph, config);
    schedule::require_room_outside(compiled.program, config);
    if (explain) tell_layouts(compiled.program, graph, config, lowering, file);
  };
  lower();
  std::optional<schedule::Schedule> found;
  if (compiled.program.takes_more_room) {
    found = schedule::try_schedule(compiled.program, graph, config, {options.optimize, explain});
    lowering.may_take_more_room = false;  // where they leave no room
    if (!found) {
      lower();
    } else if (options.optimize > 0 &&
               (config.sram_bytes < 2 * found->needed_bytes || is_searched_by_size(*found, config))) {
      // What they save may be less than what they take from the others.
      passes::Program roomy = std::move(compiled.program);
      lower();
      std::optional<schedule::Schedule> lean =
          schedule::try_schedule(compiled.program, graph, config, {options.optimize, explain});
      if (lean && lean->cycles < found->cycles) {
        found = std::move(lean);
      } else {
        compiled.program = std::move(roomy);
      }
    }
  }
  if (!found) found = schedule::make_schedule(compiled.program, graph, config, {options.optimize, explain});
  compiled.schedule = std::move(*found);
  schedule::verify(compiled.schedule, config);
  return compiled;
}

/// The groups of convolutions as they stand, or merged where that takes fewer cycles: until the lanes are full, or all.
Compiled with_best_groups(const ir::Graph& graph, const std::string& file, const config::MachineConfig& config,
                          const CompileOptions& options, bool explain) {
  passes::LoweringOptions lowering{options.optimize};
  Compiled best = lower_and_schedule(graph, file, config, options, lowering, explain);
  if (options.optimize == 0) return best;
  size_t num_operators = graph.operators.size();
  for (const int64_t channels : {int64_t{config.datapath.lanes}, passes::kAllChannels}) {
    const std::optional<passes::MergedGraph> form = passes::merge_groups(graph, channels);
    if (!form || form->graph.operators.size() == num_operators) continue;  // there already
    num_operators = form->graph.operators.size();
    lowering.merged = &*form;
    try {
      Compiled merged = lower_and_schedule(graph, file, config, options, lowering, explain);
      if (merged.schedule.cycles < best.schedule.cycles) best = std::move(merged);
    } catch (const schedule::TooLittleSram&) {  // the groups as they stand fit
      continue;
    }
  }
  return best;
}

Compiled run_stages(const ir::Graph& graph, const std::string& file, const config::MachineConfig& config,
                    const CompileOptions& options, bool explain = false) {
  require_addressable(graph, file);
  try {
    return with_best_groups(graph, file, config, options, explain);
  } catch (const schedule::TooLittleSram& error) {
    throw refusal(error, graph, file, config, options.optimize);
  } catch (const schedule::TooMuchOutside& error) {
    throw refusal(error, file, config);
  }
}

/// Index into package.tensors by TensorId; -1 for tensors without a place.
std::vector<int32_t> add_tensors(package::Package& package, const Compiled& compiled, const ir::Graph& graph) {
  std::vector<int32_t> index(graph.tensors.size(), -1);
  for (size_t id = 0; id < graph.tensors.size(); ++id) {
    const auto& place = compiled.program.places[id];
    if (!place) continue;
    package::Placement placement = place->placement;
    const base::Address start = compiled.schedule.buffer_address[static_cast<size_t>(place->buffer)];
    placement.base = {start.space, start.offset + placement.base.offset};
    index[id] = static_cast<int32_t>(package.tensors.size());
    package.tensors.push_back({graph.tensors[id].name, graph.tensors[id].type, graph.tensors[id].shape, placement});
  }
  const auto index_of = [&](ir::TensorId id) {
    VERNIER_CHECK(index[static_cast<size_t>(id)] >= 0, "tensor '{}' of the graph's edge has no place",
                  graph.tensor(id).name);
    return index[static_cast<size_t>(id)];
  };
  for (const ir::TensorId id : graph.inputs) package.inputs.push_back(index_of(id));
  for (const ir::TensorId id : graph.outputs) package.outputs.push_back(index_of(id));
  return index;
}

/// The layer of the command at work that ends last (docs/reference/report.md): END's, as the machine tells it. A queue ends
/// its commands in order; so it is one of the last ones of the queues, and time is asked only where they are of several
/// layers.
int32_t layer_of_end(const std::vector<int32_t>& command_layers, const schedule::Schedule& schedule,
                     const config::MachineConfig& config, size_t num_layers) {
  const std::vector<passes::Step>& commands = schedule.commands;
  base::IndexedVector<int32_t, bool> uses_unit(num_layers);
  for (size_t i = 0; i < commands.size(); ++i) {
    if (!std::holds_alternative<spec::DmaCommand>(commands[i].command.body)) uses_unit[command_layers[i]] = true;
  }
  const auto is_at_work = [&](size_t i) {
    const auto* dma = std::get_if<spec::DmaCommand>(&commands[i].command.body);
    const bool is_store =
        dma != nullptr && dma->kind != spec::DmaKind::TableFill && dma->dst.base.space == base::MemorySpace::External;
    return dma == nullptr || is_store || !uses_unit[command_layers[i]];
  };
  std::array<std::optional<size_t>, spec::kNumQueues> last;  // command by queue
  for (size_t i = 0; i < commands.size(); ++i) {
    if (is_at_work(i)) last.at(static_cast<size_t>(commands[i].command.header.queue)) = i;
  }
  std::set<int32_t> layers;
  for (const std::optional<size_t>& i : last) {
    if (i) layers.insert(command_layers[*i]);
  }
  if (layers.size() <= 1) return layers.empty() ? 0 : *layers.begin();
  schedule::LinkedCommands linked{{}, schedule.image_address.space};
  for (const passes::Step& step : commands) linked.commands.push_back(step.command);
  schedule::KnownTimes known(config);
  const std::vector<schedule::CommandTime> times = schedule::command_times(linked, config, known);
  std::tuple<int64_t, int64_t, int32_t> latest{-1, -1, 0};
  for (const std::optional<size_t>& i : last) {
    if (i) latest = std::max(latest, std::tuple(times[*i].end_cycle, times[*i].start_cycle, command_layers[*i]));
  }
  return std::get<int32_t>(latest);
}

void add_commands(package::Package& package, const Compiled& compiled, const LayerTable& layers,
                  const std::vector<int32_t>& tensor_index) {
  for (size_t i = 0; i < compiled.schedule.commands.size(); ++i) {
    const passes::Step& step = compiled.schedule.commands[i];
    package::encode(step.command, package.stream);
    package.command_layers.push_back(step.ops.empty() ? 0 : layers.layer_of_op[step.ops.front()]);
    for (size_t p = 0; p < step.productions.size(); ++p) {
      const passes::Production& production = step.productions[p];
      const int32_t tensor_idx = tensor_index[static_cast<size_t>(production.tensor)];
      VERNIER_CHECK(tensor_idx >= 0, "command {} produces a tensor without a place", i);
      package.pieces.push_back({static_cast<int32_t>(i), tensor_idx, production.begin, production.extent, production.step,
                                compiled.schedule.placements[i][p]});
    }
  }
  package::encode({{}, spec::EndCommand{}}, package.stream);
  package.command_layers.push_back(
      layer_of_end(package.command_layers, compiled.schedule, package.config, layers.entries.size()));
}

/// Takes the bytes of the image out of `compiled`.
package::Package assemble(Compiled& compiled, const LayerTable& layers, const ir::Graph& graph, const ModelSource& source,
                          const config::MachineConfig& config, const CompileOptions& options) {
  package::Package package;
  package.model_name = std::filesystem::path(source.file).filename().string();
  package.model_sha256 = base::sha256_hex(source.bytes);
  package.optimize = options.optimize;
  package.config = config;
  package.layers = layers.entries;
  const std::vector<int32_t> tensor_index = add_tensors(package, compiled, graph);
  add_commands(package, compiled, layers, tensor_index);
  package.folded = compiled.program.folded;
  for (const schedule::Placed& block : compiled.schedule.placed) {
    package.sram_blocks.push_back({block.name, block.is_constant, block.offset_bytes, block.offset_bytes + block.size_bytes,
                                   block.first_command, block.last_command});
  }

  package.sram_peak_bytes = compiled.schedule.sram_peak_bytes;
  package.sram_peak = sram_peak_of(compiled.schedule);
  package.planned_sram_bytes = compiled.schedule.planned_bytes;
  package.least_sram_bytes = compiled.schedule.least_bytes;
  package.external_bytes = compiled.schedule.external_bytes;
  schedule::Image& image = compiled.schedule.image;
  package.stream_address = compiled.schedule.image_address;
  package.stream_address.offset += static_cast<uint64_t>(image.stream_offset_bytes);
  VERNIER_CHECK(
      static_cast<int64_t>(image.bytes.size()) - image.stream_offset_bytes == static_cast<int64_t>(package.stream.size()),
      "stream of {} bytes in the room for it", package.stream.size());
  image.bytes.resize(static_cast<size_t>(image.stream_offset_bytes));
  if (!image.bytes.empty()) package.image.push_back({compiled.schedule.image_address, std::move(image.bytes)});
  package.weight_bytes = image.weight_bytes;
  const std::span<const std::byte> network = source.network.empty() ? source.bytes : source.network;
  package.source.assign(network.begin(), network.end());
  package.boundary = source.boundary;
  return package;
}

}  // namespace

package::Package compile(const ir::Graph& graph, const ModelSource& source, const config::MachineConfig& config,
                         const CompileOptions& options) {
  Compiled compiled = run_stages(graph, source.file, config, options);
  return assemble(compiled, make_layer_table(graph, compiled.program), graph, source, config, options);
}

Explained explain(const ir::Graph& graph, const ModelSource& source, const config::MachineConfig& config,
                  const CompileOptions& options) {
  Compiled compiled = run_stages(graph, source.file, config, options, true);
  LayerTable layers = make_layer_table(graph, compiled.program);
  Explained explained;
  explained.package = assemble(compiled, layers, graph, source, config, options);
  explained.layer_of_op = std::move(layers.layer_of_op);
  for (const schedule::StepChoices& step : compiled.schedule.choices) {
    const ir::Operator& op = graph.operators[step.op];
    const std::string name = fmt::format("{} {}", ir::to_string(op.kind), graph.tensor(op.outputs.front()).name);
    for (const cost::Alternatives& choice : step.choices)
      explained.choices.push_back({name, explained.layer_of_op[step.op], choice});
  }
  return explained;
}

std::vector<package::LayerEntry> layer_entries(const ir::Graph& graph, const std::string& file,
                                               const config::MachineConfig& config, const CompileOptions& options) {
  try {
    return make_layer_table(graph, passes::lower(graph, config, {options.optimize}, file)).entries;
  } catch (const base::UserError&) {  // the machine does not take it
    return source_layers(graph);
  }
}

std::string print_stage(const std::string& stage, const ir::Graph& graph, const ModelSource& source,
                        const config::MachineConfig& config, const CompileOptions& options) {
  if (stage == "stream") return package::disassemble(compile(graph, source, config, options));
  const Compiled compiled = run_stages(graph, source.file, config, options, true);
  if (stage == "ir") return ir::print_shortened(graph) + "\n" + passes::print(compiled.program, graph);
  VERNIER_CHECK(stage == "schedule", "stage '{}'", stage);
  return schedule::print(compiled.schedule, graph);
}

}  // namespace vernier::emit
