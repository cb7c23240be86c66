// SPDX-License-Identifier: Apache-2.0
// `vernier cosim MODEL`: a network whose commands run on the RTL that there is.
#pragma once

#include "sim/cli/options.hpp"

#include <functional>
#include <string_view>

namespace vernier::cli {

/// Calls refuse(option), which throws, for the first option of `command` that only a network takes. What else runs, "a
/// unit", has one wave: the RTL's, VCD as Verilator writes it; UserError for another one.
void refuse_network_options(const CosimCommand& command, std::string_view what_runs,
                            const std::function<void(const char* option)>& refuse);

/// Exit code 3 for a mismatch of value or cycle, or an element that is not the reference's; 4 when the RTL stands still or
/// the simulated machine stops. UserError for what is wrong with the input.
int cosim_network(const CosimCommand& command);

}  // namespace vernier::cli
