// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/run/chosen_fault.hpp"

#include "hw/base/error.hpp"
#include "sim/flow/run/to_checker.hpp"

#include <fmt/format.h>

namespace vernier::flow {
namespace {

struct WatchedRun {
  soc::JobResult job;
  check::Checker values;
};

WatchedRun run_watched(soc::Npu& npu, const package::Package& package, const std::vector<base::Tensor>& inputs,
                       const soc::FirmwareProgram* firmware, const std::optional<units::Injection>& injection) {
  WatchedRun result;
  soc::JobOptions options;
  options.firmware = firmware;
  options.injection = injection;
  options.on_piece = pieces_to(result.values, package);
  result.job = npu.run(package, inputs, options);
  if (result.job.is_done()) add_outputs(result.values, package, result.job);
  return result;
}

}  // namespace

ChosenFault choose_fault(const InjectionRequest& request, soc::Npu& npu, const package::Package& package,
                         const std::vector<base::Tensor>& inputs, const soc::FirmwareProgram* firmware) {
  const WatchedRun clean = run_watched(npu, package, inputs, firmware, {});
  const bool is_of_control_system = units::is_of_control_system(request.site);
  if (is_of_control_system && !clean.job.control)
    throw base::UserError("--inject", "without the fault the firmware does not end the job");
  const InjectionPlan plan = plan_injection(request, package, clean.job);
  for (const units::Injection& candidate : plan.candidates) {
    const WatchedRun faulty = run_watched(npu, package, inputs, firmware, candidate);
    if (!faulty.job.injected) continue;
    const bool may_change_nothing = is_of_control_system && plan.candidates.size() == 1;
    if (!may_change_nothing && faulty.job.is_done() && faulty.values.has_same_values(clean.values)) continue;
    units::Injection chosen = candidate;
    chosen.index = faulty.job.injected->index;
    chosen.bit = faulty.job.injected->bit;
    return {chosen, to_string(chosen, *faulty.job.injected)};
  }
  const std::string reason = plan.reason.empty() ? "nothing that it can reach changes a value" : plan.reason;
  return {{}, fmt::format("{}@{} hits nothing live: {}", kind_of(request.site), request.cycle, reason)};
}

}  // namespace vernier::flow
