// SPDX-License-Identifier: Apache-2.0
// Commands of the array that a run had, run once more: what has to come out, whether it does, and the least of them that
// shows a mismatch: some lines of one channel tile, that tile, the command with the slices before it, or all.
#pragma once

#include "sim/cosim/array_log.hpp"
#include "sim/cosim/lane_replay.hpp"
#include "sim/cosim/lock_step.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace vernier::cosim {

/// Each row of results that has to come out of each command, in words: its edge after the sequence's first command at the
/// pace Ideal, row, bank, flags, and the value of each lane that has one.
std::vector<std::vector<std::vector<std::string>>> array_rows(const ArrayReplay& replay, const spec::Datapath& datapath);

/// With `is_strict` edges have to be those of hw/timing.
LockStepResult run_array_replay(const ArrayReplay& replay, const spec::Datapath& datapath, ClockedBlock& block,
                                bool is_strict);

using ArrayCut = Cut<ArrayReplay>;
ArrayCut cut_commands(const ArrayFault& fault, const spec::Datapath& datapath, bool is_strict,
                      const std::function<std::unique_ptr<ClockedBlock>()>& make);

/// The part of a command that makes lines [first_line, end_line) of a channel tile, with the bytes that this reads.
ArrayCommand part_of(const ArrayCommand& command, const spec::Datapath& datapath, int64_t channel_tile, int64_t first_line,
                     int64_t end_line);

}  // namespace vernier::cosim
