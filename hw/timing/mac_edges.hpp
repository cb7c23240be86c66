// SPDX-License-Identifier: Apache-2.0
// When each result of a MAC command leaves the datapath, and when the next command may come, when nobody keeps the array
// waiting: each stream has a memory of its own that answers kSramReadLatencyCycles after the command and gives a beat a
// cycle from then on, and results are always taken. profile() has the same numbers as sums; here each beat has its edge, so
// that RTL can be compared beat by beat.
//
// A command that follows another finds what that one still holds: the bank that its last row tile drains from, and the
// drain, which gives out results of one command at a time. profile() begins with both free (D-001).
#pragma once

#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"
#include "hw/spec/rtl_ports.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace vernier::timing {

/// The array is in `state` for so many cycles that follow each other.
struct StateCycles {
  spec::ArrayState state;
  int64_t cycles;
};

/// Edges are counted from the one at which the first command of the sequence is taken.
struct CommandEdges {
  int64_t taken = 0;             // the command itself, when it is offered at once
  std::vector<int64_t> results;  // of each row of results, in their order; none of a slice that is not the last
  int64_t next_command = 0;      // the earliest edge at which another command can be taken
  int64_t busy_cycles = 0, weight_load_cycles = 0, rescale_contention_cycles = 0;
  std::vector<StateCycles> states;  // of the cycles after `taken`, up to the one of next_command
  std::vector<int64_t> swaps;       // at which a weight tile becomes the active one
};

/// Commands one by one, each with the edge at which it is taken, from any edge of the caller's on.
class MacEdgeSequence {
 public:
  explicit MacEdgeSequence(const spec::Datapath& datapath) : datapath_(datapath) {}
  /// Its edges are counted as `taken` is. package::check() accepts the command.
  CommandEdges next(const spec::MacCommand& command, int64_t taken);

 private:
  spec::Datapath datapath_;
  int64_t drain_end_ = 0, last_result_ = 0;  // the command before gives up its bank, and its last result leaves
};

/// Commands that follow each other as soon as the array takes them. package::check() accepts each of them.
std::vector<CommandEdges> mac_edges(std::span<const spec::MacCommand> commands, const spec::Datapath& datapath);

}  // namespace vernier::timing
