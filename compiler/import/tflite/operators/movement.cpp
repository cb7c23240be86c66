// SPDX-License-Identifier: Apache-2.0
// RESHAPE, TRANSPOSE, pads, CONCATENATION, PACK, SPLIT, SLICE: codes that stay as they are, but for parts of UINT8 that
// CONCATENATION joins.
#include "compiler/import/tflite/operators/operators.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::import::lite {

namespace {

using ir::OpKind;
/// Whether all that read the result are convolutions without padding of their own: they pad with the zero point too.
bool is_read_by_convolutions(const LiteNetwork& network, int32_t tensor) {
  const auto is_it = [&](int32_t index) { return index == tensor; };
  if (std::any_of(network.outputs.begin(), network.outputs.end(), is_it)) return false;
  return std::all_of(network.operators.begin(), network.operators.end(), [&](const LiteOperator& op) {
    if (std::none_of(op.inputs.begin(), op.inputs.end(), is_it)) return true;
    const auto* conv = op.source->builtin_options_as_Conv2DOptions();
    const auto* depthwise = op.source->builtin_options_as_DepthwiseConv2DOptions();
    const bool is_valid = (conv != nullptr && conv->padding() == tflite::Padding::VALID) ||
                          (depthwise != nullptr && depthwise->padding() == tflite::Padding::VALID);
    return is_valid && op.inputs[0] == tensor && std::count_if(op.inputs.begin(), op.inputs.end(), is_it) == 1;
  });
}

/// Before and after each dimension of the input.
std::vector<int64_t> padding_of(const LiteLowering& lowering, const LiteOperator& op, const LiteTensor& input) {
  std::vector<int64_t> padding = lowering.elements(op, 1, "the padding");
  if (padding.size() != 2 * input.shape.size() ||
      std::any_of(padding.begin(), padding.end(), [](int64_t one) { return one < 0 || one >= int64_t{1} << 31; }))
    refuse("the padding {} is no pair of numbers from 0 to 2^31 - 1 for each dimension of {}", base::to_string(padding),
           base::to_string(input.shape));
  return padding;
}

}  // namespace

namespace {

/// The kernels that give every code a place look at no scale.
void check_moved(LiteLowering& lowering, const LiteTensor& from, const LiteTensor& to) {
  check_same_type(from, to);
  if (!has_same_scale(from, to))
    lowering.warning =
        fmt::format("'{}' and '{}' have other scales or zero points: the codes stay as they are, as LiteRT's kernel has it",
                    from.name, to.name);
}

/// The result's shape is the input's with a dimension of 1 more.
void check_expanded(LiteLowering& lowering, const LiteOperator& op) {
  const std::vector<int64_t> axes = lowering.elements(op, 1, "the axis");
  base::Shape shape = lowering.input(op, 0).shape;
  const auto rank = static_cast<int64_t>(shape.size());
  if (axes.size() != 1 || axes[0] < -rank - 1 || axes[0] > rank)
    refuse("the axis {}, expected one from {} to {}", base::to_string(axes), -rank - 1, rank);
  shape.insert(shape.begin() + (axes[0] < 0 ? axes[0] + rank + 1 : axes[0]), 1);
  if (shape != lowering.output(op).shape)
    refuse("the result is {}, expected {}", base::to_string(lowering.output(op).shape), base::to_string(shape));
}

}  // namespace

void lower_reshape(LiteLowering& lowering, const LiteOperator& op) {
  check_moved(lowering, lowering.input(op, 0), lowering.output(op));
  if (op.code == tflite::BuiltinOperator::EXPAND_DIMS) check_expanded(lowering, op);
  lowering.finish(op, lowering.reshape(op, lowering.value(op, 0), lowering.output(op).shape, "shaped"));
}

void lower_transpose(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor& input = lowering.input(op, 0);
  check_moved(lowering, input, lowering.output(op));
  const std::vector<int64_t> given = lowering.elements(op, 1, "the order");
  std::vector<int64_t> order = given;
  for (int64_t& one : order) one += one < 0 ? std::ssize(input.shape) : 0;  // from the end
  std::vector<int64_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  bool is_order = order.size() == input.shape.size();
  for (size_t i = 0; is_order && i < sorted.size(); ++i) is_order = sorted[i] == static_cast<int64_t>(i);
  if (!is_order)
    refuse("the order {} is none of the dimensions of {}", base::to_string(given), base::to_string(input.shape));
  lowering.finish(op, lowering.transpose(op, lowering.value(op, 0), order, "moved"));
}

