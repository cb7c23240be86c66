// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/flow_plan.hpp"

#include "compiler/emit/dead_region.hpp"
#include "compiler/emit/open_part.hpp"
#include "hw/base/error.hpp"
#include "hw/base/indexed_vector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace vernier::emit {
namespace {

using package::StepKind;

/// A value that a tensor has to be put into: at once, where an operator of the plan computes it.
using Targets = std::map<ir::TensorId, ValueId>;

/// A graph on its way into the plan: the main graph or a region.
struct Scope {
  const ir::Graph& graph;
  std::string prefix;  // of the names of its tensors
  int64_t depth = 0;   // operators COND_IF and WHILE_LOOP around it
  base::IndexedVector<ir::TensorId, Known> known;
  base::IndexedVector<ir::TensorId, size_t> last_reader;  // number of its last reader, counted from 1; 0: none
  Targets targets{};
  size_t next_op = 0;
};

struct Copy {
  Known from;
  ValueId to = -1;
};

class FlowPlanner {
 public:
  FlowPlanner(const ir::Graph& main, const std::string& file, bool has_dead_regions)
      : main_(main), file_(file), has_dead_regions_(has_dead_regions) {}

  FlowPlan run() {
    Scope scope = make_scope(main_, "", 0);
    for (const ir::TensorId id : main_.inputs) {
      if (scope.known[id].value < 0) scope.known[id].value = new_value(main_.tensor(id).name, main_.tensor(id));
      plan_.inputs.push_back(scope.known[id].value);
    }
    walk(scope);
    if (plan_.steps.empty()) {
      add_whole_part(scope);
    } else {
      add_outputs(scope);
    }
    return std::move(plan_);
  }

 private:
  Scope make_scope(const ir::Graph& graph, std::string prefix, int64_t depth) const {
    Scope scope{.graph = graph, .prefix = std::move(prefix), .depth = depth, .known = {}, .last_reader = {}};
    scope.known.assign(graph.tensors.size(), {});
    scope.last_reader.assign(graph.tensors.size(), 0);
    for (size_t i = 0; i < graph.tensors.size(); ++i) scope.known[i].constant = graph.tensors[i].constant;
    for (size_t i = 0; i < graph.operators.size(); ++i) {
      for (const ir::TensorId id : graph.operators[i].inputs) scope.last_reader[id] = i + 1;
    }
    for (const ir::TensorId id : graph.outputs) scope.last_reader[id] = graph.operators.size() + 1;
    return scope;
  }

  /// "loop/body/" for the tensors of a region: no tensor of the main graph begins so.
  [[nodiscard]] std::string prefix_of(const std::string& operator_name, std::string_view role) const {
    std::string prefix = fmt::format("{}/{}/", operator_name, role);
    while (std::ranges::any_of(main_.tensors, [&](const ir::TensorInfo& info) { return info.name.starts_with(prefix); }))
      prefix.insert(prefix.size() - 1, "'");
    return prefix;
  }

  ValueId new_value(const std::string& wanted_name, const ir::TensorInfo& like) {
    std::string name = wanted_name;
    while (!value_names_.insert(name).second) name += "'";
    plan_.values.push_back({std::move(name), like.type, like.shape});
    return static_cast<ValueId>(plan_.values.size() - 1);
  }

  /// From the scope's first operator to its last.
  void walk(Scope& scope) {
    scopes_.push_back(&scope);
    for (size_t i = 0; i < scope.graph.operators.size(); ++i) {
      const ir::Operator& op = scope.graph.operators[i];
      scope.next_op = i + 1;  // what it reads is not needed for itself once it is taken
      switch (op.kind) {
        case ir::OpKind::CondIf: add_cond_if(scope, op); break;
        case ir::OpKind::WhileLoop: add_while_loop(scope, op); break;
        default: add_operator(scope, op); break;
      }
    }
    scopes_.pop_back();
  }

  void add_operator(Scope& scope, const ir::Operator& op) {
    ir::Operator copy = op;
    for (ir::TensorId& id : copy.inputs) id = in_part(scope, id);
    for (ir::TensorId& id : copy.outputs) {
      const ir::TensorInfo& info = scope.graph.tensor(id);
      const ir::TensorId open = part_.add_tensor({scope.prefix + info.name, info.type, info.shape, nullptr});
      scope.known[id] = {nullptr, -1, open};
      id = open;
    }
    part_.graph().operators.push_back(std::move(copy));
  }

