// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/allocator.hpp"

#include "hw/base/quantity.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace vernier::schedule {

namespace {

/// Placed blocks by the time at which they live, so that a block meets those of its own time only.
class Calendar {
 public:
  explicit Calendar(std::span<const Block> blocks) {
    int64_t end = 0;
    for (const Block& block : blocks) end = std::max(end, block.last);
    pages_.resize(static_cast<size_t>(end / kPage + 2));
  }

  void add(const Block& block) {
    if (page_of(block.last) - page_of(block.first) >= kManyPages) {
      always_.push_back(&block);
      return;
    }
    for (size_t page = page_of(block.first); page <= page_of(block.last); ++page) pages_[page].push_back(&block);
  }

  /// Those that live together with a block, by ascending offset.
  [[nodiscard]] std::vector<const Block*> together_with(const Block& block) const {
    std::vector<const Block*> found;
    const auto collect = [&](const std::vector<const Block*>& page) {
      for (const Block* other : page) {
        if (other->last >= block.first && other->first <= block.last) found.push_back(other);
      }
    };
    collect(always_);
    for (size_t page = page_of(block.first); page <= page_of(block.last); ++page) collect(pages_[page]);
    std::sort(found.begin(), found.end(), [](const Block* a, const Block* b) { return a->offset < b->offset; });
    return found;
  }

 private:
  static constexpr int64_t kPage = 32;
  static constexpr size_t kManyPages = 64;
  /// Time starts at -1, before the first command.
  static size_t page_of(int64_t time) { return static_cast<size_t>((time + 1) / kPage); }

  std::vector<std::vector<const Block*>> pages_;
  std::vector<const Block*> always_;
};

}  // namespace

namespace {

/// Places the blocks in that order; returns the highest end.
int64_t place_in_order(std::span<Block> blocks, const std::vector<size_t>& order, int64_t align_bytes) {
  Calendar placed(blocks);
  int64_t total = 0;
  for (const size_t i : order) {
    Block& block = blocks[i];
    int64_t offset = 0;
    for (const Block* other : placed.together_with(block)) {
      if (other->offset >= offset + block.size_bytes) break;
      offset = std::max(offset, base::round_up(other->offset + other->size_bytes, align_bytes));
    }
    block.offset = offset;
    total = std::max(total, offset + block.size_bytes);
    placed.add(block);
  }
  return total;
}

}  // namespace

int64_t allocate(std::span<Block> blocks, int64_t align_bytes, int64_t limit_bytes) {
  constexpr int kMostOrders = 8;
  std::vector<int> urgency(blocks.size(), 0);
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<Block> best;
  int64_t best_bytes = 0;
  bool was_better = true;
  for (int i = 0; i < kMostOrders; ++i) {
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::tuple(-urgency[a], -blocks[a].size_bytes, blocks[a].first, a) <
             std::tuple(-urgency[b], -blocks[b].size_bytes, blocks[b].first, b);
    });
    const int64_t bytes = place_in_order(blocks, order, align_bytes);
    if (bytes <= limit_bytes) return bytes;
    const bool is_better = i == 0 || bytes < best_bytes;
    if (is_better) {
      best.assign(blocks.begin(), blocks.end());
      best_bytes = bytes;
    }
    // Another order saves some gaps, not more; and two that gain nothing are followed by others that gain nothing.
    if (best_bytes - limit_bytes > limit_bytes / 8 || (!is_better && !was_better)) break;
    was_better = is_better;
    for (size_t b = 0; b < blocks.size(); ++b) {
      if (blocks[b].offset + blocks[b].size_bytes > limit_bytes) ++urgency[b];
    }
  }
  std::copy(best.begin(), best.end(), blocks.begin());
  return best_bytes;
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
