// SPDX-License-Identifier: Apache-2.0
// LSTM and GRU of a sequence whose length is known: an integer program for each step. What a step computes:
// - Inputs are codes of 8 or 16 bits as they are, weights have 16 bits (gate_sums.hpp), the state that they multiply has 16
//   bits: steps of 2^-15, where it is 1 at most.
// - Sums are int32 in steps of 2^-24, or as fine as 2^27 steps hold the greatest sum that there may be.
// - Sigmoid and Tanh are within 2^-19 of what they are (gates.hpp), in steps of 2^-29.
// - Products of gates and states are exact and are rounded once, to steps of 2^-29; LSTM's cell has steps that let 29 bits
//   hold one more than its greatest start for each step of the sequence.
// Outputs are sums of 32 bits that the next quantizer rounds. What a state has beyond 16 bits is not read by the next step.
#pragma once

#include "compiler/import/quantized/lowering.hpp"

namespace vernier::import::quantized {

inline constexpr int64_t kMostRecurrentSteps = 4096;  // of all directions, each of which has operators of its own

// lower_lstm.cpp, lower_gru.cpp. They define the outputs of the node; NodeMistake for what the node may not be.
void lower_lstm(Lowering& lowering, const Node& node);
void lower_gru(Lowering& lowering, const Node& node);

}  // namespace vernier::import::quantized
