// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/mac_windows.hpp"

#include "hw/base/quantity.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace vernier::timing {

using base::floor_mod;

MacWindows::MacWindows(const spec::MacCommand& command, const spec::Datapath& datapath, const MacShape& shape)
    : command_(command), shape_(shape), word_bytes_(datapath.word_bytes()), period_bytes_(bank_period_bytes(datapath)) {
  for (int64_t step = 0; step < shape.steps; ++step) windows_.push_back(window_of(step));
}

MacWindows::Position MacWindows::advance() const {
  if (command_.slide_rows) return {command_.stride_rows, 0};
  return {0, shape_.pixels * command_.stride_columns};
}

MacWindows::Position MacWindows::across() const {
  if (command_.slide_rows) return {0, shape_.pixels * command_.stride_columns};
  return {command_.stride_rows, 0};
}

MacWindows::Held MacWindows::held_by(int64_t step, bool is_shared, int64_t pixels) const {
  Held held;
  std::set<int64_t> rows, columns;
  held.sets.resize(is_shared ? 1 : static_cast<size_t>(pixels));
  for (int64_t p = 0; p < pixels; ++p) {
    for (int64_t tap = shape_.reduction_begin(step); tap < shape_.reduction_end(step); ++tap) {
      const Position at{tap / command_.kernel_columns * command_.dilation_rows,
                        tap % command_.kernel_columns * command_.dilation_columns + p * command_.stride_columns};
      held.sets[is_shared ? 0 : static_cast<size_t>(p)].insert(at);
      if (p > 0 && !is_shared) continue;
      rows.insert(at.row);
      columns.insert(at.column);
    }
  }
  const std::set<int64_t>& along = command_.slide_rows ? rows : columns;
  held.span = *along.rbegin() - *along.begin() + 1;
  held.across = static_cast<int64_t>(command_.slide_rows ? columns.size() : rows.size());
  return held;
}

MacWindows::Window MacWindows::window_of(int64_t step) const {
  Held held = held_by(step, true, shape_.pixels);
  if (shape_.pixels > 1 && !held.fits(shape_.lanes)) held = held_by(step, false, shape_.pixels);
  const bool fits = held.fits(shape_.lanes);
  const int64_t reach = fits ? held.span + shape_.pixels * command_.stride_columns : 1;
  Window window;
  window.taps = static_cast<int64_t>(held.sets.front().size());
  window.free_taps = std::max(int64_t{0}, shape_.lanes - (fits ? held.span * held.across : window.taps));
  // What of `sets` is not held there from so far away; of all pixels together.
  const auto missing_at = [](const std::vector<std::set<Position>>& sets, const std::vector<Position>& held_from) {
    std::set<Position> missing;
    for (const std::set<Position>& set : sets) {
      for (const Position& at : set) {
        const auto is_held = [&](const Position& from) {
          return set.contains({at.row + from.row, at.column + from.column});
        };
        if (std::none_of(held_from.begin(), held_from.end(), is_held)) missing.insert(at);
      }
    }
    return Positions(missing.begin(), missing.end());
  };
  window.all = missing_at(held.sets, {});
  const Position forth = advance();
  for (const bool is_back : {false, true}) {
    std::vector<Position> rows_before;
    for (int64_t back = 1; back <= reach; ++back) {
      // A row farther back holds nothing that this one needs: strides reach to 8192.
      if (back > 1 && back * (forth.row + forth.column) > held.span) break;
      const int64_t by = is_back ? -back : back;
      rows_before.push_back({by * forth.row, by * forth.column});
      window.entering[is_back ? 1 : 0].push_back(missing_at(held.sets, rows_before));
    }
  }
  window.to_next_line = missing_at(held.sets, {across()});
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

std::pair<int64_t, int64_t> MacWindows::channels_of(int64_t channel_tile) const {
  const int64_t first = channel_tile * shape_.tile_channels;
  return {first / command_.depth_multiplier, (first + shape_.channels_of(channel_tile) - 1) / command_.depth_multiplier};
}

AccessCost MacWindows::cost(int64_t channel_tile, int64_t row_tile, int64_t step) {
  const auto [first_channel, last_channel] = channels_of(channel_tile);
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
    const int64_t rows = std::min(end - row, line_rows - row % line_rows);
    const bool goes_on = row + rows < (shape_.keeps_weights() ? shape_.rows : end);
    const Next next = !goes_on ? Next::Window : (row + rows) % line_rows == 0 ? Next::Line : Next::Row;
    Piece piece{{Start::Kind::Empty, 0}, next, line % 2 == 1, rows};
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
    const auto [found, is_new] = known_.try_emplace({step, shape_key, residue, piece, map, ahead_});
    if (is_new) found->second = cost_of(fetches_of(piece, window, channels, map, residue), ahead_);
    total += found->second.access;
    ahead_ = found->second.ahead;
    unchecked_of_last_ = found->second.unchecked_words;
    unchecked_words_ += unchecked_of_last_;
    is_empty = false;
    row += piece.rows;
  }
  return total;
}

