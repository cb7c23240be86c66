// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE_CONV: a window around each element of the input, with steps between their results.
#include "compiler/import/tflite/operators/operators.hpp"
#include "compiler/import/tflite/operators/products.hpp"
#include "compiler/import/tflite/operators/windows.hpp"

#include <algorithm>

namespace vernier::import::lite {

namespace {

/// What is cut off the results before and behind, of one direction, and whether `size` results are wanted.
struct Border {
  int64_t before, after;
};

Border border_of(int64_t input, int64_t kernel, int64_t stride, int64_t results, tflite::Padding padding) {
  check_padding(padding);
  if (kernel < 1 || stride < 1) refuse("a window of {} with stride {}, allowed are 1 and more", kernel, stride);
  // The convolution that gives the input from the results has this padding.
  const int64_t forward =
      padding == tflite::Padding::SAME ? (results + stride - 1) / stride : (results - kernel) / stride + 1;
  if (forward != input)
    refuse("{} results of {} elements with stride {} and a window of {}", results, input, stride, kernel);
  const int64_t total = padding == tflite::Padding::SAME ? std::max<int64_t>((input - 1) * stride + kernel - results, 0) : 0;
  const int64_t before = total / 2;
  return {-before, results - ((input - 1) * stride + kernel) + before};
}

}  // namespace

void lower_transpose_conv(LiteLowering& lowering, const LiteOperator& op) {
  const auto& options = options_of(op, &tflite::Operator::builtin_options_as_TransposeConvOptions);
  const LiteTensor& weights = weights_of(lowering, op, {1, 0});
  const LiteTensor &input = lowering.input_codes(op, 2), &output = lowering.output_codes(op);
  check_image(input, "the input");
  check_image(weights, "the weights");
  check_image(output, "the result");
  const base::Shape &of_input = input.shape, &of_weights = weights.shape, &shape = output.shape;
  const base::Shape wanted = lowering.elements(op, 0, "the shape of the result");
  if (wanted != shape || of_weights[0] != shape[3] || of_weights[3] != of_input[3] || of_input[0] != shape[0])
    refuse("{} and weights {} give no {}", base::to_string(of_input), base::to_string(of_weights), base::to_string(wanted));
  const Border y = border_of(of_input[1], of_weights[1], options.stride_h(), shape[1], options.padding());
  const Border x = border_of(of_input[2], of_weights[2], options.stride_w(), shape[2], options.padding());
  const base::ElementType sums = sums_of(input);
  // TOSA cuts less than a window; what is beyond is computed and cut off.
  const auto allowed = [](int64_t border, int64_t kernel) { return std::max(border, 1 - kernel); };
  const ir::TransposeConvAttributes attributes{{allowed(y.before, of_weights[1]), allowed(y.after, of_weights[1]),
                                                allowed(x.before, of_weights[2]), allowed(x.after, of_weights[2])},
                                               {options.stride_h(), options.stride_w()},
                                               sums};
  base::Shape whole = shape;
  whole[1] += attributes.out_pad[0] - y.before + attributes.out_pad[1] - y.after;
  whole[2] += attributes.out_pad[2] - x.before + attributes.out_pad[3] - x.after;
  const Id result = lowering.add(
      op, ir::OpKind::TransposeConv2d, attributes,
      {lowering.value(op, 2), lowering.value(op, 1), bias_of(lowering, op, {3, shape[3], sums}),
       lowering.graph.add_scalar(type_of(input), zero_point_of(input)), zero_point_of_weights(lowering, weights)},
      sums, whole, "sums");
  const Id codes = codes_of_sums(lowering, op, sums_by_bias(lowering, op, result, options.quantized_bias_type()), input,
                                 weights.scales, kSumsRounding);
  const Id cut =
      lowering.slice(op, codes, {0, attributes.out_pad[0] - y.before, attributes.out_pad[2] - x.before, 0}, shape, "cut");
  lowering.finish(op, cut, options.fused_activation_function());
}

}  // namespace vernier::import::lite
