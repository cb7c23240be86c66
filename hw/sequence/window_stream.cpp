// SPDX-License-Identifier: Apache-2.0
#include "hw/sequence/window_stream.hpp"

#include "hw/base/error.hpp"
#include "hw/base/quantity.hpp"
#include "hw/spec/windows.hpp"

#include <algorithm>
#include <utility>

namespace vernier::sequence {

WindowStream::WindowStream(const spec::MacCommand& command, const spec::Datapath& datapath, WindowMemory memory)
    : command_(command),
      order_(command, datapath),
      memory_(memory),
      word_bytes_(datapath.word_bytes()),
      line_rows_(command.slide_rows ? command.out_rows : order_.row_groups) {
  VERNIER_CHECK(command.mode == spec::MacMode::Depthwise, "the windows of another mode");
}

bool WindowStream::next(WindowBeat& beat) {
  if (!turn_) return false;
  if (!is_begun_) begin_row();
  beat.place = turn_->place;
  beat.row = turn_->row;
  fill(beat);
  beat.is_last_of_row = num_own_ == own_.size();
  beat.operands.clear();
  if (beat.is_last_of_row) {
    add_operands(beat);
    turn_ = next_turn_;
    is_begun_ = false;
  }
  return true;
}

/// Gathers the words of the row, unless they are known from the row before, and those of the next row.
void WindowStream::begin_row() {
  is_begun_ = true;
  own_ = next_turn_ ? std::exchange(next_, {}) : enter(*turn_);
  num_own_ = std::exchange(num_next_, 0);
  ahead_.clear();
  for (WindowWord& word : own_) word.is_of_next_row = false;
  free_taps_ = order_.lanes - static_cast<int64_t>(held_.front().size());
  next_turn_ = after(*turn_);
  if (next_turn_) next_ = enter(*next_turn_);
}

void WindowStream::fill(WindowBeat& beat) {
  beat.words.clear();
  const auto has_room = [&](const WindowWord& word) {
    if (static_cast<int64_t>(beat.words.size()) == spec::kWindowWords) return false;
    const auto is_met = [&](const WindowWord& other) { return (other.word - word.word) % spec::kNumSramBanks == 0; };
    return memory_ == WindowMemory::Ideal || std::ranges::none_of(beat.words, is_met);
  };
  while (num_own_ < own_.size() && has_room(own_[num_own_])) beat.words.push_back(own_[num_own_++]);
  while (num_own_ == own_.size() && num_next_ < next_.size() && has_room(next_[num_next_])) {
    Positions ahead = ahead_;
    for (const WindowPosition& at : next_[num_next_].positions) ahead.insert({at.row, at.column});
    if (static_cast<int64_t>(ahead.size()) > free_taps_) return;
    ahead_ = std::move(ahead);
    beat.words.push_back(next_[num_next_++]);
  }
}

std::vector<WindowWord> WindowStream::enter(const Turn& turn) {
  std::vector<Positions> needed = needed_by(turn);
  const int64_t dilation_along = command_.slide_rows ? command_.dilation_rows : command_.dilation_columns;
  if (turn.begins_window || dilation_along > 1) held_.assign(needed.size(), {});
  std::map<int64_t, std::map<Position, WindowPosition>> of_word;
  Positions entering;
  for (size_t set = 0; set < needed.size(); ++set) {
    for (const Position& at : needed[set]) {
      if (!held_[set].contains(at) && is_inside(at)) entering.insert(at);
    }
  }
  for (const Position& at : entering) add_bytes(turn.place, at, of_word);
  std::vector<WindowWord> words;
  for (auto& [word, positions] : of_word) {
    int64_t served = 0;
    for (auto& [at, position] : positions) {
      if (served++ % order_.pixels == 0) words.push_back({word, true, {}});
      for (int64_t pixel = 0; pixel < order_.pixels; ++pixel) {
        const size_t set = needed.size() == 1 ? 0 : static_cast<size_t>(pixel);
        for (int64_t element = 0; element < order_.num_elements(turn.place.step); ++element) {
          if (held_[set].contains(at) || position_of(turn, pixel, element) != at) continue;
          position.taps.push_back({static_cast<int16_t>(pixel), static_cast<int16_t>(element)});
        }
      }
      words.back().positions.push_back(std::move(position));
    }
  }
  if (turn.row / line_rows_ % 2 == 1) std::ranges::reverse(words);
  held_ = std::move(needed);
  return words;
}

void WindowStream::add_bytes(const MacPlace& place, const Position& at,
                             std::map<int64_t, std::map<Position, WindowPosition>>& into) const {
  const int64_t first = order_.first_channel(place.channel_tile);
  const int64_t last = first + order_.num_channels(place.channel_tile) - 1;
  for (int64_t channel = first; channel <= last; ++channel) {
    const int64_t address = address_of(command_.input, order_.lanes, at.row, at.column, channel);
    for (int64_t byte = 0; byte < order_.activation_bytes; ++byte) {
      std::map<Position, WindowPosition>& word = into[base::floor_div(address + byte, word_bytes_)];
      const auto found = word.try_emplace(at, WindowPosition{at.row, at.column, {}, {}}).first;
      found->second.bytes.push_back({address + byte, static_cast<int16_t>(channel - first), static_cast<int16_t>(byte)});
    }
  }
}

void WindowStream::add_operands(WindowBeat& beat) const {
  const MacRow row = order_.row(turn_->row);
  const int64_t first_channel = order_.first_channel(beat.place.channel_tile);
  for (int64_t pixel = 0; pixel < order_.pixels; ++pixel) {
    const bool is_filled_up = row.first_column + pixel >= command_.out_columns;
    for (int64_t lane = 0; lane < order_.num_channels(beat.place.channel_tile); ++lane) {
      const int64_t channel = first_channel + lane;
      for (int64_t element = 0; element < order_.num_elements(beat.place.step); ++element) {
        const Position at = position_of(*turn_, pixel, element);
        const int64_t address = address_of(command_.input, order_.lanes, at.row, at.column, channel);
        for (int64_t byte = 0; byte < order_.activation_bytes; ++byte) {
          beat.operands.push_back({address + byte, static_cast<int16_t>(pixel), static_cast<int16_t>(lane),
                                   static_cast<int16_t>(element), static_cast<int16_t>(byte),
                                   is_filled_up || !is_inside(at)});
        }
      }
    }
  }
}

std::optional<WindowStream::Turn> WindowStream::after(const Turn& turn) const {
  Turn next{turn.place, turn.row + 1, false};
  if (next.row < order_.end_row(turn.place.row_tile)) return next;
  if (!order_.advance(next.place)) return std::nullopt;
  next.row = order_.first_row(next.place.row_tile);
  next.begins_window = order_.is_loaded(next.place);
  return next;
}

WindowStream::Position WindowStream::position_of(const Turn& turn, int64_t pixel, int64_t element) const {
  const MacRow row = order_.row(turn.row);
  const int64_t tap = order_.first_element(turn.place.step) + element;
  return {command_.origin_row + row.y * command_.stride_rows + tap / command_.kernel_columns * command_.dilation_rows,
          command_.origin_column + (row.first_column + pixel) * command_.stride_columns +
              tap % command_.kernel_columns * command_.dilation_columns};
}

bool WindowStream::is_inside(const Position& at) const {
  return at.row >= 0 && at.row < command_.in_rows && at.column >= 0 && at.column < command_.in_columns;
}

std::vector<WindowStream::Positions> WindowStream::needed_by(const Turn& turn) const {
  std::vector<Positions> of_pixel(static_cast<size_t>(order_.pixels));
  Positions all;
  for (int64_t pixel = 0; pixel < order_.pixels; ++pixel) {
    for (int64_t element = 0; element < order_.num_elements(turn.place.step); ++element) {
      of_pixel[static_cast<size_t>(pixel)].insert(position_of(turn, pixel, element));
      all.insert(position_of(turn, pixel, element));
    }
  }
  if (static_cast<int64_t>(all.size()) <= order_.lanes) return {all};
  return of_pixel;
}

}  // namespace vernier::sequence
