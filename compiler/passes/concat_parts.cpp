// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/concat_parts.hpp"

#include <algorithm>
#include <set>

namespace vernier::passes {
namespace {

/// Results that are written with any strides.
std::set<ir::TensorId> strided_results(const Lowering& lowering, const std::vector<Group>& groups) {
  std::set<ir::TensorId> results;
  for (const Group& group : groups) {
    const bool is_dense_mac = group.kind == GroupKind::Mac && (group.chain.is_reshaped || group.chain.transpose >= 0);
    const bool is_strided = group.kind == GroupKind::Mac || group.kind == GroupKind::Vector || group.kind == GroupKind::Pool;
    if (!is_strided || is_dense_mac) continue;
    for (const ir::OpId id : group.ops) results.insert(lowering.op(id).outputs[0]);
  }
  return results;
}

}  // namespace

void place_concat_parts(Lowering& lowering, const std::vector<Group>& groups, const Recompute& recompute,
                        const Layouts& layouts) {
  if (!lowering.is_optimizing()) return;
  const std::set<ir::TensorId> strided = strided_results(lowering, groups);
  for (const Group& group : groups) {
    const ir::OpId id = group.ops[0];
    const ir::Operator& op = lowering.op(id);
    if (group.kind != GroupKind::Move || op.kind != ir::OpKind::Concat) continue;
    const auto axis = static_cast<size_t>(op.attributes_as<ir::AxisAttributes>().axis);
    base::Shape begin(lowering.shape(op.outputs[0]).size(), 0);
    for (const ir::TensorId operand : op.inputs) {
      const bool is_for_this = recompute.consumers()[operand] == std::vector<ir::OpId>{id} &&
                               std::count(op.inputs.begin(), op.inputs.end(), operand) == 1;
      if (is_for_this && strided.contains(operand) && !lowering.is_output(operand) && lowering.value(operand) == nullptr) {
        if (!lowering.has_place(op.outputs[0])) lowering.materialise(op.outputs[0], layouts.of(op.outputs[0]));
        lowering.set_part(operand, op.outputs[0], begin);
      }
      begin[axis] += lowering.shape(operand)[axis];
    }
  }
}

}  // namespace vernier::passes
