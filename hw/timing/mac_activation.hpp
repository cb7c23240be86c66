// SPDX-License-Identifier: Apache-2.0
// What the activation operand of the array costs: a step of a row tile, in cycles, bank conflicts and words.
//
// Conv. The assembler takes kActivationSegments segments a cycle, unaligned, of up to N bytes. A pixel's step is runs of
// bytes; runs that touch in memory are one (dense NHWC: a kernel row is one run of kernel_columns x in_channels). A segment
// starts at the first byte that is not there yet and serves all P pixels of the row, each with one run, or as much of one as
// it reaches: a pixel rotates a segment once.
//   cycles a row = max(passes, ceil(segments / kActivationSegments))
// Passes are the bytes of an activation: a row is assembled once, and multiplied once for each. Segments are taken in
// ascending address order; the words of one cycle that share a bank cost a cycle each, unless the row's passes hide them.
//   v256, dense, 3 channels, 3x3: step 0 (r 0..15) is runs of 9 and 7 bytes: 2 segments, 1 cycle a row.
//   v256, the same for two pixels, 6 bytes apart: step 1 is runs of 2 and 9 bytes each; one segment takes both runs of 2.
//   v256, int16: a step is 32 bytes, 2 segments: 2 cycles a row, the passes.
//   v256, kernel 10x4, 1 channel, rows of 10 bytes: 4 runs of 4 bytes a step: 2 cycles a row.
//
// Depthwise. A lane keeps a window of its step's taps. A line is a piece of a row of pixels (slide_rows: of a column of
// groups) in one row tile. Its first row needs the whole window, the others the positions that came into it: those that no
// earlier row of the line needed, when the window's span fits in N taps, else those that the row before it did not need. The
// window takes kWindowWords words a cycle.
//   cycles a line = fill - 1 + max(passes x rows, passes + cycles(other rows))
// where the other rows' words are fetched row by row when a row needs at most kWindowWords, else as one stream. The words of
// the first window are fetched ahead as far as free taps (N less those that the window holds) and the words that the line
// before left of its kWindowWords a cycle allow; the others are the fill, kWindowWords a cycle, at least a cycle, the last
// of which is the first row's.
//   v256, planes of 16, 3x3, stride 1, a line of 25: 9 words, then 3 words a row. The first line fills in 3 cycles: 3 - 1 +
//   max(25, 1 + 24) = 27 and leaves 4 x 24 - 72 = 24 words; 7 free taps of 16: 7 words ahead, so that the next takes 25.
//   the same of 4, padded by 1: the first window's left column is padding, and so is what the last output brings: 6 words,
//   then 3 + 3 + 0. A line leaves 4 x 3 - 6 = 6 words, as many as the next one's first window has: 4 cycles.
//   stride 2, a line of 25: 6 words a row: 3 - 1 + max(25, 1 + ceil(144 / 4)) = 39; nothing is left for the next one.
//   int16, stride 1, a line of 25: 18 words, 5 cycles, then 6 words a row: 5 - 1 + max(50, 2 + 36) = 54, the next 50.
//
// Not modelled: a convolution's positions in padding, and pixels that fill up a last group, cost as if read (too much by at
// most their share of the positions); banks in which words fetched ahead meet those of the line (at most one cycle for each
// word ahead).
#pragma once

#include "hw/timing/mac_shape.hpp"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace vernier::timing {

/// Words a cycle into the windows: what kActivationSegments segments touch at most.
inline constexpr int64_t kWindowWords = 2 * int64_t{spec::kActivationSegments};

class MacActivation {
 public:
  MacActivation(const spec::MacCommand& command, const spec::Datapath& datapath, const MacShape& shape);
  /// All rows of the tile, with one weight tile. To be asked in the order of the sequence.
  AccessCost cost(int64_t channel_tile, int64_t row_tile, int64_t step);

 private:
  struct Position {  // of an input pixel, relative to tap (0, 0) of the row's first pixel
    int64_t row, column;
    auto operator<=>(const Position&) const = default;
  };
  struct Window {
    std::vector<Position> all;       // of a row
    std::vector<Position> entering;  // those that the rows of the line before it did not bring
    int64_t taps = 0, free_taps = 0;
  };
  struct Line {
    AccessCost fill, rest;  // the first window, and what the other rows bring
    int64_t taps = 0;       // of the first window that are no padding
  };
  /// What a line's positions may be, relative to tap (0, 0) of its first row: the rest is padding.
  struct Box {
    Position first, last;
    [[nodiscard]] bool contains(const Position& at) const {
      return first.row <= at.row && at.row <= last.row && first.column <= at.column && at.column <= last.column;
    }
    auto operator<=>(const Box&) const = default;
  };
  void prepare_conv();
  /// What the first pixel of a row needs.
  [[nodiscard]] std::vector<Run> conv_runs(int64_t step) const;
  [[nodiscard]] std::vector<Run> conv_segments(int64_t step) const;
  [[nodiscard]] AccessCost conv_row(const std::vector<Run>& segments, int64_t residue, std::vector<int64_t>& words) const;
  [[nodiscard]] Window window_of(int64_t step) const;
  [[nodiscard]] std::vector<Run> runs_of(const std::vector<Position>& positions, const std::vector<Run>& channels) const;
  AccessCost depthwise_cost(int64_t channel_tile, int64_t row_tile, int64_t step);
  /// The part of the map that a line meets; equal for lines that meet its edges alike.
  [[nodiscard]] Box map_of_line(const RowPlace& place, int64_t rows) const;
  [[nodiscard]] Line line_cost(const Window& window, const std::vector<Run>& channels, const Box& map, int64_t address,
                               int64_t rows) const;
  /// A line after the one before it: takes what that one left, and leaves its own.
  AccessCost with_fill(const Line& line, const Window& window, int64_t rows);

  const spec::MacCommand& command_;
  const MacShape& shape_;
  int64_t word_bytes_, period_bytes_;
  std::vector<std::vector<AccessCost>> conv_;  // [class of row tile][step]
  std::vector<size_t> class_of_tile_;
  std::vector<Window> windows_;                                                // [step]
  std::map<std::tuple<int64_t, int64_t, int64_t, int64_t, Box>, Line> lines_;  // step, input channels, residue, rows, map
  int64_t spare_words_ = 0;                                                    // of the fetches of the line before
};

}  // namespace vernier::timing
