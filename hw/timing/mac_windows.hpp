// SPDX-License-Identifier: Apache-2.0
// What the activation operand of a depthwise command costs: a step of a row tile, in cycles, bank conflicts and words.
//
// A lane keeps a window of its step's taps and fetches only the positions that enter it. The rows of a line slide the window
// along the line, forth on even lines and back on odd ones. A row brings
//   all its positions          the first row of a window, and every row where the dilation along the line is more than 1
//   what the row before lacks  every other row, the first row of a next line included
// as far as they lie in the map: padding is zero points that nobody fetches. A command of one step keeps its window for all
// row tiles of a channel tile; with more steps each step of a row tile begins a window.
//
// With P > 1 pixels each lane holds what all pixels need, so that neighbours share words, if that fits in N taps; else each
// lane holds what its own pixel needs, and a position enters again when another lane comes to it.
//
// The positions of a row come by kernel row; of a kernel row those of the first pixel, by column, then what the second one
// needs besides, and so on. Their words come in that order, on a line that slides back in the opposite one. A word serves at
// most P positions that follow each other; it is read again for more. A cycle takes up to kWindowWords words in that order:
// first those that the present row still lacks; in the cycle of the last of them then those of the next row, whatever line,
// step, row tile or channel tile it is of, as far as the taps that the present row leaves free hold their positions. The
// first word that meets another one of the cycle in its bank ends the cycle's fetch. A row is multiplied, once for each of
// its passes, from the cycle of its last word on. The words of the row after it come during the later passes: a row takes
// the greater of the two, a command's first row both.
//   v256, planes of 16, 3x3, stride 1, 5 lines of 25: 9 words, 3 cycles, then 3 a row, at a line's end too: 3 + 124 cycles;
//     the next channel tile finds one of its words: 2 + 124
//   4 x 4 outputs, padded by 1: 4 words in the corner; a line is 2 + 2 + 0, to the next line 2, or 3 + 3 + 0 and 2
//   stride 2, a line of 25: 9 words, then 6 a row: 4, 4, 1 and 3 ahead; 3 and 1 ahead; 4; 1 and 3 ahead; ... in all 153
//   words,
//     39 cycles; a later line 150 words, 38 cycles
//   int16, stride 1, 5 lines of 25: 18 words, 5 cycles, then 6 a row, 2 cycles: 5 + 2 x 124 for each channel tile, and 1
//   5x5, stride 2, step 0 (16 taps, none free): 7 or 8 words a row, 2 cycles
//
// Not modelled: pixels that fill up a last group cost as if read (too much by at most one cycle for each word that only they
// need: filled_words, D-007).
#pragma once

#include "hw/timing/bank_play.hpp"
#include "hw/timing/mac_shape.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace vernier::timing {

class MacWindows {
 public:
  /// All are to outlive it.
  MacWindows(const spec::MacCommand& command, const spec::Datapath& datapath, const MacShape& shape);
  /// The rows of the tile, line by line. To be asked in the order of the sequence; valid until the next question.
  std::span<const AccessCost> costs(int64_t channel_tile, int64_t row_tile, int64_t step);
  /// The beats of those lines, with banks that end them.
  [[nodiscard]] std::span<const std::vector<BankBeat>* const> beats() const { return beats_; }
  /// Words of the positions that only pixels need which fill up a last group.
  [[nodiscard]] int64_t filled_words() const;

 private:
  struct Position {  // of an input pixel
    int64_t row, column;
    auto operator<=>(const Position&) const = default;
    Position operator+(const Position& by) const { return {row + by.row, column + by.column}; }
    Position operator*(int64_t times) const { return {row * times, column * times}; }
  };
  using Positions = std::vector<Position>;
  /// How a row finds its window: empty, as the row before it on its line left it, or as the line before left it.
  enum class Entry : uint8_t { Empty, Forth, Back, NextLine };
  static constexpr size_t kNumEntries = 4;
  /// What enters the lanes of a step, relative to tap (0, 0) of the row's first pixel.
  struct Window {
    std::array<Positions, kNumEntries> entering;
    int64_t free_taps;
  };
  /// The rows that a row tile has of one line. All that their cost depends on: stretches that are equal cost the same.
  struct Stretch {
    int64_t step, rows;
    Entry first;
    bool is_back, begins_command;
    int64_t first_channel, num_channels;  // the first one modulo N
    int64_t address;                      // of tap (0, 0) of the first row, modulo the banks' period
    Position map_begin, map_last;         // what of the map the rows can reach, relative to that tap
    auto operator<=>(const Stretch&) const = default;
  };
  /// Words of the next row that are there: as if banks never met, and as they do.
  struct Ahead {
    int64_t without_banks = 0, with_banks = 0;
    auto operator<=>(const Ahead&) const = default;
  };
  /// A stretch, the first row of the one after it, and what is there of the stretch's first row.
  using Question = std::tuple<Stretch, std::optional<Stretch>, Ahead>;
  struct Answer {
    AccessCost cost;
    Ahead ahead;  // of the next stretch
    std::vector<BankBeat> beats;
  };
  /// A place in the sequence.
  struct Place {
    int64_t channel_tile, row_tile, step, row;
  };
  /// A word, and how many of its row's positions it and the words before it hold, wholly or in part.
  struct Fetch {
    int64_t word, positions;
  };
  using Row = std::span<const Fetch>;
  /// Words of rows, one row after the other.
  struct Fetches {
    std::vector<Fetch> words;
    std::vector<size_t> ends;
    [[nodiscard]] size_t num_rows() const { return ends.size(); }
    [[nodiscard]] Row row(size_t i) const;
  };

  [[nodiscard]] Position move(Entry entry) const;  // from a row to the one after it
  [[nodiscard]] std::vector<std::set<Position>> held_by_lanes(int64_t step, int64_t pixels, bool is_shared) const;
  [[nodiscard]] bool is_shared(int64_t step) const;
  [[nodiscard]] Positions positions_of(int64_t step) const;  // of all pixels, in their order
  [[nodiscard]] Window window_of(int64_t step) const;
  [[nodiscard]] std::pair<int64_t, int64_t> channels_of(int64_t channel_tile) const;  // the first and the last one
  [[nodiscard]] Stretch stretch_of(const Place& place, int64_t rows) const;
  /// Where the stretch after one of `rows` rows begins; none at the end of the command.
  [[nodiscard]] std::optional<Place> after(const Place& place, int64_t rows) const;
  Answer answer(const Question& question);
  void add_row(const Stretch& stretch, int64_t row, const std::vector<Run>& channels, Fetches& to);
  /// Cycles of a stretch. The last of the rows is the first one of the next stretch, empty at the end of the command;
  /// `ahead` becomes the number of its words that are there.
  [[nodiscard]] int64_t cycles_of(const Fetches& fetches, const Stretch& stretch, int64_t& ahead,
                                  std::vector<BankBeat>* beats) const;

  const spec::MacCommand& command_;
  const MacShape& shape_;
  int64_t word_bytes_, period_bytes_;
  std::vector<Window> windows_;  // [step]
  std::map<Question, Answer> known_;
  Ahead ahead_;
  std::vector<AccessCost> lines_;  // of the tile that was asked for last
  std::vector<const std::vector<BankBeat>*> beats_;
  // Of the row that is added, kept for their storage: words with one of the positions that they have bytes of, the reads
  // that they make, and which positions have a byte.
  std::vector<std::pair<int64_t, size_t>> parts_;
  std::vector<std::span<const std::pair<int64_t, size_t>>> reads_;
  std::vector<bool> is_begun_;
};

}  // namespace vernier::timing
