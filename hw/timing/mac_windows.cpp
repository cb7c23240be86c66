// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/mac_windows.hpp"

#include "hw/base/division.hpp"
#include "hw/spec/windows.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace vernier::timing {

using base::floor_mod;

MacWindows::MacWindows(const spec::MacCommand& command, const spec::Datapath& datapath, const MacShape& shape)
    : command_(command), shape_(shape), word_bytes_(datapath.word_bytes()), period_bytes_(bank_period_bytes(datapath)) {
  for (int64_t step = 0; step < shape.steps; ++step) windows_.push_back(window_of(step));
}

std::span<const AccessCost> MacWindows::costs(int64_t channel_tile, int64_t row_tile, int64_t step) {
  const int64_t begin = row_tile * shape_.row_tile_rows, end = begin + shape_.rows_of(row_tile);
  const int64_t line_rows = rows_of_line(shape_, command_);
  lines_.clear();
  beats_.clear();
  for (int64_t row = begin; row < end;) {
    const int64_t rows = std::min(end - row, line_rows - row % line_rows);
    const Place place{channel_tile, row_tile, step, row};
    Question question{stretch_of(place, rows), std::nullopt, ahead_};
    if (const auto next = after(place, rows)) std::get<1>(question) = stretch_of(*next, 1);
    const auto [found, is_new] = known_.try_emplace(question);
    if (is_new) found->second = answer(question);
    lines_.push_back(found->second.cost);
    beats_.push_back(&found->second.beats);
    ahead_ = found->second.ahead;
    row += rows;
  }
  return lines_;
}

std::optional<MacWindows::Place> MacWindows::after(const Place& place, int64_t rows) const {
  Place next = place;
  next.row += rows;
  if (next.row < place.row_tile * shape_.row_tile_rows + shape_.rows_of(place.row_tile)) return next;
  if (++next.step == shape_.steps) {
    next.step = 0;
    ++next.row_tile;
  }
  if (next.row_tile == shape_.row_tiles) {
    next.row_tile = 0;
    ++next.channel_tile;
  }
  if (next.channel_tile == shape_.channel_tiles) return std::nullopt;
  next.row = next.row_tile * shape_.row_tile_rows;
  return next;
}

MacWindows::Position MacWindows::move(Entry entry) const {
  const Position down{command_.stride_rows, 0}, right{0, shape_.pixels * command_.stride_columns};
  if (entry == Entry::NextLine) return command_.slide_rows ? right : down;
  return (command_.slide_rows ? down : right) * (entry == Entry::Back ? -1 : 1);
}

/// What the lanes of `pixels` pixels hold for a row: one set if they share what they hold, else one for each pixel.
std::vector<std::set<MacWindows::Position>> MacWindows::held_by_lanes(int64_t step, int64_t pixels, bool is_shared) const {
  std::vector<std::set<Position>> sets(is_shared ? 1 : static_cast<size_t>(pixels));
  for (int64_t pixel = 0; pixel < pixels; ++pixel) {
    for (int64_t tap = shape_.reduction_begin(step); tap < shape_.reduction_end(step); ++tap) {
      sets[is_shared ? 0 : static_cast<size_t>(pixel)].insert(
          {tap / command_.kernel_columns * command_.dilation_rows,
           tap % command_.kernel_columns * command_.dilation_columns + pixel * command_.stride_columns});
    }
  }
  return sets;
}

bool MacWindows::is_shared(int64_t step) const {
  return static_cast<int64_t>(held_by_lanes(step, shape_.pixels, true).front().size()) <= shape_.lanes;
}

/// Of each kernel row what pixel 0 needs, then what only pixel 1 and those after it need, and so on.
MacWindows::Positions MacWindows::positions_of(int64_t step) const {
  Positions positions;
  std::set<Position> known;
  const int64_t columns = command_.kernel_columns, end = shape_.reduction_end(step);
  for (int64_t begin = shape_.reduction_begin(step); begin < end; begin = (begin / columns + 1) * columns) {
    const int64_t row = begin / columns;
    for (int64_t pixel = 0; pixel < shape_.pixels; ++pixel) {
      for (int64_t column = begin % columns; column < std::min(columns, end - row * columns); ++column) {
        const Position at{row * command_.dilation_rows,
                          column * command_.dilation_columns + pixel * command_.stride_columns};
        if (known.insert(at).second) positions.push_back(at);
      }
    }
  }
  return positions;
}

