// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/computed_parameters.hpp"
#include "compiler/passes/concat_parts.hpp"
#include "compiler/passes/fold.hpp"
#include "compiler/passes/groups.hpp"
#include "compiler/passes/layouts.hpp"
#include "compiler/passes/lower_argmax.hpp"
#include "compiler/passes/lower_conv3d.hpp"
#include "compiler/passes/lower_copy.hpp"
#include "compiler/passes/lower_gather.hpp"
#include "compiler/passes/lower_mac.hpp"
#include "compiler/passes/lower_matmul.hpp"
#include "compiler/passes/lower_move.hpp"
#include "compiler/passes/lower_phases.hpp"
#include "compiler/passes/lower_pool.hpp"
#include "compiler/passes/lower_resize.hpp"
#include "compiler/passes/lower_vector.hpp"
#include "compiler/passes/merged_graph.hpp"
#include "compiler/passes/placements.hpp"
#include "compiler/passes/vector_choice.hpp"
#include "hw/base/indexed_vector.hpp"

#include <algorithm>
#include <set>

namespace vernier::passes {
namespace {

void lower_on_array(Lowering& lowering, const MacChain& chain, const package::Placement& result) {
  switch (lowering.op(chain.ops[0]).kind) {
    case ir::OpKind::MatMul: return lower_matmul(lowering, chain, result);
    case ir::OpKind::Conv3d: return lower_conv3d(lowering, chain, result);
    case ir::OpKind::TransposeConv2d:
    case ir::OpKind::Resize: return lower_phases(lowering, chain, result);
    default: return lower_mac(lowering, chain, result);
  }
}

void lower_group(Lowering& lowering, const Group& group, const Layouts& layouts, const Recompute& recompute) {
  const ir::TensorId result = lowering.op(group.ops[0]).outputs[0];
  switch (group.kind) {
    case GroupKind::Mac: return lower_on_array(lowering, group.chain, layouts.of(group.chain.result));
    case GroupKind::Pool: return lower_pool(lowering, group.ops[0], layouts.of(result));
    case GroupKind::Resize: return lower_resize(lowering, group.ops[0], layouts.of(result));
    case GroupKind::ArgMax: return lower_argmax(lowering, group.ops[0]);
    case GroupKind::Gather:
      return lowering.op(group.ops[0]).kind == ir::OpKind::Gather ? lower_gather(lowering, group.ops[0])
                                                                  : lower_scatter(lowering, group.ops[0]);
    case GroupKind::Move:
      if (layouts.takes_transposed(group.ops[0])) return view_transposed(lowering, group.ops[0]);
      if (layouts.is_padding_of_readers(group.ops[0])) return leave_padding(lowering, group.ops[0]);
      return lower_move(lowering, group.ops[0]);
    case GroupKind::Copy: return lower_copy(lowering, group.ops[0], layouts.takes_views(result));
    case GroupKind::Vector:
      return lower_vector(lowering, recompute, group.ops, [&](ir::TensorId id) { return layouts.of(id); });
  }
}

/// Results that stay inside a command.
void list_fused(Lowering& lowering, const Group& group) {
  if (group.kind == GroupKind::Copy || group.kind == GroupKind::Move) return;  // copied, or views that are listed already
  for (const ir::OpId id : group.ops) {
    const ir::TensorId result = lowering.op(id).outputs[0];
    if (lowering.program.places[result]) continue;
    const ir::Operator& first = lowering.op(group.ops[0]);
    const ir::Operator& last = lowering.op(group.ops.back());
    const ir::Operator& into = group.kind == GroupKind::Mac ? first : last;
    lowering.add_folded(
        result, fmt::format("fused into {} {}", ir::to_string(into.kind), lowering.graph.tensor(into.outputs[0]).name));
  }
}

void list_recomputed(Lowering& lowering, const Recompute& recompute) {
  for (size_t i = 0; i < lowering.graph.operators.size(); ++i) {
    const ir::Operator& op = lowering.graph.operators[i];
    if (!recompute.is_recomputed(static_cast<ir::OpId>(i))) continue;
    lowering.add_folded(op.outputs[0], fmt::format("computed again where it is read ({})", ir::to_string(op.kind)));
  }
}

/// Outputs that are constants. First of all, so that others who read them find them in their place.
void copy_constant_outputs(Lowering& lowering) {
  const base::IndexedVector<ir::TensorId, ir::OpId> producers = lowering.graph.producers();
  for (const ir::TensorId id : lowering.graph.outputs) {
    if (lowering.value(id) == nullptr || lowering.program.places[id]) continue;
    const auto bytes = lowering.value(id)->bytes();
    const BufferId constant = lowering.add_buffer({.name = lowering.graph.tensor(id).name,
                                                   .kind = BufferKind::Constant,
                                                   .size_bytes = static_cast<int64_t>(bytes.size()),
                                                   .contents = {bytes.begin(), bytes.end()}});
    std::vector<ir::OpId> ops;
    if (!lowering.graph.operators.empty()) ops = {std::max(producers[id], 0)};
    add_copy(lowering, {constant, dense_placement(lowering.shape(id), lowering.type(id))}, id, ops);
  }
}

Program lower_as_it_is(const ir::Graph& graph, const config::MachineConfig& config, const LoweringOptions& options,
                       const std::string& file) {
  Lowering lowering(graph, config, options, file);
  const std::vector<bool> runs = fold(lowering);
  copy_constant_outputs(lowering);
  Recompute recompute(lowering, running_consumers(graph, runs));
  recompute.require([&](ir::OpId id) {
    return is_vector_op(lowering.op(id).kind) && choose_vector(lowering, recompute, {&id, 1}).has_value();
  });
  const std::vector<Group> groups = make_groups(lowering, runs, recompute);
  const Layouts layouts(lowering, groups, recompute);
  place_concat_parts(lowering, groups, recompute, layouts);
  for (const Group& group : groups) {
    std::vector<Step>& steps = lowering.program.steps;
    const size_t first = steps.size();
    lower_group(lowering, group, layouts, recompute);
    if (first < steps.size()) {
      steps[first].choices.insert(steps[first].choices.begin(), group.choices.begin(), group.choices.end());
    }
    list_fused(lowering, group);
  }
  list_recomputed(lowering, recompute);
  return std::move(lowering.program);
}

/// A program that was lowered from `merged.graph`, as one of `source`: steps work for operators of the source, and what they
/// make is told of its tensors only.
void tell_of_source(Program& program, const MergedGraph& merged, const ir::Graph& source) {
  const auto is_new = [&](ir::TensorId id) { return static_cast<size_t>(id) >= merged.num_source_tensors; };
  for (Step& step : program.steps) {
    std::vector<ir::OpId> ops;
    for (const ir::OpId op : step.ops) {
      for (const ir::OpId of_source : merged.source_ops[static_cast<size_t>(op)]) {
        if (std::find(ops.begin(), ops.end(), of_source) == ops.end()) ops.push_back(of_source);
      }
    }
    step.ops = std::move(ops);
    std::erase_if(step.productions, [&](const Production& production) { return is_new(production.tensor); });
  }
  program.places.resize(merged.num_source_tensors);
  std::set<std::string> names;
  for (size_t id = merged.num_source_tensors; id < merged.graph.tensors.size(); ++id)
    names.insert(merged.graph.tensors[id].name);
  std::erase_if(program.folded, [&](const package::FoldedTensor& folded) { return names.contains(folded.name); });
  for (const MergedGraph::Gone& gone : merged.gone) {
    program.folded.push_back({source.tensor(gone.tensor).name,
                              fmt::format("one convolution with other groups of {}", source.tensor(gone.whole).name)});
  }
}

/// The graph with operators for the zero points that are computed; none where it has no such zero point. What follows from
/// constants is known.
std::optional<MergedGraph> without_computed_zero_points(const ir::Graph& graph, const config::MachineConfig& config,
                                                        const LoweringOptions& options, const std::string& file) {
  const auto is_constant = [&](ir::TensorId id) { return graph.is_constant(id); };
  const bool has_any = std::ranges::any_of(
      graph.operators, [&](const ir::Operator& op) { return ir::find_computed_parameter(op, is_constant).has_value(); });
  if (!has_any) return std::nullopt;
  Lowering lowering(graph, config, options, file);
  fold(lowering);
  return rewrite_computed_zero_points(graph, [&](ir::TensorId id) { return lowering.value(id) != nullptr; });
}

}  // namespace

Program lower(const ir::Graph& graph, const config::MachineConfig& config, const LoweringOptions& options,
              const std::string& file) {
  const ir::Graph& form = options.merged != nullptr ? options.merged->graph : graph;
  const std::optional<MergedGraph> plain = without_computed_zero_points(form, config, options, file);
  Program program = lower_as_it_is(plain ? plain->graph : form, config, options, file);
  if (plain) tell_of_source(program, *plain, form);
  if (options.merged != nullptr) tell_of_source(program, *options.merged, graph);
  return program;
}

}  // namespace vernier::passes
