// SPDX-License-Identifier: Apache-2.0
// AVERAGE_POOL_2D, MAX_POOL_2D, MEAN.
#include "compiler/import/tflite/lite_lowering.hpp"
#include "compiler/import/tflite/windows.hpp"

#include <algorithm>

namespace vernier::import::lite {

namespace {

using base::ElementType;
using ir::OpKind;

const tflite::Pool2DOptions& pool_options(const LiteLowering& lowering, const LiteOperator& op) {
  const auto* options = op.source->builtin_options_as_Pool2DOptions();
  if (options == nullptr) refuse("has no options of its kind");
  const LiteTensor& input = lowering.codes(lowering.input(op, 0));
  const LiteTensor& output = lowering.codes(lowering.output(op));
  if (input.scales != output.scales || input.zero_points != output.zero_points)
    refuse("'{}' and '{}' have other scales or zero points, expected the same", input.name, output.name);
  return *options;
}

/// `operands` follow the window's input.
void finish_pool(LiteLowering& lowering, const LiteOperator& op, OpKind kind, const std::vector<Id>& operands) {
  const tflite::Pool2DOptions& options = pool_options(lowering, op);
  const Window window = window_of(
      lowering, op,
      {options.filter_height(), options.filter_width(), options.stride_h(), options.stride_w(), 1, 1, options.padding()});
  const base::Shape& from = lowering.graph.tensor(window.input).shape;
  const base::Shape shape{from[0], window.rows, window.columns, from[3]};
  std::vector<Id> inputs{window.input};
  inputs.insert(inputs.end(), operands.begin(), operands.end());
  const Id result = lowering.add(op, kind,
                                 ir::PoolAttributes{{options.filter_height(), options.filter_width()},
                                                    {options.stride_h(), options.stride_w()},
                                                    window.pad,
                                                    ElementType::Int32},
                                 inputs, ElementType::Int8, shape, "pooled");
  lowering.finish(op, result, options.fused_activation_function());
}

}  // namespace

void lower_average_pool(LiteLowering& lowering, const LiteOperator& op) {
  // The kernel adds codes with their zero points and rounds halves of their mean away from 0: so does AVG_POOL2D without.
  const Id zero = lowering.graph.add_scalar(ElementType::Int8, 0);
  finish_pool(lowering, op, OpKind::AvgPool2d, {zero, zero});
}

void lower_max_pool(LiteLowering& lowering, const LiteOperator& op) { finish_pool(lowering, op, OpKind::MaxPool2d, {}); }

void lower_mean(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor& input = lowering.codes(lowering.input(op, 0));
  const LiteTensor& output = lowering.codes(lowering.output(op));
  const auto rank = std::ssize(input.shape);
  std::vector<int64_t> axes = lowering.elements(op, 1, "the axes");
  for (int64_t& axis : axes) {
    if (axis < -rank || axis >= rank) refuse("axis {} of {}", axis, base::to_string(input.shape));
    if (axis < 0) axis += rank;
  }
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  int64_t count = 1;
  for (const int64_t axis : axes) count *= input.shape[static_cast<size_t>(axis)];
  if (count >= int64_t{1} << 22) refuse("a mean over {} numbers, allowed are less than 2^22", count);
  Id sum = lowering.rescale(op, lowering.value(op, 0), {ElementType::Int32, zero_point_of(input)}, "wide");
  for (const int64_t axis : axes) {
    base::Shape shape = lowering.graph.tensor(sum).shape;
    shape[static_cast<size_t>(axis)] = 1;
    sum = lowering.add(op, OpKind::ReduceSum, ir::AxisAttributes{axis}, {sum}, ElementType::Int32, shape, "sum");
  }
  const LiteMultiplier part = lite_mean_multiplier(scale_of(input) / scale_of(output), count);
  const Id codes = lowering.rescale(op, sum, {ElementType::Int8, 0, zero_point_of(output), {part}}, "codes");
  lowering.finish(op, lowering.reshape(op, codes, output.shape, "shaped"), tflite::ActivationFunctionType::NONE);
}

}  // namespace vernier::import::lite
