// SPDX-License-Identifier: Apache-2.0
// BATCH_MATMUL of two computed or constant matrices.
#include "compiler/import/tflite/operators/operators.hpp"

#include <algorithm>
#include <numeric>

namespace vernier::import::lite {

namespace {

using base::ElementType;
using ir::OpKind;

/// The operand with its last two dimensions in the order of a product, repeated to `batches`, as [batch, rows, columns].
Id matrices(LiteLowering& lowering, const LiteOperator& op, size_t index, bool is_turned, const base::Shape& batches) {
  Id value = lowering.value(op, index);
  const size_t rank = lowering.shape_of(value).size();
  const std::string what = index == 0 ? "a" : "b";
  if (is_turned) {
    std::vector<int64_t> order(rank);
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[rank - 1], order[rank - 2]);
    value = lowering.transpose(op, value, order, what + "_turned");
  }
  base::Shape shape = lowering.shape_of(value);
  shape.insert(shape.begin(), batches.size() + 2 - rank, 1);
  value = lowering.reshape(op, value, shape, what + "_batched");
  std::vector<int64_t> times(shape.size(), 1);
  for (size_t i = 0; i < batches.size(); ++i) {
    if (shape[i] != batches[i]) times[i] = batches[i];
  }
  if (std::any_of(times.begin(), times.end(), [](int64_t one) { return one != 1; })) {
    for (size_t i = 0; i < shape.size(); ++i) shape[i] *= times[i];
    value = lowering.add(op, OpKind::Tile, {}, {value, lowering.graph.add_shape(times)}, lowering.graph.tensor(value).type,
                         shape, what + "_repeated");
  }
  const int64_t batch = std::accumulate(batches.begin(), batches.end(), int64_t{1}, std::multiplies<>());
  return lowering.reshape(op, value, {batch, shape[shape.size() - 2], shape.back()}, what + "_matrices");
}

}  // namespace

void lower_batch_matmul(LiteLowering& lowering, const LiteOperator& op) {
  const auto& options = options_of(op, &tflite::Operator::builtin_options_as_BatchMatMulOptions);
  const LiteTensor &a = lowering.input_codes(op, 0), &b = lowering.input_codes(op, 1), &output = lowering.output_codes(op);
  check_same_type(a, b);
  check_same_type(a, output);
  if (a.shape.size() < 2 || b.shape.size() < 2)
    refuse("{} and {}, expected 2 dimensions and more", base::to_string(a.shape), base::to_string(b.shape));
  const size_t rank = std::max(a.shape.size(), b.shape.size());
  base::Shape batches(rank - 2, 1);
  for (const LiteTensor* one : {&a, &b}) {
    for (size_t i = 0; i + 2 < one->shape.size(); ++i) {
      int64_t& batch = batches[rank - one->shape.size() + i];
      if (one->shape[i] != 1 && batch != 1 && one->shape[i] != batch)
        refuse("{} and {} have no batches together", base::to_string(a.shape), base::to_string(b.shape));
      batch = std::max(batch, one->shape[i]);
    }
  }
  const Id first = matrices(lowering, op, 0, options.adj_x(), batches),
           second = matrices(lowering, op, 1, options.adj_y(), batches);
  const base::Shape of_a = lowering.shape_of(first), of_b = lowering.shape_of(second);
  if (of_a[2] != of_b[1]) refuse("{} columns and {} rows, expected as many", of_a[2], of_b[1]);
  const bool is_wide = is_16_bits(a);
  const base::Shape shape{of_a[0], of_a[1], of_b[2]};
  const Id sums = lowering.add(op, OpKind::MatMul, {},
                               {first, second, lowering.graph.add_scalar(type_of(a), zero_point_of(a)),
                                lowering.graph.add_scalar(type_of(b), zero_point_of(b))},
                               is_wide ? ElementType::Int48 : ElementType::Int32, shape, "sums");
  const LiteScale ratio = lite_scale(static_cast<double>(a.scales.front() * b.scales.front()) / scale_of(output));
  LiteLowering::Rescale rescale{
      type_of(output), 0, zero_point_of(output), {is_wide ? lite_multiplier16(ratio) : lite_multiplier(ratio)}};
  if (is_wide) {
    rescale.rounding = spec::Rounding::Single;
    rescale.is_16_bits = true;
  }
  lowering.finish(op, lowering.reshape(op, lowering.rescale(op, sums, rescale, "codes"), output.shape, "shaped"));
}

}  // namespace vernier::import::lite
