// SPDX-License-Identifier: Apache-2.0
// Where a mismatch comes from: the job once more, for the operands of the first element that differs and a wave around it.
#pragma once

#include "hw/base/file.hpp"
#include "hw/base/tensor.hpp"
#include "hw/package/package.hpp"
#include "sim/check/checker.hpp"
#include "sim/soc/npu.hpp"
#include "sim/waves/wave.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::flow {

struct DifferenceRequest {
  const package::Package& package;
  const std::vector<base::Tensor>& inputs;      // of the job
  const check::Difference& first;               // of a command
  std::optional<units::Injection> injection{};  // the fault that the job had
  std::string wave_file{};                      // empty: no wave
};

struct DifferenceLook {
  /// Taps, sums and what the rescale unit makes of them, whether they give what was expected, and the sum that the machine
  /// had; empty for elements that no convolution wrote.
  std::string operands{};
  waves::Window window{};  // of the wave
};

/// Runs the job once more. The wave is added to `files`.
DifferenceLook look_into(const DifferenceRequest& request, base::FileSet& files);

/// Where the wave goes: FOLDER/MODEL.first-difference.fst, or .vcd where there is no FST writer; in the working folder for
/// an empty one.
std::string first_difference_file(const std::string& folder, const std::string& model);

/// The cycles around a command of the job.
waves::Window window_around(const soc::JobResult& job, int64_t command_idx);

}  // namespace vernier::flow
