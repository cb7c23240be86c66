// SPDX-License-Identifier: Apache-2.0
// GATHER_ND and SCATTER_ND: rows at places of several dimensions, which become indices of one.
#include "compiler/import/tflite/operators/operators.hpp"

#include <algorithm>
#include <map>

namespace vernier::import::lite {

namespace {

using base::ElementType;
using ir::OpKind;

/// Rows of `inner` elements, each at `depth` of the dimensions.
struct Places {
  int64_t count, depth, size, inner;
  std::vector<int64_t> strides;  // by dimension: from one index to the next, in rows
};

Places places_of(const LiteTensor& indices, const base::Shape& shape) {
  if (indices.shape.empty() || indices.shape.back() < 1 || indices.shape.back() > std::ssize(shape))
    refuse("the indices '{}' are {}, expected rows of 1 to {}", indices.name, base::to_string(indices.shape), shape.size());
  Places places{0, indices.shape.back(), 1, 1, {}};
  places.count = base::num_elements(indices.shape) / places.depth;
  places.strides.assign(static_cast<size_t>(places.depth), 1);
  for (size_t i = shape.size(); i-- > 0;) {
    if (i >= places.strides.size()) {
      places.inner *= shape[i];
    } else {
      places.strides[i] = places.size;
      places.size *= shape[i];
    }
  }
  return places;
}

/// The row of each place, of indices that are constant.
std::vector<int64_t> constant_rows(const LiteLowering& lowering, const LiteOperator& op, size_t index, const Places& places,
                                   const base::Shape& shape) {
  const std::vector<int64_t> numbers = lowering.elements(op, index, "the indices");
  std::vector<int64_t> rows(static_cast<size_t>(places.count), 0);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const size_t dimension = i % places.strides.size();
    if (numbers[i] < 0 || numbers[i] >= shape[dimension])
      refuse("the index {} of dimension {}, which has {}", numbers[i], dimension, shape[dimension]);
    rows[i / places.strides.size()] += numbers[i] * places.strides[dimension];
  }
  return rows;
}

/// The same of indices that the network computes: 1 x count.
Id computed_rows(LiteLowering& lowering, const LiteOperator& op, size_t index, const Places& places) {
  const LiteTensor& indices = lowering.input(op, index);
  if (indices.type != tflite::TensorType::INT32)
    refuse("the indices '{}' are {}, allowed is INT32", indices.name, type_in_file(indices));
  Id at = lowering.reshape(op, lowering.value(op, index), {places.count, places.depth}, "indices");
  if (places.depth > 1) {
    const Id strides = lowering.graph.add_constant(ElementType::Int32, {1, places.depth}, places.strides);
    const Id steps = lowering.product(op, at, strides, {places.count, places.depth}, "steps");
    at = lowering.add(op, OpKind::ReduceSum, ir::AxisAttributes{1}, {steps}, ElementType::Int32, {places.count, 1}, "rows");
  }
  return lowering.reshape(op, at, {1, places.count}, "flat_indices");
}

Id gathered(LiteLowering& lowering, const LiteOperator& op, Id rows, Id at) {
  const ir::TensorInfo info = lowering.graph.tensor(rows);
  const base::Shape shape{1, lowering.shape_of(at)[1], info.shape[2]};
  return lowering.add(op, OpKind::Gather, {}, {rows, at}, info.type, shape, "picked");
}

/// Codes of updates that go to one place are added, and wrap.
Id wrapped(LiteLowering& lowering, const LiteOperator& op, Id sums) {
  const base::Shape shape = lowering.shape_of(sums);
  const auto shifted = [&](OpKind kind, const ir::Attributes& attributes, Id from) {
    return lowering.add(op, kind, attributes, {from, lowering.scalar(shape.size(), 24)}, ElementType::Int32, shape,
                        "wrapped");
  };
  const Id up = shifted(OpKind::LogicalLeftShift, {}, sums);
  const Id down = shifted(OpKind::ArithmeticRightShift, ir::ShiftAttributes{false}, up);
  return lowering.rescale(op, down, {ElementType::Int8}, "codes");
}

/// Each row of the result from the update that goes there, or from a row of zeros after the updates. Where several go to one
/// row, once for each of them.
Id scattered(LiteLowering& lowering, const LiteOperator& op, Id updates, const std::vector<int64_t>& rows, int64_t size) {
  const ElementType type = lowering.graph.tensor(updates).type;
  std::map<int64_t, std::vector<int64_t>> by_row;
  for (size_t i = 0; i < rows.size(); ++i) by_row[rows[i]].push_back(static_cast<int64_t>(i));
  size_t layers = 1;
  for (const auto& [row, found] : by_row) layers = std::max(layers, found.size());
  constexpr size_t kMostLayers = 64;
  const LiteTensor& output = lowering.output(op);
  const bool adds = type == ElementType::Int32 || (type == ElementType::Int8 && !output.is_unsigned);
  if (layers > kMostLayers || (layers > 1 && !adds))
    refuse("{} updates go to one place, allowed are {}", layers, adds ? kMostLayers : 1);
  const Id with_zeros = lowering.pad(op, updates, {0, 0, 0, 1, 0, 0}, output.is_unsigned ? -128 : 0, "with_zeros");
  std::vector<std::vector<int64_t>> sources(layers, std::vector<int64_t>(static_cast<size_t>(size), std::ssize(rows)));
  for (const auto& [row, found] : by_row) {
    for (size_t i = 0; i < found.size(); ++i) sources[i][static_cast<size_t>(row)] = found[i];
  }
  Id result{};
  for (size_t i = 0; i < layers; ++i) {
    Id layer = gathered(lowering, op, with_zeros, lowering.graph.add_constant(ElementType::Int32, {1, size}, sources[i]));
    if (layers > 1 && type != ElementType::Int32) layer = lowering.rescale(op, layer, {ElementType::Int32}, "wide");
    result = i == 0
                 ? layer
                 : lowering.add(op, OpKind::Add, {}, {result, layer}, ElementType::Int32, lowering.shape_of(layer), "sum");
  }
  return layers > 1 && type != ElementType::Int32 ? wrapped(lowering, op, result) : result;
}

}  // namespace

