// SPDX-License-Identifier: Apache-2.0
// What weights, parameters and the epilogue of the array cost.
//
// Weights: the tile rows of a weight tile, in their order in memory, into the shadow tile. A tile row is what lies together
// there: a lane's elements (packed convolutions, LaneMajor), or an element of all used lanes (packed depthwise, TapMajor).
// A beat takes bytes of at most kWeightLoadWords words (or what the read port gives) and of at most kWeightLoadRows tile
// rows; a word of which a beat leaves some bytes is kept for the next. New words of one beat that share a bank cost a cycle
// each.
//   v256, packed, 16 lanes: 16 words, 4 cycles. Depthwise, 9 taps of 5 lanes: 3 words, 9 tile rows, 3 cycles.
//   int4, packed, 16 lanes: 8 words, but 16 tile rows, 4 cycles.
// Epilogue: a row of P x T accumulators takes max(1, rescales, tables) cycles: one rescale for the channel's scale, three
// for a residual (own, addend, sum). Its output is written sram_write_words a cycle, words by address (a partial one counts
// whole): int8 1 or 2, int32 on v256 4 or 5. Words of one write cycle that share a bank cost a cycle each.
#pragma once

#include "hw/timing/bank_play.hpp"
#include "hw/timing/mac_shape.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace vernier::timing {

class MacWeights {
 public:
  MacWeights(const spec::MacCommand& command, const spec::Datapath& datapath, const MacShape& shape);
  /// One weight tile; all steps of the channel tile.
  [[nodiscard]] std::vector<AccessCost> costs(int64_t channel_tile) const;
  /// The beats of the weight tile of a step.
  void add_beats(int64_t channel_tile, int64_t step, BankPlay& to) const;

 private:
  /// Where the tile rows of a weight tile lie.
  struct TileRows {
    int64_t begin, pitch_bytes, bytes, count;
  };
  [[nodiscard]] TileRows packed_rows(int64_t channel_tile, int64_t step) const;
  [[nodiscard]] TileRows strided_rows(int64_t channel_tile, int64_t step) const;
  [[nodiscard]] AccessCost cost_of(const TileRows& rows, BankPlay* to = nullptr) const;
  [[nodiscard]] TileRows rows_of(int64_t channel_tile, int64_t step) const;
  const spec::MacCommand& command_;
  const MacShape& shape_;
  int64_t word_bytes_, period_bytes_, width_;
};

/// Words of the bias, multiplier and shift of a channel tile.
int64_t parameter_words(const spec::MacCommand& command, const MacShape& shape, int64_t channel_tile, int64_t word_bytes);

/// The epilogue of a row tile, `ported_cycles` with the write port counted.
struct DrainCost {
  int64_t datapath_cycles = 0;
  int64_t ported_cycles = 0;
  int64_t write_words = 0;
  int64_t addend_words = 0;
  int64_t rescale_vectors = 0;
  int64_t table_vectors = 0;
};

class MacDrain {
 public:
  MacDrain(const spec::MacCommand& command, const spec::Datapath& datapath, const MacShape& shape);
  [[nodiscard]] DrainCost cost(int64_t channel_tile, int64_t row_tile) const;
  /// The results of a row tile's rows, and their addends.
  void add_rows(int64_t channel_tile, int64_t row_tile, BankPlay& to);
  /// Cycles of a row in the datapath.
  [[nodiscard]] int64_t row_cycles() const { return std::max({int64_t{1}, rescales_, tables_}); }
  /// Latency from the last accumulator read to the last write.
  [[nodiscard]] int64_t fill_cycles() const;

 private:
  [[nodiscard]] int64_t offset_of(const spec::FeatureMap& map, int64_t channel_tile) const;
  [[nodiscard]] std::vector<Run> row_runs(const spec::FeatureMap& map, int64_t channels) const;
  /// A row's words of a map, by where it begins and by its channels.
  using KnownBeats = std::map<std::pair<int64_t, int64_t>, BankBeat>;
  const BankBeat& row_beat(const spec::FeatureMap& map, const RowPlace& place, int64_t channel_tile,
                           KnownBeats& known) const;
  const spec::MacCommand& command_;
  const MacShape& shape_;
  int64_t word_bytes_, period_bytes_, write_words_;
  int64_t rescales_, tables_;
  TileResidues output_tiles_, addend_tiles_;
  KnownBeats results_, addends_;
};

}  // namespace vernier::timing
