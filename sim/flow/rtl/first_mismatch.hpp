// SPDX-License-Identifier: Apache-2.0
// What a run on RTL shows of its first mismatch: a wave of the machine and of the RTL around it.
#pragma once

#include "hw/base/file.hpp"
#include "hw/base/tensor.hpp"
#include "hw/package/package.hpp"
#include "sim/flow/rtl/rtl_session.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace vernier::flow {

/// Runs the job once more, with a wave `file` around the first command that differs in `found`; all before it is right, and
/// comes from the kernels. Returns a note for people.
std::string draw_first_mismatch(const std::string& file, base::FileSet& files, const package::Package& package,
                                const std::vector<base::Tensor>& inputs, uint64_t seed, const cosim::NetworkResult& found,
                                const RtlSource& source);

}  // namespace vernier::flow
