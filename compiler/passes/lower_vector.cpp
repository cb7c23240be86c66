// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lower_vector.hpp"

#include "compiler/passes/elementwise.hpp"
#include "compiler/passes/loop_nest.hpp"
#include "compiler/passes/placements.hpp"
#include "compiler/passes/vector_choice.hpp"

namespace vernier::passes {
namespace {

using ir::OpKind;

PlacedOperand placed(Lowering& lowering, const StreamUse& use) {
  const package::Placement& placement = lowering.view(use.tensor).placement;
  const base::Shape& shape = lowering.shape(use.tensor);
  const base::ElementType type = lowering.type(use.tensor);
  if (use.shape.empty() || use.shape == shape) return {placement, shape, type};
  VERNIER_CHECK(is_dense(placement, shape, type), "'{}' is read in another shape, but not dense",
                lowering.graph.tensor(use.tensor).name);
  return {dense_placement(use.shape, type), use.shape, type};
}

spec::VectorCommand make_command(Lowering& lowering, const VectorChoice& choice, const LoopNest& nest) {
  const VectorProgram& built = choice.built;
  spec::VectorCommand command;
  command.lanes_reduced = built.lanes_reduced;
  command.kept_loops = built.space.reduced_axis >= 0 ? nest.num_kept : spec::kNumVectorLoops;
  command.lanes = nest.lane.extent;
  VERNIER_CHECK(nest.loops.size() <= spec::kNumVectorLoops, "{} loops around the lanes", nest.loops.size());
  for (size_t i = 0; i < nest.loops.size(); ++i) command.counts[i] = nest.loops[i].extent;
  const auto& uses = built.program.streams();
  for (size_t s = 0; s < uses.size(); ++s) {
    spec::VectorStream stream;
    stream.base = static_cast<int64_t>(lowering.view(uses[s].tensor).placement.base.offset);
    stream.type = lowering.type(uses[s].tensor);
    stream.is_unsigned = uses[s].is_unsigned;
    stream.lane_stride_bytes = nest.lane.strides[s];
    for (size_t i = 0; i < nest.loops.size(); ++i) stream.strides_bytes[i] = nest.loops[i].strides[s];
    command.streams.push_back(stream);
  }
  command.steps = choice.steps;
  return command;
}

}  // namespace

bool is_reduction(OpKind kind) {
  return kind == OpKind::ReduceMax || kind == OpKind::ReduceMin || kind == OpKind::ReduceSum || kind == OpKind::ReduceAll ||
         kind == OpKind::ReduceAny;
}

bool is_vector_op(OpKind kind) { return is_reduction(kind) || find_emit_function(kind) != nullptr; }

IterationSpace iteration_space(const Lowering& lowering, const ir::Operator& op) {
  if (!is_reduction(op.kind)) return {lowering.shape(op.outputs[0])};
  const base::Shape& shape = lowering.shape(op.inputs[0]);
  const int64_t axis = op.attributes_as<ir::AxisAttributes>().axis;
  return {shape, shape[static_cast<size_t>(axis)] == 1 ? -1 : axis};
}

void lower_vector(Lowering& lowering, const Recompute& recompute, std::span<const ir::OpId> ops,
                  const std::function<package::Placement(ir::TensorId)>& placement_of) {
  const auto choice = choose_vector(lowering, recompute, ops);
  VERNIER_CHECK(choice.has_value(), "operators that do not fit one vector command");
  const VectorProgram& built = choice->built;
  std::vector<PlacedOperand> operands;
  Step step;
  for (size_t i = 0; i < built.program.streams().size(); ++i) {
    const StreamUse& use = built.program.streams()[i];
    if (use.is_store) lowering.materialise(use.tensor, placement_of(use.tensor));
    operands.push_back(placed(lowering, use));
    step.operands.push_back({AddressField::Stream0, static_cast<int32_t>(i), lowering.view(use.tensor).buffer});
  }
  const bool keep_rows = keeps_rows(lowering, base::num_elements(built.space.shape));
  const LoopNest nest = make_loop_nest(built.space.shape, built.space.reduced_axis, operands, lowering.lanes(), keep_rows);
  step.command = {{spec::Queue::VectorUnit, 0, 0}, make_command(lowering, *choice, nest)};
  for (const TableId table : built.program.tables()) step.tables.push_back(lowering.table_buffer(table));
  step.ops.assign(ops.begin(), ops.end());
  step.ops.insert(step.ops.end(), built.recomputed.begin(), built.recomputed.end());
  step.choices.push_back(choice->alternatives);
  const int32_t row_dim = nest.row_dim();
  step.can_split_rows = row_dim >= 0;
  for (const ir::TensorId tensor : built.stores) step.productions.push_back(lowering.whole(tensor, row_dim));
  lowering.add_step(std::move(step));
}

}  // namespace vernier::passes
