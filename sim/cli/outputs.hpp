// SPDX-License-Identifier: Apache-2.0
// What a run leaves behind: output tensors and reports. Places are checked before any work is done.
#pragma once

#include "hw/base/tensor.hpp"
#include "sim/cli/options.hpp"
#include "sim/report/report.hpp"

#include <string>
#include <vector>

namespace vernier::cli {

/// UserError when the output directory cannot be made or written, or a report has an ending that is not known.
void check_places(const RunOptions& options);
/// Output file names by tensor name: characters outside [A-Za-z0-9._-] replaced, clashes numbered.
std::vector<std::string> output_file_names(const std::vector<std::string>& tensors);
/// Writes the outputs to options.output_dir, if any, and lists them in the report.
void write_outputs(report::Report& report, const RunOptions& options, const std::vector<std::string>& tensors,
                   const std::vector<base::Tensor>& values);
/// Prints the text report and writes the JSON ones.
void write_reports(const report::Report& report, const RunOptions& options);

}  // namespace vernier::cli
