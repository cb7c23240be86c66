// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lower_copy.hpp"

#include "compiler/passes/loop_nest.hpp"
#include "compiler/passes/placements.hpp"

namespace vernier::passes {
namespace {

spec::DmaCommand make_copy(const LoopNest& nest, int64_t element_bytes) {
  spec::DmaCommand command;
  std::vector<LoopDim> loops = nest.loops;
  const bool is_run =
      nest.lane.extent == 1 || (nest.lane.strides[0] == element_bytes && nest.lane.strides[1] == element_bytes);
  command.run_bytes = is_run ? nest.lane.extent * element_bytes : element_bytes;
  if (!is_run) loops.push_back(nest.lane);
  VERNIER_CHECK(loops.size() <= spec::kNumDmaLoops, "a copy with {} loops", loops.size());
  for (size_t i = 0; i < loops.size(); ++i) {
    command.counts[i] = loops[i].extent;
    command.src.strides_bytes[i] = loops[i].strides[0];
    command.dst.strides_bytes[i] = loops[i].strides[1];
  }
  return command;
}

base::Shape start_of(const Lowering& lowering, const ir::Operator& op) {
  const base::Tensor& start = lowering.constant_operand(op, 1, "start");
  base::Shape begin;
  for (int64_t i = 0; i < start.size(); ++i) begin.push_back(start.at(i));
  return begin;
}

}  // namespace

void add_copy(Lowering& lowering, const TensorPlace& source, ir::TensorId result, std::vector<ir::OpId> ops) {
  const base::ElementType type = lowering.type(result);
  const base::Shape& shape = lowering.shape(result);
  const TensorPlace& place = lowering.materialise(result, dense_placement(shape, type));
  const std::vector<PlacedOperand> sides{{source.placement, shape, type}, {place.placement, shape, type}};
  // A run has no lanes that could idle: rows of a copy stay apart unless they are short.
  const LoopNest nest = make_loop_nest(shape, -1, sides, 2 * lowering.lanes(), lowering.is_optimizing());
  spec::DmaCommand command = make_copy(nest, base::stored_bytes(type));
  command.src.base.offset = source.placement.base.offset;
  Step step;
  step.command = {{spec::Queue::Dma1, 0, 0}, command};
  step.operands = {{AddressField::Source, 0, source.buffer}, {AddressField::Destination, 0, place.buffer}};
  step.ops = std::move(ops);
  step.can_split_rows = nest.row_dim() >= 0;
  step.productions = {lowering.whole(result, nest.row_dim())};
  lowering.add_step(std::move(step));
}

void lower_copy(Lowering& lowering, ir::OpId id, bool takes_views) {
  const ir::Operator& op = lowering.op(id);
  const ir::TensorId input = op.inputs[0], result = op.outputs[0];
  const base::ElementType type = lowering.type(input);
  TensorPlace source = lowering.view(input);
  bool is_view = lowering.is_optimizing() && !lowering.is_output(result);
  if (op.kind == ir::OpKind::Slice) {
    source.placement = slice_placement(source.placement, start_of(lowering, op), type);
    is_view = is_view && takes_views;
  } else if (op.kind == ir::OpKind::Reshape) {
    VERNIER_CHECK(is_dense(source.placement, lowering.shape(input), type), "a RESHAPE of '{}', which is not dense",
                  lowering.graph.tensor(input).name);
    const uint64_t offset = source.placement.base.offset;
    source.placement = dense_placement(lowering.shape(result), type);
    source.placement.base.offset = offset;
  }
  if (!is_view) return add_copy(lowering, source, result, {id});
  lowering.set_view(result, source);
  lowering.add_folded(result, fmt::format("{} of {} ({})", op.kind == ir::OpKind::Slice ? "part" : "alias",
                                          lowering.graph.tensor(input).name, ir::to_string(op.kind)));
}

}  // namespace vernier::passes
