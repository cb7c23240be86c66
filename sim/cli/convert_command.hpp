// SPDX-License-Identifier: Apache-2.0
// `vernier convert`: a network of any format that is read, as a TOSA flatbuffer.
#pragma once

#include "sim/cli/options.hpp"

namespace vernier::cli {

/// Writes OUT.tosa: the file itself where it is TOSA 1.0 and says everything, else a new one of TOSA 1.0.0;
/// OUT.boundary.json too where the ends are not plain integers. Prints which it is, and what was taken for granted.
/// UserError for what is wrong with the input or the place of the output.
int convert(const ConvertCommand& command);

}  // namespace vernier::cli
