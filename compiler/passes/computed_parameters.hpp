// SPDX-License-Identifier: Apache-2.0
// Zero points that are computed while the network runs (EXT-DYNAMIC of TOSA 1.0), of operators for which the machine has
// them in fields of a command: AVG_POOL2D, convolutions and MATMUL. These operators become several whose zero points are 0;
// what the zero points add to the result is computed by others. All is exact modulo 2^32, as the array's accumulators are:
//
//   sum of (x - a)(w - b)  =  sum of x w  -  a sum of w  -  b sum of x  +  a b taps
//
//   int8 x int8, int8 x int4   a convolution with zero points 0; the sum of w is another one, on a map of ones, and a
//                              constant where weights are; the sum of x is one with a single output channel
//   int16 x int8               weights less their zero point have 16 bits: the array takes them
//   AVG_POOL2D                 the input less its zero point has 16 bits: a pool of int16
//
// What TOSA allows no value but 0 for is taken as 0. Other parameters are registers, tables and sources of the commands
// themselves (elementwise.cpp, lower_move.cpp).
#pragma once

#include "compiler/passes/merged_graph.hpp"

#include <functional>
#include <optional>

namespace vernier::passes {

/// `source` with operators in the place of those that have a computed zero point: tensors of the source, then new ones. A
/// parameter is computed unless `is_known`. None where no operator has one.
std::optional<MergedGraph> rewrite_computed_zero_points(const ir::Graph& source,
                                                        const std::function<bool(ir::TensorId)>& is_known);

}  // namespace vernier::passes
