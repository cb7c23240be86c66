// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/race.hpp"

#include "compiler/schedule/rungs.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::schedule {
namespace {

/// A candidate whose corrected estimate is so many times the best plan is not carried out. In 110 races of the benchmark
/// networks the highest estimate of a plan that became the best was 1.22 times the best plan before it.
constexpr double kHopeless = 1.5;

/// Of a plan with few commands all sizes are tried that are less than the SRAM by an eighth at most: what a size little
/// smaller has must not be lost.
constexpr int64_t kNearShare = 8, kNearPlanCommands = 3000;

}  // namespace

Race::Race(Candidates candidates, int64_t sram_bytes, int64_t step_bytes)
    : candidates_(std::move(candidates.plans)), is_done_(candidates_.size(), false) {
  for (const Candidate& candidate : candidates_) {
    const bool is_spread =
        candidate.is_plain() && is_coarse(candidate.planned_bytes, step_bytes) && 2 * candidate.planned_bytes >= sram_bytes;
    const int64_t less_bytes = sram_bytes - candidate.planned_bytes;
    const bool is_near =
        candidate.is_plain() && kNearShare * less_bytes <= sram_bytes && candidate.plan->num_commands <= kNearPlanCommands;
    is_first_.push_back(!candidates.are_long && (is_spread || is_near || less_bytes < step_bytes));
    if (is_first_.back()) ++num_first_;
  }
}

const Candidate* Race::next(std::optional<int64_t> best_cycles) {
  std::optional<size_t> found;
  double least = 0;
  for (size_t i = 0; i < candidates_.size(); ++i) {
    if (is_done_[i] || (num_first_ > 0 && !is_first_[i])) continue;
    const double cycles = corrected(candidates_[i]);
    if (found && cycles >= least) continue;
    found = i;
    least = cycles;
  }
  if (!found) return nullptr;
  const bool has_choice = best_cycles && num_first_ == 0;
  if (has_choice && least > kHopeless * static_cast<double>(*best_cycles)) return nullptr;
  last_ = *found;
  is_done_[last_] = true;
  if (is_first_[last_]) --num_first_;
  return &candidates_[last_];
}

void Race::tell(std::optional<int64_t> cycles) {
  if (!cycles) return;
  const Candidate& last = candidates_[last_];
  ratios_.emplace_back(last.planned_bytes,
                       static_cast<double>(*cycles) / static_cast<double>(std::max<int64_t>(1, last.estimate_cycles)));
}

double Race::corrected(const Candidate& candidate) const {
  double ratio = 1;
  int64_t least_distance = -1;
  for (const auto& [bytes, of_bytes] : ratios_) {
    const int64_t distance = std::abs(bytes - candidate.planned_bytes);
    if (least_distance >= 0 && distance >= least_distance) continue;
    least_distance = distance;
    ratio = of_bytes;
  }
  return ratio * static_cast<double>(candidate.estimate_cycles);
}

}  // namespace vernier::schedule
