// SPDX-License-Identifier: Apache-2.0
// `vernier compare`: compares the reports of several runs.
#pragma once

#include "sim/cli/options.hpp"

namespace vernier::cli {

/// The exit code.
int compare(const CompareCommand& command);

}  // namespace vernier::cli
