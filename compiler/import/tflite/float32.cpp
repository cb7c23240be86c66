// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/float32.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::import::lite {

namespace {

constexpr int64_t kMostSum = int64_t{1} << 30;

/// The least sum above 0 that gives `code` or more; kMostSum + 1 where none does.
int64_t least_sum(float ratio, int64_t code, int64_t from) {
  int64_t low = from, high = kMostSum + 1;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    const bool is_enough = std::nearbyint(static_cast<float>(middle) * ratio) >= static_cast<float>(code);
    (is_enough ? high : low) = is_enough ? middle : middle + 1;
  }
  return low;
}

}  // namespace

std::optional<LiteMultiplier> float32_multiplier(float ratio, int64_t zero_point) {
  const LiteMultiplier nearest = lite_multiplier(static_cast<double>(ratio));
  if (nearest.multiplier == 0) return nearest;
  const int64_t most_above = 127 - zero_point, most_below = 128 + zero_point;
  int64_t least = int64_t{1} << 30, most = (int64_t{1} << 31) - 1;
  for (int64_t code = 1, sum = 1; code <= std::max(most_above, most_below); ++code) {
    sum = least_sum(ratio, code, sum);
    if (sum > kMostSum) break;
    // Rounding once gives `code` to sums of which the product is (2 * code - 1) * 2^(shift - 1) or more, and -code to those
    // of which it is less than the negative of that.
    const double half = std::ldexp(static_cast<double>(2 * code - 1), static_cast<int>(nearest.shift) - 1);
    if (half >= 0x1p62) return std::nullopt;
    const auto limit = static_cast<int64_t>(half);  // exact: the shift is 1 at least
    if (code <= most_above) {
      least = std::max(least, (limit + sum - 1) / sum);
      if (sum > 1) most = std::min(most, (limit - 1) / (sum - 1));
    }
    if (code <= most_below) {
      least = std::max(least, limit / sum + 1);
      if (sum > 1) most = std::min(most, limit / (sum - 1));
    }
  }
  if (least > most) return std::nullopt;
  return LiteMultiplier{std::clamp(nearest.multiplier, least, most), nearest.shift};
}

std::optional<int64_t> fixed8_of(float ratio) {
  constexpr float kMost = 128, kLeast = 1.0F / 256;
  if (!(std::abs(ratio) >= kLeast && ratio <= kMost && ratio > -kMost)) return std::nullopt;
  return std::lrint(256 * ratio);
}

}  // namespace vernier::import::lite
