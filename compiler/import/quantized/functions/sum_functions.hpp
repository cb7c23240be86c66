// SPDX-License-Identifier: Apache-2.0
// Functions of sums that no quantizer has met: Conv, then Sigmoid, x * Sigmoid(x), HardSwish, and a quantizer after it all.
// The sums become 16 bits on the range in which the quantizer's codes change, and the function a table of these.
#pragma once

#include "compiler/import/quantized/lowering.hpp"

#include <functional>
#include <string>

namespace vernier::import::quantized {

/// The sums with one more float32 function after what they have; limits that were pending come before it.
Value with_function(Value sums, const std::function<float(float)>& function);
/// What float32 makes of a sum's number: limits and functions that are pending.
std::function<float(float)> pending_function(const Value& sums);

/// Codes of the quantizer for such sums. By which part of a step a code's number may be off before it is rounded, from the
/// 16 bits of the sums, is told in a warning: one for the network, of the node where it is most.
Value quantized_function(Lowering& lowering, const Value& sums, const Quantizer& quantizer, const std::string& name);

/// Codes of 8 or 16 bits with one scale, as Lowering::codes() gives them; of sums and of functions that no quantizer has
/// followed codes of 16 bits on the whole range that they can have, of which the network's warning tells. NodeMistake where
/// these have larger steps than the next quantizer.
Value codes_or_16(Lowering& lowering, const Node& node, size_t index);

/// int32 sums, of one scale, and with pending limits applied: RESCALE by channel where there are several scales.
Value with_one_scale(Lowering& lowering, const Value& sums, const std::string& name);

}  // namespace vernier::import::quantized
