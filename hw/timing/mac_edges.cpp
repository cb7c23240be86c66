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

class MacEdges {
 public:
  MacEdges(const spec::MacCommand& command, const spec::Datapath& datapath)
      : command_(command),
        shape_(command, datapath),
        activation_(command, datapath, shape_),
        weights_(command, datapath, shape_),
        drain_(command, datapath, shape_),
        first_row_cycles_(activation_.first_row_cycles()) {}

  /// `drain_end` and `last_result` are what the command before leaves; they are replaced by what this one does.
  CommandEdges run(int64_t taken, int64_t& drain_end, int64_t& last_result) {
    edges_.taken = taken;
    // The time line begins when the first words are there.
    begin_ = taken + spec::kSramReadLatencyCycles;
    line_ = MacTimeline(std::max(int64_t{0}, drain_end - begin_), std::max(int64_t{0}, last_result - begin_));
    load_cycles_ = spec::kTileSwapCycles;  // that of the first tile is seen
    edges_.states = {{spec::ArrayState::Fill, spec::kSramReadLatencyCycles}};
    for (int64_t channel_tile = 0; channel_tile < shape_.channel_tiles; ++channel_tile) {
      loads_ = weights_.costs(channel_tile);
      for (int64_t row_tile = 0; row_tile < shape_.row_tiles; ++row_tile) {
        accumulate(channel_tile, row_tile);
        if (command_.last) drain(channel_tile, row_tile);
      }
    }
    if (command_.last) line_.wait_for_last_drain();
    spend(spec::ArrayState::RescaleContention);
    if (!command_.last) edges_.states.push_back({spec::ArrayState::Fill, spec::kMacPipelineCycles});
    edges_.next_command = begin_ + line_.now() + (command_.last ? 0 : spec::kMacPipelineCycles);
    edges_.weight_load_cycles = line_.weight_waits();
    edges_.rescale_contention_cycles = line_.bank_waits();
    if (command_.last) {
      drain_end = begin_ + line_.drain_end();
      last_result = edges_.results.back();
    }
    return std::move(edges_);
  }

 private:
  void accumulate(int64_t channel_tile, int64_t row_tile) {
    line_.take_bank();
    spend(spec::ArrayState::RescaleContention);
    for (int64_t step = 0; step < shape_.steps; ++step) {
      const int64_t rows_cycles = activation_.cost(channel_tile, row_tile, step).cycles;
      for (int64_t tile = 0; tile < shape_.weight_tiles; ++tile) {
        if (row_tile == 0 || !shape_.keeps_weights()) {
          line_.take_weights(load_cycles_ + loads_[static_cast<size_t>(step)].cycles);
          load_cycles_ = 0;
          spend(spec::ArrayState::WeightLoad);
          edges_.swaps.push_back(begin_ + line_.now());
        }
        const int64_t multiplied = rows_cycles + std::exchange(first_row_cycles_, 0);
        line_.multiply(multiplied);
        spend(spec::ArrayState::Busy);
        edges_.busy_cycles += multiplied;
      }
    }
  }

  /// What the array did since the last call.
  void spend(spec::ArrayState state) {
    if (line_.now() > spent_) edges_.states.push_back({state, line_.now() - spent_});
    spent_ = line_.now();
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
  int64_t begin_ = 0, load_cycles_ = 0, spent_ = 0;
  CommandEdges edges_;
};

}  // namespace

CommandEdges MacEdgeSequence::next(const spec::MacCommand& command, int64_t taken) {
  return MacEdges(command, datapath_).run(taken, drain_end_, last_result_);
}

std::vector<CommandEdges> mac_edges(std::span<const spec::MacCommand> commands, const spec::Datapath& datapath) {
  std::vector<CommandEdges> edges;
  int64_t next = 0;
  MacEdgeSequence sequence(datapath);
  for (const spec::MacCommand& command : commands) {
    edges.push_back(sequence.next(command, next));
    next = edges.back().next_command;
  }
  return edges;
}

}  // namespace vernier::timing
