// SPDX-License-Identifier: Apache-2.0
// RESCALE by powers of two with a rounding that TOSA has not. Importers of float formats write it with other operators
// before the RESCALE (compiler/import/quantized/functions/requantize.hpp, operators/lower_trunc.cpp); the machine does both
// in one.
#pragma once

#include "compiler/passes/recompute.hpp"

#include <array>
#include <optional>
#include <vector>

namespace vernier::passes {

/// Half to even: v + (((v >> k) & 1) - 1), rescaled by 2^-k with SINGLE_ROUND; channels with k <= 0 have a mask of 0 for the
/// 1s. RESCALE of `value` itself, with the same operands and rounding half to even, gives the same.
struct EvenTies {
  std::array<ir::OpId, 4> ops;           // ARITHMETIC_RIGHT_SHIFT, BITWISE_AND, SUB, ADD
  ir::TensorId value = -1, result = -1;  // v; what the RESCALE reads
};

/// The operators before a RESCALE where they are those.
std::optional<EvenTies> find_even_ties(const Lowering& lowering, ir::OpId rescale);

/// The operators that read `value` where they are those, all others read nothing of it, and that RESCALE follows.
std::optional<EvenTies> match_even_ties(const Lowering& lowering, const Recompute& recompute, ir::TensorId value);

/// Down, or up with the addend 2^k - 1: (v + addend) >> k, then a RESCALE by 1.
struct ShiftedDown {
  std::vector<ir::OpId> ops;    // from the first that reads `value` to the ARITHMETIC_RIGHT_SHIFT
  ir::TensorId result = -1;     // what the RESCALE reads
  std::vector<int64_t> biases;  // one, or one a channel
  std::vector<int64_t> shifts;  // of the RESCALE that does it all, with the multiplier 2^30
};

/// The same for these: RESCALE of v + biases by 2^30 >> shifts with SINGLE_ROUND gives the same, in more than 32 bits.
std::optional<ShiftedDown> match_shifted_down(const Lowering& lowering, const Recompute& recompute, ir::TensorId value);

}  // namespace vernier::passes
