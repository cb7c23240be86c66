// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/allocator.hpp"

#include "hw/base/quantity.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace vernier::schedule {

int64_t allocate(std::span<Block> blocks, int64_t align_bytes) {
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::tuple(-blocks[a].size_bytes, blocks[a].first, a) < std::tuple(-blocks[b].size_bytes, blocks[b].first, b);
  });
  std::vector<const Block*> placed;  // ascending offset
  int64_t total = 0;
  for (const size_t i : order) {
    Block& block = blocks[i];
    int64_t offset = 0;
    for (const Block* other : placed) {
      if (other->last < block.first || other->first > block.last) continue;
      if (other->offset >= offset + block.size_bytes) break;
      offset = std::max(offset, base::round_up(other->offset + other->size_bytes, align_bytes));
    }
    block.offset = offset;
    total = std::max(total, offset + block.size_bytes);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), &block,
                                   [](const Block* a, const Block* b) { return a->offset < b->offset; }),
                  &block);
  }
  return total;
}

int64_t live_peak_bytes(std::span<const Block> blocks, int64_t align_bytes) {
  std::map<int64_t, int64_t> change;  // command -> bytes that begin or end to live
  for (const Block& block : blocks) {
    const int64_t bytes = base::round_up(block.size_bytes, align_bytes);
    change[block.first] += bytes;
    change[block.last + 1] -= bytes;
  }
  int64_t live = 0, peak = 0;
  for (const auto& [command, bytes] : change) peak = std::max(peak, live += bytes);
  return peak;
}

}  // namespace vernier::schedule
