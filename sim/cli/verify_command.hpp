// SPDX-License-Identifier: Apache-2.0
// `vernier verify`.
#pragma once

#include "sim/cli/options.hpp"

namespace vernier::cli {

/// Runs the tests. The exit code of one is TOSA's: 0 valid, 1 unpredictable, 2 error. Of several it is 0 where all of them
/// ended as they have to, else 3.
int verify(const VerifyCommand& command);

}  // namespace vernier::cli
