// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/merge_groups.hpp"

#include "compiler/passes/grouped_convolution.hpp"
#include "hw/base/error.hpp"

#include <algorithm>
#include <utility>

namespace vernier::passes {
namespace {

using ir::OpId;
using ir::OpKind;
using ir::TensorId;

/// Weights that a merged convolution may have: what a network may make us allocate.
constexpr int64_t kMostWeights = int64_t{1} << 23;

/// Groups for each merged convolution: a divisor of their number, so that all are equal.
int64_t groups_together(const ir::Graph& graph, const GroupedConvolution& grouped, int64_t most_channels) {
  const auto num_groups = static_cast<int64_t>(grouped.groups.size());
  const base::Shape& weights = grouped.weights(graph, 0).shape();
  const int64_t channels = std::max(weights[0], weights[3]), group = base::num_elements(weights);
  int64_t best = 1;
  for (int64_t together = 2; together <= num_groups; ++together) {
    if (num_groups % together != 0 || channels > most_channels / together) continue;
    if (group * together <= kMostWeights / together) best = together;
  }
  return best;
}

/// Builds the graph, operator after operator of the source.
class Merger {
 public:
  Merger(const ir::Graph& source, int64_t most_channels) : source_(source), most_channels_(most_channels) {}

  std::optional<MergedGraph> run() {
    std::vector<GroupedConvolution> found = find_grouped_convolutions(source_);
    std::vector<const GroupedConvolution*> ends_at(source_.operators.size(), nullptr);
    std::vector<bool> is_gone(source_.operators.size());
    bool is_changed = false;
    for (const GroupedConvolution& grouped : found) {
      if (groups_together(source_, grouped, most_channels_) == 1) continue;
      is_changed = true;
      ends_at[static_cast<size_t>(grouped.last_op())] = &grouped;
      for (const OpId op : grouped.all_ops()) is_gone[static_cast<size_t>(op)] = true;
    }
    if (!is_changed) return std::nullopt;
    merged_.begin(source_);
    for (size_t op = 0; op < source_.operators.size(); ++op) {
      if (ends_at[op] != nullptr) {
        add(*ends_at[op]);
      } else if (!is_gone[op]) {
        merged_.add(source_.operators[op], {static_cast<OpId>(op)});
      }
    }
    return merged_.take();
  }

 private:
  void add(const GroupedConvolution& grouped) {
    const int64_t together = groups_together(source_, grouped, most_channels_);
    const TensorId whole = source_.operators[grouped.last_op()].outputs[0];
    const auto num_groups = static_cast<int64_t>(grouped.groups.size());
    std::vector<TensorId> parts;
    for (int64_t first = 0; first < num_groups; first += together) {
      const bool is_all = together == num_groups;
      parts.push_back(add_part(grouped, first, together, is_all ? whole : -1));
    }
    if (parts.size() > 1) {
      ir::Operator concat = source_.operators[grouped.concat];
      concat.inputs = parts;
      concat.outputs = {whole};
      merged_.add(std::move(concat), {grouped.concat});
    }
    for (const OpId op : grouped.all_ops()) {
      const TensorId result = source_.operators[op].outputs[0];
      if (result != whole) merged_.add_gone({result, whole});
    }
  }

  /// One convolution of the groups from `first` on, with what follows it; it makes `result`, or a new tensor (-1).
  TensorId add_part(const GroupedConvolution& grouped, int64_t first, int64_t together, TensorId result) {
    const std::vector<OpId>& chain = grouped.groups[static_cast<size_t>(first)].ops;
    const ir::Operator& conv = source_.operators[chain[0]];
    const std::string name = source_.tensor(conv.outputs[0]).name + "_merged";
    const std::vector<OpId> of_groups = grouped.ops_of(static_cast<size_t>(first), static_cast<size_t>(together));
    ir::Operator made = conv;
    made.inputs[0] = add_slice(grouped, first, together, name);
    made.inputs[1] = merged_.add_constant(name + "_weights", merged_weights(source_, grouped, first, together));
    made.inputs[2] = merged_.add_constant(name + "_bias", merged_operand(source_, grouped, first, together, 0, 2));
    base::Shape shape = source_.tensor(conv.outputs[0]).shape;
    shape[3] *= together;
    const size_t length = chain.size() + grouped.after.size();
    const auto make = [&](ir::Operator& op, size_t place) {
      const base::ElementType type = source_.tensor(op.outputs[0]).type;
      op.outputs = {place + 1 == length && result >= 0 ? result : merged_.add_tensor(name, type, shape)};
      merged_.add(op, of_groups);
      return op.outputs[0];
    };
    TensorId last = make(made, 0);
    for (size_t i = 1; i < length; ++i) {
      const bool is_of_group = i < chain.size();
      ir::Operator next = source_.operators[is_of_group ? chain[i] : grouped.after[i - chain.size()]];
      next.inputs[0] = last;
      if (next.kind == OpKind::Rescale) {
        for (const size_t operand : {size_t{1}, size_t{2}}) {
          base::Tensor value = is_of_group ? merged_operand(source_, grouped, first, together, i, operand)
                                           : operand_of_part(source_, grouped, first, together, next.inputs[operand]);
          next.inputs[operand] = merged_.add_constant(name + "_scales", std::move(value));
        }
        auto& attributes = std::get<ir::RescaleAttributes>(next.attributes);
        attributes.per_channel = merged_.tensor(next.inputs[1]).shape[0] > 1;
      }
      last = make(next, i);
    }
    return last;
  }

  /// The channels that the groups read.
  TensorId add_slice(const GroupedConvolution& grouped, int64_t first, int64_t together, const std::string& name) {
    const ir::TensorInfo& whole = source_.tensor(grouped.input);
    const int64_t channels = grouped.weights(source_, 0).shape()[3];
    const int64_t begin = grouped.first_channel + first * channels;
    if (begin == 0 && together * channels == whole.shape[3]) return grouped.input;
    base::Tensor start(base::ElementType::Shape, {4}), size(base::ElementType::Shape, {4});
    base::Shape shape = whole.shape;
    shape[3] = together * channels;
    start.set(3, begin);
    for (int64_t i = 0; i < 4; ++i) size.set(i, shape[static_cast<size_t>(i)]);
    ir::Operator slice = source_.operators[static_cast<size_t>(grouped.groups[static_cast<size_t>(first)].slice)];
    slice.inputs = {grouped.input, merged_.add_constant(name + "_start", std::move(start)),
                    merged_.add_constant(name + "_size", std::move(size))};
    slice.outputs = {merged_.add_tensor(name + "_input", whole.type, shape)};
    const TensorId result = slice.outputs[0];
    merged_.add(std::move(slice), {grouped.groups[static_cast<size_t>(first)].ops[0]});
    return result;
  }

  const ir::Graph& source_;
  const int64_t most_channels_;
  MergedGraphBuilder merged_;
};

}  // namespace

std::optional<MergedGraph> merge_groups(const ir::Graph& source, int64_t most_channels) {
  return Merger(source, most_channels).run();
}

}  // namespace vernier::passes
