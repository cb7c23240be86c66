// SPDX-License-Identifier: Apache-2.0
// `vernier cosim MODEL`: a network whose commands run on the RTL that there is.
#pragma once

#include "sim/cli/options.hpp"

namespace vernier::cli {

/// Exit code 3 for a mismatch of value or cycle, or an element that is not the reference's; 4 when the RTL stands still or
/// the simulated machine stops. UserError for what is wrong with the input.
int cosim_network(const CosimCommand& command);

}  // namespace vernier::cli
