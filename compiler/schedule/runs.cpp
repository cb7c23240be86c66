// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/runs.hpp"

#include <algorithm>

namespace vernier::schedule {
namespace {

/// Groups neighbours of equal shape at equal distance along dimension `dim`, which is unused so far.
std::vector<RunBox> group(const std::vector<RunBox>& boxes, size_t dim) {
  std::vector<RunBox> grouped;
  for (const RunBox& box : boxes) {
    if (!grouped.empty()) {
      RunBox& last = grouped.back();
      const bool is_alike = last.run_bytes == box.run_bytes &&
                            (dim == 1 || (last.counts[1] == box.counts[1] && last.strides[1] == box.strides[1]));
      const int64_t distance = box.begin - (last.begin + (last.counts[dim] - 1) * last.strides[dim]);
      if (is_alike && (last.counts[dim] == 1 || distance == last.strides[dim])) {
        ++last.counts[dim];
        last.strides[dim] = distance;
        continue;
      }
    }
    grouped.push_back(box);
  }
  return grouped;
}

}  // namespace

RunBox whole_box(int64_t bytes) {
  RunBox box;
  box.run_bytes = bytes;
  return box;
}

std::vector<RunBox> boxes_of(std::vector<Run> runs) {
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.begin < b.begin; });
  std::vector<RunBox> boxes;
  for (const Run& run : runs) {
    if (!boxes.empty() && run.begin <= boxes.back().begin + boxes.back().run_bytes) {
      boxes.back().run_bytes = std::max(boxes.back().run_bytes, run.begin + run.bytes - boxes.back().begin);
      continue;
    }
    RunBox box = whole_box(run.bytes);
    box.begin = run.begin;
    boxes.push_back(box);
  }
  return group(group(boxes, 1), 0);
}

}  // namespace vernier::schedule
