// SPDX-License-Identifier: Apache-2.0
// What has to be known of a block from elsewhere before it is compared: how many cycles its pipe has, and that it answers.
#pragma once

#include "hw/spec/machine.hpp"
#include "sim/cosim/block/clocked_block.hpp"

#include <cstdint>

namespace vernier::cosim {

/// Edges from a vector to its result, of a unit that takes vectors (description().latency_cycles above 0): one vector in an
/// idle pipe. Leaves the block reset. Hang when no result comes.
int64_t measured_latency(ClockedBlock& block);

/// Runs a short command on npu_mac_array or npu_datapath. Hang when it takes none, or when no row of results ever comes.
void require_answer(ClockedBlock& block, const spec::Datapath& datapath);

}  // namespace vernier::cosim
