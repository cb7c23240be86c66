// SPDX-License-Identifier: Apache-2.0
// Beats, counted; and the cycles of a command that follow from its beats, the two weight tiles and the two banks.
#pragma once

#include "hw/base/division.hpp"
#include "hw/sequence/conv_stream.hpp"
#include "hw/sequence/row_stream.hpp"
#include "hw/sequence/weight_stream.hpp"
#include "hw/sequence/window_stream.hpp"
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

/// A cycle, one more for each further word that the most-wanted bank has to give. A beat may read nothing: its word was
/// kept.
inline Count of_beat(const std::vector<int64_t>& words) {
  std::array<int64_t, spec::kNumSramBanks> wanted{};
  for (const int64_t word : words) ++wanted[static_cast<size_t>(base::floor_mod(word, spec::kNumSramBanks))];
  return {1, std::max(int64_t{0}, *std::ranges::max_element(wanted) - 1), static_cast<int64_t>(words.size())};
}

/// A row is multiplied once for each byte of its activations, and conflicts hide behind that.
inline Count with_passes(const Count& row, int64_t passes) {
  const int64_t cycles = std::max(row.cycles, passes);
  return {cycles, std::max(int64_t{0}, row.cycles + row.conflicts - cycles), row.words};
}

struct CountedCommand {
  int64_t busy_cycles = 0, weight_load_cycles = 0, rescale_contention_cycles = 0;
  int64_t read_words = 0, written_words = 0;
  int64_t taken = 0, next_command = 0;  // edges
  std::vector<int64_t> results;         // edge of each row
};

/// What the streams of a command bring, without their order against each other.
struct CountedStreams {
  /// A multiplied weight tile: the cycles of its rows, and the beats of its load, none when it is still there.
  struct Tile {
    MacPlace place;
    int64_t rows = 0, load = 0;
  };
  std::vector<Tile> tiles;
  std::vector<int64_t> result_rows;  // of each row tile, in all channel tiles
  int64_t read_words = 0, written_words = 0;
};

inline CountedStreams count_streams(const MacCase& mac) {
  const spec::MacCommand& m = mac.command;
  const MacOrder order(m, mac.datapath);
  CountedStreams counted;
  MacPlace place;
  do counted.tiles.push_back({place});
  while (order.advance(place));
  const auto tile_at = [&counted](const MacPlace& at) -> CountedStreams::Tile& {
    return *std::ranges::find(counted.tiles, at, &CountedStreams::Tile::place);
  };
  const auto read = [&counted](const std::vector<int64_t>& words) {
    counted.read_words += static_cast<int64_t>(words.size());
  };
  WeightStream weights(m, mac.datapath);
  for (WeightBeat beat; weights.next(beat); read(beat.words)) ++tile_at(beat.place).load;
  // A row's passes begin with its last beat, and go on while the next row's beats come. Before the first row there are none,
  // which shows if that one has several beats.
  int64_t beats = 0, first_beats = 0;
  const auto add_beat = [&](const MacPlace& at, int64_t row, bool is_last_of_row) {
    ++beats;
    if (at == MacPlace{} && row == 0) first_beats = beats;
    if (!is_last_of_row) return;
    tile_at(at).rows += std::max(beats, order.activation_bytes);
    beats = 0;
  };
  if (m.mode == spec::MacMode::Conv) {
    ConvStream activations(m, mac.datapath);
    for (ActivationBeat beat; activations.next(beat); read(beat.words)) add_beat(beat.place, beat.row, beat.is_last_of_row);
  } else {
    WindowStream windows(m, mac.datapath);
    for (WindowBeat beat; windows.next(beat); counted.read_words += static_cast<int64_t>(beat.words.size())) {
      add_beat(beat.place, beat.row, beat.is_last_of_row);
    }
  }
  if (first_beats > 1) counted.tiles.front().rows += order.activation_bytes - 1;
  ParameterStream parameters(m, mac.datapath);
  for (ParameterBeat beat; parameters.next(beat);) read(beat.words);
  RowStream addends = RowStream::of_addends(m, mac.datapath);
  for (RowBeat beat; addends.next(beat);) read(beat.words);
  RowStream results = RowStream::of_results(m, mac.datapath);
  int64_t rows = 0;
  for (RowBeat beat; results.next(beat);) {
    ++rows;
    counted.written_words += static_cast<int64_t>(beat.words.size());
    if (!beat.is_last_of_tile) continue;
    counted.result_rows.push_back(rows);
    rows = 0;
  }
  return counted;
}

