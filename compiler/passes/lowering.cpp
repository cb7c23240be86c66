// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lowering.hpp"

#include "compiler/passes/placements.hpp"

#include <algorithm>

namespace vernier::passes {

Lowering::Lowering(const ir::Graph& source, const config::MachineConfig& machine, const LoweringOptions& lowering_options,
                   const std::string& source_file)
    : graph(source),
      config(machine),
      options(lowering_options),
      file(source_file),
      values_(source.tensors.size()),
      views_(source.tensors.size()),
      is_output_(source.tensors.size()) {
  program.places.resize(graph.tensors.size());
  for (size_t i = 0; i < graph.tensors.size(); ++i) values_[i] = graph.tensors[i].constant;
  for (const ir::TensorId id : graph.outputs) is_output_[static_cast<size_t>(id)] = true;
  for (const ir::TensorId id : graph.inputs) {
    if (views_[static_cast<size_t>(id)]) continue;
    const TensorPlace& place = materialise(id, dense_placement(shape(id), type(id)));
    program.buffers[static_cast<size_t>(place.buffer)].is_filled_at_start = true;
  }
}

void Lowering::set_value(ir::TensorId id, base::Tensor value) {
  values_[static_cast<size_t>(id)] = std::make_shared<const base::Tensor>(std::move(value));
}

std::optional<int64_t> Lowering::uniform_value(ir::TensorId id) const {
  const base::Tensor* tensor = value(id);
  if (tensor == nullptr || tensor->size() == 0) return std::nullopt;
  for (int64_t i = 1; i < tensor->size(); ++i) {
    if (tensor->at(i) != tensor->at(0)) return std::nullopt;
  }
  return tensor->at(0);
}

const base::Tensor& Lowering::constant_operand(const ir::Operator& op, size_t operand_idx, std::string_view what) const {
  const base::Tensor* tensor = value(op.inputs.at(operand_idx));
  if (tensor == nullptr) {
    throw base::UserError(file, "{} has a computed {}, which is not there yet; allowed is a constant", describe(op), what);
  }
  return *tensor;
}

int64_t Lowering::scalar_operand(const ir::Operator& op, size_t operand_idx, std::string_view what) const {
  return constant_operand(op, operand_idx, what).at(0);
}

std::string Lowering::describe(const ir::Operator& op) const {
  return fmt::format("{} '{}'", ir::to_string(op.kind), op.outputs.empty() ? "" : graph.tensor(op.outputs[0]).name);
}

BufferId Lowering::add_buffer(Buffer buffer) {
  program.buffers.push_back(std::move(buffer));
  return static_cast<BufferId>(program.buffers.size() - 1);
}

BufferId Lowering::constant_buffer(ir::TensorId id) { return view(id).buffer; }

ir::TensorId Lowering::canonical_table(ir::TensorId id) {
  const base::Tensor* table = value(id);
  VERNIER_CHECK(table != nullptr, "table '{}' is not constant", graph.tensor(id).name);
  const auto bytes = table->bytes();
  const std::string key(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return tables_.try_emplace(key, id).first->second;
}

BufferId Lowering::table_buffer(ir::TensorId id) {
  const ir::TensorId canonical = canonical_table(id);
  const auto found = table_buffers_.find(canonical);
  if (found != table_buffers_.end()) return found->second;
  const auto bytes = value(canonical)->bytes();
  const BufferId buffer = add_buffer({.name = graph.tensor(canonical).name,
                                      .kind = BufferKind::Table,
                                      .size_bytes = static_cast<int64_t>(bytes.size()),
                                      .contents = {bytes.begin(), bytes.end()}});
  return table_buffers_[canonical] = buffer;
}

const TensorPlace& Lowering::materialise(ir::TensorId id, const package::Placement& placement) {
  const auto index = static_cast<size_t>(id);
  VERNIER_CHECK(!views_[index], "tensor '{}' is materialised twice", graph.tensor(id).name);
  const BufferId buffer = add_buffer({.name = graph.tensor(id).name,
                                      .is_read_at_end = is_output(id),
                                      .size_bytes = placed_bytes(placement, shape(id), type(id)),
                                      .contents = {}});
  program.places[index] = views_[index] = TensorPlace{buffer, placement};
  return *views_[index];
}

void Lowering::set_view(ir::TensorId id, const TensorPlace& place) { views_[static_cast<size_t>(id)] = place; }

const TensorPlace& Lowering::view(ir::TensorId id) {
  std::optional<TensorPlace>& place = views_[static_cast<size_t>(id)];
  if (place) return *place;
  const base::Tensor* constant = value(id);
  VERNIER_CHECK(constant != nullptr, "tensor '{}' is read before it is produced", graph.tensor(id).name);
  const auto bytes = constant->bytes();
  const BufferId buffer = add_buffer({.name = graph.tensor(id).name,
                                      .kind = BufferKind::Constant,
                                      .size_bytes = static_cast<int64_t>(bytes.size()),
                                      .contents = {bytes.begin(), bytes.end()}});
  place = TensorPlace{buffer, dense_placement(shape(id), type(id))};
  return *place;
}

void Lowering::add_folded(ir::TensorId id, std::string reason) {
  program.folded.push_back({graph.tensor(id).name, std::move(reason)});
}

void Lowering::add_step(Step step) { program.steps.push_back(std::move(step)); }

Production Lowering::whole(ir::TensorId id, int32_t row_dim, int32_t channel_dim) const {
  return {id, base::Shape(shape(id).size(), 0), shape(id), row_dim, channel_dim};
}

}  // namespace vernier::passes
