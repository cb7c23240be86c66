// SPDX-License-Identifier: Apache-2.0
// The reciprocal of integers of 31 bits.
#pragma once

#include "compiler/import/quantized/functions/arithmetic.hpp"

#include <cstddef>

namespace vernier::import::quantized {

/// 2^60 / n for n from 2^30 to 2^31 - 1, of operands of that rank: with d = n / 2^31 and x near 1 / d, x + x (1 - d x) is
/// nearer. 1 / d has 29 bits after the point; 48/17 - 32/17 d, which is 1/17 off at most, becomes 2^-29 by three steps.
ir::TensorId newton_reciprocal(Arithmetic& math, size_t rank, ir::TensorId n);

}  // namespace vernier::import::quantized
