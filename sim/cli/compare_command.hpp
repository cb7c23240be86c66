// SPDX-License-Identifier: Apache-2.0
// `vernier compare`: reports of several runs beside each other.
#pragma once

#include "sim/cli/options.hpp"

namespace vernier::cli {

/// The exit code.
int compare(const CompareCommand& command);

}  // namespace vernier::cli
