// SPDX-License-Identifier: Apache-2.0
// A source of random sizes and choices that is the same everywhere for one seed (no standard distribution is used).
#pragma once

#include "hw/base/tensor.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace vernier::tests {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  int64_t within(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(engine_() % static_cast<uint64_t>(most - least + 1));
  }
  bool chance(int64_t percent) { return within(1, 100) <= percent; }
  template <typename T>
  T pick(const std::vector<T>& items) {
    return items[static_cast<size_t>(within(0, static_cast<int64_t>(items.size()) - 1))];
  }
  /// Small dimensions, many of them 1; at most 20,000 elements.
  base::Shape shape(int64_t least_rank) {
    base::Shape result;
    for (int64_t rank = within(least_rank, 6); rank > 0; --rank) result.push_back(pick<int64_t>({1, 1, 2, 3, 5, 16, 17}));
    while (base::num_elements(result) > 20000) result[static_cast<size_t>(within(0, 5)) % result.size()] = 1;
    return result;
  }
  uint64_t seed() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace vernier::tests
