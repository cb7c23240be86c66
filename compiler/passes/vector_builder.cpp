// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/vector_builder.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace vernier::passes {
namespace {

using ir::OpKind;
using spec::VectorOp;
using spec::VectorPhase;

bool contains(std::span<const ir::OpId> ops, ir::OpId id) { return std::find(ops.begin(), ops.end(), id) != ops.end(); }

/// Which tensors follow from what the group reduces.
class RowTensors {
 public:
  RowTensors(const Lowering& lowering, const Recompute& recompute, std::span<const ir::OpId> ops)
      : lowering_(lowering), recompute_(recompute), ops_(ops) {}

  bool contain(ir::TensorId id) {
    const auto known = known_.find(id);
    if (known != known_.end()) return known->second;
    return known_[id] = find(lowering_.producer(id));
  }
  bool has_input_of(const ir::Operator& op) {
    return std::any_of(op.inputs.begin(), op.inputs.end(), [&](ir::TensorId input) { return contain(input); });
  }

 private:
  bool find(ir::OpId producer) {
    if (producer < 0) return false;
    const bool is_member = contains(ops_, producer);
    if (!is_member && !recompute_.is_recomputed(producer)) return false;
    const ir::Operator& op = lowering_.op(producer);
    return (is_member && iteration_space(lowering_, op).reduced_axis >= 0) || has_input_of(op);
  }

  const Lowering& lowering_;
  const Recompute& recompute_;
  std::span<const ir::OpId> ops_;
  std::map<ir::TensorId, bool> known_;
};

bool reduces_lanes(const IterationSpace& space) {
  if (space.reduced_axis < 0) return false;
  const auto inside = space.shape.begin() + space.reduced_axis + 1;
  return std::all_of(inside, space.shape.end(), [](int64_t extent) { return extent == 1; });
}

class Builder : public OperandSource {
 public:
  Builder(Lowering& lowering, const Recompute& recompute, const VectorGroup& group, const VectorVariant& variant)
      : lowering_(lowering), recompute_(recompute), group_(group), variant_(variant) {
    result_.space = group.space;
    if (variant.has_rows) result_.space.reduced_axis = static_cast<int64_t>(group.space.shape.size()) - 1;
    result_.lanes_reduced = reduces_lanes(result_.space);
    result_.program = Microprogram(has_rows());
  }

  VectorProgram run() {
    RowTensors rows(lowering_, recompute_, group_.ops);
    for (const ir::OpId id : group_.ops) {
      const ir::TensorId tensor = lowering_.op(id).outputs[0];
      if (!is_stored(tensor)) continue;
      const bool is_row = rows.contain(tensor);
      note_reader(tensor, -1);
      result_.program.store(value_of(tensor), tensor, is_row ? VectorPhase::Final : VectorPhase::Body);
      result_.stores.push_back(tensor);
      if (is_row) result_.row_stores.push_back(tensor);
    }
    find_tables();
    return std::move(result_);
  }

  std::optional<Value> computed(ir::TensorId id) override {
    if (!is_computed_here(id)) return std::nullopt;
    return value_of(id);
  }

  [[nodiscard]] bool is_computed(ir::TensorId id) const override { return is_computed_here(id); }

  void leave_out(ir::OpId op) override {
    if (recompute_.is_recomputed(op) && !contains(result_.recomputed, op)) result_.recomputed.push_back(op);
  }

  Value load(ir::TensorId id, bool is_unsigned, int64_t subtract, int64_t shift) override {
    StreamUse use{id, is_unsigned, false, {}};
    if (seen_as_) use.shape = *seen_as_;
    const base::Shape& shape = seen_as_ ? *seen_as_ : lowering_.shape(id);
    const int64_t axis =
        result_.space.reduced_axis - static_cast<int64_t>(result_.space.shape.size()) + static_cast<int64_t>(shape.size());
    const bool is_for_row = has_rows() && (axis < 0 || shape[static_cast<size_t>(axis)] == 1);
    return result_.program.load(use, subtract, shift, is_for_row);
  }

  [[nodiscard]] bool prefers_shifts() const override { return variant_.prefers_shifts; }

 private:
  [[nodiscard]] bool has_rows() const { return result_.space.reduced_axis >= 0; }

  [[nodiscard]] bool is_stored(ir::TensorId id) const {
    if (lowering_.is_output(id) || !lowering_.is_optimizing()) return true;
    const auto& readers = recompute_.consumers()[id];
    return std::any_of(readers.begin(), readers.end(), [&](ir::OpId reader) { return !contains(group_.ops, reader); });
  }

  [[nodiscard]] bool is_computed_here(ir::TensorId id) const {
    const ir::OpId producer = lowering_.producer(id);
    return producer >= 0 && (contains(group_.ops, producer) || recompute_.is_recomputed(producer));
  }

  Value value_of(ir::TensorId id) {
    const std::pair<ir::TensorId, base::Shape> key{id, seen_as_ ? *seen_as_ : lowering_.shape(id)};
    const auto found = values_.find(key);
    if (found != values_.end()) return found->second;
    const bool is_table = std::find(variant_.tables.begin(), variant_.tables.end(), id) != variant_.tables.end();
    const Value value = is_table ? look_up(id) : compute(lowering_.producer(id));
    return values_[key] = value;
  }

