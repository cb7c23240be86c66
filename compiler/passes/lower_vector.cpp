// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lower_vector.hpp"

#include "compiler/cost/row_streams.hpp"
#include "compiler/passes/elementwise.hpp"
#include "compiler/passes/loop_nest.hpp"
#include "compiler/passes/placements.hpp"
#include "compiler/passes/vector_choice.hpp"

#include <algorithm>

namespace vernier::passes {
namespace {

using ir::OpKind;

/// A choice as a command, its streams at offsets in their buffers.
struct Candidate {
  Rows rows = Rows::Any;
  VectorChoice choice;
  LoopNest nest;
  spec::VectorCommand command;
  int64_t cycles = 0;
};

PlacedOperand placed(const Lowering& lowering, const StreamUse& use) {
  const package::Placement placement = lowering.placement(use.tensor);
  const base::Shape& shape = lowering.shape(use.tensor);
  const base::ElementType type = lowering.type(use.tensor);
  if (use.shape.empty() || use.shape == shape) return {placement, shape, type};
  VERNIER_CHECK(is_dense(placement, shape, type), "'{}' is read in another shape, but not dense",
                lowering.graph.tensor(use.tensor).name);
  return {dense_placement(use.shape, type), use.shape, type};
}

spec::VectorCommand make_command(const Lowering& lowering, const VectorChoice& choice, const LoopNest& nest) {
  const VectorProgram& built = choice.built;
  spec::VectorCommand command = choice.command;
  command.streams.clear();
  command.lanes_reduced = built.lanes_reduced;
  command.kept_loops = built.space.reduced_axis >= 0 ? nest.num_kept : spec::kNumVectorLoops;
  command.lanes = nest.lane.extent;
  VERNIER_CHECK(nest.loops.size() <= spec::kNumVectorLoops, "{} loops around the lanes", nest.loops.size());
  for (size_t i = 0; i < nest.loops.size(); ++i) command.counts[i] = nest.loops[i].extent;
  const auto& uses = built.program.streams();
  for (size_t s = 0; s < uses.size(); ++s) {
    spec::VectorStream stream;
    stream.base = static_cast<int64_t>(lowering.placement(uses[s].tensor).base.offset);
    stream.type = lowering.type(uses[s].tensor);
    stream.is_unsigned = uses[s].is_unsigned;
    stream.lane_stride_bytes = nest.lane.strides[s];
    for (size_t i = 0; i < nest.loops.size(); ++i) stream.strides_bytes[i] = nest.loops[i].strides[s];
    command.streams.push_back(stream);
  }
  return command;
}

Candidate make_candidate(const Lowering& lowering, VectorChoice choice, Rows rows) {
  std::vector<PlacedOperand> operands;
  for (const StreamUse& use : choice.built.program.streams()) operands.push_back(placed(lowering, use));
  const IterationSpace& space = choice.built.space;
  const bool keep_rows = keeps_rows(lowering, base::num_elements(space.shape));
  LoopNest nest =
      make_loop_nest(space.shape, space.reduced_axis, operands, lowering.lanes(), keep_rows, !choice.built.lanes_reduced);
  spec::VectorCommand command = make_command(lowering, choice, nest);
  const int64_t cycles = choice.table_cycles() + cost::cycles_with_row_streams(command, lowering.config);
  return {rows, std::move(choice), std::move(nest), std::move(command), cycles};
}

/// The best program of each way to use the lanes, now that it is known where tensors lie; first the one that takes the
/// fewest cycles.
std::vector<Candidate> make_candidates(Lowering& lowering, const Recompute& recompute, std::span<const ir::OpId> ops,
                                       const std::function<package::Placement(ir::TensorId)>& placement_of) {
  std::vector<Candidate> candidates;
  for (const Rows rows : {Rows::None, Rows::AlongLanes, Rows::InLanes}) {
    std::optional<VectorChoice> choice = choose_vector(lowering, recompute, ops, rows);
    if (!choice) continue;
    if (candidates.empty()) {
      for (const ir::TensorId tensor : choice->built.stores) lowering.materialise(tensor, placement_of(tensor));
    }
    candidates.push_back(make_candidate(lowering, std::move(*choice), rows));
  }
  VERNIER_CHECK(!candidates.empty(), "operators that do not fit one vector command");
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) { return a.cycles < b.cycles; });
  return candidates;
}

cost::Alternatives lane_choice(const std::vector<Candidate>& candidates) {
  cost::Alternatives told("lanes");
  for (const Candidate& candidate : candidates) {
    told.add(candidate.rows == Rows::None         ? "along elements"
             : candidate.rows == Rows::AlongLanes ? "along a row"
                                                  : "a row each",
             candidate.cycles);
  }
  return told;
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
  const std::vector<Candidate> candidates = make_candidates(lowering, recompute, ops, placement_of);
  const Candidate& best = candidates.front();
  const VectorProgram& built = best.choice.built;
  Step step;
  for (size_t i = 0; i < built.program.streams().size(); ++i) {
    const ir::TensorId tensor = built.program.streams()[i].tensor;
    step.operands.push_back({AddressField::Stream0, static_cast<int32_t>(i), lowering.view(tensor).buffer});
  }
  step.command = {{spec::Queue::VectorUnit, 0, 0}, best.command};
  step.ops.assign(ops.begin(), ops.end());
  step.ops.insert(step.ops.end(), built.recomputed.begin(), built.recomputed.end());
  for (const TableId table : built.program.tables()) step.tables.push_back(lowering.table_buffer(table, step.ops));
  step.choices = {best.choice.alternatives, lane_choice(candidates)};
  const int32_t row_dim = best.nest.row_dim();
  step.can_split_rows = row_dim >= 0;
  for (const ir::TensorId tensor : built.stores) step.productions.push_back(lowering.whole(tensor, row_dim));
  lowering.add_step(std::move(step));
}

}  // namespace vernier::passes
