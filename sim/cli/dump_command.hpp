// SPDX-License-Identifier: Apache-2.0
// `vernier dump`: what stands in the simulated memory, as files or text.
#pragma once

#include "sim/cli/options.hpp"

namespace vernier::cli {

int dump(const DumpCommand& command);

}  // namespace vernier::cli
