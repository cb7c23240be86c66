// SPDX-License-Identifier: Apache-2.0
// The kernels' fixed-point arithmetic on rows of int32 that are known when the network runs: shifts that round, reciprocals,
// roots and logarithms. Of numbers that are known before, fixed_point.hpp and rounding.hpp have the same.
#pragma once

#include "compiler/import/tflite/operators/rows32.hpp"

namespace vernier::import::lite {

class FixedRows : public Rows32 {
 public:
  using Rows32::Rows32;

  /// How many bits before the first one.
  Id leading_zeros(Id a) {
    return lowering().add(op(), ir::OpKind::Clz, {}, {a}, base::ElementType::Int32, lowering().shape_of(a), "headroom");
  }
  Id greatest(Id a, Id b) { return binary(ir::OpKind::Maximum, a, b, "greatest"); }
  Id least(Id a, Id b) { return binary(ir::OpKind::Minimum, a, b, "least"); }
  Id absolute(Id a) {
    return lowering().add(op(), ir::OpKind::Abs, {}, {a}, base::ElementType::Int32, lowering().shape_of(a), "size");
  }
  /// a / 2^bits, halves away from 0; bits from 0 to 31.
  Id over_power(Id a, Id bits);
  /// a * 2^bits of numbers from 0 on, at most 2^31 - 1; bits from 0 to 31.
  Id saturated_left(Id a, Id bits);
};

/// Twice 2^60 / n, n from 2^30 on, as parts of 2^31: 1 / d with d from 1/2, by Newton's steps from 48/17 - 32/17 d.
Id reciprocal(Rows32& rows, Id half);

/// 1 / sqrt(n) of a number from 0 on as multiplier * 2^(-31 - shift); that of 0 is that of 1.
struct InverseRoot {
  Id multiplier, shift;
};
InverseRoot inverse_root(FixedRows& rows, Id number);

/// The natural logarithm of a number from 1 on with 19 bits after the point, as one with 26.
Id logarithm(FixedRows& rows, Id number);

}  // namespace vernier::import::lite
