// SPDX-License-Identifier: Apache-2.0
// The figures of several streams as those of one job.
#pragma once

#include "sim/soc/npu.hpp"

namespace vernier::soc {

/// Adds what the job's next stream did; the status, the outputs and the highest byte in SRAM are those of the last stream.
/// Cycles of its commands and layers count on from run.start_cycle.
void add_stream(JobResult& sum, JobResult one, const StreamRun& run);

}  // namespace vernier::soc