MacWindows::Window MacWindows::window_of(int64_t step) const {
  const std::vector<std::set<Position>> held = held_by_lanes(step, shape_.pixels, is_shared(step));
  const int64_t dilation_along = command_.slide_rows ? command_.dilation_rows : command_.dilation_columns;
  const Positions all = positions_of(step);
  Window window;
  window.free_taps = shape_.lanes - static_cast<int64_t>(held.front().size());
  for (const Entry entry : {Entry::Empty, Entry::Forth, Entry::Back, Entry::NextLine}) {
    const bool is_empty = entry == Entry::Empty || dilation_along > 1;
    const Position moved = move(entry);
    std::set<Position> entering;
    for (const std::set<Position>& set : held) {
      for (const Position& at : set) {
        if (is_empty || !set.contains(at + moved)) entering.insert(at);
      }
    }
    Positions& in_order = window.entering[static_cast<size_t>(entry)];
    std::ranges::copy_if(all, std::back_inserter(in_order), [&](const Position& at) { return entering.contains(at); });
  }
  return window;
}

std::pair<int64_t, int64_t> MacWindows::channels_of(int64_t channel_tile) const {
  const int64_t first = channel_tile * shape_.tile_channels;
  return {first, first + shape_.channels_of(channel_tile) - 1};
}

MacWindows::Stretch MacWindows::stretch_of(const Place& at, int64_t rows) const {
  const auto [channel_tile, row_tile, step, row] = at;
  const int64_t line_rows = rows_of_line(shape_, command_);
  const bool is_back = row / line_rows % 2 == 1;
  const Entry slide = is_back ? Entry::Back : Entry::Forth;
  const bool begins_window = shape_.keeps_weights() ? row == 0 : row % shape_.row_tile_rows == 0;
  const auto [first_channel, last_channel] = channels_of(channel_tile);
  const RowPlace place = place_of(shape_, command_, row);
  const Position origin{command_.origin_row + place.y * command_.stride_rows,
                        command_.origin_column + place.group * shape_.pixels * command_.stride_columns};
  const int64_t address = command_.input.base + first_channel / shape_.lanes * command_.input.block_pitch_bytes +
                          origin.row * command_.input.row_pitch_bytes + origin.column * command_.input.pixel_pitch_bytes;
  const Position way = move(slide) * (rows - 1);
  const Position reach{
      (command_.kernel_rows - 1) * command_.dilation_rows,
      (command_.kernel_columns - 1) * command_.dilation_columns + (shape_.pixels - 1) * command_.stride_columns};
  return {.step = step,
          .rows = rows,
          .first = begins_window          ? Entry::Empty
                   : row % line_rows == 0 ? Entry::NextLine
                                          : slide,
          .is_back = is_back,
          .begins_command = channel_tile == 0 && step == 0 && row == 0,
          .first_channel = first_channel % shape_.lanes,
          .num_channels = last_channel - first_channel + 1,
          .address = floor_mod(address, period_bytes_),
          .map_begin = {std::max(-origin.row, std::min(int64_t{0}, way.row)),
                        std::max(-origin.column, std::min(int64_t{0}, way.column))},
          .map_last = {std::min(command_.in_rows - 1 - origin.row, reach.row + std::max(int64_t{0}, way.row)),
                       std::min(command_.in_columns - 1 - origin.column, reach.column + std::max(int64_t{0}, way.column))}};
}

MacWindows::Row MacWindows::Fetches::row(size_t i) const {
  const size_t begin = i == 0 ? 0 : ends[i - 1];
  return std::span(words).subspan(begin, ends[i] - begin);
}

MacWindows::Answer MacWindows::answer(const Question& question) {
  const auto& [stretch, next, ahead] = question;
  const auto channels_of_lanes = [&](const Stretch& of) {
    return runs_of_channels(command_.input, of.first_channel, of.first_channel + of.num_channels, shape_.lanes);
  };
  const std::vector<Run> channels = channels_of_lanes(stretch);
  Fetches fetches;
  for (int64_t row = 0; row < stretch.rows; ++row) add_row(stretch, row, channels, fetches);
  Answer result{.cost = {}, .ahead = ahead, .beats = {}};
  result.cost.words = static_cast<int64_t>(fetches.words.size());
  if (next) {
    add_row(*next, 0, channels_of_lanes(*next), fetches);
  } else {
    fetches.ends.push_back(fetches.words.size());
  }
  result.cost.cycles = cycles_of(fetches, stretch, result.ahead.without_banks, nullptr);
  result.cost.conflict_cycles = cycles_of(fetches, stretch, result.ahead.with_banks, &result.beats) - result.cost.cycles;
  return result;
}

