// SPDX-License-Identifier: Apache-2.0
// What the activation operand of the array costs: a step of a row tile, in cycles, bank conflicts and words.
//
// Conv. The assembler takes kActivationSegments unaligned runs of up to N bytes a cycle. A row's step needs the union of its
// P pixels' byte ranges; runs that touch in memory are one (dense NHWC: a kernel row is one run of kernel_columns x
// in_channels).
//   cycles a row = ceil(sum over runs of ceil(bytes / N) / kActivationSegments), at least 1
// Segments are taken in ascending address order; the words of one cycle that share a bank cost a cycle each.
//   v256, dense, 3 channels, 3x3: step 0 (r 0..15) is runs of 9 and 7 bytes: 2 segments, 1 cycle a row.
//   v256, kernel 10x4, 1 channel, rows of 10 bytes: 4 runs of 4 bytes a step: 2 cycles a row.
//
// Depthwise. A lane keeps a window of its step's taps. A line is a piece of a row of pixels (slide_rows: of a column of
// groups) in one row tile. Its first row needs the whole window, the others the positions that came into it: those that no
// earlier row of the line needed, when the window's span fits in N taps, else those that the row before it did not need. The
// window takes kWindowWords words a cycle.
//   cycles a line = cycles(first window) - 1 + max(rows, 1 + cycles(other rows))
// where the other rows' words are fetched row by row when a row needs at most kWindowWords, else as one stream.
//   v256, planes of 16, 3x3, stride 1, a line of 25: 9 words, 3 cycles; then 3 words a row: 3 - 1 + max(25, 1 + 24) = 27.
//   stride 2, a line of 25: 6 words a row: 3 - 1 + max(25, 1 + ceil(144 / 4)) = 39.
//
// Not modelled: positions in padding, and pixels that fill up a last group, cost as if read (too much by at most their share
// of the positions); a window is refilled at the begin of each row tile.
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
  /// All rows of the tile, one pass.
  AccessCost cost(int64_t channel_tile, int64_t row_tile, int64_t step);

 private:
  struct Position {  // of an input pixel, relative to tap (0, 0) of the row's first pixel
    int64_t row, column;
    auto operator<=>(const Position&) const = default;
  };
  struct Window {
    std::vector<Position> all;       // of a row
    std::vector<Position> entering;  // those that the rows of the line before it did not bring
  };
  void prepare_conv();
  [[nodiscard]] std::vector<Run> conv_runs(int64_t step) const;
  [[nodiscard]] std::vector<Run> segments_of(const std::vector<Run>& runs) const;
  [[nodiscard]] AccessCost conv_row(const std::vector<Run>& segments, int64_t residue, std::vector<int64_t>& words) const;
  [[nodiscard]] Window window_of(int64_t step) const;
  [[nodiscard]] std::vector<Run> runs_of(const std::vector<Position>& positions, const std::vector<Run>& channels) const;
  AccessCost depthwise_cost(int64_t channel_tile, int64_t row_tile, int64_t step);
  [[nodiscard]] AccessCost line_cost(const std::vector<Run>& window, const std::vector<Run>& entering, int64_t address,
                                     int64_t rows) const;

  const spec::MacCommand& command_;
  const MacShape& shape_;
  int64_t word_bytes_, period_bytes_;
  std::vector<std::vector<AccessCost>> conv_;  // [class of row tile][step]
  std::vector<size_t> class_of_tile_;
  std::vector<Window> windows_;                                                 // [step]
  std::map<std::tuple<int64_t, int64_t, int64_t, int64_t>, AccessCost> lines_;  // step, input channels, residue, rows
};

}  // namespace vernier::timing