  /// A tensor of the part that is being filled, for a tensor of the scope that one of its operators reads.
  ir::TensorId in_part(const Scope& scope, ir::TensorId id) {
    return part_.tensor_of(scope.known[id], scope.prefix + scope.graph.tensor(id).name, plan_.values);
  }

  /// Ends the part: what is read behind it gets values, and so do tensors that have a target.
  void end_part() {
    if (part_.graph().operators.empty()) return;
    for (const Scope* scope : scopes_) {
      for (const auto& [id, value] : scope->targets) {
        if (const ir::TensorId open = scope->known[id].open; open >= 0) part_.put_out(open, value, plan_.values);
      }
    }
    for (Scope* scope : scopes_) {
      for (size_t i = 0; i < scope->known.size(); ++i) put_out_if_needed(*scope, static_cast<ir::TensorId>(i));
    }
    const ir::Graph& graph = part_.graph();
    if (!graph.outputs.empty()) return add_run();
    if (scopes_.size() == 1) {
      for (const ir::Operator& op : graph.operators)
        plan_.folded.push_back({graph.tensor(op.outputs[0]).name, "nobody reads it"});
    }
    part_.take();
  }

  void put_out_if_needed(Scope& scope, ir::TensorId id) {
    Known& known = scope.known[id];
    if (known.open < 0) return;
    if (scope.last_reader[id] < scope.next_op) {  // nobody asks for it
      known = {};
      return;
    }
    const ir::TensorInfo& info = part_.graph().tensor(known.open);
    if (!part_.value_of(known.open)) part_.put_out(known.open, new_value(info.name, info), plan_.values);
    known = {nullptr, *part_.value_of(known.open), -1};
  }

  void add_run() {
    if (static_cast<int64_t>(plan_.parts.size()) == kMostFlowParts)
      throw base::UserError(file_, "its control flow takes more than {} streams, the most that a package has",
                            kMostFlowParts);
    plan_.steps.push_back({StepKind::Run, static_cast<int32_t>(plan_.parts.size()), -1});
    plan_.parts.push_back(part_.take());
  }

  /// A part that copies. No value is both copied from and copied to.
  void add_copies(const std::vector<Copy>& copies) {
    if (copies.empty()) return;
    for (const Copy& copy : copies) {
      const CarriedValue& value = plan_.values[static_cast<size_t>(copy.to)];
      const ir::TensorId from = part_.tensor_of(copy.from, value.name + "/copied", plan_.values);
      part_.put_out(part_.add_copy(from, {value.name, value.type, value.shape, nullptr}), copy.to, plan_.values);
    }
    add_run();
  }

  /// The value of a condition, as a value. A package begins with a stream, so one that is there at once is copied.
  ValueId value_of_condition(const Known& known, const std::string& operator_name, const ir::TensorInfo& info) {
    if (known.value >= 0 && !plan_.steps.empty()) return known.value;
    const ValueId value = new_value(prefix_of(operator_name, "if") + info.name, info);
    add_copies({{known, value}});
    return value;
  }

  /// A region of an operator, in its role ("then"), with what its inputs are.
  struct Branch {
    std::string name;
    std::string_view role;
    std::vector<Known> inputs;
  };

  /// The region, `depth` operators of control flow around it; a dead one gives zeros.
  const ir::Graph& region_of(const std::string& name, int64_t depth) {
    try {
      return ir::region_to_run(main_, name, depth);
    } catch (const base::UserError&) {
      if (!has_dead_regions_) throw;
    }
    const auto [place, is_new] = dead_regions_.try_emplace(name);
    if (is_new) place->second = dead_region(*ir::find_region(main_, name));
    return place->second;
  }

  Scope scope_of(const Branch& branch, const Scope& around, const std::string& operator_name) {
    const ir::Graph& region = region_of(branch.name, around.depth + 1);
    Scope scope = make_scope(region, prefix_of(operator_name, branch.role), around.depth + 1);
    for (size_t i = 0; i < region.inputs.size(); ++i) scope.known[region.inputs[i]] = branch.inputs[i];
    return scope;
  }

  /// Runs the region for its outputs, which go to `results`, one for each.
  void add_branch(const Branch& branch, const Scope& around, const std::string& operator_name,
                  const std::vector<ValueId>& results) {
    Scope scope = scope_of(branch, around, operator_name);
    const std::vector<ir::TensorId>& outputs = scope.graph.outputs;
    for (size_t i = 0; i < outputs.size(); ++i) scope.targets.try_emplace(outputs[i], results[i]);
    walk_to_end(scope);
    std::vector<Copy> copies;
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Known& known = scope.known[outputs[i]];
      if (known.constant || known.value != results[i]) copies.push_back({known, results[i]});
    }
    add_copies(copies);
  }

