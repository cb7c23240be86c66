// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/mac_activation.hpp"

#include "hw/base/quantity.hpp"

#include <algorithm>
#include <set>

namespace vernier::timing {

using base::floor_mod;

namespace {

int64_t address_of_origin(const spec::MacCommand& command) {
  return command.input.base + command.origin_row * command.input.row_pitch_bytes +
         command.origin_column * command.input.pixel_pitch_bytes;
}

std::vector<Run> shifted(const std::vector<Run>& runs, int64_t by) {
  std::vector<Run> result = runs;
  for (Run& run : result) run.begin += by;
  return result;
}

}  // namespace

MacActivation::MacActivation(const spec::MacCommand& command, const spec::Datapath& datapath, const MacShape& shape)
    : command_(command), shape_(shape), word_bytes_(datapath.word_bytes()), period_bytes_(bank_period_bytes(datapath)) {
  if (command.mode == spec::MacMode::Conv) {
    prepare_conv();
  } else {
    for (int64_t step = 0; step < shape.steps; ++step) windows_.push_back(window_of(step));
  }
}

AccessCost MacActivation::cost(int64_t channel_tile, int64_t row_tile, int64_t step) {
  if (command_.mode == spec::MacMode::Depthwise) return depthwise_cost(channel_tile, row_tile, step);
  return conv_[class_of_tile_[static_cast<size_t>(row_tile)]][static_cast<size_t>(step)];
}

void MacActivation::prepare_conv() {
  const TileResidues tiles(shape_, command_, address_of_origin(command_),
                           command_.stride_rows * command_.input.row_pitch_bytes,
                           shape_.pixels * command_.stride_columns * command_.input.pixel_pitch_bytes, period_bytes_);
  for (int64_t tile = 0; tile < shape_.row_tiles; ++tile) class_of_tile_.push_back(tiles.class_of(tile));
  conv_.assign(tiles.classes().size(), std::vector<AccessCost>(static_cast<size_t>(shape_.steps)));
  std::vector<AccessCost> of_residue(static_cast<size_t>(period_bytes_));
  std::vector<int64_t> known_for_step(static_cast<size_t>(period_bytes_), -1);
  std::vector<int64_t> words;
  for (int64_t step = 0; step < shape_.steps; ++step) {
    const std::vector<Run> segments = conv_segments(step);
    for (size_t c = 0; c < tiles.classes().size(); ++c) {
      AccessCost& total = conv_[c][static_cast<size_t>(step)];
      for (const TileResidues::Count& count : tiles.classes()[c]) {
        const auto residue = static_cast<size_t>(count.residue);
        if (known_for_step[residue] != step) {
          known_for_step[residue] = step;
          of_residue[residue] = conv_row(segments, count.residue, words);
        }
        const AccessCost& row = of_residue[residue];
        total += {row.cycles * count.rows, row.conflict_cycles * count.rows, row.words * count.rows};
      }
    }
  }
}

std::vector<Run> MacActivation::conv_runs(int64_t step) const {
  const spec::FeatureMap& input = command_.input;
  std::vector<Run> pixel;
  for (int64_t r = shape_.reduction_begin(step); r < shape_.reduction_end(step);) {
    const int64_t tap = r / command_.in_channels;
    const int64_t channel = r % command_.in_channels;
    const int64_t channels = std::min(command_.in_channels - channel, shape_.reduction_end(step) - r);
    const int64_t offset = tap / command_.kernel_columns * command_.dilation_rows * input.row_pitch_bytes +
                           tap % command_.kernel_columns * command_.dilation_columns * input.pixel_pitch_bytes;
    for (const Run& run : runs_of_channels(input, channel, channel + channels, shape_.lanes)) {
      pixel.push_back({offset + run.begin, run.bytes});
    }
    r += channels;
  }
  return union_of(std::move(pixel));
}

std::vector<Run> MacActivation::conv_segments(int64_t step) const {
  const std::vector<Run> pixel = conv_runs(step);
  std::vector<std::vector<Run>> remaining;  // of each pixel, ascending
  for (int64_t p = 0; p < shape_.pixels; ++p) {
    remaining.push_back(shifted(pixel, p * command_.stride_columns * command_.input.pixel_pitch_bytes));
    std::reverse(remaining.back().begin(), remaining.back().end());
  }
  std::vector<Run> segments;
  while (true) {
    std::erase_if(remaining, [](const std::vector<Run>& runs) { return runs.empty(); });
    if (remaining.empty()) return segments;
    int64_t begin = remaining.front().back().begin;
    for (const std::vector<Run>& runs : remaining) begin = std::min(begin, runs.back().begin);
    int64_t end = begin;
    for (std::vector<Run>& runs : remaining) {
      Run& run = runs.back();
      if (run.begin >= begin + word_bytes_) continue;
      const int64_t stop = std::min(run.begin + run.bytes, begin + word_bytes_);
      end = std::max(end, stop);
      run = {stop, run.begin + run.bytes - stop};
      if (run.bytes == 0) runs.pop_back();
    }
    segments.push_back({begin, end - begin});
  }
}

AccessCost MacActivation::conv_row(const std::vector<Run>& segments, int64_t residue, std::vector<int64_t>& words) const {
  AccessCost row;
  constexpr auto kWidth = static_cast<size_t>(spec::kActivationSegments);
  for (size_t at = 0; at < segments.size(); at += kWidth) {
    const auto cycle = std::span(segments).subspan(at, std::min(kWidth, segments.size() - at));
    words_of(cycle, residue, word_bytes_, words);
    row += {1, conflicts_of_cycle(words), static_cast<int64_t>(words.size())};
  }
  const int64_t with_conflicts = row.cycles + row.conflict_cycles;
  row.cycles = std::max(row.cycles, shape_.passes);
  row.conflict_cycles = std::max(int64_t{0}, with_conflicts - row.cycles);
  return row;
}

MacActivation::Window MacActivation::window_of(int64_t step) const {
  std::set<Position> all;
  std::set<int64_t> kernel_rows, kernel_columns;
  for (int64_t tap = shape_.reduction_begin(step); tap < shape_.reduction_end(step); ++tap) {
    const int64_t row = tap / command_.kernel_columns * command_.dilation_rows;
    const int64_t column = tap % command_.kernel_columns * command_.dilation_columns;
    kernel_rows.insert(row);
    kernel_columns.insert(column);
    for (int64_t p = 0; p < shape_.pixels; ++p) all.insert({row, column + p * command_.stride_columns});
  }
  const bool down = command_.slide_rows;
  const std::set<int64_t>& along = down ? kernel_rows : kernel_columns;
  const auto across = static_cast<int64_t>(down ? kernel_columns.size() : kernel_rows.size());
  const int64_t span = *along.rbegin() - *along.begin() + 1;
  const Position advance = down ? Position{command_.stride_rows, 0} : Position{0, shape_.pixels * command_.stride_columns};
  const int64_t reach = span * across <= shape_.lanes ? span + shape_.pixels * command_.stride_columns : 1;
  Window window;
  const int64_t taps = shape_.reduction_end(step) - shape_.reduction_begin(step);
  window.taps = taps;
  window.free_taps = shape_.lanes - std::min(shape_.lanes, std::max(taps, reach > 1 ? span * across : taps));
  const int64_t last_row = *kernel_rows.rbegin();
  const int64_t last_column = *kernel_columns.rbegin() + (shape_.pixels - 1) * command_.stride_columns;
  for (const Position& position : all) {
    bool was_there = false;
    for (int64_t back = 1; back <= reach && !was_there; ++back) {
      const Position before{position.row + back * advance.row, position.column + back * advance.column};
      if (before.row > last_row || before.column > last_column) break;  // strides reach to 8192
      was_there = all.contains(before);
    }
    window.all.push_back(position);
    if (!was_there) window.entering.push_back(position);
  }
  return window;
}

std::vector<Run> MacActivation::runs_of(const std::vector<Position>& positions, const std::vector<Run>& channels) const {
  std::vector<Run> runs;
  for (const Position& position : positions) {
    const int64_t offset =
        position.row * command_.input.row_pitch_bytes + position.column * command_.input.pixel_pitch_bytes;
    for (const Run& run : channels) runs.push_back({offset + run.begin, run.bytes});
  }
  return union_of(std::move(runs));
}

AccessCost MacActivation::depthwise_cost(int64_t channel_tile, int64_t row_tile, int64_t step) {
  const int64_t first_out = channel_tile * shape_.tile_channels;
  const int64_t first_channel = first_out / command_.depth_multiplier;
  const int64_t last_channel = (first_out + shape_.channels_of(channel_tile) - 1) / command_.depth_multiplier;
  std::vector<Run> channels = runs_of_channels(command_.input, first_channel, last_channel + 1, shape_.lanes);
  const int64_t channel_offset = channels.front().begin;
  channels = shifted(channels, -channel_offset);
  // Tiles whose channels lie alike differ in their address only.
  const int64_t shape_key = first_channel % shape_.lanes * (shape_.lanes + 1) + (last_channel - first_channel);
  const Window& window = windows_[static_cast<size_t>(step)];
  const int64_t begin = row_tile * shape_.row_tile_rows;
  const int64_t end = begin + shape_.rows_of(row_tile);
  const int64_t line_rows = command_.slide_rows ? command_.out_rows : shape_.groups;
  AccessCost total;
  for (int64_t row = begin; row < end;) {
    const int64_t rows = std::min(end - row, line_rows - row % line_rows);
    const RowPlace place = place_of(shape_, command_, row);
    const int64_t address = address_of_origin(command_) + channel_offset +
                            place.y * command_.stride_rows * command_.input.row_pitch_bytes +
                            place.group * shape_.pixels * command_.stride_columns * command_.input.pixel_pitch_bytes;
    const int64_t residue = floor_mod(address, period_bytes_);
    const Box map = map_of_line(place, rows);
    const auto [found, is_new] = lines_.try_emplace({step, shape_key, residue, rows, map});
    if (is_new) found->second = line_cost(window, channels, map, residue, rows);
    total += with_fill(found->second, window, rows);
    row += rows;
  }
  return total;
}

MacActivation::Box MacActivation::map_of_line(const RowPlace& place, int64_t rows) const {
  const Position origin{command_.origin_row + place.y * command_.stride_rows,
                        command_.origin_column + place.group * shape_.pixels * command_.stride_columns};
  const int64_t more = rows - 1, last_pixel = (shape_.pixels - 1) * command_.stride_columns;
  const int64_t down = command_.slide_rows ? more * command_.stride_rows : 0;
  const int64_t along = command_.slide_rows ? 0 : more * shape_.pixels * command_.stride_columns;
  const Position reach{(command_.kernel_rows - 1) * command_.dilation_rows + down,
                       (command_.kernel_columns - 1) * command_.dilation_columns + last_pixel + along};
  return {{std::max(int64_t{0}, -origin.row), std::max(int64_t{0}, -origin.column)},
          {std::min(reach.row, command_.in_rows - 1 - origin.row),
           std::min(reach.column, command_.in_columns - 1 - origin.column)}};
}

MacActivation::Line MacActivation::line_cost(const Window& window, const std::vector<Run>& channels, const Box& map,
                                             int64_t address, int64_t rows) const {
  const Position advance =
      command_.slide_rows ? Position{command_.stride_rows, 0} : Position{0, shape_.pixels * command_.stride_columns};
  const int64_t advance_bytes =
      advance.row * command_.input.row_pitch_bytes + advance.column * command_.input.pixel_pitch_bytes;
  const auto in_map = [&](const std::vector<Position>& positions, int64_t row) {
    std::vector<Position> inside;
    for (const Position& at : positions) {
      if (map.contains({at.row + row * advance.row, at.column + row * advance.column})) inside.push_back(at);
    }
    return inside;
  };
  std::vector<int64_t> words, stream;
  std::vector<Position> positions = in_map(window.all, 0);
  words_of(runs_of(positions, channels), address, word_bytes_, words);
  Line line;
  line.fill = cost_in_order(words, kWindowWords);
  line.taps = base::ceil_div(window.taps * static_cast<int64_t>(positions.size()), static_cast<int64_t>(window.all.size()));
  AccessCost& rest = line.rest;
  std::vector<Run> entering;
  for (int64_t row = 1; row < rows; ++row) {
    std::vector<Position> now = in_map(window.entering, row);
    if (row == 1 || now != positions) {
      positions = std::move(now);
      entering = runs_of(positions, channels);
    }
    words_of(entering, address + row * advance_bytes, word_bytes_, words);
    if (static_cast<int64_t>(words.size()) <= kWindowWords) {
      rest += cost_in_order(words, kWindowWords);
    } else {
      stream.insert(stream.end(), words.begin(), words.end());
    }
  }
  rest += cost_in_order(stream, kWindowWords);
  return line;
}

AccessCost MacActivation::with_fill(const Line& line, const Window& window, int64_t rows) {
  const int64_t multiplying = shape_.passes * rows, fetching = shape_.passes + line.rest.cycles;
  const int64_t after_fill = std::max(multiplying, fetching);
  const int64_t into_free_taps = line.fill.words * window.free_taps / std::max(int64_t{1}, line.taps);
  const int64_t ahead = std::min({line.fill.words, into_free_taps, spare_words_});
  const int64_t exposed_fill = std::max(int64_t{1}, base::ceil_div(line.fill.words - ahead, kWindowWords));
  AccessCost cost;
  cost.words = line.fill.words + line.rest.words;
  cost.cycles = exposed_fill - 1 + after_fill;
  // Conflicts hide where the rows, not their words, set the pace.
  const int64_t hidden = std::min(after_fill - fetching, line.rest.conflict_cycles);
  cost.conflict_cycles = line.fill.conflict_cycles + line.rest.conflict_cycles - hidden;
  spare_words_ = std::max(int64_t{0}, kWindowWords * (after_fill - 1 - line.rest.conflict_cycles) - line.rest.words);
  return cost;
}

}  // namespace vernier::timing
