// SPDX-License-Identifier: Apache-2.0
// What a host looks at before it believes a package, inputs or a completion.
#pragma once

#include "sim/soc/control_path.hpp"
#include "sim/soc/npu.hpp"

#include <optional>
#include <string>
#include <vector>

namespace vernier::soc {

/// Where the completion is not what the machine did, one line; `result` is of a job that has started.
std::string wrong_completion(const std::optional<JobResult>& result, const ControlPath::Completion& told);
/// UserError, which names each value that differs, for a package of another machine. Less SRAM and any memory mode fit.
void check_machine(const package::Package& package, const config::MachineConfig& machine);
/// UserError for inputs that are not those of the package.
void check_inputs(const package::Package& package, const std::vector<base::Tensor>& inputs);

}  // namespace vernier::soc