int64_t MacWindows::filled_words() const {
  const int64_t filled = shape_.groups * shape_.pixels - command_.out_columns;
  if (filled == 0) return 0;
  const auto positions_of = [](const Held& held) {
    size_t positions = 0;
    for (const std::set<Position>& set : held.sets) positions += set.size();
    return static_cast<int64_t>(positions);
  };
  int64_t positions = 0;  // of all steps
  for (int64_t step = 0; step < shape_.steps; ++step) {
    const bool is_shared = held_by(step, true, shape_.pixels).fits(shape_.lanes);
    positions += positions_of(held_by(step, is_shared, shape_.pixels)) -
                 positions_of(held_by(step, is_shared, shape_.pixels - filled));
  }
  // Of a position, in all channel tiles, at the place that costs most of those that the pitches lead to.
  int64_t words = 0;
  const spec::FeatureMap& input = command_.input;
  const int64_t apart = std::gcd(std::gcd(input.row_pitch_bytes, input.pixel_pitch_bytes), word_bytes_);
  for (int64_t tile = 0; tile < shape_.channel_tiles; ++tile) {
    const auto [first, last] = channels_of(tile);
    for (const Run& run : runs_of_channels(input, first, last + 1, shape_.lanes)) {
      const int64_t begin = floor_mod(input.base + run.begin, apart) + word_bytes_ - apart;
      words += words_touched({begin, run.bytes}, word_bytes_);
    }
  }
  return command_.out_rows * positions * words * shape_.weight_tiles;
}

MacWindows::Box MacWindows::map_of(const RowPlace& place, const Piece& piece) const {
  const Position origin{command_.origin_row + place.y * command_.stride_rows,
                        command_.origin_column + place.group * shape_.pixels * command_.stride_columns};
  const Position forth = advance(), over = across();
  const int64_t sign = piece.is_back ? -1 : 1, more = sign * (piece.next == Next::Row ? piece.rows : piece.rows - 1);
  const bool goes_over = piece.next == Next::Line;
  const Position way{more * forth.row + (goes_over ? over.row : 0), more * forth.column + (goes_over ? over.column : 0)};
  const int64_t last_pixel = (shape_.pixels - 1) * command_.stride_columns;
  const Position reach{
      (command_.kernel_rows - 1) * command_.dilation_rows + std::max(int64_t{0}, way.row),
      (command_.kernel_columns - 1) * command_.dilation_columns + last_pixel + std::max(int64_t{0}, way.column)};
  return {{std::max(std::min(int64_t{0}, way.row), -origin.row), std::max(std::min(int64_t{0}, way.column), -origin.column)},
          {std::min(reach.row, command_.in_rows - 1 - origin.row),
           std::min(reach.column, command_.in_columns - 1 - origin.column)}};
}

