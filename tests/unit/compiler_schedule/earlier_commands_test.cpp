// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/earlier_commands.hpp"

#include <catch2/catch.hpp>

#include <deque>
#include <random>

namespace vernier::schedule {
namespace {

using package::Range;
using package::Storage;

/// The same question without groups.
std::optional<int64_t> last_of_all(const std::deque<std::vector<Range>>& commands, const std::vector<Range>& later,
                                   Pairs pairs, int64_t first, int64_t before) {
  for (int64_t k = std::min(before, static_cast<int64_t>(commands.size())); k-- > first;) {
    const package::Conflict conflict = package::conflict_between(commands[k], later);
    if (pairs == Pairs::All ? conflict.any() : conflict.read_after_write) return k;
  }
  return std::nullopt;
}

/// A few boxes anywhere, in any storage.
std::vector<Range> random_ranges(std::mt19937& random, int64_t extent) {
  const auto below = [&](int64_t limit) { return static_cast<int64_t>(random() % static_cast<uint64_t>(limit)); };
  std::vector<Range> ranges;
  for (int64_t n = 1 + below(4); n > 0; --n) {
    const auto storage = below(4) == 0 ? static_cast<Storage>(below(4)) : Storage::Sram;
    ranges.push_back(package::make_range(storage, below(2) == 0, below(extent), {1, 1, 1, 1, 1 + below(3), 1 + below(3)},
                                         {0, 0, 0, 0, 1 + below(40), 1 + below(9)}, 1 + below(8), "stream"));
  }
  return ranges;
}

TEST_CASE("the last conflicting command is the one that a comparison with each finds") {
  const auto seed = GENERATE(range(0U, 60U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  const int64_t extent = int64_t{200} << (seed % 8);
  EarlierCommands earlier;
  std::deque<std::vector<Range>> commands;
  for (int64_t i = 0; i < 150; ++i) {
    const std::vector<Range> later = random_ranges(random, extent);
    for (const Pairs pairs : {Pairs::ReadAfterWrite, Pairs::All}) {
      const auto first = static_cast<int64_t>(random() % static_cast<uint64_t>(i + 1));
      const auto before = static_cast<int64_t>(random() % static_cast<uint64_t>(i + 9));
      CHECK(earlier.last_conflict(later, pairs, 0) == last_of_all(commands, later, pairs, 0, i));
      CHECK(earlier.last_conflict(later, pairs, first, before) == last_of_all(commands, later, pairs, first, before));
    }
    commands.push_back(later);
    earlier.add(commands.back());
  }
  CHECK(earlier.size() == 150);
}

TEST_CASE("commands that have nothing to do with each other are not compared one by one") {
  // The regions of a pool: each reads a window of one map and writes a pixel of another; weights lie behind both.
  constexpr int64_t kCommands = 5000, kMap = 1 << 20;
  EarlierCommands earlier;
  std::deque<std::vector<Range>> commands;
  for (int64_t i = 0; i < kCommands; ++i) {
    const auto box = [](bool is_write, int64_t base, int64_t rows) {
      return package::make_range(Storage::Sram, is_write, base, {1, 1, 1, 1, 1, rows}, {0, 0, 0, 0, 0, 512}, 16, "stream");
    };
    commands.push_back({box(false, 16 * i, 20), box(false, 2 * kMap, 1), box(true, kMap + 16 * i, 1)});
    for (const Pairs pairs : {Pairs::ReadAfterWrite, Pairs::All})
      CHECK_FALSE(earlier.last_conflict(commands.back(), pairs, 0));
    earlier.add(commands.back());
  }
  CHECK(earlier.num_compared() <= kCommands);
  // And one that has is found in a few steps.
  const std::vector<Range> later{
      package::make_range(Storage::Sram, false, kMap + 16 * 77, {1, 1, 1, 1, 1, 1}, {}, 16, "input")};
  const int64_t before = earlier.num_compared();
  CHECK(earlier.last_conflict(later, Pairs::All, 0) == 77);
  CHECK(earlier.num_compared() - before <= 8);
}

}  // namespace
}  // namespace vernier::schedule
