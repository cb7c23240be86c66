// SPDX-License-Identifier: Apache-2.0
// Integers of one format to codes of another: what QuantizeLinear does to what is quantized already.
#pragma once

#include "compiler/import/quantized/lowering.hpp"

#include <optional>

namespace vernier::import::quantized {

/// Codes of `format` for the numbers that `value` stands for, rounded half to even.
/// - 8 bits to 8 bits: a TABLE of float32 arithmetic, exact; a CLAMP, or nothing, where that gives the same.
/// - Accumulators and 16 bits: RESCALE by scale / new scale as a 31-bit multiplier, which rounds ties up. Where the
///   ratio is a power of two, ties are frequent: there integer operators before it make odd ties round down, so that the
///   result is exact.
Value requantize(Lowering& lowering, const Value& value, const Format& format, const std::string& name);

/// A value whose function gives codes of the format that the value has: these codes. None when it does not.
std::optional<Value> settle(Lowering& lowering, const Value& value, const std::string& name);

/// The numbers that the codes of an 8-bit value stand for, from the least code.
std::vector<float> reals_of(const Value& value);

/// An integer multiplier and a shift for a factor above 0: factor = multiplier / 2^shift, multiplier in [2^30, 2^31).
struct Multiplier {
  int64_t multiplier = 0, shift = 0;
};
Multiplier multiplier_of(double factor);

}  // namespace vernier::import::quantized
