// SPDX-License-Identifier: Apache-2.0
// How the steps of a program can be cut, with what is known of equal steps kept once.
#pragma once

#include "compiler/schedule/tiling.hpp"

#include <memory>
#include <vector>

namespace vernier::schedule {

/// The tilings of a program's steps. Steps that differ only in where their operands lie share theirs: the images of a batch
/// are steps of their own, and what is known of one holds for all of them.
class TilingsOfSteps {
 public:
  /// The first three are kept by reference. `may_be_copied`: by step.
  TilingsOfSteps(const std::vector<passes::Step>& steps, const config::MachineConfig& config, KnownTimes& times,
                 const std::vector<OperandSet>& may_be_copied);
  TilingsOfSteps() = default;
  [[nodiscard]] bool is_empty() const { return by_step_.empty(); }
  [[nodiscard]] StepTilings& operator[](size_t step) { return *by_step_[step]; }
  [[nodiscard]] size_t num_different() const { return num_different_; }

 private:
  std::vector<std::shared_ptr<StepTilings>> by_step_;
  size_t num_different_ = 0;
};

}  // namespace vernier::schedule