  /// All parts of it are ended then.
  void walk_to_end(Scope& scope) {
    walk(scope);
    scopes_.push_back(&scope);
    scope.next_op = scope.graph.operators.size() + 1;
    end_part();
    scopes_.pop_back();
  }

  /// The value that a result of control flow is put into.
  ValueId value_of_result(const Scope& scope, ir::TensorId result) {
    const auto target = scope.targets.find(result);
    if (target != scope.targets.end()) return target->second;
    const ir::TensorInfo& info = scope.graph.tensor(result);
    return new_value(scope.prefix + info.name, info);
  }

  static std::vector<Known> known_of(const Scope& scope, const std::vector<ir::TensorId>& ids, size_t first) {
    std::vector<Known> known;
    for (size_t i = first; i < ids.size(); ++i) known.push_back(scope.known[ids[i]]);
    return known;
  }

  void add_cond_if(Scope& scope, const ir::Operator& op) {
    const auto& regions = op.attributes_as<ir::CondIfAttributes>();
    const std::string name = scope.prefix + scope.graph.tensor(op.outputs[0]).name;
    if (const auto& constant = scope.known[op.inputs[0]].constant) {
      const bool is_then = constant->at(0) != 0;
      add_inlined(scope, op, {is_then ? regions.then_graph : regions.else_graph, is_then ? "then" : "else", {}}, name);
      return;
    }
    end_part();
    const ValueId condition = value_of_condition(scope.known[op.inputs[0]], name, scope.graph.tensor(op.inputs[0]));
    std::vector<ValueId> results;
    for (const ir::TensorId id : op.outputs) results.push_back(value_of_result(scope, id));
    const std::vector<Known> inputs = known_of(scope, op.inputs, 1);
    plan_.steps.push_back({StepKind::If, -1, condition});
    add_branch({regions.then_graph, "then", inputs}, scope, name, results);
    plan_.steps.push_back({StepKind::Else, -1, -1});
    add_branch({regions.else_graph, "else", inputs}, scope, name, results);
    plan_.steps.push_back({StepKind::End, -1, -1});
    for (size_t i = 0; i < results.size(); ++i) scope.known[op.outputs[i]] = {nullptr, results[i], -1};
  }

  /// The region stands in the place of the operator, without a step.
  void add_inlined(Scope& scope, const ir::Operator& op, Branch branch, const std::string& name) {
    branch.inputs = known_of(scope, op.inputs, 1);
    Scope inner = scope_of(branch, scope, name);
    // While its operators are taken, what they read of the scope is theirs.
    walk(inner);
    for (size_t i = 0; i < op.outputs.size(); ++i) scope.known[op.outputs[i]] = inner.known[inner.graph.outputs[i]];
  }

