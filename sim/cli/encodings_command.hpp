// SPDX-License-Identifier: Apache-2.0
// `vernier encodings`: AIMET's encodings files, checked and converted.
#pragma once

#include "sim/cli/options.hpp"

namespace vernier::cli {

/// Findings go to standard error, a line each; the exit code is that of bad input where one of them is more than a warning,
/// and then nothing is written. UserError for files that cannot be read or written.
int encodings(const EncodingsCommand& command);

}  // namespace vernier::cli
