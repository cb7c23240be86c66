// SPDX-License-Identifier: Apache-2.0
// Fills the tables of a block before it is given anything else.
#pragma once

#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/stream/pin_log.hpp"
#include "sim/kernels/kernels.hpp"

namespace vernier::cosim {

/// Fills the slots of a block with tbl_* ports, a word in each cycle. Each edge goes into `log`.
void fill_tables(ClockedBlock& block, const kernels::TableMemory& tables, PinLog* log = nullptr);

}  // namespace vernier::cosim
