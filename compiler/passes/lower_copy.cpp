// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lower_copy.hpp"

#include "compiler/passes/placements.hpp"
#include "compiler/passes/strided_copy.hpp"

namespace vernier::passes {
namespace {

base::Shape start_of(const Lowering& lowering, const ir::Operator& op) {
  const base::Tensor& start = lowering.constant_operand(op, 1, "start");
  base::Shape begin;
  for (int64_t i = 0; i < start.size(); ++i) begin.push_back(start.at(i));
  return begin;
}

}  // namespace

void add_copy(Lowering& lowering, const TensorPlace& source, ir::TensorId result, const std::vector<ir::OpId>& ops) {
  const base::ElementType type = lowering.type(result);
  const base::Shape& shape = lowering.shape(result);
  lowering.materialise(result, dense_placement(shape, type));
  add_box_copy(lowering, source_of(source, shape, type), result, whole_box(shape), ops);
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
    source.placement = renamed_placement(source.placement, lowering.shape(input), lowering.shape(result), type);
  }
  if (!is_view) return add_copy(lowering, source, result, {id});
  lowering.set_view(result, source);
  lowering.add_folded(result, fmt::format("{} of {} ({})", op.kind == ir::OpKind::Slice ? "part" : "alias",
                                          lowering.graph.tensor(input).name, ir::to_string(op.kind)));
}

void view_transposed(Lowering& lowering, ir::OpId id) {
  const ir::Operator& op = lowering.op(id);
  const ir::TensorId input = op.inputs[0], result = op.outputs[0];
  TensorPlace source = lowering.view(input);
  const base::ElementType type = lowering.type(input);
  VERNIER_CHECK(!has_planes(source.placement, lowering.shape(input), type), "planes of '{}' transposed",
                lowering.graph.tensor(input).name);
  source.placement = transposed_placement(source.placement, op.attributes_as<ir::TransposeAttributes>().perms, type);
  lowering.set_view(result, source);
  lowering.add_folded(result, fmt::format("strides of {} (TRANSPOSE)", lowering.graph.tensor(input).name));
}

void leave_padding(Lowering& lowering, ir::OpId id) {
  const ir::Operator& op = lowering.op(id);
  const base::Tensor& padding = lowering.constant_operand(op, 1, "padding");
  constexpr int64_t kRowsBefore = 2, kColumnsBefore = 4;  // a pair for each of N, H, W, C
  lowering.set_padding(op.outputs[0], {op.inputs[0], padding.at(kRowsBefore), padding.at(kColumnsBefore)});
  lowering.add_folded(op.outputs[0], fmt::format("padding around {} (PAD)", lowering.graph.tensor(op.inputs[0]).name));
}

}  // namespace vernier::passes
