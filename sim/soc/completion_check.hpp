// SPDX-License-Identifier: Apache-2.0
// What a host looks at before it believes a package, inputs or a completion.
#pragma once

#include "sim/soc/machine.hpp"

#include <optional>
#include <string>
#include <vector>

namespace vernier::soc {

/// Where the completion is not what the machine did, one line.
std::string wrong_completion(MachineJob& job, const ControlPath::Completion& told);
/// UserError for a package with control flow where there is no control CPU, where its values are not there, or that could
/// overwrite its own steps.
void check_control_flow(const package::Package& package, bool has_control_cpu, bool has_values);
/// Gives the job read-only bytes up to the end of its steps at least.
void protect_steps(const package::Package& package, HandedJob& job);
/// UserError for `file`, which names each value that differs, where its package is for another machine. Less SRAM and any
/// memory mode fit.
void check_machine(const std::string& file, const package::Package& package, const config::MachineConfig& machine);
/// UserError for inputs that are not those of the package.
void check_inputs(const package::Package& package, const std::vector<base::Tensor>& inputs);

}  // namespace vernier::soc
