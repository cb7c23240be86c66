// SPDX-License-Identifier: Apache-2.0
// The order of a MAC command's work, from the text of MacCommand in hw/spec/command.hpp:
//   for channel tile: for row tile: for step of N reduction elements: for byte of the weights: load weight tile, for row:
//   for byte of the activations: accumulate
#pragma once

#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"

#include <cstdint>
#include <vector>

namespace vernier::sequence {

/// Where in the loops a beat belongs. `step` and `weight_byte` are 0 for what follows the reduction.
struct MacPlace {
  int64_t channel_tile = 0;
  int64_t row_tile = 0;
  int64_t step = 0;
  int64_t weight_byte = 0;
  bool operator==(const MacPlace&) const = default;
};

/// An accumulator row: P neighbouring pixels of row `y`, of which the first is `first_column`.
struct MacRow {
  int64_t y = 0;
  int64_t first_column = 0;
};

/// Counts of the loops. The command is one that package::check() accepts.
struct MacOrder {
  MacOrder(const spec::MacCommand& command, const spec::Datapath& datapath);

  int64_t lanes;          // N
  int64_t pixels;         // P
  int64_t tile_channels;  // T
  int64_t num_channel_tiles;
  int64_t row_groups;  // accumulator rows of a row of pixels
  int64_t num_rows;
  int64_t num_row_tiles;
  int64_t num_steps;
  int64_t weight_bytes;      // of a weight: that many weight tiles for each step
  int64_t activation_bytes;  // of an activation: that many passes over a row

  [[nodiscard]] int64_t first_channel(int64_t channel_tile) const { return channel_tile * tile_channels; }
  [[nodiscard]] int64_t num_channels(int64_t channel_tile) const;
  [[nodiscard]] int64_t first_row(int64_t row_tile) const;
  [[nodiscard]] int64_t end_row(int64_t row_tile) const;
  /// The reduction index of element 0 of a step.
  [[nodiscard]] int64_t first_element(int64_t step) const;
  [[nodiscard]] int64_t num_elements(int64_t step) const;
  [[nodiscard]] MacRow row(int64_t row_idx) const;
  /// Moves on to the next weight tile that is multiplied; false behind the last one.
  [[nodiscard]] bool advance(MacPlace& place) const;
  /// Whether the weight tile of that place is loaded: it is not when it is still there from the row tile before.
  [[nodiscard]] bool is_loaded(const MacPlace& place) const;

 private:
  const spec::MacCommand& command_;
};

/// Appends the words of `bytes` bytes from `address` on, ascending, without the first one where it is the last one there.
void append_words(std::vector<int64_t>& words, int64_t address, int64_t bytes, int64_t word_bytes);
/// Ascending, each once.
void sort_words(std::vector<int64_t>& words);

/// Byte address of element (row, column, channel) of a map. The channels of a channel tile follow each other: their number
/// divides the lanes.
int64_t address_of(const spec::FeatureMap& map, int64_t lanes, int64_t row, int64_t column, int64_t channel);

}  // namespace vernier::sequence
