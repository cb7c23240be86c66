// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/main_operator.hpp"

#include <cstdint>
#include <utility>

namespace vernier::emit {
namespace {

using ir::OpKind;

/// What tells more of a layer comes later.
enum class Weight : uint8_t { Convert, Move, Compute, Pool, Multiply };

Weight weight_of(const ir::Graph& graph, const ir::Operator& op) {
  if (ir::macs_of(graph, op) > 0) return Weight::Multiply;
  switch (op.kind) {
    case OpKind::AvgPool2d:
    case OpKind::MaxPool2d: return Weight::Pool;
    case OpKind::Rescale:
    case OpKind::Cast:
    case OpKind::Clamp:
    case OpKind::Identity:
    case OpKind::Const:
    case OpKind::Reshape: return Weight::Convert;
    case OpKind::Concat:
    case OpKind::Pad:
    case OpKind::Reverse:
    case OpKind::Slice:
    case OpKind::Tile:
    case OpKind::Transpose:
    case OpKind::Gather:
    case OpKind::Scatter: return Weight::Move;
    default: return Weight::Compute;
  }
}

/// Rows and columns of the kernel (CONV3D: planes before them).
std::vector<int64_t> kernel_of(const ir::Graph& graph, const ir::Operator& op) {
  switch (op.kind) {
    case OpKind::Conv2d:
    case OpKind::TransposeConv2d: {
      const base::Shape& weights = graph.tensor(op.inputs.at(1)).shape;
      return {weights.at(1), weights.at(2)};
    }
    case OpKind::Conv3d: {
      const base::Shape& weights = graph.tensor(op.inputs.at(1)).shape;
      return {weights.at(1), weights.at(2), weights.at(3)};
    }
    case OpKind::DepthwiseConv2d: {
      const base::Shape& weights = graph.tensor(op.inputs.at(1)).shape;
      return {weights.at(0), weights.at(1)};
    }
    case OpKind::AvgPool2d:
    case OpKind::MaxPool2d: return op.attributes_as<ir::PoolAttributes>().kernel;
    default: return {};
  }
}

std::vector<int64_t> stride_of(const ir::Operator& op) {
  if (const auto* conv = std::get_if<ir::ConvAttributes>(&op.attributes)) return conv->stride;
  if (const auto* transposed = std::get_if<ir::TransposeConvAttributes>(&op.attributes)) return transposed->stride;
  if (const auto* pool = std::get_if<ir::PoolAttributes>(&op.attributes)) return pool->stride;
  return {};
}

}  // namespace

package::MainOperator main_operator_of(const ir::Graph& graph, std::span<const ir::OpId> ops) {
  const ir::Operator* best = nullptr;
  std::pair<Weight, int64_t> best_weight{};
  for (const ir::OpId id : ops) {
    const ir::Operator& op = graph.operators[id];
    const std::pair weight{weight_of(graph, op), ir::macs_of(graph, op)};
    if (best != nullptr && weight <= best_weight) continue;
    best = &op;
    best_weight = weight;
  }
  if (best == nullptr) return {};
  package::MainOperator result;
  result.name = ir::to_string(best->kind);
  result.kernel = kernel_of(graph, *best);
  result.stride = stride_of(*best);
  if (best_weight.first >= Weight::Pool) result.output_channels = graph.tensor(best->outputs.at(0)).shape.back();
  return result;
}

}  // namespace vernier::emit
