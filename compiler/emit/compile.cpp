// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/compile.hpp"

#include "compiler/emit/layers.hpp"
#include "compiler/emit/layout_costs.hpp"
#include "compiler/passes/program.hpp"
#include "compiler/schedule/schedule.hpp"
#include "hw/base/checksum.hpp"
#include "hw/base/error.hpp"
#include "hw/package/command_codec.hpp"
#include "hw/package/disassembler.hpp"

#include <filesystem>
#include <optional>
#include <utility>

namespace vernier::emit {
namespace {

struct Compiled {
  passes::Program program;
  schedule::Schedule schedule;
};

Compiled run_stages(const ir::Graph& graph, const std::string& file, const config::MachineConfig& config,
                    const CompileOptions& options, bool explain = false) {
  Compiled compiled;
  passes::LoweringOptions lowering{options.optimize};
  const auto lower = [&] {
    compiled.program = passes::lower(graph, config, lowering, file);
    passes::verify(compiled.program, graph, config);
    if (explain) tell_layouts(compiled.program, graph, config, lowering, file);
  };
  lower();
  std::optional<schedule::Schedule> found;
  if (compiled.program.takes_more_room) {
    found = schedule::try_schedule(compiled.program, graph, config, {options.optimize, explain});
    lowering.may_take_more_room = false;  // where they leave no room
    if (!found) lower();
  }
  if (!found) found = schedule::make_schedule(compiled.program, graph, config, {options.optimize, explain}, file);
  compiled.schedule = std::move(*found);
  schedule::verify(compiled.schedule, config);
  return compiled;
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

void add_commands(package::Package& package, const Compiled& compiled, const LayerTable& layers,
                  const std::vector<int32_t>& tensor_index) {
  for (size_t i = 0; i < compiled.schedule.commands.size(); ++i) {
    const passes::Step& step = compiled.schedule.commands[i];
    package::encode(step.command, package.stream);
    package.command_layers.push_back(step.ops.empty() ? 0 : layers.layer_of_op[static_cast<size_t>(step.ops.front())]);
    for (size_t p = 0; p < step.productions.size(); ++p) {
      const passes::Production& production = step.productions[p];
      const int32_t tensor_idx = tensor_index[static_cast<size_t>(production.tensor)];
      VERNIER_CHECK(tensor_idx >= 0, "command {} produces a tensor without a place", i);
      package.pieces.push_back({static_cast<int32_t>(i), tensor_idx, production.begin, production.extent, production.step,
                                compiled.schedule.placements[i][p]});
    }
  }
  package::encode({{}, spec::EndCommand{}}, package.stream);
  package.command_layers.push_back(package.command_layers.empty() ? 0 : package.command_layers.back());
}

}  // namespace

package::Package compile(const ir::Graph& graph, const ModelSource& source, const config::MachineConfig& config,
                         const CompileOptions& options) {
  Compiled compiled = run_stages(graph, source.file, config, options);
  package::Package package;
  package.model_name = std::filesystem::path(source.file).filename().string();
  package.model_sha256 = base::sha256_hex(source.bytes);
  package.optimize = options.optimize;
  package.config = config;
  const LayerTable layers = make_layer_table(graph, compiled.program);
  package.layers = layers.entries;
  const std::vector<int32_t> tensor_index = add_tensors(package, compiled, graph);
  add_commands(package, compiled, layers, tensor_index);
  package.folded = compiled.program.folded;

  schedule::Image& image = compiled.schedule.image;
  package.stream_address = compiled.schedule.image_address;
  package.stream_address.offset += static_cast<uint64_t>(image.stream_offset_bytes);
  VERNIER_CHECK(
      static_cast<int64_t>(image.bytes.size()) - image.stream_offset_bytes == static_cast<int64_t>(package.stream.size()),
      "stream of {} bytes in the room for it", package.stream.size());
  image.bytes.resize(static_cast<size_t>(image.stream_offset_bytes));
  if (!image.bytes.empty()) package.image.push_back({compiled.schedule.image_address, std::move(image.bytes)});
  package.weight_bytes = image.weight_bytes;
  package.sram_peak_bytes = compiled.schedule.sram_peak_bytes;
  package.source.assign(source.bytes.begin(), source.bytes.end());
  return package;
}

std::vector<package::LayerEntry> layer_entries(const ir::Graph& graph, const std::string& file,
                                               const config::MachineConfig& config, const CompileOptions& options) {
  return make_layer_table(graph, passes::lower(graph, config, {options.optimize}, file)).entries;
}

std::string print_stage(const std::string& stage, const ir::Graph& graph, const ModelSource& source,
                        const config::MachineConfig& config, const CompileOptions& options) {
  if (stage == "stream") return package::disassemble(compile(graph, source, config, options));
  const Compiled compiled = run_stages(graph, source.file, config, options, true);
  if (stage == "ir") return ir::print(graph) + "\n" + passes::print(compiled.program, graph);
  VERNIER_CHECK(stage == "schedule", "stage '{}'", stage);
  return schedule::print(compiled.schedule, graph);
}

}  // namespace vernier::emit
