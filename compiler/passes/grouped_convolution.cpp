// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/grouped_convolution.hpp"

#include <algorithm>
#include <optional>

namespace vernier::passes {
namespace {

using ir::OpId;
using ir::OpKind;
using ir::TensorId;

/// What may follow a convolution and takes one element at a time.
bool may_follow(OpKind kind) { return kind == OpKind::Rescale || kind == OpKind::Clamp || kind == OpKind::Table; }

class Finder {
 public:
  explicit Finder(const ir::Graph& graph) : graph_(graph), producers_(graph.producers()), consumers_(graph.consumers()) {
    is_output_.resize(graph.tensors.size());
    for (const TensorId id : graph.outputs) is_output_[id] = true;
  }

  /// The grouped convolution that ends in this operator, if it is such a CONCAT.
  [[nodiscard]] std::optional<GroupedConvolution> find(OpId concat) const {
    const ir::Operator& joins = op(concat);
    if (joins.kind != OpKind::Concat || joins.inputs.size() < 2 || joins.attributes_as<ir::AxisAttributes>().axis != 3)
      return {};
    GroupedConvolution grouped;
    grouped.concat = concat;
    for (const TensorId part : joins.inputs) {
      std::optional<GroupedConvolution::Group> group = group_of(part);
      if (!group || !is_next(grouped, *group)) return {};
      grouped.groups.push_back(std::move(*group));
    }
    for (TensorId id = joins.outputs[0]; const std::optional<OpId> next = only_reader(id);) {
      const ir::Operator& after = op(*next);
      if (!may_follow(after.kind) || !has_constants(after) || after.inputs[0] != id) break;
      grouped.after.push_back(*next);
      id = after.outputs[0];
    }
    return grouped;
  }

 private:
  [[nodiscard]] const ir::Operator& op(OpId id) const { return graph_.operators[id]; }

  [[nodiscard]] std::optional<OpId> only_reader(TensorId id) const {
    const std::vector<OpId>& readers = consumers_[id];
    if (readers.size() != 1 || is_output_[id]) return {};
    const std::vector<TensorId>& read = op(readers[0]).inputs;
    return std::count(read.begin(), read.end(), id) == 1 ? std::optional(readers[0]) : std::nullopt;
  }

  [[nodiscard]] bool has_constants(const ir::Operator& one) const {
    return std::all_of(one.inputs.begin() + 1, one.inputs.end(), [&](TensorId id) { return graph_.is_constant(id); });
  }

  /// What makes a part of the CONCAT, back to its SLICE.
  [[nodiscard]] std::optional<GroupedConvolution::Group> group_of(TensorId part) const {
    GroupedConvolution::Group group;
    while (true) {
      const OpId made_by = producers_[part];
      if (made_by < 0 || !only_reader(part) || !has_constants(op(made_by))) return {};
      group.ops.insert(group.ops.begin(), made_by);
      part = op(made_by).inputs[0];
      if (op(made_by).kind == OpKind::Conv2d) break;
      if (!may_follow(op(made_by).kind)) return {};
    }
    group.slice = producers_[part];
    const bool is_slice = group.slice >= 0 && op(group.slice).kind == OpKind::Slice && has_constants(op(group.slice));
    if (!is_slice || graph_.tensor(part).shape.size() != 4) return {};
    return group;
  }

  /// `group` reads the channels after the last of `grouped`, and computes as its groups do.
  [[nodiscard]] bool is_next(GroupedConvolution& grouped, const GroupedConvolution::Group& group) const {
    const ir::Operator& slice = op(group.slice);
    const base::Shape& read = graph_.tensor(slice.outputs[0]).shape;
    const base::Tensor& start = *graph_.tensor(slice.inputs[1]).constant;
    for (size_t i = 0; i < 3; ++i) {
      if (start.at(static_cast<int64_t>(i)) != 0 || read[i] != graph_.tensor(slice.inputs[0]).shape[i]) return false;
    }
    if (grouped.groups.empty()) {
      grouped.input = slice.inputs[0];
      grouped.first_channel = start.at(3);
      return true;
    }
    const auto before = static_cast<int64_t>(grouped.groups.size());
    if (slice.inputs[0] != grouped.input || start.at(3) != grouped.first_channel + before * read[3]) return false;
    const GroupedConvolution::Group& first = grouped.groups.front();
    if (first.ops.size() != group.ops.size()) return false;
    for (size_t i = 0; i < group.ops.size(); ++i) {
      if (!computes_alike(op(first.ops[i]), op(group.ops[i]))) return false;
    }
    return true;
  }