void lower_pad(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor& input = lowering.input(op, 0);
  const LiteTensor& output = lowering.output(op);
  check_same_scale(input, output);
  int64_t number = padding_code(output);
  const bool has_number = op.code == tflite::BuiltinOperator::PADV2;
  if (has_number) {
    check_same_scale(lowering.input(op, 2), output);
    const std::vector<int64_t> numbers = lowering.elements(op, 2, "the number to pad with");
    if (numbers.size() != 1) refuse("{} numbers to pad with, expected one", numbers.size());
    number = numbers[0];
  }
  const std::vector<int64_t> padding = padding_of(lowering, op, input);
  const bool is_image =
      !has_number && input.shape.size() == 4 && !input.is_constant && padding[0] + padding[1] + padding[6] + padding[7] == 0;
  if (is_image && is_read_by_convolutions(lowering.network, op.outputs[0])) {
    const auto [tensor, pad] = lowering.image(op);
    if (pad == std::vector<int64_t>{0, 0, 0, 0})
      return lowering.define_padded(op.outputs[0], {op.inputs[0], {padding[2], padding[3], padding[4], padding[5]}});
  }
  lowering.finish(op, lowering.pad(op, lowering.value(op, 0), padding, number, "padded"));
}

void lower_mirror_pad(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor& input = lowering.input(op, 0);
  check_same_scale(input, lowering.output(op));
  const std::vector<int64_t> padding = padding_of(lowering, op, input);
  // Without the row at the border itself.
  const int64_t without =
      options_of(op, &tflite::Operator::builtin_options_as_MirrorPadOptions).mode() == tflite::MirrorPadMode::REFLECT ? 1
                                                                                                                      : 0;
  Id result = lowering.value(op, 0);
  for (size_t axis = 0; axis < input.shape.size(); ++axis) {
    const ir::TensorInfo info = lowering.graph.tensor(result);
    const auto mirrored = [&](int64_t begin, int64_t count) {
      base::Shape shape = info.shape;
      shape[axis] = count;
      std::vector<int64_t> at(shape.size(), 0);
      at[axis] = begin;
      const Id part = lowering.slice(op, result, at, shape, "border");
      return lowering.add(op, OpKind::Reverse, ir::AxisAttributes{static_cast<int64_t>(axis)}, {part}, info.type, shape,
                          "mirrored");
    };
    const int64_t before = padding[2 * axis], after = padding[2 * axis + 1], size = info.shape[axis];
    if (before > size - without || after > size - without)
      refuse("padding of {} and {} on {}, allowed are at most {}", before, after, size, size - without);
    std::vector<Id> parts;
    if (before > 0) parts.push_back(mirrored(without, before));
    parts.push_back(result);
    if (after > 0) parts.push_back(mirrored(size - without - after, after));
    base::Shape shape = info.shape;
    shape[axis] = before + size + after;
    if (parts.size() > 1)
      result = lowering.add(op, OpKind::Concat, ir::AxisAttributes{static_cast<int64_t>(axis)}, parts, info.type, shape,
                            "padded");
  }
  lowering.finish(op, result);
}

namespace {

/// A part of UINT8 in the scale of the result, as LiteRT's kernel computes it: in float32, halves away from 0.
Id in_scale_of(LiteLowering& lowering, const LiteOperator& op, size_t index, const LiteTensor& result) {
  constexpr int64_t kHalf = 128;
  const LiteTensor& part = lowering.input_codes(op, index);
  const float scale = part.scales.front() * (1.0F / lowering.codes(result).scales.front());
  const float offset = -static_cast<float>(zero_point_of(part) + kHalf) * scale;
  const auto in_scale = [&](int64_t code) {
    const float number = std::round(static_cast<float>(code + kHalf) * scale + offset);
    return static_cast<int64_t>(std::clamp(number, -512.0F, 512.0F)) + zero_point_of(result);
  };
  return lowering.each_code(op, index, in_scale, "part");
}

}  // namespace

void lower_concatenation(LiteLowering& lowering, const LiteOperator& op) {
  const auto& options = options_of(op, &tflite::Operator::builtin_options_as_ConcatenationOptions);
  const LiteTensor& output = lowering.output(op);
  const size_t rank = output.shape.size(), axis = dimension_of(options.axis(), rank);
  std::vector<Id> parts;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const LiteTensor& part = lowering.input(op, i);
    if (part.shape.size() != rank)
      refuse("'{}' is {}, expected {} dimensions", part.name, base::to_string(part.shape), rank);
    if (part.is_unsigned && output.is_unsigned && !has_same_scale(part, output)) {
      parts.push_back(in_scale_of(lowering, op, i, output));
      continue;
    }
    check_same_scale(part, output);
    parts.push_back(lowering.value(op, i));
  }
  if (parts.empty()) refuse("joins nothing");
  lowering.finish(op, lowering.joined(op, parts, axis), options.fused_activation_function());
}

