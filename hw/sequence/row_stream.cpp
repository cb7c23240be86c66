// SPDX-License-Identifier: Apache-2.0
#include "hw/sequence/row_stream.hpp"

#include "hw/base/element_type.hpp"

#include <algorithm>

namespace vernier::sequence {

ParameterStream::ParameterStream(const spec::MacCommand& command, const spec::Datapath& datapath)
    : command_(command), order_(command, datapath), word_bytes_(datapath.word_bytes()) {}

bool ParameterStream::next(ParameterBeat& beat) {
  if (!command_.last || channel_tile_ == order_.num_channel_tiles) return false;
  beat.channel_tile = channel_tile_;
  beat.words.clear();
  beat.channels.clear();
  for (int64_t lane = 0; lane < order_.num_channels(channel_tile_); ++lane) {
    const int64_t channel = order_.first_channel(channel_tile_) + lane;
    const int64_t address = command_.parameter_base + channel * spec::kChannelParameterBytes;
    append_words(beat.words, address, spec::kChannelParameterBytes, word_bytes_);
    beat.channels.push_back({address, static_cast<int16_t>(lane)});
  }
  ++channel_tile_;
  return true;
}

RowStream::RowStream(const spec::MacCommand& command, const spec::Datapath& datapath, const spec::FeatureMap& map,
                     bool has_beats)
    : command_(command), map_(map), order_(command, datapath), word_bytes_(datapath.word_bytes()) {
  if (has_beats) place_.emplace();
}

bool RowStream::next(RowBeat& beat) {
  if (!place_) return false;
  beat.place = *place_;
  beat.row = row_;
  beat.words.clear();
  beat.elements.clear();
  const MacRow row = order_.row(row_);
  const int64_t pixels = std::min(order_.pixels, command_.out_columns - row.first_column);
  const int64_t channels = order_.num_channels(place_->channel_tile);
  const int64_t element_bytes = base::stored_bytes(map_.type);
  for (int64_t pixel = 0; pixel < pixels; ++pixel) {
    const int64_t first = order_.first_channel(place_->channel_tile);
    const int64_t address = address_of(map_, order_.lanes, row.y, row.first_column + pixel, first);
    append_words(beat.words, address, channels * element_bytes, word_bytes_);
    for (int64_t lane = 0; lane < channels; ++lane) {
      beat.elements.push_back({address + lane * element_bytes, static_cast<int16_t>(pixel), static_cast<int16_t>(lane)});
    }
  }
  sort_words(beat.words);
  beat.is_last_of_tile = ++row_ == order_.end_row(place_->row_tile);
  if (!beat.is_last_of_tile) return true;
  if (++place_->row_tile == order_.num_row_tiles) {
    place_->row_tile = 0;
    row_ = 0;
    if (++place_->channel_tile == order_.num_channel_tiles) place_.reset();
  }
  return true;
}

}  // namespace vernier::sequence
