// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lowering.hpp"

#include "compiler/cost/row_streams.hpp"
#include "compiler/passes/computed_weights.hpp"
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
      is_output_(source.tensors.size()),
      is_folded_(source.tensors.size()),
      producers_(source.producers()) {
  program.places.resize(graph.tensors.size());
  for (size_t i = 0; i < graph.tensors.size(); ++i) values_[i] = graph.tensors[i].constant;
  for (const ir::TensorId id : graph.outputs) is_output_[id] = true;
  for (const ir::TensorId id : graph.inputs) {
    if (views_[id]) continue;
    const TensorPlace& place = materialise(id, dense_placement(shape(id), type(id)));
    program.buffers[place.buffer].is_filled_at_start = true;
  }
}

void Lowering::set_value(ir::TensorId id, base::Tensor value) {
  values_[id] = std::make_shared<const base::Tensor>(std::move(value));
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

TableId Lowering::add_table(const std::string& name, std::vector<std::byte> contents) {
  const std::string key(reinterpret_cast<const char*>(contents.data()), contents.size());
  const auto [found, is_new] = table_ids_.try_emplace(key, static_cast<TableId>(tables_.size()));
  if (is_new) tables_.push_back({name, std::move(contents)});
  return found->second;
}

TableId Lowering::add_table(ir::TensorId table) {
  if (const base::Tensor* known = value(table)) {
    const auto bytes = known->bytes();
    return add_table(graph.tensor(table).name, {bytes.begin(), bytes.end()});
  }
  const auto found = std::find_if(tables_.begin(), tables_.end(), [&](const Table& t) { return t.computed == table; });
  if (found != tables_.end()) return static_cast<TableId>(found - tables_.begin());
  tables_.push_back({graph.tensor(table).name, {}, table});
  return static_cast<TableId>(tables_.size() - 1);
}

BufferId Lowering::computed_table(ir::TensorId table, const std::vector<ir::OpId>& ops) {
  const int64_t bytes = shape(table)[0] * base::stored_bytes(type(table));
  const Lines lines = as_lines(*this, table, 0, ops);
  const Buffer& buffer = program.buffers[lines.buffer];
  if (lines.offset_bytes == 0 && buffer.size_bytes == bytes) return lines.buffer;
  const CopySource copy = add_scratch(*this, table, shape(table), type(table));
  add_strided_copy(*this, source_of(view(table), shape(table), type(table)), copy, shape(table), type(table), ops);
  return copy.buffer;
}

BufferId Lowering::table_buffer(TableId id, const std::vector<ir::OpId>& ops) {
  Table& table = tables_.at(id);
  if (table.buffer < 0 && table.computed >= 0) {
    const BufferId buffer = computed_table(table.computed, ops);
    return tables_.at(id).buffer = buffer;
  }
  if (table.buffer < 0) {
    table.buffer = add_buffer({.name = table.name,
                               .kind = BufferKind::Table,
                               .size_bytes = static_cast<int64_t>(table.contents.size()),
                               .contents = table.contents});
  }
  return table.buffer;
}

const TensorPlace& Lowering::materialise(ir::TensorId id, const package::Placement& placement) {
  const auto index = static_cast<size_t>(id);
  VERNIER_CHECK(!views_[index], "tensor '{}' is materialised twice", graph.tensor(id).name);
  const auto part = parts_.find(id);
  if (part != parts_.end()) {
    const TensorPlace& whole = view(part->second.whole);
    views_[index] = TensorPlace{whole.buffer, slice_placement(whole.placement, part->second.begin, type(id))};
    add_folded(id, fmt::format("written into {} (CONCAT)", graph.tensor(part->second.whole).name));
    return *views_[index];
  }
  const BufferId buffer = add_buffer({.name = graph.tensor(id).name,
                                      .is_read_at_end = is_output(id),
                                      .size_bytes = placed_bytes(placement, shape(id), type(id)),
                                      .contents = {}});
  program.places[index] = views_[index] = TensorPlace{buffer, placement};
  return *views_[index];
}

void Lowering::set_view(ir::TensorId id, const TensorPlace& place) { views_[id] = place; }

const TensorPlace& Lowering::view(ir::TensorId id) {
  std::optional<TensorPlace>& place = views_[id];
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

package::Placement Lowering::placement(ir::TensorId id) const {
  const std::optional<TensorPlace>& place = views_[id];
  return place ? place->placement : dense_placement(shape(id), type(id));
}

void Lowering::add_folded(ir::TensorId id, std::string reason) {
  if (is_folded_[id]) return;
  is_folded_[id] = true;
  program.folded.push_back({graph.tensor(id).name, std::move(reason)});
}

void Lowering::add_step(Step step) {
  for (Production& production : step.productions) {
    const auto part = parts_.find(production.tensor);
    if (part == parts_.end()) continue;
    production.tensor = part->second.whole;
    for (size_t d = 0; d < production.begin.size(); ++d) production.begin[d] += part->second.begin[d];
  }
  const auto* vector = std::get_if<spec::VectorCommand>(&step.command.body);
  if (vector != nullptr && is_optimizing() && options.may_take_more_room && !program.takes_more_room) {
    // Several rows at a time make a longer command (schedule/rows_in_streams.hpp).
    program.takes_more_room = cost::gains_from_row_streams(*vector, config);
  }
  program.steps.push_back(std::move(step));
}

Production Lowering::whole(ir::TensorId id, int32_t row_dim, int32_t channel_dim) const {
  return {id, base::Shape(shape(id).size(), 0), shape(id), row_dim, channel_dim};
}

}  // namespace vernier::passes
