// SPDX-License-Identifier: Apache-2.0
// What a run on RTL shows of its first mismatch: the job once more, with a wave of the machine and of the RTL around it.
#pragma once

#include "hw/base/file.hpp"
#include "hw/base/tensor.hpp"
#include "hw/package/package.hpp"
#include "sim/flow/rtl/rtl_session.hpp"
#include "sim/waves/wave.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::flow {

struct MismatchRequest {
  const package::Package& package;
  const std::vector<base::Tensor>& inputs;  // of the job
  uint64_t seed = 1;                        // of the run
  const cosim::NetworkResult& found;        // by the run, with a command that differs
  const RtlSource& source;
  std::string wave_file;
};

struct MismatchLook {
  waves::Window window{};                  // of the wave
  bool has_rtl = true;                     // false: the RTL's signals would be too large
  std::optional<std::string> hang{};       // the command stands still when it runs alone
  std::optional<int64_t> rtl_cycle{};      // of the mismatch, where it is drawn,
  std::optional<int64_t> machine_cycle{};  // and as what cycle of the wave
};

/// Runs the job once more: the first command that differs runs on RTL; all before it is right, and comes from the kernels.
/// The wave is added to `files`.
MismatchLook look_into(const MismatchRequest& request, base::FileSet& files);
/// A note for people.
std::string to_text(const MismatchLook& look, const std::string& wave_file);

}  // namespace vernier::flow
