// SPDX-License-Identifier: Apache-2.0
// What the banks of the SRAM cost a command of the array: its streams are played against them, cycle by cycle.
//
// A bank serves one word a cycle, whichever stream asks. Which words meet depends on where each stream is at that time, so
// that no sum of words tells it. The play has the beats of activations, weights, addends and results, the buffers of
// hw/spec/stream_buffers.hpp, and the order of service of decision 0020. Of the array it has only what takes beats and
// makes them: rows, the two weight tiles, the two accumulator banks, and rows that are drained.
//
// The command is played twice, with banks and with ports alone. The difference is what banks cost. A command of more than
// kMostBeats is played that far, and the rest of it loses as much to banks as the second half of what was played.
//
// Not modelled: the words of parameters, which are a beat for each channel tile (D-004).
#pragma once

#include "hw/spec/machine.hpp"

#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

namespace vernier::timing {

/// Words that a stream asks for together, by their banks.
struct BankBeat {
  std::vector<uint8_t> banks;
  bool is_last = false;  // of its row, or of its weight tile
};
BankBeat beat_of(std::span<const int64_t> words, bool is_last);

/// What the array does with the beats of a command, in cycles without a memory.
struct PlayedArray {
  int64_t passes = 1;        // a row takes so long at least
  int64_t drain_cycles = 1;  // from a row that is drained to the next one
  int64_t fill_cycles = 0;   // from a row that is drained to its write
};

class BankPlay {
 public:
  /// Cycles that banks cost, until the last row is taken, and from there to the last write.
  struct Cost {
    int64_t main = 0, drain = 0;
  };

  BankPlay(const spec::Datapath& datapath, const PlayedArray& array) : datapath_(datapath), array_(array) {}

  /// Whether as many beats were added as are played.
  [[nodiscard]] bool is_full() const { return std::ssize(streams_.rows) + std::ssize(streams_.weights) >= kMostBeats; }
  /// Beats that come again and again are given by reference, and live until cost().
  void add_row_beat(BankBeat&& beat) = delete;
  void add_result(BankBeat&& beat) = delete;
  void add_addend(BankBeat&& beat) = delete;
  void add_row_beat(const BankBeat& beat) { streams_.rows.push_back(&beat); }
  void add_result(const BankBeat& beat) { streams_.results.push_back(&beat); }
  void add_addend(const BankBeat& beat) { streams_.addends.push_back(&beat); }
  void add_weight_beat(BankBeat beat) { streams_.weights.push_back(&weight_beats_.emplace_back(std::move(beat))); }
  /// The rows since the last call are multiplied with one weight tile: with one that is loaded for them, or with the one
  /// that is there. After the last step of a row tile, `num_results` rows are drained.
  void end_rows(bool is_loaded, bool ends_row_tile, int64_t num_results);
  /// What banks cost a command whose rows have so many beats in all, added or not.
  [[nodiscard]] Cost cost(int64_t num_row_beats) const;

  /// Rows that share a weight tile.
  struct Turn {
    size_t end = 0;  // of its beats
    bool is_loaded = false, ends_row_tile = false;
    int64_t num_results = 0;
  };
  struct Streams {
    std::vector<const BankBeat*> rows, weights, results, addends;
    std::vector<Turn> turns;
  };

 private:
  static constexpr int64_t kMostBeats = 4096;
  spec::Datapath datapath_;
  PlayedArray array_;
  Streams streams_;
  std::deque<BankBeat> weight_beats_;
};

}  // namespace vernier::timing
