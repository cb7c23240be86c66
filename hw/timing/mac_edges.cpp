// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/mac_edges.hpp"

#include "hw/spec/latency.hpp"
#include "hw/timing/mac_activation.hpp"
#include "hw/timing/mac_operands.hpp"
#include "hw/timing/mac_timeline.hpp"

#include <algorithm>
#include <utility>

namespace vernier::timing {

namespace {

/// Edges at which the last drain of a command gives up its bank, and at which its last result leaves.
struct Left {
  int64_t drain_end = 0, last_result = 0;
};

class MacEdges {
 public:
  MacEdges(const spec::MacCommand& command, const spec::Datapath& datapath)
      : command_(command),
        shape_(command, datapath),
        activation_(command, datapath, shape_),
        weights_(command, datapath, shape_),
        drain_(command, datapath, shape_),
        first_row_cycles_(activation_.first_row_cycles()) {}

  /// `before` is what the command before leaves; it is replaced by what this one does.
  CommandEdges run(int64_t taken, Left& before) {
    edges_.taken = taken;
    // The time line begins when the first words are there.
    begin_ = taken + spec::kSramReadLatencyCycles;
    line_ = MacTimeline(std::max(int64_t{0}, before.drain_end - begin_), std::max(int64_t{0}, before.last_result - begin_));
    load_cycles_ = spec::kTileSwapCycles;  // that of the first tile is seen
    for (int64_t channel_tile = 0; channel_tile < shape_.channel_tiles; ++channel_tile) {
      loads_ = weights_.costs(channel_tile);
      for (int64_t row_tile = 0; row_tile < shape_.row_tiles; ++row_tile) {
        accumulate(channel_tile, row_tile);
        if (command_.last) drain(channel_tile, row_tile);
      }
    }
    if (command_.last) line_.wait_for_last_drain();
    edges_.next_command = begin_ + line_.now() + (command_.last ? 0 : spec::kMacPipelineCycles);
    edges_.weight_load_cycles = line_.weight_waits();
    edges_.rescale_contention_cycles = line_.bank_waits();
    if (command_.last) before = {begin_ + line_.drain_end(), edges_.results.back()};
    return std::move(edges_);
  }

 private:
  void accumulate(int64_t channel_tile, int64_t row_tile) {
    line_.take_bank();
    for (int64_t step = 0; step < shape_.steps; ++step) {
      const int64_t rows_cycles = activation_.cost(channel_tile, row_tile, step).cycles;
      for (int64_t tile = 0; tile < shape_.weight_tiles; ++tile) {
        if (row_tile == 0 || !shape_.keeps_weights()) {
          line_.take_weights(load_cycles_ + loads_[static_cast<size_t>(step)].cycles);
          load_cycles_ = 0;
        }
        const int64_t multiplied = rows_cycles + std::exchange(first_row_cycles_, 0);
        line_.multiply(multiplied);
        edges_.busy_cycles += multiplied;
      }
    }
  }

  void drain(int64_t channel_tile, int64_t row_tile) {
    const DrainCost cost = drain_.cost(channel_tile, row_tile);
    line_.drain(cost.datapath_cycles);
    const int64_t rows = shape_.rows_of(row_tile), cycles_of_row = cost.datapath_cycles / rows;
    const int64_t start = begin_ + line_.drain_start() + spec::kMacPipelineCycles + drain_.fill_cycles();
    for (int64_t row = 1; row <= rows; ++row) edges_.results.push_back(start + row * cycles_of_row);
  }

  const spec::MacCommand& command_;
  MacShape shape_;
  MacActivation activation_;
  MacWeights weights_;
  MacDrain drain_;
  int64_t first_row_cycles_;  // until it is counted
  MacTimeline line_;
  std::vector<AccessCost> loads_;
  int64_t begin_ = 0, load_cycles_ = 0;
  CommandEdges edges_;
};

}  // namespace

std::vector<CommandEdges> mac_edges(std::span<const spec::MacCommand> commands, const spec::Datapath& datapath) {
  std::vector<CommandEdges> edges;
  int64_t next = 0;
  Left before;
  for (const spec::MacCommand& command : commands) {
    edges.push_back(MacEdges(command, datapath).run(next, before));
    next = edges.back().next_command;
  }
  return edges;
}

}  // namespace vernier::timing
