// SPDX-License-Identifier: Apache-2.0
#include "hw/sequence/mac_order.hpp"

#include "hw/base/division.hpp"
#include "hw/base/element_type.hpp"

#include <algorithm>

namespace vernier::sequence {

using base::ceil_div;

MacOrder::MacOrder(const spec::MacCommand& command, const spec::Datapath& datapath)
    : lanes(datapath.lanes),
      pixels(int64_t{1} << command.lane_split_log2),
      tile_channels(lanes / pixels),
      num_channel_tiles(ceil_div(command.out_channels, tile_channels)),
      row_groups(ceil_div(command.out_columns, pixels)),
      num_rows(command.out_rows * row_groups),
      num_row_tiles(ceil_div(num_rows, command.row_tile_rows)),
      num_steps(ceil_div(command.reduction_end - command.reduction_begin, lanes)),
      weight_bytes(base::stored_bytes(command.weight_type)),
      activation_bytes(base::stored_bytes(command.input.type)),
      command_(command) {}

int64_t MacOrder::num_channels(int64_t channel_tile) const {
  return std::min(tile_channels, command_.out_channels - first_channel(channel_tile));
}

int64_t MacOrder::first_row(int64_t row_tile) const { return row_tile * command_.row_tile_rows; }

int64_t MacOrder::end_row(int64_t row_tile) const { return std::min(num_rows, first_row(row_tile + 1)); }

int64_t MacOrder::first_element(int64_t step) const { return command_.reduction_begin + step * lanes; }

int64_t MacOrder::num_elements(int64_t step) const { return std::min(lanes, command_.reduction_end - first_element(step)); }

MacRow MacOrder::row(int64_t row_idx) const {
  const int64_t line_rows = command_.slide_rows ? command_.out_rows : row_groups;
  const int64_t line = row_idx / line_rows;
  int64_t along = row_idx % line_rows;
  // Depthwise lines of odd numbers run from their far end.
  if (command_.mode == spec::MacMode::Depthwise && line % 2 == 1) along = line_rows - 1 - along;
  return command_.slide_rows ? MacRow{along, line * pixels} : MacRow{line, along * pixels};
}

bool MacOrder::advance(MacPlace& place) const {
  if (++place.weight_byte < weight_bytes) return true;
  place.weight_byte = 0;
  if (++place.step < num_steps) return true;
  place.step = 0;
  if (++place.row_tile < num_row_tiles) return true;
  place.row_tile = 0;
  return ++place.channel_tile < num_channel_tiles;
}

bool MacOrder::is_loaded(const MacPlace& place) const { return place.row_tile == 0 || num_steps * weight_bytes > 1; }

void append_words(std::vector<int64_t>& words, int64_t address, int64_t bytes, int64_t word_bytes) {
  if (bytes <= 0) return;
  const int64_t last = base::floor_div(address + bytes - 1, word_bytes);
  for (int64_t word = base::floor_div(address, word_bytes); word <= last; ++word) {
    if (words.empty() || words.back() != word) words.push_back(word);
  }
}

void sort_words(std::vector<int64_t>& words) {
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
}

int64_t address_of(const spec::FeatureMap& map, int64_t lanes, int64_t row, int64_t column, int64_t channel) {
  return map.base + row * map.row_pitch_bytes + column * map.pixel_pitch_bytes + channel / lanes * map.block_pitch_bytes +
         channel % lanes * base::stored_bytes(map.type);
}

}  // namespace vernier::sequence
