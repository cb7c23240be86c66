// SPDX-License-Identifier: Apache-2.0
// Division by powers of two with any rounding mode, in integers: Trunc, and quantizers that RESCALE cannot be.
#pragma once

#include "compiler/import/quantized/lowering.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace vernier::import::quantized {

/// (v + addend) / 2^halvings for the steps v of a value; where halvings are below 0, v * 2^-halvings + addend. Each list has
/// one element, or one for each index of `axis`, a dimension of the source's shape.
struct Division {
  std::vector<int64_t> halvings, addends;
  int64_t axis = 0;
};

/// Codes of the quantizer, whose zero point and mode are applied to the quotient as the source has it: the mode rounds the
/// quotient, limits follow, and the result is that code. int32 in standard TOSA operators: ADD, shifts, BITWISE_AND, and a
/// RESCALE by 1 that saturates and narrows; for a quantizer of 32 bits without it. Exact. NodeMistake where 29 bits do not
/// hold a sum.
Value divided_by(Lowering& lowering, const Value& value, const Division& division, const Quantizer& quantizer,
                 const std::string& name);

/// Codes of a quantizer of any mode, per axis or not. Exact where scale / new scale is a power of two for each index; else
/// the numbers are first rounded to a grid of at least 2^-12 of a step: those closer than that to where the mode jumps may
/// be one step off.
Value divided(Lowering& lowering, const Value& value, const Quantizer& quantizer, const std::string& name);

}  // namespace vernier::import::quantized
