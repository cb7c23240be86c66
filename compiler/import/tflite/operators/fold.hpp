// SPDX-License-Identifier: Apache-2.0
// Arithmetic on shapes, which a network computes for a RESHAPE or a TILE: done at once.
#pragma once

#include "compiler/import/tflite/lite_lowering.hpp"

namespace vernier::import::lite {

/// Whether the result of an operator is known, and defined as a constant: SHAPE, and on whole numbers that are constants or
/// known STRIDED_SLICE and SLICE of a row, PACK, CONCATENATION, GATHER, ADD, SUB, MUL, CAST, RESHAPE, SQUEEZE, EXPAND_DIMS
/// and REDUCE_PROD.
bool fold(LiteLowering& lowering, const LiteOperator& op);

}  // namespace vernier::import::lite
