// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/groups.hpp"

#include "compiler/passes/lower_move.hpp"
#include "compiler/passes/lower_phases.hpp"
#include "compiler/passes/lower_vector.hpp"

#include <algorithm>
#include <set>

namespace vernier::passes {
namespace {

using ir::OpKind;

bool runs_on_array(const Lowering& lowering, const ir::Operator& op) {
  switch (op.kind) {
    case OpKind::Conv2d:
    case OpKind::Conv3d:
    case OpKind::DepthwiseConv2d:
    case OpKind::TransposeConv2d:
    case OpKind::MatMul: return true;
    case OpKind::Resize: return op.attributes_as<ir::ResizeAttributes>().bilinear && fits_phases(lowering, op);
    default: return false;
  }
}
bool is_copy(OpKind kind) { return kind == OpKind::Reshape || kind == OpKind::Slice || kind == OpKind::Identity; }

/// Groups are numbered in the order in which they run, and an operator joins only a group that runs no earlier than those
/// which it reads from: so the order stays possible whatever joins.
class Grouper {
 public:
  Grouper(Lowering& lowering, const std::vector<std::vector<ir::OpId>>& consumers)
      : lowering_(lowering), consumers_(consumers), group_of_(lowering.graph.operators.size(), -1) {
    producers_ = lowering.graph.producers();
  }

  void add(ir::OpId id) {
    if (group_of_[static_cast<size_t>(id)] >= 0) return;  // taken along by a convolution
    const ir::Operator& op = lowering_.op(id);
    const OpKind kind = op.kind;
    if (runs_on_array(lowering_, op)) {
      MacChain chain = match_mac_chain(lowering_, id, consumers_);
      const std::vector<ir::OpId> ops = chain.ops;
      open(GroupKind::Mac, ops, std::move(chain));
    } else if (kind == OpKind::AvgPool2d || kind == OpKind::MaxPool2d) {
      open(GroupKind::Pool, {id}, {});
    } else if (kind == OpKind::ArgMax) {
      open(GroupKind::ArgMax, {id}, {});
    } else if (is_move(op)) {
      open(GroupKind::Move, {id}, {});
    } else if (kind == OpKind::Gather || kind == OpKind::Scatter) {
      open(GroupKind::Gather, {id}, {});
    } else if (kind == OpKind::Resize) {
      open(GroupKind::Resize, {id}, {});
    } else if (is_copy(kind)) {
      open(GroupKind::Copy, {id}, {});
    } else if (is_vector_op(kind)) {
      add_vector(id);
    } else {
      throw base::UserError(lowering_.file, "{} is not there yet on the NPU", lowering_.describe(op));
    }
  }

  std::vector<Group> take() {
    std::erase_if(groups_, [](const Group& group) { return group.ops.empty(); });
    return std::move(groups_);
  }

 private:
  void open(GroupKind kind, const std::vector<ir::OpId>& ops, MacChain chain) {
    for (const ir::OpId id : ops) group_of_[static_cast<size_t>(id)] = static_cast<int32_t>(groups_.size());
    groups_.push_back({kind, ops, std::move(chain)});
  }

  /// The group that computes a tensor, -1 for inputs and constants.
  [[nodiscard]] int32_t group_of_tensor(ir::TensorId id) const {
    const ir::OpId producer = producers_[static_cast<size_t>(id)];
    return producer < 0 || lowering_.value(id) != nullptr ? -1 : group_of_[static_cast<size_t>(producer)];
  }

  void add_vector(ir::OpId id) {
    if (lowering_.is_optimizing() && (join_several(id) || join_one(id) || join_later(id))) return;
    open(GroupKind::Vector, {id}, {});
  }

  /// Whether these operators may be one command: alike in their iterations, none reading what another one reduces.
  [[nodiscard]] bool can_share(const std::vector<ir::OpId>& ops) {
    base::Shape shape;
    int64_t axis = -1;
    std::set<ir::TensorId> reduced;
    for (size_t i = 0; i < ops.size(); ++i) {
      const ir::Operator& op = lowering_.op(ops[i]);
      const IterationSpace space = iteration_space(lowering_, op);
      if (i == 0) shape = space.shape;
      if (space.shape != shape) return false;
      if (space.reduced_axis >= 0 && axis >= 0 && axis != space.reduced_axis) return false;
      axis = std::max(axis, space.reduced_axis);
      for (const ir::TensorId input : op.inputs) {
        if (reduced.contains(input)) return false;
      }
      if (space.reduced_axis >= 0) reduced.insert(op.outputs[0]);
    }
    return fits_one_command(lowering_, ops, consumers_);
  }

