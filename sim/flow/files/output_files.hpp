// SPDX-License-Identifier: Apache-2.0
// The outputs of a run: their files, and what the report says of them.
#pragma once

#include "hw/base/file.hpp"
#include "hw/base/npy.hpp"
#include "hw/base/tensor.hpp"
#include "sim/flow/files/places.hpp"
#include "sim/flow/model/ends.hpp"
#include "sim/report/report.hpp"

#include <optional>
#include <string>
#include <vector>

namespace vernier::flow {

/// Names of an output's files: integers, and floats ("" where the source has none).
struct OutputFiles {
  std::string file, float_file;
  bool operator==(const OutputFiles&) const = default;
};
/// NAME.npy and NAME.float.npy by tensor name: characters outside [A-Za-z0-9._-] replaced, clashes numbered.
std::vector<OutputFiles> output_files(const std::vector<End>& outputs);
/// All names of files, in order.
std::vector<std::string> output_file_names(const std::vector<End>& outputs);
/// The places of all of them in the folder of --output-dir, if any.
std::vector<Place> output_places(const std::optional<std::string>& folder, const std::vector<End>& outputs);
/// numpy's type of an output, as its file has it.
std::string dtype_of(const End& output, base::ElementType type);
/// An output as its file has it: the source's codes, or plain integers.
base::NpyArray array_of(const End& output, const base::Tensor& values);
/// The numbers that output `index` stands for in the source; none where that has no floats there.
std::optional<base::NpyArray> float_array_of(const std::vector<End>& outputs, const std::vector<base::Tensor>& values,
                                             size_t index);
/// Adds the outputs to `files` under `folder`, if any, and lists them in the report.
void add_outputs(base::FileSet& files, report::Report& report, const std::optional<std::string>& folder,
                 const std::vector<End>& outputs, const std::vector<base::Tensor>& values);

}  // namespace vernier::flow
