// SPDX-License-Identifier: Apache-2.0
// What a run leaves behind: output tensors and reports. Places are checked before any work is done.
#pragma once

#include "hw/base/file.hpp"
#include "hw/base/tensor.hpp"
#include "hw/package/boundary.hpp"
#include "sim/cli/options.hpp"
#include "sim/report/report.hpp"

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace vernier::cli {

/// UserError unless each report is - or a file with one of the endings, in a folder that is there and can be written.
void check_report_places(const std::vector<std::string>& reports, const std::vector<std::string>& endings);
/// UserError when the output directory cannot be made or written, or a report has an ending that is not known.
void check_places(const RunOptions& options);
struct OutputInfo {
  std::string name;
  std::optional<package::BoundaryEnd> end{};  // what the source has there, where that is no plain integers
};
/// Names of an output's files: integers, and floats ("" where the source has none).
struct OutputFiles {
  std::string file, float_file;
  bool operator==(const OutputFiles&) const = default;
};
/// NAME.npy and NAME.float.npy by tensor name: characters outside [A-Za-z0-9._-] replaced, clashes numbered.
std::vector<OutputFiles> output_files(const std::vector<OutputInfo>& outputs);
/// All names of files, in order.
std::vector<std::string> output_file_names(const std::vector<OutputInfo>& outputs);
/// numpy's type of an output, as its file has it.
std::string dtype_of(const OutputInfo& output, base::ElementType type);
/// Adds the outputs to `files` under options.output_dir, if any, and lists them in the report.
void add_outputs(base::FileSet& files, report::Report& report, const RunOptions& options,
                 const std::vector<OutputInfo>& outputs, const std::vector<base::Tensor>& values);
/// Adds the reports that are files to `files`.
void add_reports(base::FileSet& files, const report::Report& report, const RunOptions& options);
/// How wide, and whether in colour, text for people on that stream is.
report::TextStyle style_of(FILE* stream);
/// Prints the text report, and the JSON one where `-` asks for it.
void print_reports(const report::Report& report, const RunOptions& options);

}  // namespace vernier::cli