  bool join_one(ir::OpId id) {
    const ir::Operator& op = lowering_.op(id);
    int32_t earliest = 0;
    for (const ir::TensorId input : op.inputs) earliest = std::max(earliest, group_of_tensor(input));
    for (size_t g = static_cast<size_t>(earliest); g < groups_.size(); ++g) {
      Group& group = groups_[g];
      if (group.kind != GroupKind::Vector || group.ops.empty() || !shares_tensor(group, op)) continue;
      std::vector<ir::OpId> ops = group.ops;
      ops.push_back(id);
      if (!can_share(ops)) continue;
      group.ops = std::move(ops);
      group_of_[static_cast<size_t>(id)] = static_cast<int32_t>(g);
      return true;
    }
    return false;
  }

  /// The operator reads from a group that runs before another one that it needs: that group may run after both.
  bool join_later(ir::OpId id) {
    for (const ir::TensorId input : lowering_.op(id).inputs) {
      const int32_t g = group_of_tensor(input);
      const auto end = static_cast<int32_t>(groups_.size());
      if (g < 0 || groups_[static_cast<size_t>(g)].kind != GroupKind::Vector || !can_move(g, end, {g})) continue;
      std::vector<ir::OpId> ops = groups_[static_cast<size_t>(g)].ops;
      ops.push_back(id);
      if (!can_share(ops)) continue;
      groups_[static_cast<size_t>(g)].ops.clear();
      open(GroupKind::Vector, ops, {});
      return true;
    }
    return false;
  }

  /// The operator reads results of several groups (the two sides of an addition): they become one, where the last one runs.
  bool join_several(ir::OpId id) {
    std::set<int32_t> sources;
    for (const ir::TensorId input : lowering_.op(id).inputs) {
      const int32_t g = group_of_tensor(input);
      if (g >= 0) sources.insert(g);
    }
    if (sources.size() < 2) return false;
    std::vector<ir::OpId> ops;
    for (const int32_t g : sources) {
      const Group& group = groups_[static_cast<size_t>(g)];
      if (group.kind != GroupKind::Vector || !can_move(g, *sources.rbegin(), sources)) return false;
      ops.insert(ops.end(), group.ops.begin(), group.ops.end());
    }
    std::sort(ops.begin(), ops.end());
    ops.push_back(id);
    if (!can_share(ops)) return false;
    for (const int32_t g : sources) groups_[static_cast<size_t>(g)].ops.clear();
    for (const ir::OpId member : ops) group_of_[static_cast<size_t>(member)] = *sources.rbegin();
    groups_[static_cast<size_t>(*sources.rbegin())].ops = std::move(ops);
    return true;
  }

  /// Whether a group can run as late as another: nothing in between reads what it computes.
  [[nodiscard]] bool can_move(int32_t from, int32_t to, const std::set<int32_t>& together) const {
    for (const ir::OpId id : groups_[static_cast<size_t>(from)].ops) {
      for (const ir::OpId reader : consumers_[static_cast<size_t>(lowering_.op(id).outputs[0])]) {
        const int32_t g = group_of_[static_cast<size_t>(reader)];
        if (g > from && g < to && !together.contains(g)) return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool shares_tensor(const Group& group, const ir::Operator& op) const {
    return std::any_of(group.ops.begin(), group.ops.end(), [&](ir::OpId member) {
      const ir::Operator& other = lowering_.op(member);
      return std::any_of(op.inputs.begin(), op.inputs.end(), [&](ir::TensorId input) {
        if (lowering_.value(input) != nullptr) return false;
        return input == other.outputs[0] || std::find(other.inputs.begin(), other.inputs.end(), input) != other.inputs.end();
      });
    });
  }

  Lowering& lowering_;
  const std::vector<std::vector<ir::OpId>>& consumers_;
  std::vector<ir::OpId> producers_;
  std::vector<int32_t> group_of_;
  std::vector<Group> groups_;
};

}  // namespace

std::vector<Group> make_groups(Lowering& lowering, const std::vector<bool>& runs,
                               const std::vector<std::vector<ir::OpId>>& consumers) {
  Grouper grouper(lowering, consumers);
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i]) grouper.add(static_cast<ir::OpId>(i));
  }
  return grouper.take();
}

std::vector<std::vector<ir::OpId>> running_consumers(const ir::Graph& graph, const std::vector<bool>& runs) {
  std::vector<std::vector<ir::OpId>> consumers = graph.consumers();
  for (auto& readers : consumers) {
    std::erase_if(readers, [&](ir::OpId id) { return !runs[static_cast<size_t>(id)]; });
  }
  return consumers;
}

}  // namespace vernier::passes
