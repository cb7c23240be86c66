// SPDX-License-Identifier: Apache-2.0
#include "sim/check/repeated_checker.hpp"

#include "hw/base/error.hpp"

#include <algorithm>
#include <utility>

namespace vernier::check {

Checker& RepeatedChecker::begin_job() { return current_ = Checker(); }

void RepeatedChecker::end_job() {
  ++num_jobs_;
  const bool is_new = kept_.empty() || (kept_.size() == 1 && !current_.has_same_values(kept_.front()));
  if (is_new) kept_.push_back(std::exchange(current_, Checker()));
}

void RepeatedChecker::add_expected(const std::string& name, const base::Tensor& expected) {
  for (Checker& checker : kept_) checker.add_expected(name, expected);
}

void RepeatedChecker::expect_anew() {
  if (kept_.empty()) return;
  if (!different_ && !outcome().is_match()) different_ = outcome();
  kept_.clear();
}

const Outcome& RepeatedChecker::outcome() const {
  if (different_) return *different_;
  VERNIER_CHECK(!kept_.empty(), "an outcome without a job");
  const auto bad = std::find_if(kept_.begin(), kept_.end(), [](const Checker& c) { return !c.outcome().is_match(); });
  return (bad == kept_.end() ? kept_.front() : *bad).outcome();
}

}  // namespace vernier::check
