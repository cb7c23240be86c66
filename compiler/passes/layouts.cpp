// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/layouts.hpp"

#include "compiler/passes/placements.hpp"

#include <algorithm>

namespace vernier::passes {

Layouts::Layouts(const Lowering& lowering, const std::vector<Group>& groups, const Recompute& recompute)
    : lowering_(lowering),
      recompute_(recompute),
      consumers_(recompute.consumers()),
      group_of_(lowering.graph.operators.size()),
      is_planes_(lowering.graph.tensors.size()) {
  for (const Group& group : groups) {
    for (const ir::OpId id : group.ops) group_of_[id] = &group;
  }
  if (!lowering.is_optimizing() || lowering.options.inner_layout == InnerLayout::Dense) return;
  for (const Group& group : groups) {
    for (const ir::OpId id : group.ops) {
      const ir::TensorId result = lowering.op(id).outputs[0];
      is_planes_[result] = can_be_planes(group, result);
    }
  }
}

package::Placement Layouts::of(ir::TensorId id) const {
  if (is_planes_[id]) {
    const bool is_spaced = lowering_.options.inner_layout == InnerLayout::SpacedPlanes;
    return planes_placement(lowering_.shape(id), lowering_.type(id), lowering_.lanes(),
                            is_spaced ? std::optional(window_stride(id)) : std::nullopt);
  }
  return dense_placement(lowering_.shape(id), lowering_.type(id));
}

int64_t Layouts::window_stride(ir::TensorId id) const {
  int64_t stride = 0;
  for (const ir::OpId reader : consumers_[id]) {
    const ir::Operator& op = lowering_.op(reader);
    if (op.kind != ir::OpKind::DepthwiseConv2d) continue;
    const base::Shape& kernel = lowering_.shape(op.inputs[1]);
    if (kernel[0] == 1 && kernel[1] == 1) continue;
    const auto& conv = op.attributes_as<ir::ConvAttributes>();
    stride = std::max({stride, conv.stride[0], conv.stride[1]});
  }
  return stride;
}

bool Layouts::takes_views(ir::TensorId id) const {
  const auto& readers = consumers_[id];
  if (recompute_.is_read_reshaped(id)) return false;
  return std::none_of(readers.begin(), readers.end(), [&](ir::OpId reader) {
    const ir::Operator& op = lowering_.op(reader);
    if (const auto shape = shape_as_addend(id, reader)) return !is_renaming(lowering_.shape(id), *shape);
    if (op.kind != ir::OpKind::Reshape && op.kind != ir::OpKind::Identity) return false;
    if (!is_renaming(lowering_.shape(id), lowering_.shape(op.outputs[0]))) return true;
    return lowering_.is_output(op.outputs[0]) || !takes_views(op.outputs[0]);
  });
}

std::optional<base::Shape> Layouts::shape_as_addend(ir::TensorId id, ir::OpId reader) const {
  const Group& group = *group_of_[reader];
  const auto& residual = group.chain.residual;
  if (!residual || residual->addend != id || lowering_.op(reader).kind != ir::OpKind::Add) return std::nullopt;
  return lowering_.shape(lowering_.op(group.ops[0]).outputs[0]);
}

bool Layouts::takes_transposed(ir::OpId transpose) const {
  const ir::Operator& op = lowering_.op(transpose);
  const ir::TensorId result = op.outputs[0];
  if (!lowering_.is_optimizing() || op.kind != ir::OpKind::Transpose || lowering_.is_output(result)) return false;
  const auto& perms = op.attributes_as<ir::TransposeAttributes>().perms;
  const auto last = static_cast<int64_t>(perms.size()) - 1;
  if (perms.empty() || recompute_.is_read_reshaped(result)) return false;
  if (perms.back() == last) return takes_views(result) && !is_read_as_map(result);
  // A second operand of MATMUL may stand by columns.
  const auto& readers = consumers_[result];
  return last == 2 && perms[1] == last && std::all_of(readers.begin(), readers.end(), [&](ir::OpId reader) {
           const ir::Operator& matmul = lowering_.op(reader);
           return matmul.kind == ir::OpKind::MatMul && matmul.inputs[0] != result && matmul.inputs[1] == result;
         });
}

bool Layouts::can_pad(const ir::Operator& op, const base::Tensor& padding) const {
  const bool is_depthwise = op.kind == ir::OpKind::DepthwiseConv2d;
  if (op.kind != ir::OpKind::Conv2d && !is_depthwise) return false;
  const auto& conv = op.attributes_as<ir::ConvAttributes>();
  const base::Shape& weights = lowering_.shape(op.inputs[1]);
  for (size_t d = 0; d < 2; ++d) {
    const int64_t reach = (weights[is_depthwise ? d : d + 1] - 1) * conv.dilation[d];
    for (size_t end = 0; end < 2; ++end) {
      if (conv.pad[2 * d + end] + padding.at(static_cast<int64_t>(2 * (d + 1) + end)) > reach) return false;
    }
  }
  return true;
}

bool Layouts::is_padding_of_readers(ir::OpId pad) const {
  const ir::Operator& op = lowering_.op(pad);
  const ir::TensorId result = op.outputs[0];
  if (!lowering_.is_optimizing() || op.kind != ir::OpKind::Pad || lowering_.is_output(result)) return false;
  const base::Tensor* padding = lowering_.value(op.inputs[1]);
  const auto value = lowering_.uniform_value(op.inputs[2]);
  const bool is_around_maps = lowering_.shape(result).size() == 4 && padding != nullptr && value &&
                              padding->at(0) + padding->at(1) + padding->at(6) + padding->at(7) == 0;
  const auto& readers = consumers_[result];
  return is_around_maps && std::all_of(readers.begin(), readers.end(), [&](ir::OpId reader) {
           const ir::Operator& conv = lowering_.op(reader);
           return std::count(conv.inputs.begin(), conv.inputs.end(), result) == 1 && can_pad(conv, *padding) &&
                  conv.inputs[0] == result && lowering_.uniform_value(conv.inputs[3]) == value;
         });
}

bool Layouts::is_read_as_map(ir::TensorId id) const {
  const auto& readers = consumers_[id];
  return std::any_of(readers.begin(), readers.end(), [&](ir::OpId reader) {
    const ir::Operator& op = lowering_.op(reader);
    if (op.kind == ir::OpKind::MatMul) return false;
    if (op.kind == ir::OpKind::Reshape || op.kind == ir::OpKind::Identity || op.kind == ir::OpKind::Slice) {
      return is_read_as_map(op.outputs[0]);
    }
    const GroupKind kind = group_of_[reader]->kind;
    return kind != GroupKind::Vector && kind != GroupKind::Move;
  });
}

bool Layouts::can_be_planes(const Group& group, ir::TensorId id) const {
  const base::Shape& shape = lowering_.shape(id);
  const base::ElementType type = lowering_.type(id);
  if (type != base::ElementType::Int8 && type != base::ElementType::Int16) return false;
  if (lowering_.is_output(id) || shape.size() != 4) return false;
  if (shape[3] % lowering_.lanes() != 0 || shape[1] * shape[2] == 1) return false;
  if (group.kind == GroupKind::Copy || group.kind == GroupKind::Move || group.kind == GroupKind::Gather) return false;
  if (group.kind == GroupKind::Mac && (id != group.chain.result || group.chain.is_reshaped)) return false;
  return readers_take_planes(id);
}

bool Layouts::readers_take_planes(ir::TensorId id) const {
  const auto& readers = consumers_[id];
  if (recompute_.is_read_reshaped(id)) return false;
  return std::all_of(readers.begin(), readers.end(), [&](ir::OpId reader) {
    const ir::Operator& op = lowering_.op(reader);
    const Group& group = *group_of_[reader];
    switch (group.kind) {
      case GroupKind::Mac:
        if (const auto as_addend = shape_as_addend(id, reader)) return lowering_.shape(id) == *as_addend;
        return std::count(op.inputs.begin(), op.inputs.end(), id) == 1 && op.inputs[0] == id;
      case GroupKind::Pool:
      case GroupKind::Resize:
      case GroupKind::ArgMax:
      case GroupKind::Vector: return true;
      case GroupKind::Move:
        if (is_padding_of_readers(reader)) return readers_take_planes(op.outputs[0]);
        break;
      case GroupKind::Copy:
      case GroupKind::Gather: break;
    }
    // A part of planes is planes when it keeps all channels.
    const bool is_part = op.kind == ir::OpKind::Slice && lowering_.shape(op.outputs[0])[3] == lowering_.shape(id)[3];
    return is_part && takes_views(op.outputs[0]) && !lowering_.is_output(op.outputs[0]) &&
           readers_take_planes(op.outputs[0]);
  });
}

}  // namespace vernier::passes