  /// Weights, biases and scales may differ in values; all else is the same.
  [[nodiscard]] bool computes_alike(const ir::Operator& a, const ir::Operator& b) const {
    if (a.kind != b.kind || !(a.attributes == b.attributes) || a.inputs.size() != b.inputs.size()) return false;
    const size_t num_per_channel = a.kind == OpKind::Conv2d || a.kind == OpKind::Rescale ? 2 : 0;
    for (size_t i = 1; i < a.inputs.size(); ++i) {
      const base::Tensor& of_a = *graph_.tensor(a.inputs[i]).constant;
      const base::Tensor& of_b = *graph_.tensor(b.inputs[i]).constant;
      const bool is_per_channel = i <= num_per_channel;
      if (is_per_channel ? of_a.shape() != of_b.shape() || of_a.type() != of_b.type() : of_a != of_b) return false;
    }
    return graph_.tensor(a.outputs[0]).type == graph_.tensor(b.outputs[0]).type;
  }

  const ir::Graph& graph_;
  base::IndexedVector<TensorId, OpId> producers_;
  base::IndexedVector<TensorId, std::vector<OpId>> consumers_;
  base::IndexedVector<TensorId, bool> is_output_;
};

}  // namespace

std::vector<OpId> GroupedConvolution::ops_of(size_t first, size_t together) const {
  std::vector<OpId> all;
  for (size_t i = first; i < first + together; ++i) all.insert(all.end(), groups[i].ops.begin(), groups[i].ops.end());
  all.push_back(concat);
  all.insert(all.end(), after.begin(), after.end());
  return all;
}

const base::Tensor& GroupedConvolution::weights(const ir::Graph& graph, size_t group) const {
  const ir::Operator& conv = graph.operators[groups[group].ops[0]];
  return *graph.tensor(conv.inputs[1]).constant;
}

std::vector<GroupedConvolution> find_grouped_convolutions(const ir::Graph& graph) {
  std::vector<GroupedConvolution> found;
  const bool has_concat = std::any_of(graph.operators.begin(), graph.operators.end(),
                                      [](const ir::Operator& op) { return op.kind == OpKind::Concat; });
  if (!has_concat) return found;
  const Finder finder(graph);
  for (size_t op = 0; op < graph.operators.size(); ++op) {
    if (auto grouped = finder.find(static_cast<OpId>(op))) found.push_back(std::move(*grouped));
  }
  return found;
}

base::Tensor merged_weights(const ir::Graph& graph, const GroupedConvolution& grouped, int64_t first, int64_t together) {
  const base::Tensor& one = grouped.weights(graph, 0);
  const int64_t channels = one.shape()[3], filters = one.shape()[0], taps = one.shape()[1] * one.shape()[2];
  const ir::Operator& conv = graph.operators[grouped.groups[0].ops[0]];
  const int64_t zero_point = graph.tensor(conv.inputs[4]).constant->at(0);
  base::Tensor merged(one.type(), {filters * together, one.shape()[1], one.shape()[2], channels * together});
  for (int64_t i = 0; zero_point != 0 && i < merged.size(); ++i) merged.set(i, zero_point);
  for (int64_t group = 0; group < together; ++group) {
    const base::Tensor& weights = grouped.weights(graph, static_cast<size_t>(first + group));
    for (int64_t line = 0; line < filters * taps; ++line) {  // of a filter and a tap
      const int64_t to = (group * filters * taps + line) * channels * together + group * channels;
      for (int64_t c = 0; c < channels; ++c) merged.set(to + c, weights.at(line * channels + c));
    }
  }
  return merged;
}

base::Tensor merged_operand(const ir::Graph& graph, const GroupedConvolution& grouped, int64_t first, int64_t together,
                            size_t place, size_t operand) {
  const auto value = [&](int64_t group) -> const base::Tensor& {
    const OpId op = grouped.groups[static_cast<size_t>(first + group)].ops[place];
    return *graph.tensor(graph.operators[op].inputs[operand]).constant;
  };
  const int64_t channels = grouped.weights(graph, 0).shape()[0];
  base::Tensor merged(value(0).type(), {channels * together});
  for (int64_t i = 0; i < merged.size(); ++i) {
    const base::Tensor& of_group = value(i / channels);
    merged.set(i, of_group.at(of_group.size() == 1 ? 0 : i % channels));
  }
  return merged;
}

base::Tensor operand_of_part(const ir::Graph& graph, const GroupedConvolution& grouped, int64_t first, int64_t together,
                             TensorId operand) {
  const base::Tensor& all = *graph.tensor(operand).constant;
  if (all.size() == 1) return all;
  const int64_t channels = grouped.weights(graph, 0).shape()[0];
  base::Tensor part(all.type(), {channels * together});
  for (int64_t i = 0; i < part.size(); ++i) part.set(i, all.at(first * channels + i));
  return part;
}

}  // namespace vernier::passes
