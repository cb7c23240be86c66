// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/array_edges.hpp"

#include "hw/base/error.hpp"
#include "hw/sequence/conv_stream.hpp"
#include "hw/sequence/weight_stream.hpp"
#include "hw/spec/latency.hpp"

#include <algorithm>

namespace vernier::cosim {
namespace {

int64_t beats_of_load(sequence::WeightStream& stream) {
  int64_t beats = 0;
  sequence::WeightBeat beat;
  do {
    VERNIER_CHECK(stream.next(beat), "a weight tile is missing");
    ++beats;
  } while (!beat.is_last_of_tile);
  return beats;
}

int64_t beats_of_rows(sequence::ConvStream& stream, int64_t rows) {
  int64_t beats = 0;
  sequence::ActivationBeat beat;
  while (rows > 0) {
    VERNIER_CHECK(stream.next(beat), "a row is missing");
    ++beats;
    if (beat.is_last_of_row) --rows;
  }
  return beats;
}

/// From the row on accumulator_o to its result: registers of the raw output, of the rescale and the table unit.
int64_t fill_cycles(const spec::MacCommand& command) {
  if (!command.rescale) return 1;
  return spec::kRescalePipelineCycles + (command.table ? spec::kTablePipelineCycles : 0);
}

}  // namespace

void ArraySchedule::wait(int64_t until, int64_t& stall_cycles) {
  stall_cycles += std::max(int64_t{0}, until - now_);
  now_ = std::max(now_, until);
}

ArrayEdges ArraySchedule::add(const spec::MacCommand& command) {
  const sequence::MacOrder order(command, datapath_);
  sequence::WeightStream weights(command, datapath_);
  sequence::ConvStream activations(command, datapath_);
  ArrayEdges edges;
  edges.start = now_;
  now_ += spec::kSramReadLatencyCycles;
  int64_t swap = now_, drain_start = now_, first_swap = spec::kTileSwapCycles;
  sequence::MacPlace place;
  do {
    // A row tile needs a bank: that of two row tiles before.
    if (place.step == 0) wait(drain_end_before_, edges.rescale_contention_cycles);
    if (order.is_loaded(place)) {
      wait(swap + beats_of_load(weights) + first_swap, edges.weight_load_cycles);
      swap = now_;
      first_swap = 0;
    }
    const int64_t rows = order.end_row(place.row_tile) - order.first_row(place.row_tile);
    const int64_t beats = beats_of_rows(activations, rows);
    edges.busy_cycles += beats;
    now_ += beats;
    if (place.step + 1 < order.num_steps || !command.last) continue;
    drain_start = std::max({now_, drain_end_, last_out_});
    drain_end_before_ = drain_end_;
    drain_end_ = drain_start + rows;
    for (int64_t row = 0; row < rows; ++row) {
      edges.rows.push_back(drain_start + spec::kMacPipelineCycles + row + 1 + fill_cycles(command));
    }
  } while (order.advance(place));
  if (command.last) {
    wait(drain_start, edges.rescale_contention_cycles);
    last_out_ = edges.rows.back();
  } else {
    now_ += spec::kMacPipelineCycles;
  }
  edges.next_command = now_;
  return edges;
}

}  // namespace vernier::cosim
