// SPDX-License-Identifier: Apache-2.0
// GATHER: rows of one dimension, by indices that are constant or computed.
#include "compiler/import/tflite/operators/operators.hpp"
#include "compiler/import/tflite/operators/rows.hpp"

#include <algorithm>
#include <numeric>

namespace vernier::import::lite {

namespace {

using base::ElementType;
using ir::OpKind;

int64_t product(base::Shape::const_iterator begin, base::Shape::const_iterator end) {
  return std::accumulate(begin, end, int64_t{1}, std::multiplies<>());
}

}  // namespace

Id picked_rows(LiteLowering& lowering, const LiteOperator& op, Id from, size_t axis, const std::vector<int64_t>& indices) {
  const ir::TensorInfo info = lowering.graph.tensor(from);
  base::Shape shape = info.shape;
  const int64_t size = shape[axis], count = std::ssize(indices);
  bool is_run = true;
  for (size_t i = 1; i < indices.size(); ++i) is_run = is_run && indices[i] == indices[i - 1] + 1;
  if (is_run) {
    std::vector<int64_t> begin(shape.size(), 0);
    begin[axis] = indices.at(0);
    shape[axis] = count;
    return lowering.slice(op, from, begin, shape, "rows");
  }
  const auto middle = shape.begin() + static_cast<std::ptrdiff_t>(axis);
  const int64_t outer = product(shape.begin(), middle), inner = product(middle + 1, shape.end());
  constexpr int64_t kMostIndices = 1'000'000;
  if (count > kMostIndices / outer)
    refuse("{} indices for each of {} rows, allowed are {} in all", count, outer, kMostIndices);
  std::vector<int64_t> all;
  for (int64_t i = 0; i < outer; ++i) all.insert(all.end(), indices.begin(), indices.end());
  const Id rows = lowering.reshape(op, from, {outer, size, inner}, "rows");
  const Id picked =
      lowering.add(op, OpKind::Gather, {}, {rows, lowering.graph.add_constant(ElementType::Int32, {outer, count}, all)},
                   info.type, {outer, count, inner}, "picked");
  shape[axis] = count;
  return lowering.reshape(op, picked, shape, "picked_shaped");
}

void lower_gather(LiteLowering& lowering, const LiteOperator& op) {
  const auto& options = options_of(op, &tflite::Operator::builtin_options_as_GatherOptions);
  const LiteTensor &input = lowering.input(op, 0), &indices = lowering.input(op, 1), &output = lowering.output(op);
  check_same_scale(input, output);
  if (indices.type != tflite::TensorType::INT32 && !(indices.is_constant && indices.type == tflite::TensorType::INT64))
    refuse("the indices '{}' are {}, allowed is INT32", indices.name, type_in_file(indices));
  const size_t axis = dimension_of(options.axis(), input.shape.size());
  const int64_t batch_dimensions =
      options.batch_dims() < 0 ? options.batch_dims() + std::ssize(indices.shape) : options.batch_dims();
  if (batch_dimensions < 0 || batch_dimensions > static_cast<int64_t>(axis) || batch_dimensions > std::ssize(indices.shape))
    refuse("batch_dims is {}, allowed are 0 to {}", options.batch_dims(), axis);
  const int64_t size = input.shape[axis];
  if (lowering.is_known(op, 1)) {
    const std::vector<int64_t> numbers = lowering.elements(op, 1, "the indices");
    for (const int64_t number : numbers) {
      if (number < 0 || number >= size) refuse("the index {} of {} rows", number, size);
    }
    if (batch_dimensions == 0) {
      const Id rows = picked_rows(lowering, op, lowering.value(op, 0), axis, numbers);
      return lowering.finish(op, lowering.reshape(op, rows, output.shape, "shaped"));
    }
  }
  const auto middle = input.shape.begin() + static_cast<std::ptrdiff_t>(axis);
  const auto first = input.shape.begin() + static_cast<std::ptrdiff_t>(batch_dimensions);
  const int64_t batch = product(input.shape.begin(), first), outer = product(first, middle),
                inner = product(middle + 1, input.shape.end());
  const int64_t count = base::num_elements(indices.shape) / batch;
  if (base::num_elements(indices.shape) % batch != 0)
    refuse("{} indices for {} batches", base::num_elements(indices.shape), batch);
  Id at = indices.is_constant
              ? lowering.graph.add_constant(ElementType::Int32, {batch, 1, count}, lowering.elements(op, 1, "the indices"))
              : lowering.reshape(op, lowering.value(op, 1), {batch, 1, count}, "indices");
  if (outer > 1)
    at = lowering.add(op, OpKind::Tile, {}, {at, lowering.graph.add_shape({1, outer, 1})}, ElementType::Int32,
                      {batch, outer, count}, "all_indices");
  at = lowering.reshape(op, at, {batch * outer, count}, "flat_indices");
  const Id rows = lowering.reshape(op, lowering.value(op, 0), {batch * outer, size, inner}, "rows");
  const Id picked = lowering.add(op, OpKind::Gather, {}, {rows, at}, lowering.graph.tensor(rows).type,
                                 {batch * outer, count, inner}, "picked");
  lowering.finish(op, lowering.reshape(op, picked, output.shape, "shaped"));
}

}  // namespace vernier::import::lite
