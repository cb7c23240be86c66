// SPDX-License-Identifier: Apache-2.0
#include "hw/sequence/window_stream.hpp"

#include "hw/base/element_type.hpp"
#include "hw/base/error.hpp"

namespace vernier::sequence {

WindowStream::WindowStream(const spec::MacCommand& command, const spec::Datapath& datapath)
    : command_(command),
      order_(command, datapath),
      word_bytes_(datapath.word_bytes()),
      line_rows_(command.slide_rows ? command.out_rows : order_.row_groups) {
  VERNIER_CHECK(command.mode == spec::MacMode::Depthwise, "the windows of another mode");
}

bool WindowStream::next(WindowRow& row) {
  if (!place_) return false;
  row.place = *place_;
  row.row = row_;
  const MacRow at = order_.row(row_);
  enter(at, row);
  add_bytes(at, row);
  move_on();
  return true;
}

void WindowStream::enter(const MacRow& row, WindowRow& into) {
  std::vector<Positions> needed = needed_by(row, true);
  bool keeps_line = fits(needed.front());
  if (order_.pixels > 1 && !keeps_line) {
    needed = needed_by(row, false);
    keeps_line = fits(needed.front());
  }
  if (is_empty_) held_.assign(needed.size(), {});
  const int64_t first_channel = order_.first_channel(into.place.channel_tile) / command_.depth_multiplier;
  const int64_t last_channel =
      (order_.first_channel(into.place.channel_tile) + order_.num_channels(into.place.channel_tile) - 1) /
      command_.depth_multiplier;
  into.words.clear();
  for (size_t set = 0; set < needed.size(); ++set) {
    for (const Position& at : needed[set]) {
      if (held_[set].contains(at) || !is_inside(at)) continue;
      for (int64_t channel = first_channel; channel <= last_channel; ++channel) {
        const int64_t address = address_of(command_.input, order_.lanes, at.row, at.column, channel);
        for (int64_t byte = 0; byte < order_.activation_bytes; ++byte) append_word(into.words, address + byte, word_bytes_);
      }
    }
  }
  sort_words(into.words);
  // What came before this line is of no use to its next row, unless this row needs it, too.
  const bool begins = is_empty_ || row_ % line_rows_ == 0;
  for (size_t set = 0; set < needed.size(); ++set) {
    if (begins || !keeps_line) held_[set].clear();
    held_[set].merge(needed[set]);
  }
  is_empty_ = false;
}

void WindowStream::add_bytes(const MacRow& row, WindowRow& into) const {
  into.bytes.clear();
  for (int64_t pixel = 0; pixel < order_.pixels; ++pixel) {
    const bool is_filled_up = row.first_column + pixel >= command_.out_columns;
    for (int64_t lane = 0; lane < order_.num_channels(into.place.channel_tile); ++lane) {
      const int64_t channel = (order_.first_channel(into.place.channel_tile) + lane) / command_.depth_multiplier;
      for (int64_t element = 0; element < order_.num_elements(into.place.step); ++element) {
        const Position at = position_of(row, pixel, element);
        const int64_t address = address_of(command_.input, order_.lanes, at.row, at.column, channel);
        for (int64_t byte = 0; byte < order_.activation_bytes; ++byte) {
          into.bytes.push_back({address + byte, static_cast<int16_t>(pixel), static_cast<int16_t>(lane),
                                static_cast<int16_t>(element), static_cast<int16_t>(byte), is_filled_up || !is_inside(at)});
        }
      }
    }
  }
}

void WindowStream::move_on() {
  if (++row_ < order_.end_row(place_->row_tile)) return;
  const int64_t channel_tile = place_->channel_tile;
  if (!order_.advance(*place_)) {
    place_.reset();
    return;
  }
  row_ = order_.first_row(place_->row_tile);
  is_empty_ = order_.is_loaded(*place_) || place_->channel_tile != channel_tile;
}

WindowStream::Position WindowStream::position_of(const MacRow& row, int64_t pixel, int64_t element) const {
  const int64_t tap = order_.first_element(place_->step) + element;
  return {command_.origin_row + row.y * command_.stride_rows + tap / command_.kernel_columns * command_.dilation_rows,
          command_.origin_column + (row.first_column + pixel) * command_.stride_columns +
              tap % command_.kernel_columns * command_.dilation_columns};
}

bool WindowStream::is_inside(const Position& at) const {
  return at.row >= 0 && at.row < command_.in_rows && at.column >= 0 && at.column < command_.in_columns;
}

std::vector<WindowStream::Positions> WindowStream::needed_by(const MacRow& row, bool is_shared) const {
  std::vector<Positions> needed(static_cast<size_t>(is_shared ? 1 : order_.pixels));
  for (int64_t pixel = 0; pixel < order_.pixels; ++pixel) {
    for (int64_t element = 0; element < order_.num_elements(place_->step); ++element) {
      needed[static_cast<size_t>(is_shared ? 0 : pixel)].insert(position_of(row, pixel, element));
    }
  }
  return needed;
}

bool WindowStream::fits(const Positions& positions) const {
  std::set<int64_t> along, across;
  for (const Position& at : positions) {
    along.insert(command_.slide_rows ? at.row : at.column);
    across.insert(command_.slide_rows ? at.column : at.row);
  }
  const int64_t extent = *along.rbegin() - *along.begin() + 1;
  return extent * static_cast<int64_t>(across.size()) <= order_.lanes;
}

}  // namespace vernier::sequence
