// SPDX-License-Identifier: Apache-2.0
// Operators as networks put them together, for what optimization looks out for.
#pragma once

#include "tests/fuzz/graph_maker.hpp"

namespace vernier::tests::fuzz {

/// A residual sum: two operands rescaled to int32, added, rescaled, perhaps clamped. `x` is int8 or int16.
void add_residual(GraphMaker& m, ir::TensorId x);
/// The same behind a fresh convolution, with one scale for all elements and one rounding, as the array's epilogue can have
/// it. `x` is int8 of rank 4.
void add_array_residual(GraphMaker& m, ir::TensorId x);
/// Two or three convolutions to any number of channels, concatenated and perhaps cut again. `x` is int8 or int16 of rank 4.
void add_branches(GraphMaker& m, ir::TensorId x);
/// What a softmax is made of: maximum, difference, exponential by table, sum, product. `x` is int8 or int16 of rank 1 or
/// more.
void add_softmax(GraphMaker& m, ir::TensorId x);

}  // namespace vernier::tests::fuzz
