// SPDX-License-Identifier: Apache-2.0
// Which candidate to carry out next. To carry one out costs far more than to make it, so only the promising ones are: first
// those for the whole SRAM and some spread evenly over smaller sizes, then those of the least estimate. An estimate adds up
// the steps of a plan and does not see what overlaps and what room look-ahead has; so each one is corrected by how wrong the
// estimate was for the plan carried out that is nearest in size. Where plans are long, the least estimate comes first from
// the beginning.
#pragma once

#include "compiler/schedule/candidates.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace vernier::schedule {

class Race {
 public:
  /// `candidates`: those of the least estimate first.
  Race(Candidates candidates, int64_t sram_bytes, int64_t step_bytes);

  /// The next one; null when all have been carried out that are worth it. `best_cycles`: of the best plan so far.
  const Candidate* next(std::optional<int64_t> best_cycles);
  /// What became of the last one; none: it does not fit.
  void tell(std::optional<int64_t> cycles);
  /// Whether the spread ones are done.
  [[nodiscard]] bool has_tried_first() const { return num_first_ == 0; }

 private:
  [[nodiscard]] double corrected(const Candidate& candidate) const;

  std::vector<Candidate> candidates_;
  std::vector<bool> is_first_, is_done_;
  int64_t num_first_ = 0;
  size_t last_ = 0;
  std::vector<std::pair<int64_t, double>> ratios_;  // planned bytes, cycles / estimate
};

}  // namespace vernier::schedule
