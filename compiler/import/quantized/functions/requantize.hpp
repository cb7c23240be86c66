// SPDX-License-Identifier: Apache-2.0
// Integers of one format to codes of another: what QuantizeLinear does to what is quantized already.
#pragma once

#include "compiler/import/quantized/lowering.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::import::quantized {

/// Codes of the quantizer for the numbers that `value` stands for.
/// - 8 bits to 8 bits: a TABLE of float32 arithmetic, exact; a CLAMP, or nothing, where that gives the same.
/// - Accumulators and 16 bits, rounded half to even: RESCALE by scale / new scale as a 31-bit multiplier, which rounds ties
///   up. Where the ratio is a power of two, ties are frequent: there integer operators before it make the other ties round
///   down, so that the result is exact.
/// - Other modes: divide.hpp.
Value requantize(Lowering& lowering, const Value& value, const Quantizer& quantizer, const std::string& name);

/// The 8-bit value with these codes of the quantizer for its own codes, from the least: a TABLE, a CLAMP, or nothing.
Value with_codes(Lowering& lowering, const Value& value, const Quantizer& quantizer, const std::vector<int64_t>& codes,
                 const std::string& name);

/// A value whose function gives codes of the format that the value has: these codes. None when it does not.
std::optional<Value> settle(Lowering& lowering, const Value& value, const std::string& name);

/// The numbers that the codes of an 8-bit value stand for, from the least code.
std::vector<float> reals_of(const Value& value);

/// An integer multiplier and a shift for a factor above 0: factor = multiplier / 2^shift, multiplier in [2^30, 2^31).
struct Multiplier {
  int64_t multiplier = 0, shift = 0;
};
Multiplier multiplier_of(double factor);

// What rescaling is made of.

/// k where the factor is 2^-k, within 2^-40 of it, with k from -31 to 31.
std::optional<int64_t> halvings_of(double factor);
/// The multipliers of the factors, which the range of the value allows; NodeMistake where it does not.
std::vector<Multiplier> multipliers_of(const Value& value, const std::vector<double>& factors);

struct Rescale {
  base::ElementType type;  // of the result
  int64_t input_zero_point = 0, output_zero_point = 0;
  std::vector<Multiplier> multipliers;  // one, or one for each channel (the last dimension)
};
ir::TensorId add_rescale(Lowering& lowering, const Value& value, ir::TensorId tensor, const Rescale& rescale,
                         const std::string& name);
ir::TensorId add_clamp(Lowering& lowering, const Value& value, ir::TensorId tensor, int64_t low, int64_t high,
                       const std::string& name);
/// int32 numbers that are to be divided by 2^halvings: one, or one for each index of a dimension of the tensor; those up to
/// 0 do not halve.
struct EvenTies {
  std::vector<int64_t> halvings;
  size_t dimension = 0;             // of the tensor
  bool has_odd_zero_point = false;  // which is added before rounding, and comes after the division here
};
/// Less 1 where that makes a division that rounds ties up round them to even: from each v whose quotient floor(v / 2^k) is
/// even, since floor((v + 2^(k-1) - 1 + parity) / 2^k) is v / 2^k rounded half to even; with an odd zero point from each v
/// whose quotient is odd. The compiler knows this form (compiler/passes/rounding_forms.hpp) before a RESCALE by 2^30 >> (30
/// + k).
ir::TensorId even_ties(Lowering& lowering, const Value& value, ir::TensorId tensor, const EvenTies& ties,
                       const std::string& name);
/// The value's tensor as int32. Codes of 8 bits lose the first zero point on the way; others keep theirs.
ir::TensorId widened(Lowering& lowering, const Value& value, const std::string& name);
/// The value as codes of a quantizer in that tensor.
Value with_tensor(const Value& value, const Quantizer& quantizer, ir::TensorId tensor);

}  // namespace vernier::import::quantized
