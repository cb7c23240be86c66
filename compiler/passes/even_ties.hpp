// SPDX-License-Identifier: Apache-2.0
// RESCALE by powers of two that rounds half to even. TOSA has no such rounding; importers of float formats write it as
// v + (((v >> k) & 1) - 1), rescaled by 2^-k with SINGLE_ROUND (compiler/import/quantized/requantize.hpp).
#pragma once

#include "compiler/passes/lowering.hpp"

#include <array>
#include <optional>

namespace vernier::passes {

struct EvenTies {
  std::array<ir::OpId, 4> ops;  // ARITHMETIC_RIGHT_SHIFT, BITWISE_AND, SUB, ADD
  ir::TensorId result = -1;     // what the RESCALE reads
};

/// The operators that read `value` where they are those, all others read nothing of it, and a RESCALE by the same powers
/// follows. Then RESCALE of `value` itself, with the same operands and rounding half to even, gives the same.
std::optional<EvenTies> match_even_ties(const Lowering& lowering, ir::TensorId value);

}  // namespace vernier::passes
