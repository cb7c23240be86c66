// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lower_resize.hpp"

#include "compiler/passes/placements.hpp"
#include "compiler/passes/resize_axis.hpp"

#include <algorithm>

namespace vernier::passes {
namespace {

using spec::VectorOp;

/// Loops: image, row, column, block of channels.
spec::VectorStream stream_of(const package::Placement& placement, const spec::FeatureMap& map, int64_t row, int64_t column) {
  spec::VectorStream stream;
  stream.type = map.type;
  stream.base = map.base + row * map.row_pitch_bytes + column * map.pixel_pitch_bytes;
  stream.lane_stride_bytes = base::stored_bytes(map.type);
  stream.strides_bytes = {placement.strides_bytes[0], map.row_pitch_bytes, map.pixel_pitch_bytes, map.block_pitch_bytes, 0};
  return stream;
}

/// The weighted sum of the inputs that the outputs of two phases share.
spec::VectorCommand make_command(const package::Placement& from, const spec::FeatureMap& in, const AxisPhase& row,
                                 const AxisPhase& column) {
  spec::VectorCommand command;
  for (size_t y = 0; y < row.weights.size(); ++y) {
    for (size_t x = 0; x < column.weights.size(); ++x) {
      const auto index = static_cast<int64_t>(command.streams.size());
      command.streams.push_back(
          stream_of(from, in, row.in_begin + static_cast<int64_t>(y), column.in_begin + static_cast<int64_t>(x)));
      command.streams.back().strides_bytes[1] *= row.in_step;
      command.streams.back().strides_bytes[2] *= column.in_step;
      const int64_t dst = index == 0 ? 0 : 1;
      command.steps.push_back({.op = VectorOp::Load, .dst = dst, .stream = index});
      command.steps.push_back(
          {.op = VectorOp::Mul, .dst = dst, .a = dst, .b_is_immediate = true, .imm0 = row.weights[y] * column.weights[x]});
      if (index > 0) command.steps.push_back({.op = VectorOp::Add, .dst = 0, .a = 0, .b = 1});
    }
  }
  command.steps.push_back({.op = VectorOp::Store, .a = 0, .stream = static_cast<int64_t>(command.streams.size())});
  return command;
}

}  // namespace

void lower_resize(Lowering& lowering, ir::OpId id, const package::Placement& result) {
  const ir::Operator& op = lowering.op(id);
  const base::ElementType type = lowering.type(op.inputs[0]);
  if (type != base::ElementType::Int8) {
    throw base::UserError(lowering.file, "{} of {} by that scale is not there yet, allowed is int8", lowering.describe(op),
                          base::to_string(type));
  }
  const base::Shape& in = lowering.shape(op.inputs[0]);
  const base::Shape& out = lowering.shape(op.outputs[0]);
  const base::ElementType sum = lowering.type(op.outputs[0]);
  const TensorPlace& input = lowering.view(op.inputs[0]);
  const TensorPlace& output = lowering.materialise(op.outputs[0], result);
  const int64_t n = lowering.lanes();
  const bool has_blocks = has_planes(input.placement, in, type) || has_planes(output.placement, out, sum);
  const spec::FeatureMap from = feature_map(input.placement, in, type, 0, n);
  const spec::FeatureMap to = feature_map(output.placement, out, sum, 0, n);
  Step step;
  step.ops = {id};
  for (const AxisPhase& row : resize_phases(lowering, op, 0)) {
    for (const AxisPhase& column : resize_phases(lowering, op, 1)) {
      spec::VectorCommand command = make_command(input.placement, from, row, column);
      step.operands.clear();
      for (size_t i = 0; i < command.streams.size(); ++i) {
        step.operands.push_back({AddressField::Stream0, static_cast<int32_t>(i), input.buffer});
      }
      step.operands.push_back({AddressField::Stream0, static_cast<int32_t>(command.streams.size()), output.buffer});
      command.streams.push_back(stream_of(output.placement, to, row.out_begin, column.out_begin));
      command.streams.back().strides_bytes[1] *= row.out_step;
      command.streams.back().strides_bytes[2] *= column.out_step;
      command.lanes = has_blocks ? n : out[3];
      command.counts = {out[0], row.out_count, column.out_count, has_blocks ? out[3] / n : 1, 1};
      step.productions = {{op.outputs[0],
                           {0, row.out_begin, column.out_begin, 0},
                           {out[0], row.out_count, column.out_count, out[3]},
                           0,
                           -1,
                           {1, row.out_step, column.out_step, 1}}};
      if (out[0] == 1) {  // rows outermost, so that they can be cut
        std::rotate(command.counts.begin(), command.counts.begin() + 1, command.counts.end());
        for (spec::VectorStream& stream : command.streams) {
          std::rotate(stream.strides_bytes.begin(), stream.strides_bytes.begin() + 1, stream.strides_bytes.end());
        }
        step.productions[0].row_dim = 1;
      }
      step.command = {{spec::Queue::VectorUnit, 0, 0}, std::move(command)};
      lowering.add_step(step);
    }
  }
}

}  // namespace vernier::passes
