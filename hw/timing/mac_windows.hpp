// SPDX-License-Identifier: Apache-2.0
// What the activation operand of a depthwise command costs: a step of a row tile, in cycles, bank conflicts and words.
//
// A lane keeps a window of its step's taps and fetches the positions that enter it; those in padding are zero points that
// nobody fetches. Windows go to and fro: a line is a row of pixels (slide_rows: a column of groups), and at its end the
// window moves on to the next line and slides back. With one weight tile for each channel tile (one step, weights of a
// byte) it goes on like that through all row tiles; else each step of a row tile begins with a window of its own.
//
// A piece is what a row tile has of a line. The words that a row brings are those of
//   the first row of all          the whole window
//   a row behind one of its line  the positions that no earlier row of the line needed, when the window's span fits in N
//                                 taps, else those that the row before did not need
//   the first row of a next line  the positions that the last row of the line before did not need
// With P > 1 pixels each lane holds what all P need, so that neighbours share words, if that fits in N taps; else what its
// own pixel needs, and a position enters again when another lane comes to it.
//
// Words are fetched in the order of the rows, up to kWindowWords a cycle and up to the first that meets another one in its
// bank. A row is multiplied (its passes) from the cycle on that brings its last word. Meanwhile words of later rows are
// fetched, of the next line, row tile, step and channel tile too, as many as the taps that the present row leaves free hold;
// where those of its own piece would meet the row's, words of what follows the piece.
//   v256, planes of 16, 3x3, stride 1, 5 lines of 25: 9 words, then 3 a row, at a line's end too.
//     3 - 1 + 25 cycles, then 25 a line; the next channel tile's window finds 7 of its words there
//   4 x 4, padded by 1: 4 words in the corner; a line is 2 + 2 + 0, to the next line 2, or 3 + 3 + 0 and 2
//   stride 2, 5 lines of 25: 9 words, 6 a row, and to the next line: ceil((9 + 124 x 6) / 4) cycles
//   int16, stride 1, 5 lines of 25: 18 words, 5 cycles, then 6 a row: 5 - 1 + 5 x 50
//   5x5, stride 2, step 0 (16 taps, none free): 7 or 8 words a row, 4 in the cycle in which the row before leaves
//
// Not modelled: pixels that fill up a last group cost as if read (too much by at most one cycle for each word that only they
// need: filled_words); banks in which words of another window (the next step's or channel tile's), or of a row behind the
// next line's first, meet those of the piece that they are fetched beside: at most one cycle for each (unchecked_words); a
// piece whose own words have met fetches only one a cycle.
#pragma once

#include "hw/timing/mac_shape.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace vernier::timing {

/// Words a cycle into the windows: what kActivationSegments segments touch at most.
inline constexpr int64_t kWindowWords = 2 * int64_t{spec::kActivationSegments};

class MacWindows {
 public:
  MacWindows(const spec::MacCommand& command, const spec::Datapath& datapath, const MacShape& shape);
  /// All rows of the tile, with one weight tile. To be asked in the order of the sequence.
  AccessCost cost(int64_t channel_tile, int64_t row_tile, int64_t step);
  /// Words fetched ahead that may meet another one in its bank without a cost, in all that has been asked: those for another
  /// window, and those for a row behind the next line's first that do meet one. A command's last window has none that
  /// follows it.
  [[nodiscard]] int64_t unchecked_words() const { return unchecked_words_ * shape_.weight_tiles - unchecked_of_last_; }
  /// Words of the positions that only pixels need which fill up a last group.
  [[nodiscard]] int64_t filled_words() const;

