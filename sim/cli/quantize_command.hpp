// SPDX-License-Identifier: Apache-2.0
// `vernier quantize` and `vernier dequantize`: .npy to .npy.
#pragma once

#include "sim/cli/options.hpp"

namespace vernier::cli {

/// Writes the file; quantize prints the adjusted range, `output_min V...` and `output_max V...`. UserError for what is wrong
/// with the input, and what TensorFlow refuses.
int quantize(const QuantizeCommand& command);

}  // namespace vernier::cli