void lower_gather_nd(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor &input = lowering.input(op, 0), &indices = lowering.input(op, 1), &output = lowering.output(op);
  check_same_scale(input, output);
  const Places places = places_of(indices, input.shape);
  const Id rows = lowering.reshape(op, lowering.value(op, 0), {1, places.size, places.inner}, "rows");
  const Id at = lowering.is_known(op, 1) ? lowering.graph.add_constant(ElementType::Int32, {1, places.count},
                                                                       constant_rows(lowering, op, 1, places, input.shape))
                                         : computed_rows(lowering, op, 1, places);
  lowering.finish(op, lowering.reshape(op, gathered(lowering, op, rows, at), output.shape, "shaped"));
}

void lower_scatter_nd(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor &indices = lowering.input(op, 0), &input = lowering.input(op, 1), &output = lowering.output(op);
  check_same_scale(input, output);
  if (is_16_bits(input)) refuse("'{}' is INT16, allowed are INT8, INT32 and BOOL, as the kernel has it", input.name);
  if (lowering.elements(op, 2, "the shape") != output.shape)
    refuse("'{}' has the shape {}, which is not the third input's", output.name, base::to_string(output.shape));
  const Places places = places_of(indices, output.shape);
  const Id updates = lowering.reshape(op, lowering.value(op, 1), {1, places.count, places.inner}, "updates");
  if (lowering.is_known(op, 0)) {
    const std::vector<int64_t> rows = constant_rows(lowering, op, 0, places, output.shape);
    const Id result = scattered(lowering, op, updates, rows, places.size);
    return lowering.finish(op, lowering.reshape(op, result, output.shape, "shaped"));
  }
  if (places.count > 1)
    lowering.warning = "its places are computed: of updates that go to one place one is taken, where LiteRT adds them";
  const ElementType type = lowering.graph.tensor(updates).type;
  const std::vector<int64_t> zeros(static_cast<size_t>(places.size * places.inner), output.is_unsigned ? -128 : 0);
  const Id empty = lowering.graph.add_constant(type, {1, places.size, places.inner}, zeros);
  const Id at = computed_rows(lowering, op, 0, places);
  const Id result =
      lowering.add(op, OpKind::Scatter, {}, {empty, at, updates}, type, {1, places.size, places.inner}, "scattered");
  lowering.finish(op, lowering.reshape(op, result, output.shape, "shaped"));
}

}  // namespace vernier::import::lite
