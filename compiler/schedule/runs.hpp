// SPDX-License-Identifier: Apache-2.0
// Runs of bytes to boxes that a DMA command can copy: sorted, joined, and grouped where they repeat at equal distance.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vernier::schedule {

struct Run {
  int64_t begin = 0, bytes = 0;
};

/// counts[0] x counts[1] runs of run_bytes at begin + i0 * strides[0] + i1 * strides[1].
struct RunBox {
  static constexpr size_t kDims = 2;
  int64_t begin = 0;
  std::array<int64_t, kDims> counts{1, 1};
  std::array<int64_t, kDims> strides{};
  int64_t run_bytes = 0;
  [[nodiscard]] int64_t end() const {
    return begin + (counts[0] - 1) * strides[0] + (counts[1] - 1) * strides[1] + run_bytes;
  }
};

RunBox whole_box(int64_t bytes);
/// Every byte of the runs exactly once, and no other, in few boxes (greedy).
std::vector<RunBox> boxes_of(std::vector<Run> runs);

}  // namespace vernier::schedule
