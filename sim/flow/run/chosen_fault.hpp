// SPDX-License-Identifier: Apache-2.0
// A fault that is put in on purpose, so chosen that it changes something.
#pragma once

#include "hw/base/tensor.hpp"
#include "hw/package/package.hpp"
#include "sim/flow/run/injection.hpp"
#include "sim/soc/npu.hpp"

#include <optional>
#include <string>
#include <vector>

namespace vernier::flow {

/// The fault that a run is to have, and how it is called; without one, why not.
struct ChosenFault {
  std::optional<units::Injection> injection;
  std::string text;
};
/// Looks for the fault on the machine itself: each candidate of the plan runs until one changes an output, an inner tensor
/// or how the job ends. One that is all that was asked for in the control system need not change anything. `firmware` as in
/// soc::JobOptions.
ChosenFault choose_fault(const InjectionRequest& request, soc::Npu& npu, const package::Package& package,
                         const std::vector<base::Tensor>& inputs, const soc::FirmwareProgram* firmware);

}  // namespace vernier::flow
