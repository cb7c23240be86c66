// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/operators/products.hpp"

#include "compiler/import/tflite/float32.hpp"

#include <algorithm>

namespace vernier::import::lite {

const LiteTensor& weights_of(const LiteLowering& lowering, const LiteOperator& op, const WeightsInput& input) {
  const LiteTensor& weights = lowering.input(op, input.index);
  if (!weights.is_constant) lowering.refuse_computed(op, input.index, "the weights");
  if (weights.type != tflite::TensorType::INT8 && weights.type != tflite::TensorType::INT4)
    refuse("the weights '{}' are {}, allowed are INT8 and INT4", weights.name, type_in_file(weights));
  if (weights.type == tflite::TensorType::INT4 && lowering.rule(op) == Rule::Float32)
    refuse("the weights '{}' are INT4, which are not read with --tflite-rounding xnnpack, allowed is litert-ref",
           weights.name);
  if (weights.scales.empty()) refuse("the weights '{}' have no scale", weights.name);
  const bool has_zero_point =
      std::any_of(weights.zero_points.begin(), weights.zero_points.end(), [](int64_t zero) { return zero != 0; });
  if (weights.is_unsigned ? weights.scales.size() > 1 : has_zero_point)
    refuse("the weights '{}' have {}, allowed is {}", weights.name, weights.is_unsigned ? "several scales" : "a zero point",
           weights.is_unsigned ? "one" : "0");
  if (weights.scales.size() > 1 && weights.axis != input.axis)
    refuse("the weights '{}' have scales along dimension {}, expected {}", weights.name, weights.axis, input.axis);
  return weights;
}

Id zero_point_of_weights(LiteLowering& lowering, const LiteTensor& weights) {
  return lowering.graph.add_scalar(type_of(weights), weights.is_unsigned ? zero_point_of(weights) : 0);
}

Id bias_of(LiteLowering& lowering, const LiteOperator& op, const BiasInput& input) {
  if (!lowering.has_input(op, input.index)) return lowering.graph.add_constant(input.type, {1}, {0});
  const LiteTensor& bias = lowering.input(op, input.index);
  const bool is_wide = input.type == base::ElementType::Int48;
  if (bias.type != tflite::TensorType::INT32 && (bias.type != tflite::TensorType::INT64 || !is_wide))
    refuse("the bias '{}' is {}, allowed is {}", bias.name, type_in_file(bias), is_wide ? "INT32 or INT64" : "INT32");
  const std::vector<int64_t> elements = lowering.elements(op, input.index, "the bias");
  if (std::ssize(elements) != input.channels)
    refuse("the bias '{}' has {} elements, expected {}", bias.name, elements.size(), input.channels);
  for (const int64_t element : elements) {
    if (element < base::min_value(input.type) || element > base::max_value(input.type))
      refuse("the bias '{}' has {}, which is no {}", bias.name, element, base::to_string(input.type));
  }
  return lowering.graph.add_constant(input.type, {input.channels}, elements);
}

Id narrow_sums(LiteLowering& lowering, const LiteOperator& op, Id sums) {
  LiteLowering::Rescale narrow{base::ElementType::Int32, 0, 0, {{int64_t{1} << 14, 14}}, spec::Rounding::Single};
  narrow.is_16_bits = true;
  return lowering.rescale(op, sums, narrow, "narrow");
}

Id sums_by_bias(LiteLowering& lowering, const LiteOperator& op, Id sums, tflite::TensorType bias_type) {
  const bool is_narrow =
      lowering.graph.tensor(sums).type == base::ElementType::Int48 && bias_type == tflite::TensorType::INT32;
  return is_narrow ? narrow_sums(lowering, op, sums) : sums;
}

Id codes_of_sums(LiteLowering& lowering, const LiteOperator& op, Id sums, const LiteTensor& input,
                 std::span<const float> scales, spec::Rounding rounding) {
  const LiteTensor& output = lowering.output_codes(op);
  check_same_type(input, output);
  const bool is_wide = lowering.graph.tensor(sums).type == base::ElementType::Int48;
  LiteLowering::Rescale rescale{type_of(output), 0, zero_point_of(output), {}, is_wide ? spec::Rounding::Single : rounding};
  rescale.is_16_bits = is_wide;
  const Rule rule = lowering.rule(op);
  if (rule == Rule::Float32) {
    std::vector<float> ratios;
    for (const float scale : scales) ratios.push_back(input.scales.front() * scale / output.scales.front());
    return codes_by_float32(lowering, op, sums, ratios);
  }
  if (rule == Rule::Integer && !is_wide) rescale.rounding = kSumsRounding;
  for (const float scale : scales) {
    // Kernels of uint8 have one scale, and form this product in float32.
    const double product =
        input.is_unsigned ? static_cast<double>(input.scales.front() * scale) : scale_of(input) * static_cast<double>(scale);
    const LiteScale ratio = lite_scale(product / scale_of(output));
    rescale.multipliers.push_back(is_wide ? lite_multiplier16(ratio) : lite_multiplier(ratio));
  }
  return lowering.rescale(op, sums, rescale, "codes");
}

Id codes_by_float32(LiteLowering& lowering, const LiteOperator& op, Id from, std::span<const float> ratios) {
  const LiteTensor& output = lowering.output_codes(op);
  LiteLowering::Rescale rescale{type_of(output), 0, zero_point_of(output), {}, spec::Rounding::Single};
  bool has_ties = false;
  for (const float ratio : ratios) {
    const std::optional<LiteMultiplier> exact = float32_multiplier(ratio, zero_point_of(output));
    has_ties |= !exact;
    rescale.multipliers.push_back(exact ? *exact : lite_multiplier(static_cast<double>(ratio)));
  }
  if (has_ties)
    lowering.warning =
        "numbers between two codes, exactly or as near as float32 goes, go up, which XNNPACK does not always do: results "
        "may be one "
        "step off";
  return lowering.rescale(op, from, rescale, "codes");
}

Id matrix_sums(LiteLowering& lowering, const LiteOperator& op, Id rows, int64_t zero_point, Id matrix, Id bias) {
  const int64_t count = lowering.shape_of(rows)[0], channels = lowering.shape_of(matrix)[0],
                depth = lowering.shape_of(matrix)[1];
  const Id images = lowering.reshape(op, rows, {count, 1, 1, depth}, "rows");
  const Id weights = lowering.reshape(op, matrix, {channels, 1, 1, depth}, "weights");
  const ir::ConvAttributes attributes{{0, 0, 0, 0}, {1, 1}, {1, 1}, base::ElementType::Int32};
  const Id sums = lowering.add(op, ir::OpKind::Conv2d, attributes,
                               {images, weights, bias, lowering.graph.add_scalar(base::ElementType::Int8, zero_point),
                                lowering.graph.add_scalar(base::ElementType::Int8, 0)},
                               base::ElementType::Int32, {count, 1, 1, channels}, "sums");
  return lowering.reshape(op, sums, {count, channels}, "sums_shaped");
}

void check_image(const LiteTensor& tensor, const char* what) {
  if (tensor.shape.size() != 4)
    refuse("{} '{}' is {}, expected 4 dimensions", what, tensor.name, base::to_string(tensor.shape));
}

}  // namespace vernier::import::lite
