// SPDX-License-Identifier: Apache-2.0
// The events of the performance counters of a job, from what its result has.
#pragma once

#include "hw/spec/performance_counters.hpp"
#include "sim/soc/npu.hpp"

#include <string>

namespace vernier::soc {

/// "mac_array.busy_cycles", "dma.stall_port_contention_cycles".
std::string name_of(const spec::PmuEvent& event);
int64_t count_of(spec::MemoryEvent event, const timing::Traffic& traffic);
/// Those of the control CPU are 0 without one.
int64_t count_of(const spec::PmuEvent& event, const JobResult& result);

}  // namespace vernier::soc
