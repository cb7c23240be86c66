// SPDX-License-Identifier: Apache-2.0
// Blocks of this program's own RTL. Some are compiled into the program (rtl_blocks()); a block that is not, say of 32 lanes
// in a quick build, is built by Verilator when it is first asked for, and kept in the user's cache as RTL from elsewhere is.
#pragma once

#include "sim/cosim/block/rtl_build.hpp"

namespace vernier::cosim {

/// UserError where make_own_rtl() would find nothing to build the block with.
void require_own_rtl(const spec::RtlBlock& block, int lanes);
/// With `traces_memories` a block whose waves have the contents of memories: none of those that are compiled in.
/// UserError where the program has no such block and there is no Verilator 5 or compiler to build it.
std::unique_ptr<RtlBlock> make_own_rtl(const spec::RtlBlock& block, int lanes, const RtlBuilder::Progress& progress = {},
                                       bool traces_memories = false);

}  // namespace vernier::cosim
