// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/tiling_choice.hpp"

#include <algorithm>

namespace vernier::schedule {

cost::Alternatives alternatives_to(const Tiling& chosen, const passes::Step& step, StepTilings& tilings,
                                   int64_t budget_bytes, Ends ends) {
  constexpr size_t kMost = 4;
  OperandSet copied;
  for (size_t i = 0; i < chosen.level.size(); ++i) {
    if (chosen.level[i] >= 0) copied.insert(i);
  }
  std::vector<Tiling> tried = tilings.tried(copied, budget_bytes, ends);
  std::stable_sort(tried.begin(), tried.end(),
                   [](const Tiling& a, const Tiling& b) { return a.cost_cycles < b.cost_cycles; });
  std::vector<Tiling> shown{chosen};
  for (const Tiling& tiling : tried) {
    const auto is_same = [&](const Tiling& other) { return other.cuts == tiling.cuts; };
    if (shown.size() < kMost && std::none_of(shown.begin(), shown.end(), is_same)) shown.push_back(tiling);
  }
  cost::Alternatives all("tiling");
  for (const Tiling& tiling : shown) all.add(print(tiling, step), tiling.cost_cycles);
  return all;
}

}  // namespace vernier::schedule
