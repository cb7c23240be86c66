// SPDX-License-Identifier: Apache-2.0
// (x - mean) / sqrt(variance + epsilon) of each row, in integers of 30 bits. With n numbers x of a row, c = n x - sum is
// exact. c 2^h has 29 bits, by a shift of the row's own; U is the sum of its squares / 2^(30 + l), with 2^l >= n, plus
// epsilon in the same steps. The result is c 2^h sqrt(n) / sqrt(2^(30 + l) U).
#pragma once

#include "compiler/import/quantized/functions/rows.hpp"

namespace vernier::import::quantized {

/// Rows that are normalized, and what a step of them is.
struct NormalizedRows {
  ir::TensorId tensor = -1;
  double step = 0;
};

/// The sum over each row of a^2 / 2^(30 + l), of numbers below 2^30, where rows have up to 2^l of them.
ir::TensorId sum_of_squares(Arithmetic& math, ir::TensorId a, int64_t l);

/// NodeMistake for rows that are too long, and for an epsilon that hides all of the numbers.
NormalizedRows normalized_rows(Arithmetic& math, const Value& value, const Rows& rows, double epsilon);

/// x / sqrt(sum of squares) of each row, where a row of zeros stays zeros.
NormalizedRows rows_of_length_one(Arithmetic& math, const Value& value, const Rows& rows);

/// Rows times `factors` plus `addends`, real numbers; both are tensors that go along with the rows, given as elements of
/// that shape of rank 2. The result and what a step of it is.
NormalizedRows affine_rows(Lowering& lowering, Arithmetic& math, const NormalizedRows& rows, const base::Shape& shape,
                           const std::vector<double>& factors, const std::vector<double>& addends);

}  // namespace vernier::import::quantized
