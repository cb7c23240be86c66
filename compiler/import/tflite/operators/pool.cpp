// SPDX-License-Identifier: Apache-2.0
// AVERAGE_POOL_2D and MAX_POOL_2D.
#include "compiler/import/tflite/operators/operators.hpp"
#include "compiler/import/tflite/operators/windows.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::import::lite {

namespace {

using base::ElementType;
using ir::OpKind;

const tflite::Pool2DOptions& pool_options(const LiteLowering& lowering, const LiteOperator& op) {
  constexpr float kNear = 1e-6F;  // scales that the kernel takes as equal
  const LiteTensor &input = lowering.input_codes(op), &output = lowering.output_codes(op);
  if (input.zero_points != output.zero_points || std::abs(input.scales.front() - output.scales.front()) > kNear)
    check_same_scale(input, output);
  check_same_type(input, output);
  return options_of(op, &tflite::Operator::builtin_options_as_Pool2DOptions);
}

/// `operands` follow the window's input.
void finish_pool(LiteLowering& lowering, const LiteOperator& op, OpKind kind, const std::vector<Id>& operands) {
  const tflite::Pool2DOptions& options = pool_options(lowering, op);
  const Window window = window_of(
      lowering, op,
      {options.filter_height(), options.filter_width(), options.stride_h(), options.stride_w(), 1, 1, options.padding()});
  const base::Shape& from = lowering.shape_of(window.input);
  const base::Shape shape{from[0], window.rows, window.columns, from[3]};
  std::vector<Id> inputs{window.input};
  inputs.insert(inputs.end(), operands.begin(), operands.end());
  const Id result = lowering.add(op, kind,
                                 ir::PoolAttributes{{options.filter_height(), options.filter_width()},
                                                    {options.stride_h(), options.stride_w()},
                                                    window.pad,
                                                    ElementType::Int32},
                                 inputs, lowering.graph.tensor(window.input).type, shape, "pooled");
  lowering.finish(op, result, options.fused_activation_function());
}

}  // namespace

void lower_average_pool(LiteLowering& lowering, const LiteOperator& op) {
  // The kernel adds codes with their zero points and rounds halves of their mean away from 0: so does AVG_POOL2D without.
  // Unsigned codes are less 128 here, which is their zero point then.
  const LiteTensor& output = lowering.output_codes(op);
  const Id zero = lowering.graph.add_scalar(type_of(output), output.is_unsigned ? -128 : 0);
  finish_pool(lowering, op, OpKind::AvgPool2d, {zero, zero});
}

void lower_max_pool(LiteLowering& lowering, const LiteOperator& op) { finish_pool(lowering, op, OpKind::MaxPool2d, {}); }

}  // namespace vernier::import::lite
