// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/layouts.hpp"

#include "compiler/passes/placements.hpp"

#include <algorithm>

namespace vernier::passes {

Layouts::Layouts(const Lowering& lowering, const std::vector<Group>& groups,
                 const std::vector<std::vector<ir::OpId>>& consumers)
    : lowering_(lowering),
      consumers_(consumers),
      group_of_(lowering.graph.operators.size()),
      is_planes_(lowering.graph.tensors.size()) {
  for (const Group& group : groups) {
    for (const ir::OpId id : group.ops) group_of_[static_cast<size_t>(id)] = &group;
  }
  if (!lowering.is_optimizing()) return;
  for (const Group& group : groups) {
    for (const ir::OpId id : group.ops) {
      const ir::TensorId result = lowering.op(id).outputs[0];
      is_planes_[static_cast<size_t>(result)] = can_be_planes(group, result);
    }
  }
}

package::Placement Layouts::of(ir::TensorId id) const {
  if (is_planes_[static_cast<size_t>(id)])
    return planes_placement(lowering_.shape(id), lowering_.type(id), lowering_.lanes(), window_stride(id));
  return dense_placement(lowering_.shape(id), lowering_.type(id));
}

int64_t Layouts::window_stride(ir::TensorId id) const {
  int64_t stride = 0;
  for (const ir::OpId reader : consumers_[static_cast<size_t>(id)]) {
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
  const auto& readers = consumers_[static_cast<size_t>(id)];
  return std::none_of(readers.begin(), readers.end(), [&](ir::OpId reader) {
    const ir::Operator& op = lowering_.op(reader);
    return op.kind == ir::OpKind::Reshape ||
           (op.kind == ir::OpKind::Identity && (lowering_.is_output(op.outputs[0]) || !takes_views(op.outputs[0])));
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
  const auto& readers = consumers_[static_cast<size_t>(id)];
  return std::all_of(readers.begin(), readers.end(), [&](ir::OpId reader) {
    const ir::Operator& op = lowering_.op(reader);
    const Group& group = *group_of_[static_cast<size_t>(reader)];
    switch (group.kind) {
      case GroupKind::Mac: return std::count(op.inputs.begin(), op.inputs.end(), id) == 1 && op.inputs[0] == id;
      case GroupKind::Pool:
      case GroupKind::Resize:
      case GroupKind::ArgMax:
      case GroupKind::Vector: return true;
      case GroupKind::Copy:
      case GroupKind::Gather:
      case GroupKind::Move: break;
    }
    // A part of planes is planes when it keeps all channels.
    const bool is_part = op.kind == ir::OpKind::Slice && lowering_.shape(op.outputs[0])[3] == lowering_.shape(id)[3];
    return is_part && takes_views(op.outputs[0]) && !lowering_.is_output(op.outputs[0]) &&
           readers_take_planes(op.outputs[0]);
  });
}

}  // namespace vernier::passes
