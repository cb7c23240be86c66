// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/look/inspect.hpp"

#include "compiler/import/file_format.hpp"
#include "compiler/ir/graph.hpp"
#include "hw/base/error.hpp"
#include "hw/base/indexed_vector.hpp"
#include "hw/package/disassembler.hpp"
#include "sim/flow/model/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace vernier::flow {
namespace {

int64_t bytes_of(const ir::TensorInfo& tensor) { return base::num_elements(tensor.shape) * base::stored_bytes(tensor.type); }

/// Bytes of the constants that the operators read, each counted once.
int64_t constant_bytes(const ir::Graph& graph, const std::vector<ir::OpId>& ops) {
  std::set<ir::TensorId> constants;
  for (const ir::OpId op : ops) {
    for (const ir::TensorId id : graph.operators[op].inputs) {
      if (graph.is_constant(id)) constants.insert(id);
    }
  }
  int64_t bytes = 0;
  for (const ir::TensorId id : constants) bytes += bytes_of(graph.tensor(id));
  return bytes;
}

LivePeak live_peak(const ir::Graph& graph) {
  const auto num_ops = static_cast<ir::OpId>(graph.operators.size());
  const base::IndexedVector<ir::TensorId, ir::OpId> producers = graph.producers();
  const auto consumers = graph.consumers();
  std::vector<int64_t> change(graph.operators.size() + 1);  // bytes that come and go with an operator
  for (size_t id = 0; id < graph.tensors.size(); ++id) {
    if (graph.tensors[id].constant) continue;
    const ir::OpId first = std::max(producers[id], 0);
    ir::OpId last = std::max(first, consumers[id].empty() ? first : consumers[id].back());
    if (std::find(graph.outputs.begin(), graph.outputs.end(), static_cast<ir::TensorId>(id)) != graph.outputs.end())
      last = num_ops - 1;
    if (first >= num_ops) continue;
    change[static_cast<size_t>(first)] += bytes_of(graph.tensors[id]);
    change[static_cast<size_t>(last) + 1] -= bytes_of(graph.tensors[id]);
  }
  LivePeak peak;
  int64_t live = 0;
  for (ir::OpId op = 0; op < num_ops; ++op) {
    live += change[static_cast<size_t>(op)];
    if (live > peak.bytes) peak = {live, op, {}, {}};
  }
  if (peak.op_idx < 0) return peak;
  const ir::Operator& op = graph.operators[peak.op_idx];
  peak.kind = ir::to_string(op.kind);
  peak.result = graph.tensor(op.outputs.front()).name;
  return peak;
}

/// Adds what a graph has: the main graph, or one of its regions.
void count(InspectedNetwork& network, std::map<std::string_view, OperatorCount>& kinds, const ir::Graph& graph) {
  for (const ir::Operator& op : graph.operators) {
    const int64_t macs = ir::macs_of(graph, op);
    OperatorCount& kind = kinds[ir::to_string(op.kind)];
    ++kind.count;
    kind.macs += macs;
    network.macs += macs;
  }
  for (const ir::TensorInfo& tensor : graph.tensors) {
    if (tensor.constant) {
      network.constant_bytes += bytes_of(tensor);
    } else {
      network.largest_map_bytes = std::max(network.largest_map_bytes, bytes_of(tensor));
    }
  }
  network.num_operators += std::ssize(graph.operators);
  network.num_layers += std::ssize(ir::layers_of(graph));
}

InspectedNetwork inspect_network(const ir::Graph& graph, const package::Boundary& boundary) {
  InspectedNetwork network{.ends = ends_of(graph, boundary)};
  std::map<std::string_view, OperatorCount> kinds;
  count(network, kinds, graph);
  for (const ir::Region& region : graph.regions) count(network, kinds, region.graph);
  for (auto& [name, kind] : kinds) {
    kind.kind = name;
    network.kinds.push_back(std::move(kind));
  }
  network.live_peak = live_peak(graph);
  return network;
}

/// "3", "3-5", "3-5 and 3 more": indices that ascend.
std::string ranges_text(const std::vector<int64_t>& indices) {
  size_t end = 1;
  while (end < indices.size() && indices[end] == indices[end - 1] + 1) ++end;
  std::string text = fmt::format("{}", indices.front());
  if (end > 1) text += fmt::format("-{}", indices[end - 1]);
  if (end < indices.size()) text += fmt::format(" and {} more", indices.size() - end);
  return text;
}

/// What a package does for each tensor and layer.
class Placement {
 public:
  /// `graph` is null for a package without one.
  Placement(const package::Package& package, const ir::Graph* graph) : commands_(package::list_commands(package)) {
    if (graph != nullptr) consumers_ = graph->consumers();
    for (const package::Piece& piece : package.pieces) {
      std::vector<int64_t>& commands = by_tensor_[package.tensors[piece.tensor_idx].name];
      if (commands.empty() || commands.back() != piece.command_idx) commands.push_back(piece.command_idx);
    }
    for (const package::FoldedTensor& folded : package.folded) folded_[folded.name] = folded.reason;
  }

  /// The commands that write the tensor, or those that it is fused into, or why there are none.
  [[nodiscard]] std::string where(const ir::Graph& graph, ir::TensorId id) const {
    const std::string& name = graph.tensor(id).name;
    const std::string commands = commands_of(graph, id);
    const auto folded = folded_.find(name);
    if (folded == folded_.end()) return commands.empty() ? "-" : commands;
    const std::string& reason = folded->second;
    if (commands.empty() || !reason.starts_with("fused")) return reason;
    const bool is_first = reason.ends_with(" " + name);  // it is what the others are fused into
    return fmt::format("{}: {}", commands, is_first ? "fused with what follows" : reason);
  }

