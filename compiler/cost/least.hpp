// SPDX-License-Identifier: Apache-2.0
// The least of several costs of which each has a bound that is cheaper to know.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace vernier::cost {

/// Index of the least cost among `num`, the first one of equals. `at_least(i)` is never more than `cost(i)`, which is asked
/// only where it may be the least.
template <typename AtLeast, typename Cost>
size_t index_of_least(size_t num, AtLeast at_least, Cost cost) {
  std::vector<int64_t> bounds;
  for (size_t i = 0; i < num; ++i) bounds.push_back(at_least(i));
  std::vector<size_t> order(num);
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return bounds[i]; });
  size_t best = order.front();
  int64_t least = cost(best);
  for (const size_t i : order) {
    if (bounds[i] > least) break;
    if (i == best || (bounds[i] == least && i > best)) continue;
    const int64_t cycles = cost(i);
    if (cycles > least || (cycles == least && i > best)) continue;
    least = cycles;
    best = i;
  }
  return best;
}

}  // namespace vernier::cost
