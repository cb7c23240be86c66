// SPDX-License-Identifier: Apache-2.0
// Commands of the vector unit that a run had, run once more: what has to be stored, whether it is, and the least that shows
// a mismatch: the command alone with as few of its vectors as do, from wherever they begin, or the sequence as it was. No
// command needs another one's state.
#pragma once

#include "sim/cosim/clocked_block.hpp"
#include "sim/cosim/lane_replay.hpp"
#include "sim/cosim/lock_step.hpp"
#include "sim/cosim/port_stalls.hpp"
#include "sim/cosim/vector_vectors.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vernier::cosim {

/// A sequence of commands, from a reset or an idle unit on, and how its ports and lanes were served.
struct VectorReplay {
  kernels::TableMemory tables{};
  std::vector<VectorJob> jobs{};
  std::string name{};  // begins each message; may be empty
  ArrayPace pace = ArrayPace::Ideal;
  uint64_t random_state = 1;   // of the generator that draws pauses, and what stands on ports without a beat
  int64_t shared_percent = 0;  // of the cycles: somebody else has the lanes
  std::optional<int64_t> reset_after_cycles{};
  int64_t first_cycle = 0;  // of the block, where it begins
};

/// The first mismatch of a run, with the sequence that had it.
struct VectorFault {
  std::string mismatch;
  VectorReplay all;
  size_t command = 0;  // of the sequence
};

/// Each beat of a store that has to come of each command, in words: its cycle of the schedule, step, and the element's bits
/// in each lane that has one.
std::vector<std::vector<std::string>> vector_stores(const VectorReplay& replay, const spec::Datapath& datapath);

/// With `is_strict` edges have to be those of the schedule.
LockStepResult run_vector_replay(const VectorReplay& replay, const spec::Datapath& datapath, ClockedBlock& block,
                                 bool is_strict);

using VectorCut = Cut<VectorReplay>;
VectorCut cut_vectors(const VectorFault& fault, const spec::Datapath& datapath, bool is_strict,
                      const std::function<std::unique_ptr<ClockedBlock>()>& make);

}  // namespace vernier::cosim
