// SPDX-License-Identifier: Apache-2.0
// Tanh and Sigmoid of int32 numbers for the gates of LSTM and GRU, within 2^-19 of what they are. Near the i-th 32nd, at
// distance d <= 2^-6, tanh is f(i) + d (f'(i) + d f''(i) / 2): four tables of one index, and a third derivative of up to 2
// leaves 2^-19.6. Beyond 8 the first table's ends are 2^-21 from 1. Sigmoid(x) is (1 + tanh(x / 2)) / 2: its gates hold half
// of their number, and one arithmetic does for all gates of a step.
#pragma once

#include "compiler/import/quantized/functions/arithmetic.hpp"

namespace vernier::import::quantized {

/// Steps of 2^-29, or of Sigmoid 2^-30.
inline constexpr int64_t kGateBits = 29;
/// Arguments are 2^15 at most, in steps of 2^-12 to 2^-27.
inline constexpr int64_t kMostWholeBits = 15;
/// The least number of bits that hold whole numbers up to `reach`; 0 for up to 1.
int64_t whole_bits(double reach);

/// 1 + tanh(x), in steps of 2^-29, where x is in steps of 2^-unit_bits: of the half of a number its Sigmoid, in steps of
/// 2^-30.
ir::TensorId one_plus_tanh(Arithmetic& math, ir::TensorId x, int64_t unit_bits);
/// tanh(x), in steps of 2^-29.
ir::TensorId tanh_of(Arithmetic& math, ir::TensorId x, int64_t unit_bits);
/// Columns of one_plus_tanh() that are of no Sigmoid.
ir::TensorId less_one(Arithmetic& math, ir::TensorId one_plus);

}  // namespace vernier::import::quantized
