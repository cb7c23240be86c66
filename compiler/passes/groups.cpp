// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/groups.hpp"

#include "compiler/passes/lower_move.hpp"
#include "compiler/passes/lower_phases.hpp"
#include "compiler/passes/lower_vector.hpp"
#include "compiler/passes/vector_choice.hpp"
#include "hw/base/indexed_vector.hpp"

#include <algorithm>
#include <map>
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

/// Most of what a command costs beside its vectors.
constexpr int64_t kSharedCycles = 44;

/// Groups are numbered in the order in which they run, and an operator joins only a group that runs no earlier than those
/// which it reads from: so the order stays possible whatever joins.
class Grouper {
 public:
  Grouper(Lowering& lowering, const Recompute& recompute)
      : lowering_(lowering),
        recompute_(recompute),
        consumers_(recompute.consumers()),
        group_of_(lowering.graph.operators.size(), -1) {}

  void add(ir::OpId id) {
    if (group_of_[id] >= 0) return;  // taken along by a convolution
    const ir::Operator& op = lowering_.op(id);
    const OpKind kind = op.kind;
    if (runs_on_array(lowering_, op)) {
      MacChain chain = match_mac_chain(lowering_, recompute_, id, id, kHiddenResidualSteps);
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
    for (Group& group : groups_) tell_choices(group);
    return std::move(groups_);
  }

 private:
  void open(GroupKind kind, const std::vector<ir::OpId>& ops, MacChain chain) {
    for (const ir::OpId id : ops) group_of_[id] = static_cast<int32_t>(groups_.size());
    groups_.push_back({kind, ops, std::move(chain)});
  }

  /// The groups that compute what an operator reads.
  [[nodiscard]] std::set<int32_t> groups_read(const ir::Operator& op) const {
    std::set<int32_t> groups;
    for (const ir::TensorId id : recompute_.sources_of(op)) {
      const ir::OpId producer = lowering_.producer(id);
      if (producer >= 0) groups.insert(group_of_[producer]);
    }
    return groups;
  }

  /// An addition behind a convolution that was there before the other side: the one with the longer reduction runs here and
  /// does it.
  bool join_convolution(ir::OpId id) {
    if (lowering_.op(id).kind != OpKind::Add) return false;
    constexpr int64_t kLeastSteps = 2;
    std::optional<MacChain> best;
    int32_t best_group = -1;
    int64_t best_steps = 0;
    for (const int32_t g : groups_read(lowering_.op(id))) {
      const Group& group = groups_[g];
      if (group.kind != GroupKind::Mac || group.chain.residual) continue;
      const int64_t steps = reduction_steps(lowering_, lowering_.op(group.ops[0]));
      MacChain chain = match_mac_chain(lowering_, recompute_, group.ops[0], id, kLeastSteps);
      if (!chain.residual || steps <= best_steps) continue;
      best = std::move(chain);
      best_group = g;
      best_steps = steps;
    }
    if (!best) return false;
    groups_[best_group].ops.clear();
    const std::vector<ir::OpId> ops = best->ops;
    open(GroupKind::Mac, ops, std::move(*best));
    return true;
  }

  void add_vector(ir::OpId id) {
    if (lowering_.is_optimizing() && (join_convolution(id) || join_several(id) || join_one(id) || join_later(id))) return;
    open(GroupKind::Vector, {id}, {});
  }

  void tell_choices(Group& group) const {
    for (const ir::OpId id : group.ops) {
      const auto found = shares_.find(id);
      if (found != shares_.end()) group.choices.push_back(found->second);
    }
    if (group.kind != GroupKind::Mac) return;
    if (group.chain.residual) {
      group.choices.emplace_back(
          "addition", "in the array's epilogue, where the reduction hides its rescales or it would be a command of its own");
    }
    if (lowering_.op(group.ops[0]).kind == OpKind::Resize) {
      group.choices.emplace_back("unit", "the array, where the weights of a bilinear RESIZE are int8");
    }
  }

  /// Estimated cycles of the operators as one command, if they can be one.
  std::optional<int64_t> cycles_of(const std::vector<ir::OpId>& ops) {
    const auto known = cycles_.find(ops);
    if (known != cycles_.end()) return known->second;
    const auto choice = choose_vector(lowering_, recompute_, ops);
    return cycles_[ops] = choice ? std::optional(choice->cycles) : std::nullopt;
  }

  /// Whether these operators may be one command, and had better be: `parts` are what they would be otherwise.
  bool should_share(const std::vector<ir::OpId>& ops, const std::vector<std::vector<ir::OpId>>& parts) {
    const auto together = cycles_of(ops);
    if (!together) return false;
    int64_t apart = 0;
    for (const auto& part : parts) apart += cycles_of(part).value_or(0);
    const auto elements = [&](ir::OpId id) {
      return base::num_elements(iteration_space(lowering_, lowering_.op(id)).shape);
    };
    // What follows a reduction is seldom a single operator: those would share a command of their own.
    if (elements(ops.back()) < elements(ops.front())) apart -= kSharedCycles;
    const ir::Operator& last = lowering_.op(ops.back());
    cost::Alternatives told(
        fmt::format("command of {} {}", ir::to_string(last.kind), lowering_.graph.tensor(last.outputs[0]).name));
    told.add(fmt::format("with {} others", ops.size() - 1), *together);
    told.add("apart", apart);
    told.choose_cheapest();
    const bool is_shared = told.chosen == 0;
    shares_.insert_or_assign(ops.back(), std::move(told));
    return is_shared;
  }

  bool join_one(ir::OpId id) {
    const ir::Operator& op = lowering_.op(id);
    const std::set<int32_t> read = groups_read(op);
    const int32_t earliest = read.empty() ? 0 : *read.rbegin();
    for (size_t g = static_cast<size_t>(earliest); g < groups_.size(); ++g) {
      Group& group = groups_[g];
      if (group.kind != GroupKind::Vector || group.ops.empty() || !shares_tensor(group, op)) continue;
      std::vector<ir::OpId> ops = group.ops;
      ops.push_back(id);
      if (!should_share(ops, {group.ops, {id}})) continue;
      group.ops = std::move(ops);
      group_of_[id] = static_cast<int32_t>(g);
      return true;
    }
    return false;
  }

  /// The operator reads from a group that runs before another one that it needs: that group may run after both.
  bool join_later(ir::OpId id) {
    for (const int32_t g : groups_read(lowering_.op(id))) {
      const auto end = static_cast<int32_t>(groups_.size());
      if (groups_[g].kind != GroupKind::Vector || !can_move(g, end, {g})) continue;
      std::vector<ir::OpId> ops = groups_[g].ops;
      ops.push_back(id);
      if (!should_share(ops, {groups_[g].ops, {id}})) continue;
      groups_[g].ops.clear();
      open(GroupKind::Vector, ops, {});
      return true;
    }
    return false;
  }

  /// The operator reads results of several groups (the two sides of an addition): they become one, where the last one runs.
  bool join_several(ir::OpId id) {
    const std::set<int32_t> sources = groups_read(lowering_.op(id));
    if (sources.size() < 2) return false;
    std::vector<ir::OpId> ops;
    std::vector<std::vector<ir::OpId>> parts{{id}};
    for (const int32_t g : sources) {
      const Group& group = groups_[g];
      if (group.kind != GroupKind::Vector || !can_move(g, *sources.rbegin(), sources)) return false;
      ops.insert(ops.end(), group.ops.begin(), group.ops.end());
      parts.push_back(group.ops);
    }
    std::sort(ops.begin(), ops.end());
    ops.push_back(id);
    if (!should_share(ops, parts)) return false;
    for (const int32_t g : sources) groups_[g].ops.clear();
    for (const ir::OpId member : ops) group_of_[member] = *sources.rbegin();
    groups_[*sources.rbegin()].ops = std::move(ops);
    return true;
  }

  /// Whether a group can run as late as another: nothing in between reads what it computes.
  [[nodiscard]] bool can_move(int32_t from, int32_t to, const std::set<int32_t>& together) const {
    for (const ir::OpId id : groups_[from].ops) {
      for (const ir::OpId reader : consumers_[lowering_.op(id).outputs[0]]) {
        const int32_t g = group_of_[reader];
        if (g > from && g < to && !together.contains(g)) return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool shares_tensor(const Group& group, const ir::Operator& op) const {
    const std::vector<ir::TensorId> read = recompute_.sources_of(op);
    return std::any_of(group.ops.begin(), group.ops.end(), [&](ir::OpId member) {
      const ir::Operator& other = lowering_.op(member);
      const std::vector<ir::TensorId> others = recompute_.sources_of(other);
      return std::any_of(read.begin(), read.end(), [&](ir::TensorId id) {
        return id == other.outputs[0] || std::find(others.begin(), others.end(), id) != others.end();
      });
    });
  }

  Lowering& lowering_;
  const Recompute& recompute_;
  const base::IndexedVector<ir::TensorId, std::vector<ir::OpId>>& consumers_;
  base::IndexedVector<ir::OpId, int32_t> group_of_;
  std::map<std::vector<ir::OpId>, std::optional<int64_t>> cycles_;
  std::map<ir::OpId, cost::Alternatives> shares_;  // what was decided last of an operator that could join others
  base::IndexedVector<int32_t, Group> groups_;
};

}  // namespace

std::vector<Group> make_groups(Lowering& lowering, const std::vector<bool>& runs, const Recompute& recompute) {
  Grouper grouper(lowering, recompute);
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i] && !recompute.is_recomputed(static_cast<ir::OpId>(i))) grouper.add(static_cast<ir::OpId>(i));
  }
  return grouper.take();
}

std::vector<std::vector<ir::OpId>> running_consumers(const ir::Graph& graph, const std::vector<bool>& runs) {
  base::IndexedVector<ir::TensorId, std::vector<ir::OpId>> consumers = graph.consumers();
  for (auto& readers : consumers) {
    std::erase_if(readers, [&](ir::OpId id) { return !runs[static_cast<size_t>(id)]; });
  }
  return consumers;
}

}  // namespace vernier::passes
