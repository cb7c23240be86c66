// SPDX-License-Identifier: Apache-2.0
// The checker over jobs that repeat each other: every job is compared, and the values of one are kept, as long as all agree.
#pragma once

#include "sim/check/checker.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::check {

/// Between begin_job() and end_job() a job's values go to the checker that begin_job() gave; after the last job the expected
/// tensors are fed once. Of jobs that differ from the first, the first such one is compared too, which is enough: the first
/// job and it cannot both be right.
class RepeatedChecker {
 public:
  Checker& begin_job();
  void end_job();
  void add_expected(const std::string& name, const base::Tensor& expected);
  /// The jobs from here on have other inputs, and repeat each other. Those up to here have got their expected tensors; what
  /// differs in them stays the outcome.
  void expect_anew();
  /// Of the first job that differs from what was expected, else of the first job since expect_anew().
  [[nodiscard]] const Outcome& outcome() const;
  [[nodiscard]] int64_t num_jobs() const { return num_jobs_; }

 private:
  std::vector<Checker> kept_;  // of the first job, and of the first one that differs from it
  Checker current_;
  std::optional<Outcome> different_;  // of a job before expect_anew()
  int64_t num_jobs_ = 0;
};

}  // namespace vernier::check
