// SPDX-License-Identifier: Apache-2.0
// Registers of the array that change where nothing happens: after commands of each kind, while en_i is low, and while
// results wait for ever.
#pragma once

#include "sim/cosim/block/clocked_block.hpp"

#include <string>

namespace vernier::cosim {

/// Of npu_mac_array or npu_datapath with 8 lanes that has waves: where registers change that should not, or none where some
/// should; empty when all is well.
std::string idle_register_changes(ClockedBlock& block);

}  // namespace vernier::cosim
