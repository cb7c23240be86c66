// SPDX-License-Identifier: Apache-2.0
// The samples of a run after the first one.
#pragma once

#include "hw/base/file.hpp"
#include "hw/base/tensor.hpp"
#include "sim/flow/run/run_steps.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace vernier::flow {

/// What a sample came to: its outputs, or none where another process has to look at it, or where no sample after it runs.
struct SampleOutcome {
  std::optional<std::vector<base::Tensor>> outputs{};
  bool is_last = false;  // it failed, or its values are wrong
};
/// Runs a sample. Of one that is not alone in this process nothing but its outputs is kept: where there is more to say of it
/// it has no outputs, and is run once more in the process that tells of it.
using RunOneSample = std::function<SampleOutcome(size_t sample, bool is_alone)>;

/// Runs all samples but the first, and gives their outputs to the scores of the run: spread over processes, or one after the
/// other in this process where the network `has_state`, or where the request has nobody to spread them.
void run_samples(Run& run, base::FileSet& files, bool has_state, const RunOneSample& run_one);

}  // namespace vernier::flow
