// SPDX-License-Identifier: Apache-2.0
#include "hw/sequence/window_stream.hpp"

#include "hw/base/division.hpp"
#include "hw/base/error.hpp"
#include "hw/spec/windows.hpp"

#include <algorithm>
#include <utility>

namespace vernier::sequence {
namespace {

/// Ascending, each once.
void sort_positions(auto& positions) {
  std::ranges::sort(positions);
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
}

/// There are few positions, so that looking at each of them is quick.
bool has(const auto& positions, const auto& at) { return std::ranges::find(positions, at) != positions.end(); }

}  // namespace

std::vector<MapPosition> window_operands(const spec::MacCommand& command, const MacOrder& order, const MacPlace& place,
                                         int64_t row_idx) {
  const MacRow row = order.row(row_idx);
  const int64_t elements = order.num_elements(place.step);
  const int64_t first_row = command.origin_row + row.y * command.stride_rows;
  const int64_t first_column = command.origin_column + row.first_column * command.stride_columns;
  std::vector<MapPosition> operands(static_cast<size_t>(order.pixels * elements));
  for (int64_t element = 0; element < elements; ++element) {
    const int64_t tap = order.first_element(place.step) + element;
    const MapPosition at{first_row + tap / command.kernel_columns * command.dilation_rows,
                         first_column + tap % command.kernel_columns * command.dilation_columns};
    for (int64_t pixel = 0; pixel < order.pixels; ++pixel) {
      operands[static_cast<size_t>(pixel * elements + element)] = {at.row, at.column + pixel * command.stride_columns};
    }
  }
  return operands;
}

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
  if (next_turn_) {
    operands_.swap(next_operands_);
    own_ = std::exchange(next_, {});
  } else {
    operands_ = operands_of(*turn_);
    own_ = enter(*turn_, operands_);
  }
  num_own_ = std::exchange(num_next_, 0);
  ahead_.clear();
  for (WindowWord& word : own_) word.is_of_next_row = false;
  free_taps_ = order_.lanes - static_cast<int64_t>(held_.front().size());
  next_turn_ = after(*turn_);
  if (!next_turn_) return;
  next_operands_ = operands_of(*next_turn_);
  next_ = enter(*next_turn_, next_operands_);
}

void WindowStream::fill(WindowBeat& beat) {
  beat.words.clear();
  const auto has_room = [&](const WindowWord& word) {
    if (static_cast<int64_t>(beat.words.size()) == spec::kWindowWords) return false;
    const auto is_met = [&](const WindowWord& other) { return (other.word - word.word) % spec::kNumSramBanks == 0; };
    return memory_ == WindowMemory::Ideal || std::ranges::none_of(beat.words, is_met);
  };
  while (num_own_ < own_.size() && has_room(own_[num_own_])) beat.words.push_back(std::move(own_[num_own_++]));
  while (num_own_ == own_.size() && num_next_ < next_.size() && has_room(next_[num_next_])) {
    const size_t before = ahead_.size();
    for (const WindowPosition& at : next_[num_next_].positions) {
      const Position position{at.row, at.column};
      if (std::ranges::find(ahead_, position) == ahead_.end()) ahead_.push_back(position);
    }
    if (static_cast<int64_t>(ahead_.size()) > free_taps_) {
      ahead_.resize(before);
      return;
    }
    beat.words.push_back(std::move(next_[num_next_++]));
  }
}

std::vector<WindowWord> WindowStream::enter(const Turn& turn, const Positions& operands) {
  std::vector<Positions> needed = needed_for(operands);
  const int64_t dilation_along = command_.slide_rows ? command_.dilation_rows : command_.dilation_columns;
  if (turn.begins_window || dilation_along > 1) held_.assign(needed.size(), {});
  Positions entering;
  for (size_t set = 0; set < needed.size(); ++set) {
    for (const Position& at : needed[set]) {
      if (is_inside(at) && !has(held_[set], at)) entering.push_back(at);
    }
  }
  std::vector<Part> parts;
  for (const Position& at : in_order(operands)) {
    if (has(entering, at)) add_parts(turn.place, at, parts);
  }
  std::vector<WindowWord> words;
  int64_t served = 0;
  for (Part& part : parts) {
    const bool is_other_word = words.empty() || words.back().word != part.word;
    if (is_other_word) served = 0;
    if (served++ % order_.pixels == 0) words.push_back({part.word, true, {}});
    add_taps(operands, part.position, needed);
    words.back().positions.push_back(std::move(part.position));
  }
  if (turn.row / line_rows_ % 2 == 1) std::ranges::reverse(words);
  held_ = std::move(needed);
  return words;
}

