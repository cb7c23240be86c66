// SPDX-License-Identifier: Apache-2.0
// Float operators that the host runs at the ends of a network, on one element, in float32 as ONNX defines them. Sums and
// products are one operation each; Sigmoid and Softmax use the C library's exp, and are within a few units in the last place
// of other implementations.
#pragma once

#include <algorithm>
#include <cmath>

namespace vernier::model {

inline float relu(float x) { return x > 0 ? x : 0.0F; }
/// NaN becomes `low`.
inline float clip(float x, float low, float high) { return x > low ? std::min(x, high) : low; }
inline float sigmoid(float x) { return 1.0F / (1.0F + std::exp(-x)); }
/// Softmax is this, divided by its sum along the axis; `greatest` is the greatest x there.
inline float softmax_numerator(float x, float greatest) { return std::exp(x - greatest); }

}  // namespace vernier::model
