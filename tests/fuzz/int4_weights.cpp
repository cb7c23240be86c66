// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/int4_weights.hpp"

#include "hw/model/wrap.hpp"

#include <algorithm>

namespace vernier::tests::fuzz {
namespace {

using ir::OpKind;
using ir::TensorId;

constexpr ValueRange kLegalInt4{-7, 7};  // TOSA has no -8

bool is_convolution(OpKind kind) {
  return kind == OpKind::Conv2d || kind == OpKind::Conv3d || kind == OpKind::DepthwiseConv2d ||
         kind == OpKind::TransposeConv2d;
}

TensorId add_constant(ir::Graph& graph, base::Tensor value) {
  const auto id = static_cast<TensorId>(graph.tensors.size());
  graph.tensors.push_back({fmt::format("int4_{}", id), value.type(), value.shape(), nullptr});
  graph.tensors.back().constant = std::make_shared<const base::Tensor>(std::move(value));
  return id;
}

/// The low four bits of each number.
base::Tensor narrowed(const base::Tensor& weights) {
  base::Tensor narrow(ElementType::Int4, weights.shape());
  for (int64_t i = 0; i < weights.size(); ++i)
    narrow.set(i, std::max(kLegalInt4.least, model::sign_extend(weights.at(i), 4)));
  return narrow;
}

}  // namespace

int64_t use_int4_weights(RandomGraph& random) {
  ir::Graph& graph = random.graph;
  const auto consumers = graph.consumers();
  int64_t num_changed = 0;
  for (ir::Operator& op : graph.operators) {
    if (!is_convolution(op.kind) || graph.tensor(op.inputs[0]).type != ElementType::Int8) continue;
    const TensorId weights = op.inputs[1];
    const auto input = std::ranges::find(graph.inputs, weights);
    const bool is_own_input = input != graph.inputs.end() && consumers[weights].size() == 1 &&
                              std::ranges::find(graph.outputs, weights) == graph.outputs.end();
    if (!graph.is_constant(op.inputs[4]) || (!graph.is_constant(weights) && !is_own_input)) continue;
    if (is_own_input) {
      graph.tensors[static_cast<size_t>(weights)].type = ElementType::Int4;
      random.input_ranges[static_cast<size_t>(input - graph.inputs.begin())] = kLegalInt4;
    } else {
      op.inputs[1] = add_constant(graph, narrowed(*graph.tensor(weights).constant));
    }
    op.inputs[4] = add_constant(graph, base::Tensor(ElementType::Int4, {1}));
    ++num_changed;
  }
  return num_changed;
}

}  // namespace vernier::tests::fuzz