void lower_pack(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor& output = lowering.output(op);
  const size_t axis =
      dimension_of(options_of(op, &tflite::Operator::builtin_options_as_PackOptions).axis(), output.shape.size());
  base::Shape one = output.shape;
  one[axis] = 1;
  std::vector<Id> parts;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    check_same_scale(lowering.input(op, i), output);
    parts.push_back(lowering.reshape(op, lowering.value(op, i), one, "part"));
  }
  if (std::ssize(parts) != output.shape[axis]) refuse("{} parts for {}", parts.size(), base::to_string(output.shape));
  lowering.finish(op, lowering.joined(op, parts, axis));
}

void lower_split(LiteLowering& lowering, const LiteOperator& op) {
  const bool is_unpack = op.code == tflite::BuiltinOperator::UNPACK;
  const size_t source = op.code == tflite::BuiltinOperator::SPLIT ? 1 : 0;  // SPLIT has the dimension first
  const LiteTensor& input = lowering.input(op, source);
  int64_t dimension = 0;
  if (is_unpack) {
    dimension = options_of(op, &tflite::Operator::builtin_options_as_UnpackOptions).axis();
  } else {
    const std::vector<int64_t> given = lowering.elements(op, source == 1 ? 0 : 2, "the dimension");
    if (given.size() != 1) refuse("{} dimensions, expected one", given.size());
    dimension = given[0];
  }
  const size_t axis = dimension_of(dimension, input.shape.size());
  const bool has_sizes = op.code == tflite::BuiltinOperator::SPLIT_V;
  const std::vector<int64_t> sizes = has_sizes ? lowering.elements(op, 1, "the sizes") : std::vector<int64_t>();
  if (has_sizes && sizes.size() != op.outputs.size()) refuse("{} sizes for {} parts", sizes.size(), op.outputs.size());
  if (!has_sizes && input.shape[axis] % std::ssize(op.outputs) != 0)
    refuse("{} in {} parts", base::to_string(input.shape), op.outputs.size());
  std::vector<int64_t> begin(input.shape.size(), 0);
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    const LiteTensor& part = lowering.output(op, i);
    const int64_t size = has_sizes ? sizes[i] : input.shape[axis] / std::ssize(op.outputs);
    const int64_t found = is_unpack ? 1 : part.shape.size() == input.shape.size() ? part.shape[axis] : 0;
    if (found != size && !(has_sizes && size == -1))
      refuse("part {} has {} of {}, and '{}' {}", i, size, base::to_string(input.shape), part.name,
             base::to_string(part.shape));
    check_same_scale(input, part);
    base::Shape shape = is_unpack ? input.shape : part.shape;
    if (is_unpack) shape[axis] = 1;
    if (shape.size() != input.shape.size() || begin[axis] + shape[axis] > input.shape[axis])
      refuse("'{}' is {}, which is no part of {}", part.name, base::to_string(part.shape), base::to_string(input.shape));
    const Id piece = lowering.slice(op, lowering.value(op, source), begin, shape, "part");
    lowering.finish(op, lowering.reshape(op, piece, part.shape, "shaped"), kNoActivation, i);
    begin[axis] += shape[axis];
  }
  if (begin[axis] != input.shape[axis]) refuse("the parts have {} of {}", begin[axis], base::to_string(input.shape));
}

void lower_slice(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor& input = lowering.input(op, 0);
  check_same_scale(input, lowering.output(op));
  const std::vector<int64_t> begin = lowering.elements(op, 1, "the begin");
  base::Shape shape = lowering.elements(op, 2, "the size");
  bool is_part = begin.size() == input.shape.size() && shape.size() == begin.size();
  for (size_t i = 0; is_part && i < shape.size(); ++i) {
    is_part = begin[i] >= 0 && begin[i] < input.shape[i];
    if (is_part && shape[i] == -1) shape[i] = input.shape[i] - begin[i];
    is_part = is_part && shape[i] > 0 && begin[i] < input.shape[i] && shape[i] <= input.shape[i] - begin[i];
  }
  if (!is_part)
    refuse("{} elements from {} on are no part of {}", base::to_string(shape), base::to_string(begin),
           base::to_string(input.shape));
  lowering.finish(op, lowering.slice(op, lowering.value(op, 0), begin, shape, "part"));
}

}  // namespace vernier::import::lite
