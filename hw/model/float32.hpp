// SPDX-License-Identifier: Apache-2.0
// Single-precision arithmetic as TensorFlow's CPU kernels do it: IEEE 754 binary32, ties to even, and subnormal operands and
// results are zero (its thread pool sets the processor's flags FTZ and DAZ; measured, docs/guides/quantize.md).
//
// Each operation is evaluated in double precision, where it is exact or, for a quotient or a sum, close enough that rounding
// a second time changes nothing (53 >= 2 * 24 + 2 bits), and rounded to binary32 once. A compiler therefore finds no product
// and sum of one type that it could contract to a fused multiply-add.
#pragma once

#include <cmath>
#include <limits>

namespace vernier::model {

static_assert(std::numeric_limits<float>::is_iec559 && std::numeric_limits<double>::is_iec559);
#ifdef __FAST_MATH__
#error "-ffast-math changes what this header computes"
#endif

/// The nearest binary32, where one that is tiny becomes zero and keeps its sign. Tiny is what would be below the least
/// normal number if binary32 had any exponent: so x86 detects it, after rounding.
inline float rounded_to_float(double value) {
  constexpr double kLeastNormal = 0x1p-126, kHalfAStep = 0x1p-151;
  if (std::fabs(value) < kLeastNormal - kHalfAStep) return std::copysign(0.0F, static_cast<float>(value));
  return static_cast<float>(value);
}

/// A number that comes from outside, as an operand.
inline float without_subnormals(float value) { return rounded_to_float(value); }

inline float float_sum(float a, float b) { return rounded_to_float(static_cast<double>(a) + static_cast<double>(b)); }
inline float float_difference(float a, float b) { return rounded_to_float(static_cast<double>(a) - static_cast<double>(b)); }
inline float float_product(float a, float b) { return rounded_to_float(static_cast<double>(a) * static_cast<double>(b)); }
inline float float_quotient(float a, float b) { return rounded_to_float(static_cast<double>(a) / static_cast<double>(b)); }

}  // namespace vernier::model
