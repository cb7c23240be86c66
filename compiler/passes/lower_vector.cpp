// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lower_vector.hpp"

#include "compiler/passes/elementwise.hpp"
#include "compiler/passes/loop_nest.hpp"

#include <algorithm>

namespace vernier::passes {
namespace {

using ir::OpKind;
using spec::VectorOp;
using spec::VectorPhase;

Value emit_reduction(const Lowering& lowering, const ir::Operator& op, Microprogram& program, Value value) {
  const base::ElementType type = lowering.type(op.inputs[0]);
  switch (op.kind) {
    case OpKind::ReduceMax: return program.reduce(value, VectorOp::Maximum, VectorOp::ReduceMax, base::min_value(type));
    case OpKind::ReduceMin: return program.reduce(value, VectorOp::Minimum, VectorOp::ReduceMin, base::max_value(type));
    default: return program.reduce(value, VectorOp::Add, VectorOp::ReduceAdd, 0);
  }
}

struct Built {
  IterationSpace space;
  Microprogram program;
};

bool is_stored(const Lowering& lowering, ir::TensorId id, std::span<const ir::OpId> ops,
               const std::vector<std::vector<ir::OpId>>& consumers) {
  if (lowering.is_output(id) || !lowering.is_optimizing()) return true;
  const auto& readers = consumers[static_cast<size_t>(id)];
  return std::any_of(readers.begin(), readers.end(),
                     [&](ir::OpId reader) { return std::find(ops.begin(), ops.end(), reader) == ops.end(); });
}

Built build(Lowering& lowering, std::span<const ir::OpId> ops, const std::vector<std::vector<ir::OpId>>& consumers) {
  Built group;
  std::map<ir::TensorId, Value> inner;
  for (const ir::OpId id : ops) {
    const ir::Operator& op = lowering.op(id);
    const ir::TensorId result = op.outputs[0];
    const IterationSpace space = iteration_space(lowering, op);
    if (group.space.reduced_axis < 0) group.space = space;
    Emitter emitter(lowering, op, group.program, inner);
    const bool stored = is_stored(lowering, result, ops, consumers);
    if (space.reduced_axis >= 0) {
      const Value value = emit_reduction(lowering, op, group.program, emitter.operand(0));
      if (stored) group.program.store(value, result, VectorPhase::Final);
      continue;
    }
    const EmitFunction emit = find_emit_function(op.kind);
    inner[result] = emit != nullptr ? emit(emitter) : emitter.operand(0);  // a reduction of one element is that element
    if (stored) group.program.store(inner[result], result, VectorPhase::Body);
  }
  return group;
}

bool reduces_lanes(const IterationSpace& space) {
  if (space.reduced_axis < 0) return false;
  const auto inside = space.shape.begin() + space.reduced_axis + 1;
  return std::all_of(inside, space.shape.end(), [](int64_t extent) { return extent == 1; });
}

PlacedOperand placed(Lowering& lowering, const StreamUse& use) {
  return {lowering.view(use.tensor).placement, lowering.shape(use.tensor), lowering.type(use.tensor)};
}

spec::VectorCommand make_command(Lowering& lowering, const Built& group, const LoopNest& nest) {
  spec::VectorCommand command;
  command.lanes_reduced = reduces_lanes(group.space);
  command.kept_loops = group.space.reduced_axis >= 0 ? nest.num_kept : spec::kNumVectorLoops;
  command.lanes = nest.lane.extent;
  VERNIER_CHECK(nest.loops.size() <= spec::kNumVectorLoops, "{} loops around the lanes", nest.loops.size());
  for (size_t i = 0; i < nest.loops.size(); ++i) command.counts[i] = nest.loops[i].extent;
  const auto& uses = group.program.streams();
  for (size_t s = 0; s < uses.size(); ++s) {
    spec::VectorStream stream;
    stream.base = static_cast<int64_t>(lowering.view(uses[s].tensor).placement.base.offset);
    stream.type = lowering.type(uses[s].tensor);
    stream.is_unsigned = uses[s].is_unsigned;
    stream.lane_stride_bytes = nest.lane.strides[s];
    for (size_t i = 0; i < nest.loops.size(); ++i) stream.strides_bytes[i] = nest.loops[i].strides[s];
    command.streams.push_back(stream);
  }
  auto steps = group.program.assemble(command.lanes_reduced);
  VERNIER_CHECK(steps.has_value(), "operators that do not fit one vector command");
  command.steps = std::move(*steps);
  return command;
}

}  // namespace

bool is_reduction(OpKind kind) {
  return kind == OpKind::ReduceMax || kind == OpKind::ReduceMin || kind == OpKind::ReduceSum;
}

bool is_vector_op(OpKind kind) { return is_reduction(kind) || find_emit_function(kind) != nullptr; }

IterationSpace iteration_space(const Lowering& lowering, const ir::Operator& op) {
  if (!is_reduction(op.kind)) return {lowering.shape(op.outputs[0])};
  const base::Shape& shape = lowering.shape(op.inputs[0]);
  const int64_t axis = op.attributes_as<ir::AxisAttributes>().axis;
  return {shape, shape[static_cast<size_t>(axis)] == 1 ? -1 : axis};
}

bool fits_one_command(Lowering& lowering, std::span<const ir::OpId> ops,
                      const std::vector<std::vector<ir::OpId>>& consumers) {
  const Built group = build(lowering, ops, consumers);
  return group.program.assemble(reduces_lanes(group.space)).has_value();
}

void lower_vector(Lowering& lowering, std::span<const ir::OpId> ops, const std::vector<std::vector<ir::OpId>>& consumers,
                  const std::function<package::Placement(ir::TensorId)>& placement_of) {
  const Built group = build(lowering, ops, consumers);
  std::vector<PlacedOperand> operands;
  Step step;
  for (size_t i = 0; i < group.program.streams().size(); ++i) {
    const StreamUse& use = group.program.streams()[i];
    if (use.is_store) lowering.materialise(use.tensor, placement_of(use.tensor));
    operands.push_back(placed(lowering, use));
    step.operands.push_back({AddressField::Stream0, static_cast<int32_t>(i), lowering.view(use.tensor).buffer});
  }
  const LoopNest nest =
      make_loop_nest(group.space.shape, group.space.reduced_axis, operands, lowering.lanes(), lowering.is_optimizing());
  step.command = {{spec::Queue::VectorUnit, 0, 0}, make_command(lowering, group, nest)};
  for (const ir::TensorId table : group.program.tables()) step.tables.push_back(lowering.table_buffer(table));
  step.ops.assign(ops.begin(), ops.end());
  const int32_t row_dim = nest.row_dim();
  step.can_split_rows = row_dim >= 0;
  for (const StreamUse& use : group.program.streams()) {
    if (use.is_store) step.productions.push_back(lowering.whole(use.tensor, row_dim));
  }
  lowering.add_step(std::move(step));
}

}  // namespace vernier::passes
