// SPDX-License-Identifier: Apache-2.0
// A job that did not come to its end.
#pragma once

#include "sim/flow/run/failure.hpp"

namespace vernier::cli {

/// Tells people what became of the job; the exit code.
int print_failure(const flow::Failure& failure);

}  // namespace vernier::cli
