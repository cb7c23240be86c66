// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/allocator.hpp"

#include "hw/base/division.hpp"

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

  struct Place {
    int64_t begin, end;
  };
  /// The places of those that live together with a block, by ascending begin; until the next question.
  [[nodiscard]] const std::vector<Place>& together_with(const Block& block) {
    found_.clear();
    const auto collect = [&](const Block& other) {
      if (other.last >= block.first && other.first <= block.last) {
        found_.push_back({other.offset, other.offset + other.size_bytes});
      }
    };
    for (const Block* other : always_) collect(*other);
    const size_t first_page = page_of(block.first);
    for (const Block* other : pages_[first_page]) collect(*other);
    for (size_t page = first_page + 1; page <= page_of(block.last); ++page) {
      for (const Block* other : pages_[page]) {
        if (page_of(other->first) == page) collect(*other);  // else it has been met on an earlier page
      }
    }
    std::sort(found_.begin(), found_.end(), [](const Place& a, const Place& b) { return a.begin < b.begin; });
    return found_;
  }

 private:
  static constexpr int64_t kPage = 32;
  static constexpr size_t kManyPages = 64;
  /// Time starts at -1, before the first command.
  static size_t page_of(int64_t time) { return static_cast<size_t>((time + 1) / kPage); }

  std::vector<std::vector<const Block*>> pages_;
  std::vector<const Block*> always_;
  std::vector<Place> found_;
};

}  // namespace

namespace {

/// Places the blocks in that order; returns the highest end.
int64_t place_in_order(std::span<Block> blocks, const std::vector<size_t>& order, int64_t align_bytes) {
  Calendar placed(blocks);
  int64_t total = 0;
  for (const size_t i : order) {
    Block& block = blocks[i];
    int64_t offset = block.phase_bytes;
    for (const Calendar::Place& other : placed.together_with(block)) {
      if (other.begin >= offset + block.size_bytes) break;
      offset = std::max(offset, base::round_up(other.end - block.phase_bytes, align_bytes) + block.phase_bytes);
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
