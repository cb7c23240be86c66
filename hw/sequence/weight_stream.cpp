// SPDX-License-Identifier: Apache-2.0
#include "hw/sequence/weight_stream.hpp"

#include "hw/base/division.hpp"
#include "hw/base/element_type.hpp"

#include <algorithm>

namespace vernier::sequence {

WeightStream::WeightStream(const spec::MacCommand& command, const spec::Datapath& datapath)
    : command_(command),
      order_(command, datapath),
      word_bytes_(datapath.word_bytes()),
      beat_words_(std::min(spec::kWeightLoadWords, datapath.sram_read_words)) {}

bool WeightStream::next(WeightBeat& beat) {
  if (next_byte_ == bytes_.size()) {
    if (!place_) return false;
    gather_tile();
  }
  beat.place = tile_;
  beat.words.clear();
  beat.bytes.clear();
  int64_t num_words = 0, num_rows = 0, word = 0;
  std::optional<int64_t> word_before, row_before;
  for (; next_byte_ < bytes_.size(); ++next_byte_) {
    const Byte& byte = bytes_[next_byte_];
    const int64_t in_word = byte.cell.address - word * word_bytes_;
    if (!word_before || in_word < 0 || in_word >= word_bytes_) word = base::floor_div(byte.cell.address, word_bytes_);
    const int64_t row = is_lane_wise_ ? byte.cell.lane : byte.cell.element;
    num_words += word_before == word ? 0 : 1;
    num_rows += row_before == row ? 0 : 1;
    if (num_words > beat_words_ || num_rows > spec::kWeightLoadRows) break;
    word_before = word;
    row_before = row;
    if (last_word_ != word) beat.words.push_back(word);
    last_word_ = word;
    if (byte.is_of_tile) beat.bytes.push_back(byte.cell);
  }
  beat.is_last_of_tile = next_byte_ == bytes_.size();
  return true;
}

void WeightStream::gather_tile() {
  bytes_.clear();
  next_byte_ = 0;
  last_word_.reset();
  tile_ = *place_;
  const int64_t lanes = order_.num_channels(tile_.channel_tile);
  const bool is_packed_conv = command_.weight_order == spec::WeightOrder::Tiles && command_.mode == spec::MacMode::Conv;
  const int64_t elements = is_packed_conv ? order_.lanes : order_.num_elements(tile_.step);
  is_lane_wise_ = is_packed_conv || command_.weight_order == spec::WeightOrder::LaneMajor;
  find_next_place();
  if (command_.weight_type == base::ElementType::Int4) return gather_int4(lanes);
  const int64_t address = address_of_weight(0, 0);
  const int64_t lane_pitch = address_of_weight(1, 0) - address, element_pitch = address_of_weight(0, 1) - address;
  const auto gather = [&](int64_t lane, int64_t element) {
    const int64_t at = address + lane * lane_pitch + element * element_pitch;
    for (int64_t byte = 0; byte < order_.weight_bytes; ++byte) {
      bytes_.push_back({{at + byte, static_cast<int16_t>(lane), static_cast<int16_t>(element)}, byte == tile_.weight_byte});
    }
  };
  if (is_lane_wise_) {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      for (int64_t element = 0; element < elements; ++element) gather(lane, element);
    }
  } else {
    for (int64_t element = 0; element < elements; ++element) {
      for (int64_t lane = 0; lane < lanes; ++lane) gather(lane, element);
    }
  }
}

void WeightStream::find_next_place() {
  do {
    if (!order_.advance(*place_)) place_.reset();
  } while (place_ && !order_.is_loaded(*place_));
}

void WeightStream::gather_int4(int64_t lanes) {
  const bool is_conv = command_.mode == spec::MacMode::Conv;
  const int64_t taps = command_.reduction_end - command_.reduction_begin;
  const int64_t in_row = is_conv ? order_.lanes : lanes, rows = is_conv ? lanes : order_.num_elements(tile_.step);
  const int64_t in_whole_row = base::round_up(in_row, int64_t{2});
  // Rows of all channel tiles before this one have an even number of weights: only the last one may have an odd number.
  const int64_t before = order_.first_channel(tile_.channel_tile) * (is_conv ? order_.num_steps * order_.lanes : taps) +
                         tile_.step * order_.lanes * (is_conv ? lanes : in_whole_row);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < in_row; ++i) {
      const int64_t half = before + row * in_whole_row + i;
      const auto lane = static_cast<int16_t>(is_conv ? row : i), element = static_cast<int16_t>(is_conv ? i : row);
      bytes_.push_back({{command_.weight_base + half / 2, lane, element, static_cast<int16_t>(half % 2)}, true});
    }
  }
}

int64_t WeightStream::address_of_weight(int64_t lane, int64_t element) const {
  const int64_t first_channel = order_.first_channel(tile_.channel_tile);
  const int64_t r = order_.first_element(tile_.step) + element;
  switch (command_.weight_order) {
    case spec::WeightOrder::LaneMajor:
      return command_.weight_base + (first_channel + lane) * command_.weight_pitch_bytes + r * order_.weight_bytes;
    case spec::WeightOrder::TapMajor:
      return command_.weight_base + r * command_.weight_pitch_bytes + (first_channel + lane) * order_.weight_bytes;
    default: break;
  }
  const int64_t lanes = order_.num_channels(tile_.channel_tile);
  const bool is_conv = command_.mode == spec::MacMode::Conv;
  const int64_t taps = command_.reduction_end - command_.reduction_begin;
  const int64_t before =
      first_channel * (is_conv ? order_.num_steps * order_.lanes : taps) + tile_.step * order_.lanes * lanes;
  const int64_t within = is_conv ? lane * order_.lanes + element : element * lanes + lane;
  return command_.weight_base + (before + within) * order_.weight_bytes;
}

}  // namespace vernier::sequence
