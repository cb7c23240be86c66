// SPDX-License-Identifier: Apache-2.0
// How LiteRT's reference kernels make codes of sums: an integer multiplier and a shift, and which operator rounds how. These
// are facts of ai-edge-litert 2.3.0, measured on the twelve networks and by tests/e2e/tflite_test.py.
//
// | operator | ratio of scales | rounding |
// |---|---|---|
// | CONV_2D, DEPTHWISE_CONV_2D | input * weight[c] / output, in double | twice: doubling high product, then the shift |
// | FULLY_CONNECTED | input * weight[c] / output, in double | once, half up |
// | ADD | both to twice the greater scale with 20 bits more, and back | twice |
// | MEAN | input / output; the multiplier over the count, rounded down | twice |
// | QUANTIZE of codes | input / output | twice |
#pragma once

#include "hw/spec/rounding.hpp"

#include <cstdint>

namespace vernier::import::lite {

/// A ratio as multiplier * 2^(exponent - 31).
struct LiteScale {
  int64_t multiplier = 0;
  int exponent = 0;
};

/// The multiplier of 31 bits nearest to a ratio above 0, halves away from zero; 0 for a ratio below 2^-32.
LiteScale lite_scale(double ratio);

/// value * multiplier / 2^shift.
struct LiteMultiplier {
  int64_t multiplier = 0, shift = 62;
};

/// The same as a multiplier and a shift.
LiteMultiplier lite_multiplier(double ratio);

/// That of a mean over `count` numbers, by the reference kernel's arithmetic: the multiplier takes as many bits as 64 have
/// room for, and is divided by the count, rounded down.
LiteMultiplier lite_mean_multiplier(double ratio, int64_t count);

inline constexpr spec::Rounding kSumsRounding = spec::Rounding::Double;            // of all but
inline constexpr spec::Rounding kFullyConnectedRounding = spec::Rounding::Single;  // this one

}  // namespace vernier::import::lite