  /// Commands of a layer (-1: of all) by unit: "mac 2, vec 1"; END is none.
  [[nodiscard]] std::string commands_text(int32_t layer) const {
    std::map<std::string, int64_t> counts;
    for (const package::ListedCommand& command : commands_) {
      const bool is_work = !command.unit.empty() && command.unit != "end";
      if (is_work && (layer < 0 || command.layer_idx == layer)) ++counts[command.unit];
    }
    std::string text;
    for (const auto& [unit, number] : counts) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", unit, number);
    return text.empty() ? "none" : text;
  }

 private:
  /// "mac 3-5": who reads what is not written does so in the same command, up to one that is written.
  [[nodiscard]] std::string commands_of(const ir::Graph& graph, ir::TensorId id) const {
    while (true) {
      if (const auto found = by_tensor_.find(graph.tensor(id).name); found != by_tensor_.end())
        return fmt::format("{} {}", unit_of(found->second.front()), ranges_text(found->second));
      const std::vector<ir::OpId>& readers = consumers_[id];
      if (readers.empty()) return "";
      id = graph.operators[readers.front()].outputs.front();
    }
  }
  [[nodiscard]] std::string unit_of(int64_t command) const {
    return command < static_cast<int64_t>(commands_.size()) ? commands_[static_cast<size_t>(command)].unit : "?";
  }
  std::vector<package::ListedCommand> commands_;
  base::IndexedVector<ir::TensorId, std::vector<ir::OpId>> consumers_;  // by tensor
  std::map<std::string, std::vector<int64_t>> by_tensor_;
  std::map<std::string, std::string> folded_;
};

std::vector<InspectedLayer> inspect_layers(const ir::Graph& graph, const package::Package& package,
                                           const Placement& placement) {
  std::vector<InspectedLayer> layers;
  for (const ir::Layer& layer : ir::layers_of(graph)) {
    InspectedLayer found{.name = layer.name, .num_operators = std::ssize(layer.ops)};
    const auto owner = std::find_if(package.layers.begin(), package.layers.end(),
                                    [&](const package::LayerEntry& entry) { return entry.name == layer.name; });
    for (const ir::OpId op : layer.ops) found.macs += ir::macs_of(graph, graph.operators[op]);
    found.constant_bytes = constant_bytes(graph, layer.ops);
    found.result_bytes = bytes_of(graph.tensor(graph.operators[layer.ops.back()].outputs.front()));
    if (owner != package.layers.end()) {
      found.layer_idx = owner - package.layers.begin();
      found.commands = placement.commands_text(static_cast<int32_t>(*found.layer_idx));
    }
    layers.push_back(std::move(found));
  }
  return layers;
}

std::vector<InspectedOperator> inspect_operators(const ir::Graph& graph, const Placement& placement) {
  std::vector<InspectedOperator> operators;
  for (size_t i = 0; i < graph.operators.size(); ++i) {
    const ir::Operator& op = graph.operators[i];
    const ir::TensorInfo& result = graph.tensor(op.outputs.front());
    operators.push_back({.kind = std::string(ir::to_string(op.kind)),
                         .result = result.name,
                         .type = result.type,
                         .shape = result.shape,
                         .macs = ir::macs_of(graph, op),
                         .constant_bytes = constant_bytes(graph, {static_cast<ir::OpId>(i)}),
                         .result_bytes = bytes_of(result),
                         .where = placement.where(graph, op.outputs.front())});
  }
  return operators;
}

InspectedProgram inspect_program(const package::Package& package, const ir::Graph* graph) {
  const Placement placement(package, graph);
  InspectedProgram program;
  program.optimize = package.optimize;
  program.num_commands = static_cast<int64_t>(package.command_layers.size());
  program.commands = placement.commands_text(-1);
  program.sram_peak_bytes = package.sram_peak_bytes;
  program.weight_bytes = package.weight_bytes;
  if (graph == nullptr) return program;
  program.layers = inspect_layers(*graph, package, placement);
  program.operators = inspect_operators(*graph, placement);
  return program;
}

std::string_view format_text(import::FileFormat format) {
  switch (format) {
    case import::FileFormat::TfLite: return "TensorFlow Lite";
    case import::FileFormat::MlirText: return "MLIR";
    case import::FileFormat::Onnx: return "ONNX";
    default: return "TOSA";
  }
}

}  // namespace

Inspection inspect(const InspectRequest& request) {
  Model model = load_model(request.model, request.machine);
  Inspection found;
  found.file = model.file;
  if (model.package) found.package_of = model.package->model_name;
  if (!model.package) {
    found.format = format_text(import::format_of(model.bytes));
  }
  found.notes = model.notes;
  if (model.graph) {
    found.network = inspect_network(*model.graph, model.boundary);
    found.network->variables = starting_variables(model, {});
  }
  found.tflite_rounding = model.tflite_rounding;
  found.rescalings = model.rescalings;
  found.config = config_of(request.machine);  // what is wrong with the options is no matter of the network
  try {
    const package::Package package = package_of(model, request.machine);
    found.program = inspect_program(package, model.graph ? &*model.graph : nullptr);
    if (!model.package) found.machine_notes = notes_of(model, package, request.machine);
    found.config = package.config;
  } catch (const base::UserError& error) {
    if (model.package) throw;
    found.refusal = error.what();
  }
  return found;
}

}  // namespace vernier::flow
