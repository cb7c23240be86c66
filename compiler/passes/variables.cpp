// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace vernier::passes {
namespace {

/// What an operator runs a region for. A branch gives the variables that some region writes; a body all that regions use,
/// because its outputs are its next inputs; a condition that writes one all of these too, behind its bool.
enum class RegionRole : uint8_t { Branch, Condition, Body };

/// A graph on its way, with what each variable is at the place that it has reached.
struct VariableScope {
  ir::Graph& graph;
  std::vector<ir::TensorId> current;  // by variable; -1: not met yet
  std::vector<bool> is_written;
  std::set<std::string> names;  // of its tensors
};

class VariablePass {
 public:
  explicit VariablePass(const ir::Graph& main)
      : main_(main), is_used_(main.variables.size()), is_written_(main.variables.size()) {
    for (const ir::Region& region : main.regions) {
      for (const ir::Operator& op : region.graph.operators) add_use(op);
    }
  }

  DataFlow run() {
    DataFlow flow{main_, std::vector<VariableEnds>(main_.variables.size())};
    flow.graph.variables.clear();
    VariableScope scope = scope_of(flow.graph);
    flow_ = &flow;
    rewrite(scope);
    for (size_t i = 0; i < main_.variables.size(); ++i) {
      if (!scope.is_written[i]) continue;
      flow.variables[i].output = static_cast<int32_t>(flow.graph.outputs.size());
      flow.graph.outputs.push_back(scope.current[i]);
    }
    if (!has_uses_in_regions()) return flow;
    flow.graph.regions.clear();
    for (size_t i = 0; i < wanted_.size(); ++i) {  // which grows
      const WantedRegion wanted = wanted_[i];
      flow.graph.regions.push_back(rewritten(*wanted.region, wanted.role, wanted.name));
    }
    return flow;
  }

 private:
  struct WantedRegion {
    const ir::Region* region = nullptr;
    RegionRole role = RegionRole::Branch;
    std::string name;
  };

  void add_use(const ir::Operator& op) {
    const std::optional<size_t> number = ir::variable_of(main_, op);
    if (!number) return;
    is_used_[*number] = true;
    if (op.kind == ir::OpKind::VariableWrite) is_written_[*number] = true;
  }

  [[nodiscard]] bool has_uses_in_regions() const { return std::ranges::find(is_used_, true) != is_used_.end(); }

  static VariableScope scope_of(ir::Graph& graph) {
    VariableScope scope{graph, {}, {}, {}};
    for (const ir::TensorInfo& tensor : graph.tensors) scope.names.insert(tensor.name);
    return scope;
  }

  ir::TensorId new_tensor(VariableScope& scope, size_t variable, std::string_view role) {
    const ir::Variable& info = main_.variables[variable];
    std::string name = fmt::format("{}{}", info.name, role);
    while (!scope.names.insert(name).second) name += "'";
    scope.graph.tensors.push_back({std::move(name), info.type, info.shape, nullptr});
    return static_cast<ir::TensorId>(scope.graph.tensors.size() - 1);
  }

  /// Of the main graph it becomes an input where it is asked for first.
  ir::TensorId value_of(VariableScope& scope, size_t variable) {
    ir::TensorId& id = scope.current[variable];
    if (id >= 0) return id;
    id = new_tensor(scope, variable, "");
    flow_->variables[variable].input = static_cast<int32_t>(scope.graph.inputs.size());
    scope.graph.inputs.push_back(id);
    return id;
  }

  void rewrite(VariableScope& scope) {
    scope.current.resize(main_.variables.size(), -1);
    scope.is_written.resize(main_.variables.size());
    for (ir::Operator& op : scope.graph.operators) {
      if (ir::is_control_flow(op.kind)) {
        if (has_uses_in_regions()) rewrite_control_flow(scope, op);
        continue;
      }
      const std::optional<size_t> variable = ir::variable_of(main_, op);
      if (!variable) continue;
      if (op.kind == ir::OpKind::VariableRead) {
        op.inputs = {value_of(scope, *variable)};
      } else {
        set_value(scope, *variable, op.outputs.at(0));
      }
      op.kind = ir::OpKind::Identity;
      op.attributes = std::monostate{};
    }
  }

  static void set_value(VariableScope& scope, size_t variable, ir::TensorId id) {
    scope.current[variable] = id;
    scope.is_written[variable] = true;
  }

  void rewrite_control_flow(VariableScope& scope, ir::Operator& op) {
    const bool is_loop = op.kind == ir::OpKind::WhileLoop;
    for (size_t i = 0; i < is_used_.size(); ++i) {
      if (is_used_[i]) op.inputs.push_back(value_of(scope, i));
    }
    for (size_t i = 0; i < is_used_.size(); ++i) {
      if (!is_used_[i] || (!is_loop && !is_written_[i])) continue;
      const ir::TensorId result = new_tensor(scope, i, "/after");
      op.outputs.push_back(result);
      if (is_written_[i]) set_value(scope, i, result);
    }
    if (auto* loop = std::get_if<ir::WhileLoopAttributes>(&op.attributes)) {
      *loop = {region_for(loop->cond_graph, RegionRole::Condition), region_for(loop->body_graph, RegionRole::Body)};
    } else if (auto* branch = std::get_if<ir::CondIfAttributes>(&op.attributes)) {
      *branch = {region_for(branch->then_graph, RegionRole::Branch), region_for(branch->else_graph, RegionRole::Branch)};
    }
  }

  /// The name of the region in that role.
  std::string region_for(const std::string& name, RegionRole role) {
    const auto region = std::ranges::find(main_.regions, name, &ir::Region::name);
    if (region == main_.regions.end()) return name;  // the check of the operator says so, where it runs
    const auto is_it = [&](const WantedRegion& one) { return one.region == &*region && one.role == role; };
    if (const auto found = std::ranges::find_if(wanted_, is_it); found != wanted_.end()) return found->name;
    std::string own_name = name;
    const auto is_taken = [&](const WantedRegion& one) { return one.name == own_name; };
    const auto is_another = [&] { return own_name != name && ir::find_region(main_, own_name) != nullptr; };
    while (std::ranges::any_of(wanted_, is_taken) || is_another()) own_name += "'";
    wanted_.push_back({&*region, role, own_name});
    return own_name;
  }

  ir::Region rewritten(const ir::Region& region, RegionRole role, const std::string& name) {
    ir::Region copy = region;
    copy.name = name;
    VariableScope scope = scope_of(copy.graph);
    scope.current.resize(main_.variables.size(), -1);
    for (size_t i = 0; i < is_used_.size(); ++i) {
      if (!is_used_[i]) continue;
      scope.current[i] = new_tensor(scope, i, "");
      copy.graph.inputs.push_back(scope.current[i]);
    }
    rewrite(scope);
    const bool writes = std::ranges::find(scope.is_written, true) != scope.is_written.end();
    const bool gives_all = role == RegionRole::Body || (role == RegionRole::Condition && writes);
    for (size_t i = 0; i < is_used_.size(); ++i) {
      if (gives_all ? is_used_[i] : role == RegionRole::Branch && is_written_[i])
        copy.graph.outputs.push_back(scope.current[i]);
    }
    return copy;
  }

  const ir::Graph& main_;
  std::vector<bool> is_used_, is_written_;  // by variable: in some region
  std::vector<WantedRegion> wanted_;
  DataFlow* flow_ = nullptr;
};

}  // namespace

DataFlow to_data_flow(const ir::Graph& main) { return VariablePass(main).run(); }

}  // namespace vernier::passes
