// SPDX-License-Identifier: Apache-2.0
// A network through the machine: compile, simulate, check against the reference, report.
#pragma once

#include "hw/base/tensor.hpp"
#include "sim/flow/model/ends.hpp"
#include "sim/flow/observer.hpp"
#include "sim/flow/run/failure.hpp"
#include "sim/flow/run/run_request.hpp"
#include "sim/report/report.hpp"

#include <optional>
#include <vector>

namespace vernier::flow {

struct RunResult {
  report::Report report{};                // of a run that came to its end
  std::vector<End> output_ends{};         // what the outputs are
  std::vector<base::Tensor> outputs{};    // of the last iteration; none with values off
  std::vector<base::Tensor> variables{};  // what it left, in the order of report.variables; none with values off
  std::optional<Failure> failure{};       // the machine or its RTL stopped: there is nothing of the above

  [[nodiscard]] Verdict verdict() const;
};

/// Runs the request, and writes the files that it names: all together at the end, or none. After a failure these are the
/// waves and timelines of what ran until then. UserError for what is wrong with the request or the model.
RunResult run(const RunRequest& request, const Observer& observer = {});

/// The cycles and bytes of that run, exactly, without computing values: there is nothing to compare, and outputs are known
/// by name and shape only. UserError for a package with control flow, whose values decide what runs.
RunResult estimate(RunRequest request, const Observer& observer = {});

}  // namespace vernier::flow
