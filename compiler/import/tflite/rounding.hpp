// SPDX-License-Identifier: Apache-2.0
// How LiteRT's reference kernels make codes of sums: an integer multiplier and a shift, and which operator rounds how. These
// are facts of ai-edge-litert 2.3.0, measured by tests/live/tflite_operators_test.py and on the networks of
// tests/e2e/tflite_test.py. Where nothing else is said, a ratio of scales is computed in double.
//
// | operator | ratio of scales | rounding |
// |---|---|---|
// | CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV | input * weight[c] / output | twice: doubling high product, then the shift |
// | the same of int16, BATCH_MATMUL of int16 | the same, as 16 bits | once, half up |
// | FULLY_CONNECTED | input * weight[c] / output | once, half up; of int16 sums beyond 32 bits with 16 bits, near it |
// | BATCH_MATMUL, MUL | a * b / output | twice |
// | ADD, SUB | both to twice the greater scale with 20 bits more (int16: 15), and back | twice |
// | SQUARED_DIFFERENCE | the same with 7 bits | twice |
// | MEAN, SUM | input / output; of MEAN the multiplier over the count, rounded down | twice |
// | QUANTIZE of codes | input / output | twice |
// | comparisons (of int16 EQUAL and NOT_EQUAL alone; others compare codes) | both scales, with 8 bits more | twice |
// | RELU and the like, LEAKY_RELU, PRELU, ABS | input (* alpha) / output, in float32 | twice |
// | DIV | a / (b * output), in float32; the reciprocal of b in 31 bits | twice |
// | REDUCE_PROD of n codes | input / output^(1/n), as 16 bits, after each product | once, half up |
// | L2_NORMALIZATION | 128 / root of the row's sum of squares, in 31 bits | twice |
// | SVDF, UNIDIRECTIONAL_SEQUENCE_LSTM | a * b / result, in float32 | twice |
// | RESIZE_BILINEAR | parts of 1024 in each direction | halves away from 0 |
#pragma once

#include "hw/spec/rounding.hpp"

#include <algorithm>
#include <cstdint>

namespace vernier::import::lite {

/// (a * b + 2^30) / 2^31, rounded down: the kernels' doubling high product, of which MUL with a shift of 31 is the same.
int64_t doubling_high(int64_t a, int64_t b);
/// a / 2^power, halves away from 0.
int64_t divided_by_power(int64_t a, int power);

/// A ratio as multiplier * 2^(exponent - 31).
struct LiteScale {
  int64_t multiplier = 0;
  int exponent = 0;
};

/// The multiplier of 31 bits nearest to a ratio above 0, halves away from zero; 0 for a ratio below 2^-32.
LiteScale lite_scale(double ratio);
/// The kernels' product of an int32 and a ratio: the doubling high product, then a shift that rounds again.
int64_t lite_product(int64_t value, const LiteScale& scale);

/// value * multiplier / 2^shift.
struct LiteMultiplier {
  int64_t multiplier = 0, shift = 62;
};

/// The same as a multiplier and a shift.
LiteMultiplier lite_multiplier(const LiteScale& scale);
inline LiteMultiplier lite_multiplier(double ratio) { return lite_multiplier(lite_scale(ratio)); }
/// The same with 16 bits, as the kernels multiply sums of more than 32 bits: (value * multiplier + half) / 2^shift, rounded
/// down.
LiteMultiplier lite_multiplier16(const LiteScale& scale);
/// A multiplier of 16 bits as one of 31, for numbers of int32: RESCALE wants a greater shift for greater numbers.
inline LiteMultiplier lite_more_bits(const LiteMultiplier& one) {
  return {one.multiplier << 16, std::min<int64_t>(one.shift + 16, 62)};
}

/// That of a mean over `count` numbers, by the reference kernel's arithmetic: the multiplier takes as many bits as 64 have
/// room for, and is divided by the count, rounded down.
LiteScale lite_mean_scale(double ratio, int64_t count);

inline constexpr spec::Rounding kSumsRounding = spec::Rounding::Double;            // of all but
inline constexpr spec::Rounding kFullyConnectedRounding = spec::Rounding::Single;  // this one

}  // namespace vernier::import::lite