MacWindows::Fetches MacWindows::fetches_of(const Piece& piece, const Window& window, const std::vector<Run>& channels,
                                           const Box& map, int64_t address) const {
  Position step = advance();
  if (piece.is_back) step = {-step.row, -step.column};
  const std::vector<Positions>& entering = window.entering[piece.is_back ? 1 : 0];
  const auto behind = [&](int64_t rows_before) -> const Positions& {
    return entering[static_cast<size_t>(std::min(rows_before, static_cast<int64_t>(entering.size())) - 1)];
  };
  const auto brought_by = [&](int64_t row) -> const Positions& {
    if (row > 0 || piece.start.kind == Start::Kind::SameLine) return behind(piece.start.rows_before + row);
    return piece.start.kind == Start::Kind::Empty ? window.all : window.to_next_line;
  };
  Fetches fetches;
  std::vector<int64_t> words;
  words_of(runs_of(window.all, channels), address, word_bytes_, words);
  fetches.most_ahead = window.free_taps * static_cast<int64_t>(words.size()) / window.taps;
  Positions positions;
  std::vector<Run> runs;
  /// What of `brought` lies in the map, for a row that is so far from the first.
  const auto fetch = [&](const Positions& brought, const Position& from, bool is_back, std::vector<int64_t>& into) {
    Positions now;
    for (const Position& at : brought) {
      if (map.contains({at.row + from.row, at.column + from.column})) now.push_back(at);
    }
    if (runs.empty() || now != positions) {
      positions = std::move(now);
      runs = runs_of(positions, channels);
    }
    const int64_t bytes = from.row * command_.input.row_pitch_bytes + from.column * command_.input.pixel_pitch_bytes;
    words_of(runs, address + bytes, word_bytes_, words);
    if (is_back) std::reverse(words.begin(), words.end());
    into.insert(into.end(), words.begin(), words.end());
  };
  for (int64_t row = 0; row < piece.rows; ++row) {
    fetch(brought_by(row), {row * step.row, row * step.column}, piece.is_back, fetches.words);
    fetches.ends.push_back(fetches.words.size());
  }
  const int64_t last = piece.rows - 1;
  if (piece.next == Next::Row) {
    fetch(brought_by(piece.rows), {piece.rows * step.row, piece.rows * step.column}, piece.is_back, fetches.following);
  } else if (piece.next == Next::Line) {
    const Position over = across();
    const Position first{last * step.row + over.row, last * step.column + over.column};
    fetch(window.to_next_line, first, !piece.is_back, fetches.following);
    // A line that goes on behind its first row does so through all rows where weights stay.
    const std::vector<Positions>& way_back = window.entering[piece.is_back ? 0 : 1];
    const auto is_enough = [&] {
      return static_cast<int64_t>(fetches.following.size() + fetches.later.size()) >= fetches.most_ahead;
    };
    for (int64_t row = 1; row <= last && shape_.keeps_weights() && !is_enough(); ++row) {
      const auto rows_before = std::min(static_cast<size_t>(row), way_back.size());
      fetch(way_back[rows_before - 1], {first.row - row * step.row, first.column - row * step.column}, !piece.is_back,
            fetches.later);
    }
  }
  return fetches;
}

MacWindows::Walk MacWindows::walk_of(const Fetches& fetches, bool with_banks, int64_t ahead) const {
  const int64_t own = fetches.num_words(), known = static_cast<int64_t>(fetches.following.size());
  Walk walk;
  // Of the piece, and of what follows it.
  int64_t fetched = std::min(ahead, own);
  int64_t& beyond = walk.ahead;
  beyond = ahead - fetched;
  bool have_met = false;
  const auto fetch = [&](int64_t needed) {
    uint32_t banks = 0;
    const auto is_free = [&](int64_t word) {
      const uint32_t bank = 1U << floor_mod(word, int64_t{spec::kNumSramBanks});
      if (with_banks && (banks & bank) != 0) return false;
      banks |= bank;
      return true;
    };
    int64_t left = kWindowWords;
    const auto has_room = [&] { return left > 0 && fetched + beyond < needed + fetches.most_ahead; };
    for (; has_room() && fetched < own; --left, ++fetched) {
      if (is_free(fetches.words[static_cast<size_t>(fetched)])) continue;
      have_met = true;
      break;
    }
    ++walk.cycles;
    if (fetched < needed) return;
    if (beyond >= known) left = std::min(left, have_met ? int64_t{1} : kWindowWords);
    for (; has_room(); --left, ++beyond) {
      if (beyond >= known) {
        // Whatever it meets, it is fetched.
        const auto later = static_cast<size_t>(beyond - known);
        const bool is_known = later < fetches.later.size();
        if (!is_known || !is_free(fetches.later[later])) ++walk.unchecked_words;
      } else if (!is_free(fetches.following[static_cast<size_t>(beyond)])) {
        break;
      }
    }
  };
  for (const size_t end : fetches.ends) {
    const auto needed = static_cast<int64_t>(end);
    do {
      fetch(needed);
    } while (fetched < needed);
    for (int64_t pass = 1; pass < shape_.passes; ++pass) fetch(needed);
  }
  return walk;
}

MacWindows::Cost MacWindows::cost_of(const Fetches& fetches, Ahead ahead) const {
  const Walk without = walk_of(fetches, false, ahead.without_banks), with = walk_of(fetches, true, ahead.with_banks);
  return {{without.cycles, std::max(int64_t{0}, with.cycles - without.cycles), fetches.num_words()},
          {without.ahead, with.ahead},
          with.unchecked_words};
}

}  // namespace vernier::timing
