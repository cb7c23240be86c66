// SPDX-License-Identifier: Apache-2.0
// The beginning of a reset, which acts without a clock: the outputs say at once that nothing is left, and edges change
// nothing.
#pragma once

#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/block/mismatch.hpp"

#include <optional>
#include <vector>

namespace vernier::cosim {

/// Pulls rst_ni low, while the inputs stay as they are, and has some edges or none. Of each valid, ready, stall_o or
/// slot_format_o that is not as it has to be. ClockedBlock::reset() ends it.
std::vector<Mismatch> begin_reset(ClockedBlock& block, bool has_edges);

/// While rst_ni is low, so many edges after its fall: the first valid, stall_o or slot_format_o that says that something is
/// left.
std::optional<Mismatch> left_in_reset(const ClockedBlock& block, int64_t edges);

}  // namespace vernier::cosim
