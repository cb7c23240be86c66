// SPDX-License-Identifier: Apache-2.0
// `vernier cosim`: the RTL of a unit, or of a whole network, against the golden model.
#pragma once

#include "sim/cli/options.hpp"

namespace vernier::cli {

/// Exit code 3 for a mismatch of value or cycle, 4 when the block stands still. UserError for what is wrong with the input.
int cosim(const CosimCommand& command);

}  // namespace vernier::cli
