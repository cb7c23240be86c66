// SPDX-License-Identifier: Apache-2.0
// The cycles of a package, without values.
#pragma once

#include "hw/package/package.hpp"
#include "sim/soc/npu.hpp"

namespace vernier::flow {

/// A job whose values are off: which commands run when. A fault or a hang is its status.
soc::JobResult timed_job(const package::Package& package);

}  // namespace vernier::flow
