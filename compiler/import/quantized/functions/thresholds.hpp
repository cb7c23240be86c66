// SPDX-License-Identifier: Apache-2.0
// Codes by counting thresholds: what a monotone function of integers followed by a quantizer of few bits is.
#pragma once

#include "compiler/import/quantized/lowering.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vernier::import::quantized {

inline constexpr int64_t kMostThresholdSteps = int64_t{1} << 29;  // sums of a number and a threshold are int32

/// Integers along `axis` of the source's shape: of steps of a value (code - zero point), from -magnitude to magnitude.
struct Thresholds {
  int64_t axis = 0;
  /// One, or one for each index: whether the count goes up as the steps go down.
  std::vector<bool> is_falling;
  /// By level, in rising order of levels: for each index the least number of steps, negated where it is falling, that
  /// counts.
  std::vector<std::vector<int64_t>> levels;
};

/// What float operators make of the numbers before they are compared: monotone for each index along an axis, where there is
/// one.
struct NumbersBefore {
  std::function<float(float number, size_t index)> function;  // empty: nothing
  std::optional<int64_t> axis;
};
/// Defines a MultiThreshold of sums or codes. NodeMistake for what it may not be.
void count_thresholds(Lowering& lowering, const Node& node, Value value, const NumbersBefore& before);

/// The thresholds of a monotone function of steps and index. Level i is reached where the function gives firsts[i] or more.
Thresholds find_thresholds(const std::function<int64_t(int64_t steps, size_t index)>& function,
                           const std::vector<int64_t>& firsts, int64_t magnitude, size_t num_indices);

/// least + step * (how many levels are reached), as int8 codes of the quantizer: for each level an ADD and a shift, which
/// gives -1 below the threshold and 0 from it on. Exact. NodeMistake where 29 bits do not hold the steps.
Value counted(Lowering& lowering, const Value& value, const Thresholds& thresholds, const Quantizer& quantizer,
              int64_t least, int64_t step, const std::string& name);

}  // namespace vernier::import::quantized