  Value compute(ir::OpId id) {
    const ir::Operator& op = lowering_.op(id);
    if (recompute_.is_recomputed(id) && !contains(result_.recomputed, id)) result_.recomputed.push_back(id);
    for (size_t i = 0; i < num_element_operands(op); ++i) note_reader(op.inputs[i], id);
    Emitter emitter(lowering_, op, result_.program, *this);
    if (const EmitFunction emit = find_emit_function(op.kind)) return emit(emitter);
    if (iteration_space(lowering_, op).reduced_axis >= 0 && is_reduction(op.kind)) return reduce(op, emitter.operand(0));
    if (op.kind != OpKind::Reshape || seen_as_) return emitter.operand(0);  // also a reduction of one element
    seen_as_ = lowering_.shape(op.outputs[0]);
    const Value value = emitter.operand(0);
    seen_as_.reset();
    return value;
  }

  Value reduce(const ir::Operator& op, Value value) {
    const base::ElementType type = lowering_.type(op.inputs[0]);
    Microprogram& program = result_.program;
    switch (op.kind) {
      case OpKind::ReduceMax: return program.reduce(value, VectorOp::Maximum, VectorOp::ReduceMax, base::min_value(type));
      case OpKind::ReduceAny: return program.reduce(value, VectorOp::Maximum, VectorOp::ReduceMax, 0);
      case OpKind::ReduceAll: return program.reduce(value, VectorOp::Minimum, VectorOp::ReduceMin, 1);
      case OpKind::ReduceMin: return program.reduce(value, VectorOp::Minimum, VectorOp::ReduceMin, base::max_value(type));
      default: return program.reduce(value, VectorOp::Add, VectorOp::ReduceAdd, 0);
    }
  }

  /// The farthest source of a tensor that is at hand, -1 for none.
  [[nodiscard]] ir::TensorId source_of(ir::TensorId id) const {
    ir::TensorId farthest = -1;
    for (ir::TensorId source = id; source == id || is_computed_here(source);) {
      source = recompute_.domains().source(source);
      if (source < 0 || !is_made_here(source, id)) break;
      farthest = source;
    }
    return farthest;
  }

  /// Whether nothing on the way from a source lies in memory instead: the source then is not among what this group reads,
  /// and need not lie anywhere.
  [[nodiscard]] bool is_made_here(ir::TensorId source, ir::TensorId id) const {
    const auto way = recompute_.domains().operators_between(source, id);
    return std::all_of(way.begin(), way.end(), [&](ir::OpId op) { return is_computed_here(lowering_.op(op).outputs[0]); });
  }

  Value look_up(ir::TensorId id) {
    const ir::TensorId source = source_of(id);
    for (const ir::OpId op : recompute_.domains().operators_between(source, id)) {
      if (recompute_.is_recomputed(op) && !contains(result_.recomputed, op)) result_.recomputed.push_back(op);
    }
    const Value index = is_computed_here(source) ? value_of(source) : load(source, false, 0, 0);
    const TableId table = recompute_.domains().add_table(lowering_, source, id);
    return result_.program.step(
        {.op = VectorOp::Table, .slot = result_.program.table(table), .type = table_entry_type(lowering_.type(id))}, index);
  }

  void note_reader(ir::TensorId id, ir::OpId reader) { readers_[id].insert(reader); }

  /// Functions of a source that something else than such a function reads.
  void find_tables() {
    for (const auto& [id, readers] : readers_) {
      if (!is_computed_here(id)) continue;
      const ir::TensorId source = source_of(id);
      if (source < 0) continue;
      const bool is_end = std::any_of(readers.begin(), readers.end(), [&](ir::OpId reader) {
        return reader < 0 || source_of(lowering_.op(reader).outputs[0]) < 0;
      });
      const auto chain = recompute_.domains().operators_between(source, id);
      const bool is_one_table = chain.size() == 1 && lowering_.op(chain[0]).kind == OpKind::Table &&
                                lowering_.type(source) == base::ElementType::Int8;
      if (is_end && !is_one_table) result_.can_be_tables.push_back(id);
    }
  }

  Lowering& lowering_;
  const Recompute& recompute_;
  const VectorGroup& group_;
  const VectorVariant& variant_;
  VectorProgram result_;
  std::map<std::pair<ir::TensorId, base::Shape>, Value> values_;
  std::map<ir::TensorId, std::set<ir::OpId>> readers_;  // -1: stored
  std::optional<base::Shape> seen_as_;                  // what a RESHAPE above makes of the tensors below it
};

}  // namespace

std::optional<VectorGroup> make_group(const Lowering& lowering, const Recompute& recompute, std::span<const ir::OpId> ops) {
  VectorGroup group{ops, iteration_space(lowering, lowering.op(ops[0]))};
  for (const ir::OpId id : ops) {
    const IterationSpace space = iteration_space(lowering, lowering.op(id));
    if (space.reduced_axis < 0) continue;
    const bool agrees =
        group.space.reduced_axis < 0 || (group.space.shape == space.shape && group.space.reduced_axis == space.reduced_axis);
    if (!agrees) return std::nullopt;
    group.space = space;
  }
  RowTensors row_tensors(lowering, recompute, ops);
  base::Shape rows = group.space.shape;
  if (group.space.reduced_axis >= 0) rows[static_cast<size_t>(group.space.reduced_axis)] = 1;
  for (const ir::OpId id : ops) {
    const ir::Operator& op = lowering.op(id);
    if (iteration_space(lowering, op).shape != (row_tensors.has_input_of(op) ? rows : group.space.shape))
      return std::nullopt;
  }
  return group;
}

VectorProgram build_vector(Lowering& lowering, const Recompute& recompute, const VectorGroup& group,
                           const VectorVariant& variant) {
  return Builder(lowering, recompute, group, variant).run();
}

}  // namespace vernier::passes
