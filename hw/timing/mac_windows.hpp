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
// The window takes kWindowWords words a cycle: a row's words cycle by cycle where there are at most as many, those of all
// rows that bring more as one stream.
//   cycles of a piece = max(passes x rows, cycles of its words)                            where the window goes on
//                     = fill - 1 + max(passes x rows, passes + cycles of the other rows)   where it begins
// Taps that the window leaves free (of N) take words ahead, of a first window or of a large step to the next line, as many
// as they hold and as the rows before left of their kWindowWords a cycle; the others are the fill, at least a cycle, the
// last of which is the first row's.
//   v256, planes of 16, 3x3, stride 1, 5 lines of 25: 9 words, then 3 a row, at a line's end too. 3 - 1 + 25 cycles, then 25
//   a line; the next channel tile's window finds 7 of its words there. the same of 4 x 4, padded by 1: 4 words in the
//   corner; a line is 2 + 2 + 0, to the next line 2, or 3 + 3 + 0 and 2. stride 2, 5 lines of 25: 6 words a row, and to the
//   next line: 3 - 1 + max(25, 1 + ceil(144 / 4)) = 39, then ceil(150 / 4). int16, stride 1, 5 lines of 25: 18 words, 5
//   cycles, then 6 a row: 5 - 1 + max(50, 2 + 36) = 54, then 50 a line.
//
// Not modelled: pixels that fill up a last group cost as if read (too much by at most their share of the positions); banks
// in which words fetched ahead meet those of the line (at most one cycle for each word ahead).
#pragma once

#include "hw/timing/mac_shape.hpp"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace vernier::timing {

/// Words a cycle into the windows: what kActivationSegments segments touch at most.
inline constexpr int64_t kWindowWords = 2 * int64_t{spec::kActivationSegments};

class MacWindows {
 public:
  MacWindows(const spec::MacCommand& command, const spec::Datapath& datapath, const MacShape& shape);
  /// All rows of the tile, with one weight tile. To be asked in the order of the sequence.
  AccessCost cost(int64_t channel_tile, int64_t row_tile, int64_t step);

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
  /// How a piece's first row finds the window: empty, at the end of the line before, or behind so many rows of its line.
  struct Start {
    enum class Kind : uint8_t { Empty, NextLine, SameLine } kind;
    int64_t rows_before;  // SameLine
    auto operator<=>(const Start&) const = default;
  };
  struct Piece {
    Start start;
    bool is_back;  // slides towards the line's begin
    int64_t rows;
    auto operator<=>(const Piece&) const = default;
  };
  struct Cost {
    AccessCost first;       // what the first row brings
    AccessCost row_by_row;  // of the others: rows that bring a cycle's words at most
    AccessCost stream;      // and those that bring more
    int64_t first_taps = 0;
  };
  /// What a piece's positions may be, relative to tap (0, 0) of its first row: the rest is padding.
  struct Box {
    Position first, last;
    [[nodiscard]] bool contains(const Position& at) const {
      return first.row <= at.row && at.row <= last.row && first.column <= at.column && at.column <= last.column;
    }
    auto operator<=>(const Box&) const = default;
  };
  [[nodiscard]] Window window_of(int64_t step) const;
  /// From a row to the next one of its line, forth.
  [[nodiscard]] Position advance() const;
  [[nodiscard]] std::vector<Run> runs_of(const Positions& positions, const std::vector<Run>& channels) const;
  /// The part of the map that a piece meets; equal for pieces that meet its edges alike.
  [[nodiscard]] Box map_of(const RowPlace& place, const Piece& piece) const;
  [[nodiscard]] Cost cost_of(const Piece& piece, const Window& window, const std::vector<Run>& channels, const Box& map,
                             int64_t address) const;
  /// Words of the piece's first row that the rows before it could fetch.
  [[nodiscard]] int64_t words_ahead(const Cost& cost, const Window& window) const;
  /// A piece after the one before it: takes what that one left, and leaves its own.
  AccessCost begin(const Cost& cost, const Window& window, int64_t rows);
  AccessCost go_on(const Cost& cost, const Window& window, int64_t rows);

  const spec::MacCommand& command_;
  const MacShape& shape_;
  int64_t word_bytes_, period_bytes_;
  std::vector<Window> windows_;                                              // [step]
  std::map<std::tuple<int64_t, int64_t, int64_t, Piece, Box>, Cost> known_;  // step, input channels, residue
  int64_t spare_words_ = 0;                                                  // of the fetches so far
};

}  // namespace vernier::timing