/// The array as a machine that is looked at in every cycle: a loader with one tile in the shadow, two banks of accumulators
/// and a drain that empties one of them.
class CountedArray {
 public:
  /// Runs it, offered at the edge at which the array can take it.
  CountedCommand run(const MacCase& mac) {
    const spec::MacCommand& m = mac.command;
    const CountedStreams streams = count_streams(mac);
    const int64_t pace = std::max<int64_t>(1, (m.rescale ? 1 : 0) + (m.residual ? 3 : 0));
    const int64_t rescales = (m.rescale ? 1 : 0) + (m.residual ? 2 : 0);
    const int64_t latency = spec::kMacPipelineCycles + std::max<int64_t>(1, rescales * spec::kRescalePipelineCycles +
                                                                                (m.table ? spec::kTablePipelineCycles : 0));
    ++command_;
    counted_ = {};
    counted_.read_words = streams.read_words;
    counted_.written_words = streams.written_words;
    counted_.taken = now_;
    for (int64_t i = 0; i < spec::kSramReadLatencyCycles; ++i) tick();
    tiles_ = &streams.tiles;
    loaded_ = 0;
    start_load();
    for (int64_t i = 0, load = load_left_ + spec::kTileSwapCycles; i < load; ++i) wait(counted_.weight_load_cycles);
    size_t drained = 0;
    for (size_t i = 0; i < tiles_->size(); ++i) {
      const CountedStreams::Tile& tile = (*tiles_)[i];
      if (tile.place.step == 0 && tile.place.weight_byte == 0) {
        while (!banks_[bank_].is_free()) wait(counted_.rescale_contention_cycles);
      }
      if (tile.load > 0) {
        while (load_left_ > 0) wait(counted_.weight_load_cycles);
        start_load();
      }
      for (int64_t cycle = 0; cycle < tile.rows; ++cycle) wait(counted_.busy_cycles);
      const bool ends_tile = i + 1 == tiles_->size() || (*tiles_)[i + 1].place.row_tile != tile.place.row_tile ||
                             (*tiles_)[i + 1].place.channel_tile != tile.place.channel_tile;
      if (!ends_tile || !m.last) continue;
      banks_[bank_] = {streams.result_rows[drained++], pace, pace, latency, command_, ++num_tiles_, false};
      bank_ = 1 - bank_;
    }
    // The next command finds no drain but that of the last row tile.
    while (m.last && (!banks_[bank_].is_free() || !may_drain(banks_[1 - bank_]))) wait(counted_.rescale_contention_cycles);
    for (int64_t i = 0; !m.last && i < spec::kMacPipelineCycles; ++i) tick();
    counted_.next_command = now_;
    // The rest of the drain, without time for anybody else.
    const CountedArray here = *this;
    while (!banks_[0].is_free() || !banks_[1].is_free()) tick();
    CountedCommand result = counted_;
    *this = here;
    return result;
  }

 private:
  struct Bank {
    int64_t rows = 0;  // that wait for the drain or are drained
    int64_t pace = 1, left_of_row = 1, latency = 0;
    int64_t command = 0, tile = 0;
    bool is_draining = false;
    [[nodiscard]] bool is_free() const { return rows == 0; }
  };
  /// The loader goes on to the next tile that is loaded.
  void start_load() {
    while (loaded_ < tiles_->size() && (*tiles_)[loaded_].load == 0) ++loaded_;
    load_left_ = loaded_ < tiles_->size() ? (*tiles_)[loaded_++].load : 0;
  }
  void wait(int64_t& counter) {
    ++counter;
    tick();
    if (load_left_ > 0) --load_left_;
  }
  /// Results of a command follow those of the one before when all of them have left.
  [[nodiscard]] bool may_drain(const Bank& bank) const { return bank.command == drained_command_ || now_ >= last_result_; }
  void tick() {
    if (!banks_[0].is_draining && !banks_[1].is_draining) {
      const bool is_second = !banks_[1].is_free() && (banks_[0].is_free() || banks_[1].tile < banks_[0].tile);
      Bank& oldest = banks_[is_second ? 1 : 0];
      oldest.is_draining = !oldest.is_free() && may_drain(oldest);
    }
    ++now_;
    for (Bank& bank : banks_) {
      if (!bank.is_draining || --bank.left_of_row > 0) continue;
      bank.left_of_row = bank.pace;
      last_result_ = now_ + bank.latency;
      drained_command_ = bank.command;
      if (bank.command == command_) counted_.results.push_back(last_result_);
      if (--bank.rows == 0) bank.is_draining = false;
    }
  }

  CountedCommand counted_;
  const std::vector<CountedStreams::Tile>* tiles_ = nullptr;
  size_t loaded_ = 0;  // tiles of which the load has begun, or that have none
  int64_t load_left_ = 0;
  int64_t now_ = 0;
  int64_t command_ = 0, drained_command_ = 0;  // that runs; of which a row was drained last
  int64_t num_tiles_ = 0;                      // row tiles that were accumulated
  int64_t last_result_ = 0;                    // edge
  size_t bank_ = 0;
  std::array<Bank, 2> banks_{};
};

}  // namespace vernier::sequence
