// SPDX-License-Identifier: Apache-2.0
// The loops of a MacCommand, as hw/spec/command.hpp orders them: channel tiles, row tiles, steps, passes.
#pragma once

#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"
#include "hw/timing/access_pattern.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace vernier::timing {

struct MacShape {
  MacShape(const spec::MacCommand& command, const spec::Datapath& datapath);

  int64_t lanes;          // N
  int64_t pixels;         // P, of an accumulator row
  int64_t tile_channels;  // T = N / P
  int64_t channel_tiles;
  int64_t groups;  // accumulator rows of a row of pixels
  int64_t rows;    // accumulator rows of the command
  int64_t row_tile_rows;
  int64_t row_tiles;
  int64_t steps;         // of up to N reduction elements
  int64_t weight_tiles;  // of a step: one for each byte of a weight
  int64_t passes;        // over a row with one weight tile: one for each byte of an activation

  [[nodiscard]] int64_t channels_of(int64_t channel_tile) const;  // used lanes a pixel
  [[nodiscard]] int64_t rows_of(int64_t row_tile) const;
  [[nodiscard]] int64_t reduction_begin(int64_t step) const { return first_element_ + step * lanes; }
  [[nodiscard]] int64_t reduction_end(int64_t step) const;
  /// Whether the row tiles of a channel tile share one weight tile, loaded once.
  [[nodiscard]] bool keeps_weights() const { return steps * weight_tiles == 1; }
  [[nodiscard]] int64_t last_channel_tile() const { return channel_tiles - 1; }

 private:
  int64_t first_element_, last_element_, out_channels_;
};

/// Where the accumulator rows of each row tile begin in a feature map, modulo the period of the banks. Tiles with the same
/// residues are one class, so that what a tile costs is worked out once a class.
class TileResidues {
 public:
  /// Row (y, group) begins at base + y * y_pitch + group * group_pitch.
  TileResidues(const MacShape& shape, const spec::MacCommand& command, int64_t base, int64_t y_pitch, int64_t group_pitch,
               int64_t period);
  struct Count {
    int64_t residue;
    int64_t rows;
    auto operator<=>(const Count&) const = default;
  };
  [[nodiscard]] size_t class_of(int64_t row_tile) const { return class_of_[static_cast<size_t>(row_tile)]; }
  [[nodiscard]] const std::vector<std::vector<Count>>& classes() const { return classes_; }

 private:
  std::vector<std::vector<Count>> classes_;
  std::vector<size_t> class_of_;
};

/// Accumulator rows of a line: a row of pixels, or a column of groups (slide_rows).
int64_t rows_of_line(const MacShape& shape, const spec::MacCommand& command);

/// The place of an accumulator row: its row of pixels, and its group of P pixels in that row. Depthwise lines go to and
/// fro: every second one is numbered from its far end.
struct RowPlace {
  int64_t y, group;
};
RowPlace place_of(const MacShape& shape, const spec::MacCommand& command, int64_t row);

}  // namespace vernier::timing
