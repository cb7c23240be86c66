// SPDX-License-Identifier: Apache-2.0
// What npu_datapath of variant Check is asked, of any number of lanes: do its results depend on what registers and memories
// had before, and do its assertions see anything.
#pragma once

#include "sim/cosim/network/cosim.hpp"

#include <memory>

namespace vernier::cosim {

using MakeBlock = std::unique_ptr<RtlBlock> (*)(const RtlOptions&);

/// A run of a unit with five values of registers and memories before the reset: all is equal.
void check_seeds_of_registers(const CosimOptions& options, MakeBlock make);

/// Commands at random, with and without commands before them that fill weight tile, windows and accumulators: the same
/// results.
void check_seeds_after_full_commands(const spec::Datapath& datapath, MakeBlock make);

/// A beat of parameters that no command has.
void check_that_the_checker_sees(int lanes, MakeBlock make);

}  // namespace vernier::cosim
