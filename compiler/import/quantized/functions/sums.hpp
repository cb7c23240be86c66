// SPDX-License-Identifier: Apache-2.0
// What sums of products may need before RESCALE makes codes of them.
#pragma once

#include "compiler/import/quantized/lowering.hpp"

#include <string>
#include <vector>

namespace vernier::import::quantized {

/// Codes of 8 or 16 bits with one scale, or sums that no quantizer has followed yet, as int32, with all of their bias
/// and within their limits.
Value codes_or_sums(Lowering& lowering, const Node& node, size_t index);

/// Sums with what rounding took from their biases: they get up to 12 bits after the point, as many as 29 bits hold. With a
/// smallest factor that comes after, no more than leave 2^27 steps to what is halved.
Value with_rest(Lowering& lowering, const Value& value, Rest& rest, const std::string& name, double smallest_factor = 1);

/// int32 numbers, cut off where they become more than that many steps by the factors: one, or one for each channel.
Value cut_off(Lowering& lowering, const Value& value, const std::vector<double>& factors, double steps,
              const std::string& name);

/// The value with numbers that are beyond all codes anyway cut off, where RESCALE could not hold what becomes of them: a
/// layer whose results were always 0 when its scale was chosen has a tiny one. Factors are cut off likewise.
Value within_codes(Lowering& lowering, const Value& value, std::vector<double>& factors, const std::string& name);

}  // namespace vernier::import::quantized