  void add_while_loop(Scope& scope, const ir::Operator& op) {
    const auto& regions = op.attributes_as<ir::WhileLoopAttributes>();
    const std::string name = scope.prefix + scope.graph.tensor(op.outputs[0]).name;
    end_part();
    std::vector<Known> carried;
    std::vector<Copy> first;
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      const ValueId value = value_of_result(scope, op.outputs[i]);
      first.push_back({scope.known[op.inputs[i]], value});
      carried.push_back({nullptr, value, -1});
    }
    add_copies(first);
    plan_.steps.push_back({StepKind::Loop, -1, -1});
    const ir::Graph& cond_graph = region_of(regions.cond_graph, scope.depth + 1);
    const ir::TensorInfo& told = cond_graph.tensor(cond_graph.outputs[0]);
    const ValueId condition = new_value(prefix_of(name, "while") + told.name, told);
    add_condition({regions.cond_graph, "cond", carried}, scope, name, condition);
    plan_.steps.push_back({StepKind::While, -1, condition});
    add_body({regions.body_graph, "body", carried}, scope, name);
    plan_.steps.push_back({StepKind::End, -1, -1});
    for (size_t i = 0; i < carried.size(); ++i) scope.known[op.outputs[i]] = carried[i];
  }

  /// Its outputs behind the bool are what the last carried values become (passes/variables).
  void add_condition(const Branch& cond, const Scope& around, const std::string& operator_name, ValueId condition) {
    Scope scope = scope_of(cond, around, operator_name);
    const ir::TensorId told = scope.graph.outputs[0];
    scope.targets.try_emplace(told, condition);
    walk_to_end(scope);
    const Known& known = scope.known[told];
    std::vector<Copy> copies;
    if (known.constant || known.value != condition) copies.push_back({known, condition});
    carry(scope, 1, cond.inputs, std::move(copies));
  }

  void add_body(const Branch& body, const Scope& around, const std::string& operator_name) {
    Scope scope = scope_of(body, around, operator_name);
    walk_to_end(scope);
    carry(scope, 0, body.inputs, {});
  }

  /// The region's outputs from that one on become the last carried values, after all of it has run. `aside` is copied
  /// before.
  void carry(const Scope& scope, size_t first_output, const std::vector<Known>& carried, std::vector<Copy> aside) {
    const std::vector<ir::TensorId>& outputs = scope.graph.outputs;
    std::vector<Copy> back;
    for (size_t i = first_output; i < outputs.size(); ++i) {
      const Known& known = scope.known[outputs[i]];
      const ValueId becomes = carried[carried.size() - (outputs.size() - i)].value;
      if (!known.constant && known.value == becomes) continue;
      const bool is_of_another =
          std::ranges::any_of(carried, [&](const Known& input) { return !known.constant && input.value == known.value; });
      Known from = known;
      if (is_of_another) {
        from.value = new_value(scope.prefix + scope.graph.tensor(outputs[i]).name, scope.graph.tensor(outputs[i]));
        aside.push_back({known, from.value});
      }
      back.push_back({from, becomes});
    }
    add_copies(aside);
    add_copies(back);
  }

  /// Outputs of the main graph, which need values.
  void add_outputs(Scope& scope) {
    scopes_.push_back(&scope);
    scope.next_op = main_.operators.size() + 1;
    end_part();
    scopes_.pop_back();
    std::map<ir::TensorId, ValueId> copied;
    std::vector<Copy> copies;
    for (const ir::TensorId id : main_.outputs) {
      const Known& known = scope.known[id];
      const bool has_own_value =
          known.value >= 0 && plan_.values[static_cast<size_t>(known.value)].name == main_.tensor(id).name;
      if (!has_own_value && !copied.contains(id)) {
        copied.emplace(id, new_value(main_.tensor(id).name, main_.tensor(id)));
        copies.push_back({known, copied.at(id)});
      }
      plan_.outputs.push_back(has_own_value ? known.value : copied.at(id));
    }
    add_copies(copies);
  }

  /// Everything is one part: with all inputs and outputs of the main graph, in their order.
  void add_whole_part(const Scope& scope) {
    std::vector<ir::TensorId> inputs, outputs;
    for (const ir::TensorId id : main_.inputs) inputs.push_back(in_part(scope, id));
    for (const ir::TensorId id : main_.outputs) outputs.push_back(output_of_whole(scope, id, outputs));
    part_.graph().inputs = std::move(inputs);
    part_.graph().outputs = std::move(outputs);
    add_run();
  }

  /// The tensor under the output's own name: by a copy where it is an input, a constant or another output. A tensor of the
  /// main graph that loses its name so is listed as folded.
  ir::TensorId output_of_whole(const Scope& scope, ir::TensorId id, const std::vector<ir::TensorId>& others) {
    const ir::TensorInfo& info = main_.tensor(id);
    const ir::TensorId open = in_part(scope, id);
    std::string& name = part_.graph().tensors[open].name;
    if (name == info.name) return open;
    if (part_.graph().producers()[open] < 0 || std::ranges::find(others, open) != others.end())
      return part_.add_copy(open, {info.name, info.type, info.shape, nullptr});
    const auto has_name = [&](const ir::TensorInfo& other) { return other.name == name; };
    if (std::ranges::any_of(main_.tensors, has_name)) plan_.folded.push_back({name, fmt::format("alias of {}", info.name)});
    name = info.name;
    return open;
  }

  const ir::Graph& main_;
  const std::string& file_;
  bool has_dead_regions_;
  std::map<std::string, ir::Graph> dead_regions_;  // with zeros in their place
  FlowPlan plan_;
  std::vector<Scope*> scopes_;  // that are being walked, the outermost first
  OpenPart part_;               // that is being filled
  std::set<std::string> value_names_;
};

}  // namespace

FlowPlan plan_flow(const ir::Graph& main, const std::string& file, bool has_dead_regions) {
  return FlowPlanner(main, file, has_dead_regions).run();
}

}  // namespace vernier::emit
