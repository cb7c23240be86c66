// SPDX-License-Identifier: Apache-2.0
// Sums of products of codes and constant weights: what all operators with weights share.
#pragma once

#include "compiler/import/tflite/lite_lowering.hpp"

#include <span>

namespace vernier::import::lite {

/// The type of sums of products with codes of `input`.
inline base::ElementType sums_of(const LiteTensor& input) {
  return is_16_bits(input) ? base::ElementType::Int48 : base::ElementType::Int32;
}

struct WeightsInput {
  size_t index;  // of the operator's inputs
  int64_t axis;  // that of the output channels
};
/// Constant codes of int8 or int4 with one scale or one for each output channel. Only unsigned ones have a zero point.
const LiteTensor& weights_of(const LiteLowering& lowering, const LiteOperator& op, const WeightsInput& input);

/// The zero point of weights that weights_of() has checked: a constant of one element.
Id zero_point_of_weights(LiteLowering& lowering, const LiteTensor& weights);

struct BiasInput {
  size_t index;
  int64_t channels;
  base::ElementType type;  // of the sums
};
/// A constant: zero where the operator has none.
Id bias_of(LiteLowering& lowering, const LiteOperator& op, const BiasInput& input);

/// Sums of int16 in 32 bits, which the caller knows to hold them.
Id narrow_sums(LiteLowering& lowering, const LiteOperator& op, Id sums);
/// The same where a convolution says that its bias, and so the kernel's sums, have 32 bits; others as they are.
Id sums_by_bias(LiteLowering& lowering, const LiteOperator& op, Id sums, tflite::TensorType bias_type);

/// Sums with codes of `input` as codes of the operator's result; one scale of the weights or one for each channel. Those of
/// 48 bits are multiplied with 16 bits, and rounded once.
Id codes_of_sums(LiteLowering& lowering, const LiteOperator& op, Id sums, const LiteTensor& input,
                 std::span<const float> scales, spec::Rounding rounding);

/// Numbers of int32 times ratios, one or one for each channel, as XNNPACK makes codes of the operator's result of them. A
/// warning where they may be a step off.
Id codes_by_float32(LiteLowering& lowering, const LiteOperator& op, Id from, std::span<const float> ratios);

/// Sums of int32 of rows of codes times a matrix of int8: rows x depth and channels x depth give rows x channels.
Id matrix_sums(LiteLowering& lowering, const LiteOperator& op, Id rows, int64_t zero_point, Id matrix, Id bias);

/// LiteMistake for a tensor that has not four dimensions.
void check_image(const LiteTensor& tensor, const char* what);

}  // namespace vernier::import::lite
