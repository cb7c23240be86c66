// SPDX-License-Identifier: Apache-2.0
// Geometry of convolutions and pools along one axis. Internal to compiler/reference.
#pragma once

#include <algorithm>
#include <cstdint>

namespace vernier::reference {

/// Which taps of a window lie in the input: [first_tap, end_tap), the first of them at input coordinate `start`.
struct Window {
  int64_t first_tap, end_tap, start;
};

struct Axis {
  int64_t size, kernel, stride, pad_before, dilation;

  [[nodiscard]] Window window(int64_t output) const {
    const int64_t origin = output * stride - pad_before;
    const int64_t first = origin >= 0 ? 0 : std::min(kernel, (-origin + dilation - 1) / dilation);
    const int64_t end = origin >= size ? 0 : std::min(kernel, (size - 1 - origin) / dilation + 1);
    return {first, std::max(first, end), origin + first * dilation};
  }
};

}  // namespace vernier::reference
