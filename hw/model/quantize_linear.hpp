// SPDX-License-Identifier: Apache-2.0
// ONNX's QuantizeLinear and DequantizeLinear on one element, in the order of float32 steps of onnxruntime's CPU kernels
// (version 1.31, onnxruntime/core/mlas/lib/quantize.cpp): one division, ties to the even code, the zero point added after
// rounding. Subnormals count, unlike in float32.hpp: onnxruntime leaves the processor's flags FTZ and DAZ off.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace vernier::model {

static_assert(std::numeric_limits<float>::is_iec559);
#ifdef __FAST_MATH__
#error "-ffast-math changes what this header computes"
#endif

/// Which code a number halfway between two becomes: onnxruntime's the even one, TensorFlow Lite's the one away from 0.
enum class Halves { ToEven, AwayFromZero };

/// The code of a number, within [least, greatest], which has at most 24 bits. NaN becomes the least code, as x86-64's
/// maximum instruction makes it.
inline int64_t quantize_linear(float value, float scale, int64_t zero_point, int64_t least, int64_t greatest,
                               Halves halves = Halves::ToEven) {
  const auto low = static_cast<float>(least - zero_point), high = static_cast<float>(greatest - zero_point);
  const float quotient = value / scale;
  const float inside = quotient > low ? std::min(quotient, high) : low;
  return static_cast<int64_t>(halves == Halves::ToEven ? std::nearbyint(inside) : std::round(inside)) + zero_point;
}

/// The number that a code stands for.
inline float dequantize_linear(int64_t code, float scale, int64_t zero_point) {
  return static_cast<float>(code - zero_point) * scale;
}

}  // namespace vernier::model
