// SPDX-License-Identifier: Apache-2.0
// What the texts of --shape, --input-format and --quantize mean. Knows nothing of the library that takes a line apart.
#pragma once

#include "sim/flow/model/machine_options.hpp"

#include <string>
#include <vector>

namespace vernier::cli {

/// The options as they stand on the line.
struct EndTexts {
  std::vector<std::string> shapes, input_formats, quantizations;
};

/// NAME=1x3x32x32; NAME:scale=S[,zero_point=Z][,bits=B][,signed=1]; NAME:mode=M,type=T,min=A,max=B[,round_mode=R]
/// [,narrow_range=1][,axis=N][,ensure_minimum_range=E]. NAME ends at the last '=' of the first, and at the last ':' of the
/// others. UserError, naming the option, for anything else, and for an input that an option names twice.
void take_ends(const EndTexts& texts, flow::MachineOptions& options);

}  // namespace vernier::cli
