// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/mac_windows.hpp"

#include "hw/base/quantity.hpp"

#include <algorithm>
#include <set>

namespace vernier::timing {

using base::ceil_div;
using base::floor_mod;

MacWindows::MacWindows(const spec::MacCommand& command, const spec::Datapath& datapath, const MacShape& shape)
    : command_(command), shape_(shape), word_bytes_(datapath.word_bytes()), period_bytes_(bank_period_bytes(datapath)) {
  for (int64_t step = 0; step < shape.steps; ++step) windows_.push_back(window_of(step));
}

MacWindows::Position MacWindows::advance() const {
  if (command_.slide_rows) return {command_.stride_rows, 0};
  return {0, shape_.pixels * command_.stride_columns};
}

MacWindows::Window MacWindows::window_of(int64_t step) const {
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
  const bool fits = span * across <= shape_.lanes;
  const int64_t reach = fits ? span + shape_.pixels * command_.stride_columns : 1;
  Window window;
  window.all.assign(all.begin(), all.end());
  window.taps = shape_.reduction_end(step) - shape_.reduction_begin(step);
  window.free_taps = shape_.lanes - std::min(shape_.lanes, std::max(window.taps, fits ? span * across : int64_t{0}));
  const auto without = [&](const Positions& positions, const Position& held_at) {
    Positions missing;
    for (const Position& at : positions) {
      if (!all.contains({at.row + held_at.row, at.column + held_at.column})) missing.push_back(at);
    }
    return missing;
  };
  const Position forth = advance();
  for (const bool is_back : {false, true}) {
    Positions missing = window.all;
    for (int64_t back = 1; back <= reach; ++back) {
      const int64_t by = is_back ? -back : back;
      Positions fewer = without(missing, {by * forth.row, by * forth.column});
      // A row farther back holds nothing that this one needs: strides reach to 8192.
      if (back > 1 && back * (forth.row + forth.column) > span + shape_.pixels * command_.stride_columns) break;
      missing = std::move(fewer);
      window.entering[is_back ? 1 : 0].push_back(missing);
    }
  }
  window.to_next_line =
      without(window.all, down ? Position{0, shape_.pixels * command_.stride_columns} : Position{command_.stride_rows, 0});
  return window;
}

std::vector<Run> MacWindows::runs_of(const Positions& positions, const std::vector<Run>& channels) const {
  std::vector<Run> runs;
  for (const Position& position : positions) {
    const int64_t offset =
        position.row * command_.input.row_pitch_bytes + position.column * command_.input.pixel_pitch_bytes;
    for (const Run& run : channels) runs.push_back({offset + run.begin, run.bytes});
  }
  return union_of(std::move(runs));
}

AccessCost MacWindows::cost(int64_t channel_tile, int64_t row_tile, int64_t step) {
  const int64_t first_out = channel_tile * shape_.tile_channels;
  const int64_t first_channel = first_out / command_.depth_multiplier;
  const int64_t last_channel = (first_out + shape_.channels_of(channel_tile) - 1) / command_.depth_multiplier;
  std::vector<Run> channels = runs_of_channels(command_.input, first_channel, last_channel + 1, shape_.lanes);
  const int64_t channel_offset = channels.front().begin;
  for (Run& run : channels) run.begin -= channel_offset;
  // Tiles whose channels lie alike differ in their address only.
  const int64_t shape_key = first_channel % shape_.lanes * (shape_.lanes + 1) + (last_channel - first_channel);
  const Window& window = windows_[static_cast<size_t>(step)];
  const int64_t begin_row = row_tile * shape_.row_tile_rows;
  const int64_t end = begin_row + shape_.rows_of(row_tile);
  const int64_t line_rows = rows_of_line(shape_, command_);
  bool is_empty = row_tile == 0 || !shape_.keeps_weights();
  int64_t begun_at = is_empty ? begin_row : 0;  // the row of the whole window
  AccessCost total;
  for (int64_t row = begin_row; row < end;) {
    const int64_t line = row / line_rows, rows_before = row - std::max(begun_at, line * line_rows);
    Piece piece{{Start::Kind::Empty, 0}, line % 2 == 1, std::min(end - row, line_rows - row % line_rows)};
    if (!is_empty) piece.start.kind = rows_before == 0 ? Start::Kind::NextLine : Start::Kind::SameLine;
    const auto most_before = static_cast<int64_t>(window.entering[0].size());
    if (piece.start.kind == Start::Kind::SameLine) piece.start.rows_before = std::min(rows_before, most_before);
    const RowPlace place = place_of(shape_, command_, row);
    const int64_t address =
        command_.input.base + channel_offset +
        (command_.origin_row + place.y * command_.stride_rows) * command_.input.row_pitch_bytes +
        (command_.origin_column + place.group * shape_.pixels * command_.stride_columns) * command_.input.pixel_pitch_bytes;
    const int64_t residue = floor_mod(address, period_bytes_);
    const Box map = map_of(place, piece);
    const auto [found, is_new] = known_.try_emplace({step, shape_key, residue, piece, map});
    if (is_new) found->second = cost_of(piece, window, channels, map, residue);
    total += is_empty ? begin(found->second, window, piece.rows) : go_on(found->second, window, piece.rows);
    is_empty = false;
    row += piece.rows;
  }
  return total;
}

MacWindows::Box MacWindows::map_of(const RowPlace& place, const Piece& piece) const {
  const Position origin{command_.origin_row + place.y * command_.stride_rows,
                        command_.origin_column + place.group * shape_.pixels * command_.stride_columns};
  const Position forth = advance();
  const int64_t more = piece.is_back ? 1 - piece.rows : piece.rows - 1;
  const Position way{more * forth.row, more * forth.column};
  const int64_t last_pixel = (shape_.pixels - 1) * command_.stride_columns;
  const Position reach{
      (command_.kernel_rows - 1) * command_.dilation_rows + std::max(int64_t{0}, way.row),
      (command_.kernel_columns - 1) * command_.dilation_columns + last_pixel + std::max(int64_t{0}, way.column)};
  return {{std::max(std::min(int64_t{0}, way.row), -origin.row), std::max(std::min(int64_t{0}, way.column), -origin.column)},
          {std::min(reach.row, command_.in_rows - 1 - origin.row),
           std::min(reach.column, command_.in_columns - 1 - origin.column)}};
}

MacWindows::Cost MacWindows::cost_of(const Piece& piece, const Window& window, const std::vector<Run>& channels,
                                     const Box& map, int64_t address) const {
  Position step = advance();
  if (piece.is_back) step = {-step.row, -step.column};
  const int64_t step_bytes = step.row * command_.input.row_pitch_bytes + step.column * command_.input.pixel_pitch_bytes;
  const std::vector<Positions>& entering = window.entering[piece.is_back ? 1 : 0];
  const auto behind = [&](int64_t rows_before) -> const Positions& {
    return entering[static_cast<size_t>(std::min(rows_before, static_cast<int64_t>(entering.size())) - 1)];
  };
  const auto in_map = [&](const Positions& positions, int64_t row) {
    Positions inside;
    for (const Position& at : positions) {
      if (map.contains({at.row + row * step.row, at.column + row * step.column})) inside.push_back(at);
    }
    return inside;
  };
  const Positions& brought = piece.start.kind == Start::Kind::Empty      ? window.all
                             : piece.start.kind == Start::Kind::NextLine ? window.to_next_line
                                                                         : behind(piece.start.rows_before);
  std::vector<int64_t> words, stream;
  Positions positions = in_map(brought, 0);
  words_of(runs_of(positions, channels), address, word_bytes_, words);
  Cost cost;
  cost.first = cost_in_order(words, kWindowWords);
  cost.first_taps = ceil_div(window.taps * static_cast<int64_t>(positions.size()), static_cast<int64_t>(window.all.size()));
  std::vector<Run> runs;
  for (int64_t row = 1; row < piece.rows; ++row) {
    Positions now = in_map(behind(piece.start.rows_before + row), row);
    if (row == 1 || now != positions) {
      positions = std::move(now);
      runs = runs_of(positions, channels);
    }
    words_of(runs, address + row * step_bytes, word_bytes_, words);
    if (static_cast<int64_t>(words.size()) <= kWindowWords) {
      cost.row_by_row += cost_in_order(words, kWindowWords);
    } else {
      if (piece.is_back) std::reverse(words.begin(), words.end());
      stream.insert(stream.end(), words.begin(), words.end());
    }
  }
  cost.stream = cost_in_order(stream, kWindowWords);
  return cost;
}

int64_t MacWindows::words_ahead(const Cost& cost, const Window& window) const {
  const int64_t into_free_taps = cost.first.words * window.free_taps / std::max(int64_t{1}, cost.first_taps);
  return std::min({cost.first.words, into_free_taps, spare_words_});
}

AccessCost MacWindows::begin(const Cost& cost, const Window& window, int64_t rows) {
  AccessCost rest = cost.row_by_row;
  rest += cost.stream;
  const int64_t fetching = shape_.passes + rest.cycles;
  const int64_t after_fill = std::max(shape_.passes * rows, fetching);
  const int64_t ahead = words_ahead(cost, window);
  const int64_t exposed_fill = std::max(int64_t{1}, ceil_div(cost.first.words - ahead, kWindowWords));
  spare_words_ = std::max(int64_t{0}, kWindowWords * (after_fill - 1 - rest.conflict_cycles) - rest.words);
  // Conflicts hide where the rows, not their words, set the pace.
  const int64_t hidden = std::min(after_fill - fetching, rest.conflict_cycles);
  const int64_t of_fill = std::max(int64_t{0}, cost.first.conflict_cycles - ahead);
  return {exposed_fill - 1 + after_fill, of_fill + rest.conflict_cycles - hidden, cost.first.words + rest.words};
}

AccessCost MacWindows::go_on(const Cost& cost, const Window& window, int64_t rows) {
  const bool is_in_stream = cost.first.words > kWindowWords;
  const int64_t ahead = is_in_stream || cost.first.conflict_cycles > 0 ? words_ahead(cost, window) : 0;
  const int64_t streamed = cost.stream.words + (is_in_stream ? cost.first.words - ahead : 0);
  const int64_t fetching =
      (is_in_stream ? 0 : cost.first.cycles) + cost.row_by_row.cycles + ceil_div(streamed, kWindowWords);
  const int64_t conflicts = std::max(int64_t{0}, cost.first.conflict_cycles - ahead) + cost.row_by_row.conflict_cycles +
                            cost.stream.conflict_cycles;
  const int64_t words = cost.first.words + cost.row_by_row.words + cost.stream.words;
  const int64_t cycles = std::max(shape_.passes * rows, fetching);
  spare_words_ += std::max(int64_t{0}, kWindowWords * (cycles - conflicts) - (words - ahead)) - ahead;
  return {cycles, conflicts - std::min(cycles - fetching, conflicts), words};
}

}  // namespace vernier::timing
