// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0 RESIZE (section of that name): where an output coordinate lies in the input, and the value there. The scale of an
// axis is numerator / denominator (1 to 2048, 1 to 16 * numerator - 1).
#pragma once

#include <algorithm>
#include <cstdint>

namespace vernier::model {

/// An output coordinate seen from the input: `fraction` / numerator of the way from `first` to `second`, both inside.
struct ResizePosition {
  int32_t first, second, fraction;
};

/// `size` is the input's along that axis.
constexpr ResizePosition resize_position(int32_t output, int32_t numerator, int32_t denominator, int32_t offset,
                                         int32_t size) {
  const int32_t scaled = output * denominator + offset;  // at most 2^14 * 2^15 + 2^15
  const int32_t remainder = scaled % numerator;
  const int32_t fraction = remainder < 0 ? remainder + numerator : remainder;
  const int32_t whole = (scaled - fraction) / numerator;
  return {std::clamp(whole, 0, size - 1), std::clamp(whole + 1, 0, size - 1), fraction};
}

/// NEAREST_NEIGHBOR takes the input at this coordinate; half way is the second.
constexpr int32_t resize_nearest(const ResizePosition& position, int32_t numerator) {
  return 2 * position.fraction >= numerator ? position.second : position.first;
}

/// One axis of BILINEAR: the weighted sum, numerator times the value. Two axes are two of them, at most 2^37.
constexpr int64_t resize_blend(int64_t first, int64_t second, int32_t fraction, int32_t numerator) {
  return first * (numerator - fraction) + second * fraction;
}

}  // namespace vernier::model