/// By kernel row, then by pixel, then by kernel column; each once, where it is first.
WindowStream::Positions WindowStream::in_order(const Positions& operands) const {
  const size_t elements = operands.size() / static_cast<size_t>(order_.pixels);
  Positions ordered;
  for (size_t begin = 0, end = 0; begin < elements; begin = end) {
    while (end < elements && operands[end].row == operands[begin].row) ++end;
    for (size_t pixel = 0; pixel < static_cast<size_t>(order_.pixels); ++pixel) {
      for (size_t element = begin; element < end; ++element) {
        const Position& at = operands[pixel * elements + element];
        if (!has(ordered, at)) ordered.push_back(at);
      }
    }
  }
  return ordered;
}

void WindowStream::add_parts(const MacPlace& place, const Position& at, std::vector<Part>& parts) const {
  const int64_t first = order_.first_channel(place.channel_tile);
  const int64_t channels = order_.num_channels(place.channel_tile);
  int64_t address = address_of(command_.input, order_.lanes, at.row, at.column, first);
  int64_t word_end = address;
  for (int64_t channel = 0; channel < channels; ++channel) {
    for (int64_t byte = 0; byte < order_.activation_bytes; ++byte, ++address) {
      if (address == word_end) {
        const int64_t word = base::floor_div(address, word_bytes_);
        word_end = (word + 1) * word_bytes_;
        parts.push_back({word, {at.row, at.column, {}, {}}});
      }
      parts.back().position.bytes.push_back({address, static_cast<int16_t>(channel), static_cast<int16_t>(byte)});
    }
  }
}

/// The operands that are this position and take it from those lanes that lacked it.
void WindowStream::add_taps(const Positions& operands, WindowPosition& position,
                            const std::vector<Positions>& needed) const {
  const Position at{position.row, position.column};
  const size_t elements = operands.size() / static_cast<size_t>(order_.pixels);
  for (size_t pixel = 0; pixel < static_cast<size_t>(order_.pixels); ++pixel) {
    if (has(held_[needed.size() == 1 ? 0 : pixel], at)) continue;
    for (size_t element = 0; element < elements; ++element) {
      if (operands[pixel * elements + element] != at) continue;
      position.taps.push_back({static_cast<int16_t>(pixel), static_cast<int16_t>(element)});
    }
  }
}

void WindowStream::add_operands(WindowBeat& beat) const {
  const MacRow row = order_.row(turn_->row);
  const int64_t first = order_.first_channel(beat.place.channel_tile);
  const int64_t channels = order_.num_channels(beat.place.channel_tile);
  const int64_t elements = order_.num_elements(beat.place.step);
  struct Operand {
    int64_t address;
    bool is_masked;
  };
  std::vector<Operand> of_pixel(static_cast<size_t>(elements));  // of the first channel
  for (int64_t pixel = 0; pixel < order_.pixels; ++pixel) {
    const bool is_filled_up = row.first_column + pixel >= command_.out_columns;
    for (int64_t element = 0; element < elements; ++element) {
      const Position& at = operands_[static_cast<size_t>(pixel * elements + element)];
      of_pixel[static_cast<size_t>(element)] = {address_of(command_.input, order_.lanes, at.row, at.column, first),
                                                is_filled_up || !is_inside(at)};
    }
    for (int64_t lane = 0; lane < channels; ++lane) {
      for (int64_t element = 0; element < elements; ++element) {
        const Operand& operand = of_pixel[static_cast<size_t>(element)];
        const int64_t address = operand.address + lane * order_.activation_bytes;
        for (int64_t byte = 0; byte < order_.activation_bytes; ++byte) {
          beat.operands.push_back({address + byte, static_cast<int16_t>(pixel), static_cast<int16_t>(lane),
                                   static_cast<int16_t>(element), static_cast<int16_t>(byte), operand.is_masked});
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

WindowStream::Positions WindowStream::operands_of(const Turn& turn) const {
  return window_operands(command_, order_, turn.place, turn.row);
}

bool WindowStream::is_inside(const Position& at) const {
  return at.row >= 0 && at.row < command_.in_rows && at.column >= 0 && at.column < command_.in_columns;
}

std::vector<WindowStream::Positions> WindowStream::needed_for(const Positions& operands) const {
  Positions all = operands;
  sort_positions(all);
  if (static_cast<int64_t>(all.size()) <= order_.lanes) return {std::move(all)};
  const auto elements = static_cast<std::ptrdiff_t>(operands.size()) / order_.pixels;
  std::vector<Positions> of_pixel;
  for (int64_t pixel = 0; pixel < order_.pixels; ++pixel) {
    const auto begin = operands.begin() + pixel * elements;
    sort_positions(of_pixel.emplace_back(begin, begin + elements));
  }
  return of_pixel;
}

}  // namespace vernier::sequence
