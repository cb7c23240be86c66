// SPDX-License-Identifier: Apache-2.0
// Commands of the vector unit that a run had, run once more: what has to be stored, whether it is, and the least that shows
// a mismatch: the command alone with as few of its vectors as do, from wherever they begin, or the sequence as it was. No
// command needs another one's state.
#pragma once

#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/lockstep/sequence.hpp"
#include "sim/cosim/replay/lane_replay.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace vernier::cosim {

/// Each beat of a store that has to come of each command, in words: its cycle of the schedule, step, and the element's bits
/// in each lane that has one.
std::vector<std::vector<std::string>> vector_stores(const CommandReplay& replay, const spec::Datapath& datapath);

/// With `is_strict` edges have to be those of the schedule.
LockStepResult run_vector_replay(const CommandReplay& replay, const spec::Datapath& datapath, ClockedBlock& block,
                                 bool is_strict);

Cut<CommandReplay> cut_vectors(const CommandFault& fault, const spec::Datapath& datapath, bool is_strict,
                               const std::function<std::unique_ptr<ClockedBlock>()>& make);

}  // namespace vernier::cosim
