// SPDX-License-Identifier: Apache-2.0
// What SOFTMAX and LOG_SOFTMAX of int8 share: the exponential of a difference of codes, which is one of 256.
#pragma once

#include "compiler/import/tflite/operators/fixed_rows.hpp"

#include <vector>

namespace vernier::import::lite {

inline constexpr int kDifferenceBits = 26;  // after the point of a difference
inline constexpr int kSumBits = 12;         // that a term of a sum of exponentials loses

/// A difference of codes as parts of 2^26, and the least one whose exponential is not 0.
struct DifferenceScale {
  LiteScale scale;
  int64_t least = 0;
};
/// LiteMistake where a step is less than one part.
DifferenceScale difference_scale(double scale, double beta);

/// The exponentials of the differences from -255 to 0, as parts of 2^31.
std::vector<int64_t> exponentials(const DifferenceScale& scale);

class ExponentialRows : public FixedRows {
 public:
  using FixedRows::FixedRows;

  /// The codes of the operator's input less the greatest of their row.
  Id below_greatest();
  /// 256 numbers from 0 to 2^31 - 1, for differences from -255 to 0.
  Id looked_up(Id below, const std::vector<int64_t>& numbers, const char* what);
  /// The sum of each row, with 19 bits after the point. LiteMistake for rows that are too long.
  Id sum(Id exponential);
};

}  // namespace vernier::import::lite
