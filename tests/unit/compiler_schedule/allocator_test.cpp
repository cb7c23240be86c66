// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/allocator.hpp"

#include <catch2/catch.hpp>

#include <random>

namespace vernier::schedule {
namespace {

TEST_CASE("blocks that never live together share bytes") {
  std::vector<Block> blocks{{100, 0, 1, 0}, {60, 2, 3, 0}, {40, 0, 3, 0}};
  CHECK(allocate(blocks, 16) == 152);  // 100 rounded up to 112, then 40; the 60 lie where the 100 were
  CHECK(blocks[0].offset == 0);
  CHECK(blocks[1].offset == 0);
  CHECK(blocks[2].offset == 112);
}

TEST_CASE("a block with a phase starts so far behind a multiple of the alignment, and meets no other") {
  std::vector<Block> blocks{{.size_bytes = 100, .first = 0, .last = 1},
                            {.size_bytes = 60, .first = 0, .last = 1, .phase_bytes = 16},
                            {.size_bytes = 40, .first = 0, .last = 1, .phase_bytes = 48}};
  CHECK(allocate(blocks, 64) == 280);
  CHECK(blocks[0].offset == 0);
  CHECK(blocks[1].offset == 144);  // 128 + 16
  CHECK(blocks[2].offset == 240);  // 192 + 48, the first such place behind 204
}

TEST_CASE("random blocks keep apart, aligned, and near the live peak") {
  const auto seed = GENERATE(range(0U, 50U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto up_to = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  constexpr int64_t kAlign = 64;
  std::vector<Block> blocks;
  for (int i = 0; i < 40; ++i) {
    const int64_t first = up_to(30);
    blocks.push_back({1 + up_to(1000), first, first + up_to(6), 0});
  }
  const int64_t total = allocate(blocks, kAlign);
  for (size_t a = 0; a < blocks.size(); ++a) {
    CHECK(blocks[a].offset % kAlign == 0);
    CHECK(blocks[a].offset + blocks[a].size_bytes <= total);
    for (size_t b = 0; b < a; ++b) {
      const bool share_time = blocks[a].first <= blocks[b].last && blocks[b].first <= blocks[a].last;
      const bool share_bytes = blocks[a].offset < blocks[b].offset + blocks[b].size_bytes &&
                               blocks[b].offset < blocks[a].offset + blocks[a].size_bytes;
      CHECK_FALSE((share_time && share_bytes));
    }
  }
  CHECK(total <= 2 * live_peak_bytes(blocks, kAlign));
}

TEST_CASE("where the largest first leave gaps, those that ended above the limit go first") {
  int num_fit = 0, num_fit_by_size = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const auto up_to = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
    std::vector<Block> blocks;
    for (int i = 0; i < 60; ++i) {
      const int64_t first = up_to(100);
      blocks.push_back({64 * (1 + up_to(20)), first, first + up_to(8), 0});
    }
    std::vector<Block> by_size = blocks;
    const int64_t limit = live_peak_bytes(blocks, 64);
    const int64_t least = allocate(by_size, 64), total = allocate(blocks, 64, limit);
    CAPTURE(seed);
    CHECK(total <= least);
    if (least <= limit) ++num_fit_by_size;
    if (total <= limit) ++num_fit;
    for (size_t a = 0; a < blocks.size(); ++a) {
      for (size_t b = 0; b < a; ++b) {
        const bool share_time = blocks[a].first <= blocks[b].last && blocks[b].first <= blocks[a].last;
        const bool share_bytes = blocks[a].offset < blocks[b].offset + blocks[b].size_bytes &&
                                 blocks[b].offset < blocks[a].offset + blocks[a].size_bytes;
        CHECK_FALSE((share_time && share_bytes));
      }
    }
  }
  CHECK(num_fit > num_fit_by_size);
}

}  // namespace
}  // namespace vernier::schedule
