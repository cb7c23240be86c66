// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/program.hpp"
#include "hw/base/error.hpp"
#include "hw/package/command_codec.hpp"

#include <algorithm>
#include <set>

namespace vernier::passes {
namespace {

bool takes_field(const spec::Command& command, const Operand& operand) {
  if (std::holds_alternative<spec::MacCommand>(command.body)) return operand.field <= AddressField::Output;
  if (std::holds_alternative<spec::DmaCommand>(command.body)) {
    return operand.field == AddressField::Source || operand.field == AddressField::Destination ||
           operand.field == AddressField::Indices;
  }
  const auto* vector = std::get_if<spec::VectorCommand>(&command.body);
  return vector != nullptr && operand.field == AddressField::Stream0 && operand.stream_idx >= 0 &&
         operand.stream_idx < static_cast<int32_t>(vector->streams.size());
}

size_t num_addresses(const spec::Command& command) {
  if (const auto* vector = std::get_if<spec::VectorCommand>(&command.body)) return vector->streams.size();
  if (const auto* mac = std::get_if<spec::MacCommand>(&command.body)) return mac->residual ? 5 : 4;
  if (const auto* dma = std::get_if<spec::DmaCommand>(&command.body)) {
    const bool has_indices = dma->kind == spec::DmaKind::Gather || dma->kind == spec::DmaKind::Scatter;
    return dma->kind == spec::DmaKind::Fill ? 1 : has_indices ? 3 : 2;
  }
  return 2;
}

void verify_step(const Program& program, const Step& step, size_t index, const config::MachineConfig& config) {
  const package::Validity validity = package::check(step.command, config.datapath);
  VERNIER_CHECK(validity.fault == spec::FaultCode::None, "step {}: {}", index, validity.detail);
  std::set<std::pair<AddressField, int32_t>> fields;
  for (const Operand& operand : step.operands) {
    VERNIER_CHECK(operand.buffer >= 0 && static_cast<size_t>(operand.buffer) < program.buffers.size(),
                  "step {} names buffer {}", index, operand.buffer);
    VERNIER_CHECK(takes_field(step.command, operand), "step {} has no address field {}", index,
                  static_cast<int>(operand.field));
    VERNIER_CHECK(fields.emplace(operand.field, operand.stream_idx).second, "step {} places field {} twice", index,
                  static_cast<int>(operand.field));
  }
  VERNIER_CHECK(fields.size() == num_addresses(step.command), "step {} places {} of {} addresses", index, fields.size(),
                num_addresses(step.command));
  VERNIER_CHECK(step.tables.size() <= spec::kNumTableSlots, "step {} uses {} tables", index, step.tables.size());
  for (const BufferId table : step.tables) {
    const BufferKind kind = program.buffers.at(table).kind;  // a map holds a table that is computed
    VERNIER_CHECK(kind == BufferKind::Table || kind == BufferKind::FeatureMap, "step {}: buffer {} is no table", index,
                  table);
  }
}

void verify_production(const Program& program, const Production& production, size_t index, const ir::Graph& graph) {
  const ir::TensorInfo& tensor = graph.tensor(production.tensor);
  VERNIER_CHECK(program.places.at(production.tensor).has_value(), "step {} makes '{}', which has no place", index,
                tensor.name);
  const size_t rank = tensor.shape.size();
  VERNIER_CHECK(production.begin.size() == rank && production.extent.size() == rank, "step {}: box of '{}'", index,
                tensor.name);
  for (size_t d = 0; d < rank; ++d) {
    VERNIER_CHECK(production.begin[d] >= 0 && production.extent[d] > 0 && production.step_of(d) >= 1 &&
                      production.begin[d] + (production.extent[d] - 1) * production.step_of(d) < tensor.shape[d],
                  "step {}: box of '{}' leaves the tensor", index, tensor.name);
  }
  VERNIER_CHECK(production.step.empty() || (production.step.size() == rank && production.step.back() == 1),
                "step {}: steps of the box of '{}'", index, tensor.name);
  VERNIER_CHECK(production.row_dim < static_cast<int64_t>(rank) && production.channel_dim < static_cast<int64_t>(rank),
                "step {}: dimensions of '{}'", index, tensor.name);
}

}  // namespace

void verify(const Program& program, const ir::Graph& graph, const config::MachineConfig& config) {
  for (const Buffer& buffer : program.buffers) {
    VERNIER_CHECK(buffer.size_bytes > 0, "buffer '{}' is empty", buffer.name);
    VERNIER_CHECK(buffer.contents.size() == (buffer.is_constant() ? static_cast<size_t>(buffer.size_bytes) : 0),
                  "buffer '{}' of {} bytes has {} of contents", buffer.name, buffer.size_bytes, buffer.contents.size());
  }
  VERNIER_CHECK(program.places.size() == graph.tensors.size(), "{} places", program.places.size());
  std::vector<int64_t> elements(graph.tensors.size());  // made by steps; boxes of a tensor do not overlap
  for (size_t i = 0; i < program.steps.size(); ++i) {
    verify_step(program, program.steps[i], i, config);
    VERNIER_CHECK(program.steps[i].ops.empty() == graph.operators.empty(), "step {} works for no operator", i);
    for (const Production& production : program.steps[i].productions) {
      verify_production(program, production, i, graph);
      elements[static_cast<size_t>(production.tensor)] += base::num_elements(production.extent);
    }
  }
  for (const ir::TensorId id : graph.inputs) elements[static_cast<size_t>(id)] += base::num_elements(graph.tensor(id).shape);
  for (const ir::TensorId id : graph.outputs) {
    VERNIER_CHECK(program.places[id].has_value(), "output '{}' has no place", graph.tensor(id).name);
  }
  std::set<std::string> folded;
  for (const package::FoldedTensor& tensor : program.folded) folded.insert(tensor.name);
  for (size_t id = 0; id < graph.tensors.size(); ++id) {
    const ir::TensorInfo& tensor = graph.tensors[id];
    if (!program.places[id]) continue;
    const bool is_listed_twice = std::count(graph.inputs.begin(), graph.inputs.end(), static_cast<ir::TensorId>(id)) > 1;
    VERNIER_CHECK(elements[id] == base::num_elements(tensor.shape) || is_listed_twice, "{} of {} elements of '{}' are made",
                  elements[id], base::num_elements(tensor.shape), tensor.name);
  }
  for (const ir::Operator& op : graph.operators) {
    for (const ir::TensorId id : op.outputs) {
      VERNIER_CHECK(program.places[id].has_value() != folded.contains(graph.tensor(id).name),
                    "'{}' is neither made nor folded, or both", graph.tensor(id).name);
    }
  }
}

}  // namespace vernier::passes