void MacWindows::add_row(const Stretch& stretch, int64_t row, const std::vector<Run>& channels, Fetches& to) {
  const Entry slide = stretch.is_back ? Entry::Back : Entry::Forth;
  const Entry entry = row == 0 ? stretch.first : slide;
  const Positions& entering = windows_[static_cast<size_t>(stretch.step)].entering[static_cast<size_t>(entry)];
  const Position from = move(slide) * row;
  parts_.clear();
  for (size_t i = 0; i < entering.size(); ++i) {
    const Position at = entering[i] + from;
    if (at.row < stretch.map_begin.row || at.row > stretch.map_last.row) continue;
    if (at.column < stretch.map_begin.column || at.column > stretch.map_last.column) continue;
    const int64_t address =
        stretch.address + at.row * command_.input.row_pitch_bytes + at.column * command_.input.pixel_pitch_bytes;
    for (const Run& run : channels) {
      const int64_t last = base::floor_div(address + run.begin + run.bytes - 1, word_bytes_);
      for (int64_t word = base::floor_div(address + run.begin, word_bytes_); word <= last; ++word)
        parts_.push_back({word, i});
    }
  }
  // One read for each P positions that follow each other in a word.
  reads_.clear();
  for (size_t begin = 0, end = 0; begin < parts_.size(); begin = end) {
    const size_t most = std::min(parts_.size(), begin + static_cast<size_t>(shape_.pixels));
    while (end < most && parts_[end].first == parts_[begin].first) ++end;
    reads_.push_back(std::span(parts_).subspan(begin, end - begin));
  }
  if (stretch.is_back) std::reverse(reads_.begin(), reads_.end());
  is_begun_.assign(entering.size(), false);
  int64_t positions = 0;
  for (const auto& read : reads_) {
    for (const auto& [word, position] : read) {
      positions += is_begun_[position] ? 0 : 1;
      is_begun_[position] = true;
    }
    to.words.push_back({read.front().first, positions});
  }
  to.ends.push_back(to.words.size());
}

int64_t MacWindows::cycles_of(const Fetches& fetches, const Stretch& stretch, int64_t& num_ahead,
                              std::vector<BankBeat>* to) const {
  const bool with_banks = to != nullptr;
  const int64_t free_taps = windows_[static_cast<size_t>(stretch.step)].free_taps;
  int64_t cycles = 0;
  auto ahead = static_cast<size_t>(num_ahead);  // words of the next row that are there
  for (size_t i = 0; i + 1 < fetches.num_rows(); ++i) {
    const Row row = fetches.row(i), next = fetches.row(i + 1);
    size_t fetched = std::exchange(ahead, 0);
    int64_t beats = 0;
    do {
      ++beats;
      int64_t left = spec::kWindowWords;
      uint32_t banks = 0;
      BankBeat beat;
      const auto take = [&](const Fetch& fetch) {
        const auto bank = static_cast<uint8_t>(bank_of_word(fetch.word));
        if (left == 0 || (with_banks && (banks >> bank & 1U) != 0)) return false;
        banks |= 1U << bank;
        if (with_banks) beat.banks.push_back(bank);
        --left;
        return true;
      };
      while (fetched < row.size() && take(row[fetched])) ++fetched;
      beat.is_last = fetched == row.size();
      while (beat.is_last && ahead < next.size() && next[ahead].positions <= free_taps && take(next[ahead])) ++ahead;
      if (with_banks) to->push_back(std::move(beat));
    } while (fetched < row.size());
    cycles += std::max(beats, shape_.passes);
    // Before the first row there are no passes during which its words could come.
    if (i == 0 && stretch.begins_command) cycles += std::min(beats, shape_.passes) - 1;
  }
  num_ahead = static_cast<int64_t>(ahead);
  return cycles;
}

int64_t MacWindows::filled_words() const {
  const int64_t filled = shape_.groups * shape_.pixels - command_.out_columns;
  if (filled == 0) return 0;
  const auto num_positions = [&](int64_t step, int64_t pixels) {
    size_t positions = 0;
    for (const std::set<Position>& set : held_by_lanes(step, pixels, is_shared(step))) positions += set.size();
    return static_cast<int64_t>(positions);
  };
  int64_t positions = 0;  // of all steps
  for (int64_t step = 0; step < shape_.steps; ++step) {
    positions += num_positions(step, shape_.pixels) - num_positions(step, shape_.pixels - filled);
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

}  // namespace vernier::timing
