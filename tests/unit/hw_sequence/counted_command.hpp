// SPDX-License-Identifier: Apache-2.0
// Beats, counted; and the cycles of a convolution that follow from its beats, the two weight tiles and the two banks.
#pragma once

#include "hw/base/quantity.hpp"
#include "hw/sequence/conv_stream.hpp"
#include "hw/sequence/row_stream.hpp"
#include "hw/sequence/weight_stream.hpp"
#include "hw/spec/latency.hpp"
#include "tests/unit/hw_sequence/cases.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace vernier::sequence {

struct Count {
  int64_t cycles = 0, conflicts = 0, words = 0;
  bool operator==(const Count&) const = default;
  Count& operator+=(const Count& other) {
    cycles += other.cycles;
    conflicts += other.conflicts;
    words += other.words;
    return *this;
  }
};

/// A cycle, one more for each further word that the most-wanted bank has to give.
inline Count of_beat(const std::vector<int64_t>& words) {
  std::array<int64_t, spec::kNumSramBanks> wanted{};
  for (const int64_t word : words) ++wanted[static_cast<size_t>(base::floor_mod(word, spec::kNumSramBanks))];
  return {1, *std::ranges::max_element(wanted) - 1, static_cast<int64_t>(words.size())};
}

/// A row is multiplied once for each byte of its activations, and conflicts hide behind that.
inline Count with_passes(const Count& row, int64_t passes) {
  const int64_t cycles = std::max(row.cycles, passes);
  return {cycles, std::max(int64_t{0}, row.cycles + row.conflicts - cycles), row.words};
}

struct CountedCommand {
  int64_t busy_cycles = 0, weight_load_cycles = 0, rescale_contention_cycles = 0;
  int64_t main_cycles = 0, drain_cycles = 0;
  int64_t read_words = 0, written_words = 0;
};

inline CountedCommand count_command(const MacCase& mac) {
  const spec::MacCommand& m = mac.command;
  const MacOrder order(m, mac.datapath);
  // What each multiplied weight tile takes: its rows, and its load, which is none when it is still there.
  struct Step {
    MacPlace place;
    int64_t rows = 0, load = 0;
  };
  std::vector<Step> steps;
  CountedCommand counted;
  MacPlace place;
  do steps.push_back({place});
  while (order.advance(place));
  const auto step_at = [&steps](const MacPlace& at) -> Step& { return *std::ranges::find(steps, at, &Step::place); };
  WeightStream weights(m, mac.datapath);
  for (WeightBeat beat; weights.next(beat);) {
    ++step_at(beat.place).load;
    counted.read_words += static_cast<int64_t>(beat.words.size());
  }
  ConvStream activations(m, mac.datapath);
  int64_t beats = 0;
  for (ActivationBeat beat; activations.next(beat);) {
    ++beats;
    counted.read_words += static_cast<int64_t>(beat.words.size());
    if (!beat.is_last_of_row) continue;
    step_at(beat.place).rows += std::max(beats, order.activation_bytes);
    beats = 0;
  }
  ParameterStream parameters(m, mac.datapath);
  for (ParameterBeat beat; parameters.next(beat);) counted.read_words += static_cast<int64_t>(beat.words.size());
  RowStream addends = RowStream::of_addends(m, mac.datapath);
  for (RowBeat beat; addends.next(beat);) counted.read_words += static_cast<int64_t>(beat.words.size());
  std::vector<int64_t> rows_of_drain;  // of each tile of rows in each tile of channels
  RowStream results = RowStream::of_results(m, mac.datapath);
  int64_t rows = 0;
  for (RowBeat beat; results.next(beat);) {
    ++rows;
    counted.written_words += static_cast<int64_t>(beat.words.size());
    if (!beat.is_last_of_tile) continue;
    rows_of_drain.push_back(rows);
    rows = 0;
  }
  // A tile is loaded into the shadow under the rows of the one before; the first load and one swap are seen. A row tile
  // begins when the drain before the last one is over, and is drained behind that one.
  const int64_t pace = std::max<int64_t>(1, (m.rescale ? 1 : 0) + (m.residual ? 3 : 0));
  int64_t now = steps.front().load + spec::kTileSwapCycles, drain_end = 0, drain_end_before = 0, last_drain = 0;
  counted.weight_load_cycles = now;
  size_t drained = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    if (step.place.step == 0 && step.place.weight_byte == 0) {
      counted.rescale_contention_cycles += std::max(int64_t{0}, drain_end_before - now);
      now = std::max(now, drain_end_before);
    }
    const int64_t next_load = i + 1 < steps.size() ? steps[i + 1].load : 0;
    counted.busy_cycles += step.rows;
    counted.weight_load_cycles += std::max(int64_t{0}, next_load - step.rows);
    now += std::max(step.rows, next_load);
    const bool ends_tile = step.place.step + 1 == order.num_steps && step.place.weight_byte + 1 == order.weight_bytes;
    if (!ends_tile || !m.last) continue;
    const int64_t start = std::max(now, drain_end);
    last_drain = pace * rows_of_drain[drained++];
    drain_end_before = drain_end;
    drain_end = start + last_drain;
    if (drained < rows_of_drain.size()) continue;
    counted.rescale_contention_cycles += start - now;
    now = start;
  }
  counted.main_cycles = spec::kSramReadLatencyCycles + now + (m.last ? 0 : spec::kMacPipelineCycles);
  if (!m.last) return counted;
  const int64_t rescales = (m.rescale ? 1 : 0) + (m.residual ? 2 : 0);
  counted.drain_cycles = spec::kMacPipelineCycles + last_drain + rescales * spec::kRescalePipelineCycles +
                         (m.table ? spec::kTablePipelineCycles : 0);
  return counted;
}

}  // namespace vernier::sequence
