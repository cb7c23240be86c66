// SPDX-License-Identifier: Apache-2.0
// A job of the simulated machine that did not end well.
#pragma once

#include "sim/soc/npu.hpp"

#include <string>

namespace vernier::cli {

/// Tells people what became of the job; exit code 4.
int report_failure(const std::string& file, const soc::JobResult& job);

}  // namespace vernier::cli
