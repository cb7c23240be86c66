// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/mac_shape.hpp"

#include "hw/base/division.hpp"
#include "hw/base/element_type.hpp"

#include <algorithm>
#include <map>

namespace vernier::timing {

using base::ceil_div;
using base::floor_mod;

MacShape::MacShape(const spec::MacCommand& command, const spec::Datapath& datapath)
    : lanes(datapath.lanes),
      pixels(int64_t{1} << command.lane_split_log2),
      tile_channels(lanes >> command.lane_split_log2),
      channel_tiles(ceil_div(command.out_channels, tile_channels)),
      groups(ceil_div(command.out_columns, pixels)),
      rows(command.out_rows * groups),
      row_tile_rows(command.row_tile_rows),
      row_tiles(ceil_div(rows, row_tile_rows)),
      steps(ceil_div(command.reduction_end - command.reduction_begin, lanes)),
      weight_tiles(base::stored_bytes(command.weight_type)),
      passes(base::stored_bytes(command.input.type)),
      first_element_(command.reduction_begin),
      last_element_(command.reduction_end),
      out_channels_(command.out_channels) {}

int64_t MacShape::channels_of(int64_t channel_tile) const {
  return std::min(tile_channels, out_channels_ - channel_tile * tile_channels);
}

int64_t MacShape::rows_of(int64_t row_tile) const { return std::min(row_tile_rows, rows - row_tile * row_tile_rows); }

int64_t MacShape::reduction_end(int64_t step) const { return std::min(reduction_begin(step) + lanes, last_element_); }

int64_t rows_of_line(const MacShape& shape, const spec::MacCommand& command) {
  return command.slide_rows ? command.out_rows : shape.groups;
}

RowPlace place_of(const MacShape& shape, const spec::MacCommand& command, int64_t row) {
  const int64_t rows = rows_of_line(shape, command), line = row / rows;
  const bool is_back = command.mode == spec::MacMode::Depthwise && line % 2 == 1;
  const int64_t along = is_back ? rows - 1 - row % rows : row % rows;
  return command.slide_rows ? RowPlace{along, line} : RowPlace{line, along};
}

TileResidues::TileResidues(const MacShape& shape, const spec::MacCommand& command, int64_t base, int64_t y_pitch,
                           int64_t group_pitch, int64_t period) {
  std::map<std::vector<Count>, size_t> known;
  std::vector<int64_t> histogram(static_cast<size_t>(period));
  for (int64_t tile = 0; tile < shape.row_tiles; ++tile) {
    std::fill(histogram.begin(), histogram.end(), 0);
    const int64_t first = tile * shape.row_tile_rows;
    for (int64_t row = first; row < first + shape.rows_of(tile); ++row) {
      const RowPlace place = place_of(shape, command, row);
      ++histogram[static_cast<size_t>(floor_mod(base + place.y * y_pitch + place.group * group_pitch, period))];
    }
    std::vector<Count> counts;
    for (size_t residue = 0; residue < histogram.size(); ++residue) {
      if (histogram[residue] > 0) counts.push_back({static_cast<int64_t>(residue), histogram[residue]});
    }
    const auto [found, is_new] = known.try_emplace(counts, classes_.size());
    if (is_new) classes_.push_back(std::move(counts));
    class_of_.push_back(found->second);
  }
}

}  // namespace vernier::timing
