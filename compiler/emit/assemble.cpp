// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/sram_peak.hpp"
#include "compiler/emit/stages.hpp"
#include "compiler/schedule/makespan.hpp"
#include "hw/base/checksum.hpp"
#include "hw/base/error.hpp"
#include "hw/package/command_codec.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace vernier::emit {
namespace {

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

void add_commands(package::Package& package, const Compiled& compiled,
                  const base::IndexedVector<ir::OpId, int32_t>& layer_of_op, const std::vector<int32_t>& tensor_index) {
  for (size_t i = 0; i < compiled.schedule.commands.size(); ++i) {
    const passes::Step& step = compiled.schedule.commands[i];
    package::encode(step.command, package.stream);
    package.command_layers.push_back(step.ops.empty() ? 0 : layer_of_op[step.ops.front()]);
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
      layer_of_end(package.command_layers, compiled.schedule, package.config, package.layers.size()));
}

}  // namespace

package::Package begin_package(const StageInput& input, const ModelSource& source) {
  package::Package package;
  package.model_name = std::filesystem::path(source.file).filename().string();
  package.model_sha256 = base::sha256_hex(source.bytes);
  package.optimize = input.options.optimize;
  package.config = input.config;
  const std::span<const std::byte> network = source.network.empty() ? source.bytes : source.network;
  package.source.assign(network.begin(), network.end());
  package.boundary = source.boundary;
  return package;
}

package::Package assemble(Compiled& compiled, const LayerTable& layers, const StageInput& input, const ModelSource& source) {
  package::Package package = begin_package(input, source);
  package.layers = layers.entries;
  const std::vector<int32_t> tensor_index = add_tensors(package, compiled, input.graph);
  add_commands(package, compiled, layers.layer_of_op, tensor_index);
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
  return package;
}

}  // namespace vernier::emit
