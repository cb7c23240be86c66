// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/least_rung.hpp"

#include "compiler/schedule/rungs.hpp"

#include <algorithm>

namespace vernier::schedule {

std::optional<int64_t> least_rung(int64_t least_bytes, int64_t most_bytes, int64_t step_bytes,
                                  const std::function<bool(int64_t)>& is_enough) {
  const int64_t first = rung_above(least_bytes - 1, step_bytes);
  if (!is_enough(first) && !is_enough(most_bytes)) return std::nullopt;
  int64_t enough = first, too_small = first;
  while (enough < most_bytes && !is_enough(enough)) {
    too_small = enough;
    enough = std::min(most_bytes, rung_above(enough + enough / 4, step_bytes));
  }
  while (rung_above(too_small, step_bytes) < enough) {
    const int64_t middle = rung_above(too_small + (enough - too_small) / 2 - 1, step_bytes);
    if (middle >= enough) break;
    (is_enough(middle) ? enough : too_small) = middle;
  }
  constexpr int kRungsBelow = 16;
  int64_t near = enough;
  for (int i = 0; i < kRungsBelow && near > first; ++i) {
    near = rung_at_most(near - 1, step_bytes);
    if (is_enough(near)) enough = near;
  }
  return enough;
}

}  // namespace vernier::schedule