 private:
  struct Position {  // of an input pixel, relative to tap (0, 0) of a row's first pixel
    int64_t row, column;
    auto operator<=>(const Position&) const = default;
  };
  using Positions = std::vector<Position>;
  struct Window {
    Positions all;                       // of a row
    std::vector<Positions> entering[2];  // forth and back: behind 1, 2, ... rows of the line; the last for all that follow
    Positions to_next_line;
    int64_t taps = 0, free_taps = 0;
  };
  /// Of a lane: the positions, one set if lanes share what they hold, else one for each pixel.
  struct Held {
    std::vector<std::set<Position>> sets;
    int64_t span = 0;    // along a line
    int64_t across = 0;  // rows or columns of positions
    [[nodiscard]] bool fits(int64_t lanes) const { return span * across <= lanes; }
  };
  /// How a piece's first row finds the window: empty, at the end of the line before, or behind so many rows of its line.
  struct Start {
    enum class Kind : uint8_t { Empty, NextLine, SameLine } kind;
    int64_t rows_before;  // SameLine
    auto operator<=>(const Start&) const = default;
  };
  /// What the window goes on to behind a piece.
  enum class Next : uint8_t { Row, Line, Window };
  struct Piece {
    Start start;
    Next next;
    bool is_back;  // slides towards the line's begin
    int64_t rows;
    auto operator<=>(const Piece&) const = default;
  };
  /// Words that are there before a row asks for them; as if banks never met, and as they do.
  struct Ahead {
    int64_t without_banks = 0, with_banks = 0;
    auto operator<=>(const Ahead&) const = default;
  };
  struct Cost {
    AccessCost access;
    Ahead ahead;              // of what follows the piece
    int64_t unchecked_words;  // of them, fetched beside the piece, those that may meet a word of it at no cost
  };
  /// What fetching a piece takes.
  struct Walk {
    int64_t cycles = 0;
    int64_t ahead = 0, unchecked_words = 0;
  };
  /// The words of a piece in the order of its rows, those of the row that follows it, as far as the same window goes on, and
  /// those of the rows after that one, as many as can be fetched ahead.
  struct Fetches {
    std::vector<int64_t> words, following, later;
    std::vector<size_t> ends;  // of each row, in `words`
    int64_t most_ahead = 0;    // words that the free taps hold
    [[nodiscard]] int64_t num_words() const { return static_cast<int64_t>(words.size()); }
  };
  /// What a piece's positions may be, relative to tap (0, 0) of its first row: the rest is padding.
  struct Box {
    Position first, last;
    [[nodiscard]] bool contains(const Position& at) const {
      return first.row <= at.row && at.row <= last.row && first.column <= at.column && at.column <= last.column;
    }
    auto operator<=>(const Box&) const = default;
  };
  [[nodiscard]] Held held_by(int64_t step, bool is_shared, int64_t pixels) const;
  [[nodiscard]] Window window_of(int64_t step) const;
  /// The first and the last input channel of a channel tile.
  [[nodiscard]] std::pair<int64_t, int64_t> channels_of(int64_t channel_tile) const;
  /// From a row to the next one of its line, forth.
  [[nodiscard]] Position advance() const;
  /// From a line to the next one.
  [[nodiscard]] Position across() const;
  [[nodiscard]] std::vector<Run> runs_of(const Positions& positions, const std::vector<Run>& channels) const;
  /// The part of the map that a piece meets; equal for pieces that meet its edges alike.
  [[nodiscard]] Box map_of(const RowPlace& place, const Piece& piece) const;
  [[nodiscard]] Fetches fetches_of(const Piece& piece, const Window& window, const std::vector<Run>& channels,
                                   const Box& map, int64_t address) const;
  /// A piece of which the first `ahead` words are there.
  [[nodiscard]] Walk walk_of(const Fetches& fetches, bool with_banks, int64_t ahead) const;
  [[nodiscard]] Cost cost_of(const Fetches& fetches, Ahead ahead) const;

  const spec::MacCommand& command_;
  const MacShape& shape_;
  int64_t word_bytes_, period_bytes_;
  std::vector<Window> windows_;  // [step]
  // Step, input channels, residue, what comes in and how.
  std::map<std::tuple<int64_t, int64_t, int64_t, Piece, Box, Ahead>, Cost> known_;
  Ahead ahead_;
  int64_t unchecked_words_ = 0, unchecked_of_last_ = 0;
};

}  // namespace vernier::timing
