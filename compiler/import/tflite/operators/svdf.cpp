// SPDX-License-Identifier: Apache-2.0
// SVDF of int8: one number of each filter for a frame, the last of which are its state, and sums over time and over the
// filters of a unit.
#include "compiler/import/tflite/operators/operators.hpp"
#include "compiler/import/tflite/operators/products.hpp"
#include "compiler/import/tflite/operators/states.hpp"

namespace vernier::import::lite {

namespace {

using base::ElementType;
using ir::OpKind;

struct Svdf {
  int64_t batch, depth, filters, units, memory;
};

Svdf sizes_of(const LiteLowering& lowering, const LiteOperator& op, int64_t rank) {
  const LiteTensor &input = lowering.input(op, 0), &features = lowering.input(op, 1), &times = lowering.input(op, 2),
                   &state = lowering.input(op, 4);
  if (input.shape.size() != 2 || features.shape.size() != 2 || times.shape.size() != 2)
    refuse("the input {}, the weights {} and {}, expected 2 dimensions each", base::to_string(input.shape),
           base::to_string(features.shape), base::to_string(times.shape));
  const Svdf sizes{input.shape[0], input.shape[1], features.shape[0], rank < 1 ? 0 : features.shape[0] / rank,
                   times.shape[1]};
  if (rank < 1 || sizes.filters % rank != 0) refuse("a rank of {} for {} filters", rank, sizes.filters);
  if (features.shape[1] != sizes.depth || times.shape[0] != sizes.filters)
    refuse("the weights are {} and {} for {} numbers in a frame", base::to_string(features.shape),
           base::to_string(times.shape), sizes.depth);
  if (times.type != tflite::TensorType::INT16 || state.type != tflite::TensorType::INT16)
    refuse("the weights '{}' and the state '{}' are {} and {}, expected INT16", times.name, state.name, type_in_file(times),
           type_in_file(state));
  if (state.shape != base::Shape{sizes.batch, sizes.memory * sizes.filters})
    refuse("the state '{}' is {}, expected {}", state.name, base::to_string(state.shape),
           base::to_string(base::Shape{sizes.batch, sizes.memory * sizes.filters}));
  return sizes;
}

/// The numbers of this frame, as codes of the state: batch x filters x 1.
Id frame_of(LiteLowering& lowering, const LiteOperator& op, const Svdf& sizes) {
  const LiteTensor &input = lowering.input_codes(op), &weights = weights_of(lowering, op, {1, 0}),
                   &state = lowering.codes(lowering.input(op, 4));
  if (weights.scales.size() != 1)
    refuse("the weights '{}' have {} scales, expected one", weights.name, weights.scales.size());
  const Id none = lowering.graph.add_constant(ElementType::Int32, {1}, {0});
  const Id sums = matrix_sums(lowering, op, lowering.value(op, 0), zero_point_of(input), lowering.value(op, 1), none);
  const float ratio = input.scales.front() * weights.scales.front() / state.scales.front();
  const Id codes =
      lowering.rescale(op, sums, {ElementType::Int16, 0, 0, {lite_multiplier(static_cast<double>(ratio))}}, "frame");
  return lowering.reshape(op, codes, {sizes.batch, sizes.filters, 1}, "frame_shaped");
}

/// The sum over a dimension of int32.
Id summed(LiteLowering& lowering, const LiteOperator& op, Id from, size_t axis) {
  base::Shape shape = lowering.shape_of(from);
  shape[axis] = 1;
  return lowering.add(op, OpKind::ReduceSum, ir::AxisAttributes{static_cast<int64_t>(axis)}, {from}, ElementType::Int32,
                      shape, "sum");
}

/// The frames before this one and this one. The oldest leaves the state.
Id with_earlier_frames(LiteLowering& lowering, const LiteOperator& op, const Svdf& sizes, Id frame) {
  if (sizes.memory == 1) return frame;
  const State state = read_state(lowering, op, 4);
  const base::Shape all{sizes.batch, sizes.filters, sizes.memory}, but_one{sizes.batch, sizes.filters, sizes.memory - 1};
  const Id read = lowering.reshape(op, state.value, all, "state_shaped");
  const Id frames = lowering.joined(op, {lowering.slice(op, read, {0, 0, 0}, but_one, "earlier"), frame}, 2);
  const Id later = lowering.slice(op, frames, {0, 0, 1}, but_one, "later");
  const Id shifted = lowering.pad(op, later, {0, 0, 0, 0, 0, 1}, 0, "next");
  write_state(lowering, state, lowering.reshape(op, shifted, {sizes.batch, sizes.memory * sizes.filters}, "next_state"));
  return frames;
}

}  // namespace

void lower_svdf(LiteLowering& lowering, const LiteOperator& op) {
  const auto& options = options_of(op, &tflite::Operator::builtin_options_as_SVDFOptions);
  const LiteTensor &input = lowering.input_codes(op), &output = lowering.output_codes(op);
  check_same_type(input, output);
  if (is_16_bits(input) || input.is_unsigned)
    refuse("'{}' is {}, allowed is INT8, as the kernel has it", input.name, type_in_file(input));
  if (options.fused_activation_function() != tflite::ActivationFunctionType::RELU)
    refuse("fused activation {}, allowed is RELU, as the kernel has it",
           tflite::EnumNameActivationFunctionType(options.fused_activation_function()));
  const Svdf sizes = sizes_of(lowering, op, options.rank());
  const LiteTensor &times = lowering.codes(lowering.input(op, 2)), &state = lowering.codes(lowering.input(op, 4));
  const Id frames = with_earlier_frames(lowering, op, sizes, frame_of(lowering, op, sizes));
  const base::Shape all{sizes.batch, sizes.filters, sizes.memory};
  const Id wide = lowering.rescale(op, frames, {ElementType::Int32}, "wide");
  const Id weights = lowering.graph.add_constant(ElementType::Int32, {1, sizes.filters, sizes.memory},
                                                 lowering.elements(op, 2, "the weights of time"));
  const Id filters = summed(lowering, op, lowering.product(op, wide, weights, all, "products"), 2);
  const base::Shape by_unit{sizes.batch, sizes.units, sizes.filters / sizes.units};
  const Id units = summed(lowering, op, lowering.reshape(op, filters, by_unit, "by_unit"), 2);
  const Id flat = lowering.reshape(op, units, {sizes.batch, sizes.units}, "units");
  Id bias = bias_of(lowering, op, {3, sizes.units, ElementType::Int32});
  bias = lowering.reshape(op, bias, {1, lowering.shape_of(bias)[0]}, "bias");
  const Id sums = lowering.add(op, OpKind::Add, {}, {flat, bias}, ElementType::Int32, {sizes.batch, sizes.units}, "sums");
  // The kernel limits the result to int8 alone, whatever it says of RELU.
  const float ratio = state.scales.front() * times.scales.front() / output.scales.front();
  lowering.finish(op, lowering.to_codes(op, sums, static_cast<double>(ratio)));
}

}  // namespace vernier::import::lite
