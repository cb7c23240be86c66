// SPDX-License-Identifier: Apache-2.0
// Expand and Tile: numbers of a value several times.
#include "compiler/import/quantized/functions/common_steps.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <algorithm>

namespace vernier::import::quantized {

namespace {

/// The value as many times along each dimension of the source's shape.
Value repeated(Lowering& lowering, const Node& node, Value value, const std::vector<int64_t>& times) {
  if (std::all_of(times.begin(), times.end(), [](int64_t one) { return one == 1; })) return value;
  std::vector<int64_t> multiples;
  for (const int64_t dimension : value.order) multiples.push_back(dimension < 0 ? 1 : times[static_cast<size_t>(dimension)]);
  for (size_t i = 0; i < times.size(); ++i) {
    if (times[i] < 1 || times[i] > kMostElements / value.shape[i])
      refuse("dimension {} of {} is repeated {} times", i, base::to_string(value.shape), times[i]);
    value.shape[i] *= times[i];
  }
  if (!is_addressable(value.shape))
    refuse("the result {} is larger than the machine's memory", base::to_string(value.shape));
  GraphBuilder& graph = lowering.graph;
  value.tensor =
      graph.add(ir::OpKind::Tile, {}, {value.tensor, graph.add_shape(multiples)},
                {graph.tensor(value.tensor).type, shape_in_order(value.shape, value.order), node.outputs.at(0)}, node.name);
  value.layer = node.name;
  return value;
}

}  // namespace

void lower_expand(Lowering& lowering, const Node& node) {
  Value value = lowering.moved_codes(node, 0);
  const auto wanted = list_of(lowering, node, "shape", 1);
  if (!wanted) refuse("the shape is missing");
  for (const int64_t size : *wanted) {
    if (size < 1 || size > kMostElements) refuse("the shape {} has a size that is none", base::to_string(*wanted));
  }
  const base::Shape shape = broadcast_shape(value.shape, *wanted);
  if (shape.size() > value.shape.size()) value = ordered_value(lowering, node, value, source_order(shape.size()));
  std::vector<int64_t> times;
  for (size_t i = 0; i < shape.size(); ++i) times.push_back(shape[i] / value.shape[i]);
  lowering.define(node, repeated(lowering, node, std::move(value), times));
}

void lower_tile(Lowering& lowering, const Node& node) {
  Value value = lowering.moved_codes(node, 0);
  const auto times = list_of(lowering, node, "repeats", 1);
  if (!times || times->size() != value.shape.size())
    refuse("the repeats are {}, expected {} numbers", times ? base::to_string(*times) : "missing", value.shape.size());
  lowering.define(node, repeated(lowering, node, std::move(value), *times));
}

}  // namespace vernier::import::quantized
