// SPDX-License-Identifier: Apache-2.0
// MEAN, SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_ANY, REDUCE_ALL, ARG_MAX, ARG_MIN.
#include "compiler/import/tflite/operators/axes.hpp"
#include "compiler/import/tflite/operators/operators.hpp"
#include "compiler/import/tflite/operators/products.hpp"

#include <algorithm>
#include <array>

namespace vernier::import::lite {

namespace {

using base::ElementType;
using ir::OpKind;
using tflite::BuiltinOperator;

Id reduced(LiteLowering& lowering, const LiteOperator& op, OpKind kind, Id from, const std::vector<int64_t>& axes) {
  for (const int64_t axis : axes) {
    ir::TensorInfo info = lowering.graph.tensor(from);
    info.shape[static_cast<size_t>(axis)] = 1;
    from = lowering.add(op, kind, ir::AxisAttributes{axis}, {from}, info.type, info.shape, "reduced");
  }
  return from;
}

}  // namespace

std::vector<int64_t> axes_of(const LiteLowering& lowering, const LiteOperator& op) {
  const size_t rank = lowering.input(op, 0).shape.size();
  std::vector<int64_t> axes;
  for (const int64_t axis : lowering.elements(op, 1, "the axes"))
    axes.push_back(static_cast<int64_t>(dimension_of(axis, rank)));
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  return axes;
}

void lower_mean(LiteLowering& lowering, const LiteOperator& op) {
  if (op.code == BuiltinOperator::SUM && lowering.input(op, 0).type == tflite::TensorType::INT32) {
    const Id whole = reduced(lowering, op, OpKind::ReduceSum, lowering.value(op, 0), axes_of(lowering, op));
    return lowering.finish(op, lowering.reshape(op, whole, lowering.output(op).shape, "shaped"));
  }
  const LiteTensor &input = lowering.input_codes(op), &output = lowering.output_codes(op);
  check_same_type(input, output);
  const std::vector<int64_t> axes = axes_of(lowering, op);
  int64_t count = 1;
  for (const int64_t axis : axes) count *= input.shape[static_cast<size_t>(axis)];
  const int64_t most = int64_t{1} << (is_16_bits(input) ? 14 : 22);  // so that sums stay within int32
  if (count >= most) refuse("{} numbers in one, allowed are less than {}", count, most);
  const Id sum = reduced(lowering, op, OpKind::ReduceSum, lowering.wide(op, 0, "wide"), axes);
  if (lowering.rule(op) == Rule::Float32) {
    const float by_float = input.scales.front() / output.scales.front() / static_cast<float>(count);
    const Id codes = codes_by_float32(lowering, op, sum, std::array{by_float});
    return lowering.finish(op, lowering.reshape(op, codes, output.shape, "shaped"));
  }
  const double ratio = scale_of(input) / scale_of(output);
  const LiteScale scale = op.code == BuiltinOperator::SUM ? lite_scale(ratio) : lite_mean_scale(ratio, count);
  const LiteLowering::Rescale rescale{type_of(output), 0, zero_point_of(output), {lite_multiplier(scale)}};
  lowering.finish(op, lowering.reshape(op, lowering.rescale(op, sum, rescale, "codes"), output.shape, "shaped"));
}

void lower_reduced_extreme(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor &input = lowering.input(op, 0), &output = lowering.output(op);
  check_same_scale(input, output);
  const OpKind kind = op.code == BuiltinOperator::REDUCE_MAX ? OpKind::ReduceMax : OpKind::ReduceMin;
  const Id result = reduced(lowering, op, kind, lowering.value(op, 0), axes_of(lowering, op));
  lowering.finish(op, lowering.reshape(op, result, output.shape, "shaped"));
}

void lower_reduced_truth(LiteLowering& lowering, const LiteOperator& op) {
  const OpKind kind = op.code == BuiltinOperator::REDUCE_ANY ? OpKind::ReduceAny : OpKind::ReduceAll;
  const Id from = lowering.value(op, 0);
  if (lowering.graph.tensor(from).type != ElementType::Bool)
    refuse("'{}' is {}, allowed is BOOL", lowering.input(op, 0).name, type_in_file(lowering.input(op, 0)));
  lowering.finish(op, lowering.reshape(op, reduced(lowering, op, kind, from, axes_of(lowering, op)),
                                       lowering.output(op).shape, "shaped"));
}

void lower_arg_extreme(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor& input = lowering.input_codes(op);
  if (is_16_bits(input)) refuse("'{}' is INT16, allowed is INT8, as the kernel has it", input.name);
  const std::vector<int64_t> axes = lowering.elements(op, 1, "the dimension");
  if (axes.size() != 1) refuse("{} dimensions, expected one", axes.size());
  const size_t axis = dimension_of(axes[0], input.shape.size());
  Id from = lowering.value(op, 0);
  if (op.code == BuiltinOperator::ARG_MIN)  // of the codes in the opposite order
    from = lowering.add(op, OpKind::BitwiseNot, {}, {from}, ElementType::Int8, input.shape, "inverted");
  base::Shape shape = input.shape;
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  lowering.finish(op, lowering.add(op, OpKind::ArgMax, ir::AxisAttributes{static_cast<int64_t>(axis)}, {from},
                                   ElementType::Int32, shape, "index"));
}

}  // namespace vernier::import::lite
