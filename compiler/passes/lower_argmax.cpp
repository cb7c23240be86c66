// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lower_argmax.hpp"

#include "compiler/cost/row_streams.hpp"
#include "compiler/passes/loop_nest.hpp"
#include "compiler/passes/placements.hpp"
#include "hw/base/error.hpp"
#include "hw/spec/vector_schedule.hpp"

#include <algorithm>

namespace vernier::passes {
namespace {

using base::ElementType;
using spec::VectorOp;
using spec::VectorPhase;
using spec::VectorStep;

constexpr int64_t kIndexBits = 16;  // beside the 16 bits of a value
constexpr int64_t kLastIndex = (int64_t{1} << kIndexBits) - 1;

/// kLastIndex - i for each i of the axis.
BufferId add_distances(Lowering& lowering, ir::TensorId source, int64_t extent) {
  base::Tensor distances(ElementType::Int32, {extent});
  for (int64_t i = 0; i < extent; ++i) distances.set(i, kLastIndex - i);
  const auto bytes = distances.bytes();
  return lowering.add_buffer({.name = lowering.graph.tensor(source).name,
                              .kind = BufferKind::Constant,
                              .size_bytes = static_cast<int64_t>(bytes.size()),
                              .contents = {bytes.begin(), bytes.end()}});
}

/// Streams: values, distances, result. Register 0 holds the greatest number so far.
std::vector<VectorStep> make_steps(bool is_across) {
  std::vector<VectorStep> steps{
      {.op = VectorOp::Move, .phase = VectorPhase::Init, .dst = 0, .b_is_immediate = true, .imm0 = INT32_MIN},
      {.op = VectorOp::Load, .dst = 1, .stream = 0},
      {.op = VectorOp::ShiftLeft, .dst = 1, .a = 1, .b_is_immediate = true, .imm0 = kIndexBits},
      {.op = VectorOp::Load, .dst = 2, .stream = 1},
      {.op = VectorOp::Add, .dst = 1, .a = 1, .b = 2}};
  if (is_across) steps.push_back({.op = VectorOp::ReduceMax, .dst = 1, .a = 1});
  steps.push_back({.op = VectorOp::Maximum, .dst = 0, .a = 0, .b = 1});
  constexpr auto kFinal = VectorPhase::Final;
  steps.push_back({.op = VectorOp::And, .phase = kFinal, .dst = 0, .a = 0, .b_is_immediate = true, .imm0 = kLastIndex});
  steps.push_back({.op = VectorOp::Xor, .phase = kFinal, .dst = 0, .a = 0, .b_is_immediate = true, .imm0 = kLastIndex});
  steps.push_back({.op = VectorOp::Store, .phase = kFinal, .a = 0, .stream = 2});
  return steps;
}

spec::VectorCommand make_command(const LoopNest& nest, const std::vector<PlacedOperand>& operands,
                                 const spec::Datapath& datapath) {
  spec::VectorCommand command;
  command.lanes = nest.lane.extent;
  command.lanes_reduced = nest.lane.is_reduced;
  command.kept_loops = nest.num_kept;
  for (size_t s = 0; s < operands.size(); ++s) {
    spec::VectorStream stream;
    stream.base = static_cast<int64_t>(operands[s].placement.base.offset);
    stream.type = operands[s].type;
    stream.lane_stride_bytes = nest.lane.strides[s];
    for (size_t i = 0; i < nest.loops.size(); ++i) stream.strides_bytes[i] = nest.loops[i].strides[s];
    command.streams.push_back(stream);
  }
  VERNIER_CHECK(nest.loops.size() <= spec::kNumVectorLoops, "{} loops around the lanes", nest.loops.size());
  for (size_t i = 0; i < nest.loops.size(); ++i) command.counts[i] = nest.loops[i].extent;
  command.steps = make_steps(command.lanes_reduced);
  VERNIER_CHECK(spec::schedule(command, datapath), "no schedule for ARGMAX");
  return command;
}

}  // namespace

void lower_argmax(Lowering& lowering, ir::OpId id) {
  const ir::Operator& op = lowering.op(id);
  const ir::TensorId result = op.outputs[0];
  const base::Shape& space = lowering.shape(op.inputs[0]);
  const auto axis = static_cast<size_t>(op.attributes_as<ir::AxisAttributes>().axis);
  if (space[axis] > kLastIndex + 1) {
    throw base::UserError(lowering.file, "{} is over {} elements, allowed are {}", lowering.describe(op), space[axis],
                          kLastIndex + 1);
  }
  const TensorPlace& input = lowering.view(op.inputs[0]);
  const TensorPlace& output = lowering.materialise(result, dense_placement(lowering.shape(result), lowering.type(result)));
  // As the iterations see them: one dimension has distances, the same one has no result.
  base::Shape distances(space.size(), 1), kept = space;
  distances[axis] = space[axis];
  kept[axis] = 1;
  const std::vector<PlacedOperand> operands{{input.placement, space, lowering.type(op.inputs[0])},
                                            {dense_placement(distances, ElementType::Int32), distances, ElementType::Int32},
                                            {dense_placement(kept, ElementType::Int32), kept, ElementType::Int32}};
  const int64_t reduced = space[axis] == 1 ? -1 : static_cast<int64_t>(axis);
  cost::Alternatives told("lanes");
  LoopNest nest;
  spec::VectorCommand command;
  for (const bool rows_in_lanes : {false, true}) {
    LoopNest other = make_loop_nest(space, reduced, operands, lowering.lanes(),
                                    keeps_rows(lowering, base::num_elements(space)), rows_in_lanes);
    if (rows_in_lanes && (!lowering.is_optimizing() || !nest.lane.is_reduced || other.lane.is_reduced)) break;
    spec::VectorCommand candidate = make_command(other, operands, lowering.config.datapath);
    told.add(other.lane.is_reduced ? "along a row" : "a row each",
             cost::cycles_with_row_streams(candidate, lowering.config));
    told.choose_cheapest();
    if (told.chosen + 1 < told.ways.size()) break;
    nest = std::move(other);
    command = std::move(candidate);
  }

  Step step;
  step.command = {{spec::Queue::VectorUnit, 0, 0}, std::move(command)};
  step.operands = {{AddressField::Stream0, 0, input.buffer},
                   {AddressField::Stream0, 1, add_distances(lowering, op.inputs[0], space[axis])},
                   {AddressField::Stream0, 2, output.buffer}};
  step.ops = {id};
  step.choices.push_back(std::move(told));
  int32_t row_dim = nest.row_dim();
  step.can_split_rows = row_dim >= 0;
  if (row_dim > static_cast<int32_t>(axis)) --row_dim;  // the result has no such dimension
  step.productions = {lowering.whole(result, row_dim)};
  lowering.add_step(std::move(step));
}

}  // namespace vernier::passes
