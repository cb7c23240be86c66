// SPDX-License-Identifier: Apache-2.0
#include "hw/sequence/weight_stream.hpp"

#include "hw/base/element_type.hpp"
#include "hw/base/quantity.hpp"

#include <algorithm>

namespace vernier::sequence {

WeightStream::WeightStream(const spec::MacCommand& command, const spec::Datapath& datapath)
    : command_(command),
      order_(command, datapath),
      word_bytes_(datapath.word_bytes()),
      beat_words_(std::min(spec::kWeightLoadWords, datapath.sram_read_words)) {}

bool WeightStream::next(WeightBeat& beat) {
  if (next_word_ == words_.size()) {
    if (!place_) return false;
    gather_tile();
  }
  const size_t end = std::min(next_word_ + static_cast<size_t>(beat_words_), words_.size());
  beat.place = tile_;
  beat.words.clear();
  const size_t first_byte = next_word_ == 0 ? 0 : words_[next_word_ - 1].bytes_end;
  for (; next_word_ < end; ++next_word_) beat.words.push_back(words_[next_word_].number);
  beat.bytes.assign(bytes_.begin() + static_cast<ptrdiff_t>(first_byte),
                    bytes_.begin() + static_cast<ptrdiff_t>(words_[end - 1].bytes_end));
  beat.is_last_of_tile = end == words_.size();
  return true;
}

void WeightStream::gather_tile() {
  words_.clear();
  bytes_.clear();
  next_word_ = 0;
  tile_ = *place_;
  const int64_t lanes = order_.num_channels(tile_.channel_tile);
  const bool is_packed_conv = command_.weight_order == spec::WeightOrder::Tiles && command_.mode == spec::MacMode::Conv;
  const int64_t elements = is_packed_conv ? order_.lanes : order_.num_elements(tile_.step);
  if (is_packed_conv || command_.weight_order == spec::WeightOrder::LaneMajor) {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      for (int64_t element = 0; element < elements; ++element) gather_element(lane, element);
    }
  } else {
    for (int64_t element = 0; element < elements; ++element) {
      for (int64_t lane = 0; lane < lanes; ++lane) gather_element(lane, element);
    }
  }
  do {
    if (!order_.advance(*place_)) place_.reset();
  } while (place_ && !order_.is_loaded(*place_));
}

void WeightStream::gather_element(int64_t lane, int64_t element) {
  const int64_t address = address_of_weight(lane, element);
  for (int64_t byte = 0; byte < order_.weight_bytes; ++byte) {
    const int64_t word = base::floor_div(address + byte, word_bytes_);
    if (words_.empty() || words_.back().number != word) words_.push_back({word, bytes_.size()});
    if (byte == tile_.weight_byte) {
      bytes_.push_back({address + byte, static_cast<int16_t>(lane), static_cast<int16_t>(element)});
    }
    words_.back().bytes_end = bytes_.size();
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
