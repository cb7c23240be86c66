// SPDX-License-Identifier: Apache-2.0
// Commands of the array that a run had, run once more: what has to come out, whether it does, and the least of them that
// shows a mismatch: some lines of one channel tile, that tile, the command with the slices before it, or all.
#pragma once

#include "sim/cosim/lockstep/sequence.hpp"
#include "sim/cosim/replay/lane_replay.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace vernier::cosim {

/// Each row of results that has to come out of each command, in words: its edge after the sequence's first command at the
/// pace Ideal, row, bank, flags, and the value of each lane that has one.
std::vector<std::vector<std::vector<std::string>>> array_rows(const CommandReplay& replay, const spec::Datapath& datapath);

/// With `is_strict` edges have to be those of hw/timing. `fault` gets the first mismatch.
LockStepResult run_array_replay(const CommandReplay& replay, const spec::Datapath& datapath, ClockedBlock& block,
                                bool is_strict, std::optional<CommandFault>* fault = nullptr);

Cut<CommandReplay> cut_commands(const CommandFault& fault, const spec::Datapath& datapath, bool is_strict,
                                const std::function<std::unique_ptr<ClockedBlock>()>& make);

/// What the RTL has in the accumulator of the value that differs: its array runs the command once more without bias,
/// rescale, table and residual, so that it gives its accumulators as they are. Of one that is not the model's also what the
/// model's epilogue makes of it. Empty for a mismatch of no value, and where the command cannot end so.
std::string rtl_accumulator_text(const CommandFault& fault, const spec::Datapath& datapath, ClockedBlock& block);

/// The part of a command that makes lines [first_line, end_line) of a channel tile, with the bytes that this reads.
Work part_of(const Work& command, const spec::Datapath& datapath, int64_t channel_tile, int64_t first_line,
             int64_t end_line);

}  // namespace vernier::cosim
