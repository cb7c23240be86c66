// SPDX-License-Identifier: Apache-2.0
#include "hw/sequence/conv_stream.hpp"

#include "hw/base/element_type.hpp"
#include "hw/base/error.hpp"

#include <algorithm>

namespace vernier::sequence {

ConvStream::ConvStream(const spec::MacCommand& command, const spec::Datapath& datapath)
    : command_(command), order_(command, datapath), word_bytes_(datapath.word_bytes()) {
  VERNIER_CHECK(command.mode == spec::MacMode::Conv, "the activation stream of another mode");
}

bool ConvStream::next(ActivationBeat& beat) {
  if (!place_) return false;
  if (planned_step_ != place_->step) plan_step();
  const PlannedBeat& planned = plan_[next_beat_];
  if (next_beat_ == 0) begin_row();
  beat.place = *place_;
  beat.row = row_;
  beat.segments.clear();
  beat.words.clear();
  beat.bytes.clear();
  for (const Segment& segment : planned.segments) {
    beat.segments.push_back({address_ + segment.address, segment.bytes});
    append_words(beat.words, address_ + segment.address, segment.bytes, word_bytes_);
  }
  sort_words(beat.words);
  for (const PlannedByte& byte : planned.bytes) {
    beat.bytes.push_back({address_ + byte.offset, byte.pixel, byte.element, byte.byte, byte.segment, is_masked(byte)});
  }
  beat.is_last_of_row = ++next_beat_ == plan_.size();
  if (beat.is_last_of_row) move_on();
  return true;
}

void ConvStream::move_on() {
  next_beat_ = 0;
  if (++row_ < order_.end_row(place_->row_tile)) return;
  if (!order_.advance(*place_)) {
    place_.reset();
    return;
  }
  row_ = order_.first_row(place_->row_tile);
}

void ConvStream::begin_row() {
  const MacRow row = order_.row(row_);
  first_column_ = row.first_column;
  input_row_ = command_.origin_row + row.y * command_.stride_rows;
  input_column_ = command_.origin_column + row.first_column * command_.stride_columns;
  address_ = address_of(command_.input, order_.lanes, input_row_, input_column_, 0);
}

bool ConvStream::is_masked(const PlannedByte& byte) const {
  const Tap& tap = taps_[static_cast<size_t>(byte.element)];
  const int64_t out_column = first_column_ + byte.pixel;
  const int64_t y = input_row_ + tap.row;
  const int64_t x = input_column_ + byte.pixel * command_.stride_columns + tap.column;
  return out_column >= command_.out_columns || y < 0 || y >= command_.in_rows || x < 0 || x >= command_.in_columns;
}

void ConvStream::plan_step() {
  planned_step_ = place_->step;
  taps_.clear();
  for (int64_t element = 0; element < order_.num_elements(planned_step_); ++element) {
    const int64_t tap = (order_.first_element(planned_step_) + element) / command_.in_channels;
    taps_.push_back(
        {tap / command_.kernel_columns * command_.dilation_rows, tap % command_.kernel_columns * command_.dilation_columns});
  }
  plan_.clear();
  int64_t num_segments = 0;
  for (std::vector<PlannedRun>& pixels : runs_of_step()) {
    while (true) {
      std::erase_if(pixels, [](const PlannedRun& run) { return run.is_taken(); });
      if (pixels.empty()) break;
      const int64_t begin = std::ranges::min_element(pixels, {}, &PlannedRun::offset)->offset();
      if (num_segments++ % spec::kActivationSegments == 0) plan_.emplace_back();
      PlannedBeat& beat = plan_.back();
      int64_t end = begin;
      for (PlannedRun& run : pixels) {
        for (; !run.is_taken() && run.offset() < begin + word_bytes_; ++run.num_taken) {
          end = std::max(end, run.offset() + 1);
          beat.bytes.push_back(run.bytes[run.num_taken]);
          beat.bytes.back().segment = static_cast<int16_t>(beat.segments.size());
        }
      }
      beat.segments.push_back({begin, end - begin});
    }
  }
}

std::vector<std::vector<ConvStream::PlannedRun>> ConvStream::runs_of_step() const {
  std::vector<std::vector<PlannedRun>> runs;
  spec::FeatureMap from_row = command_.input;
  from_row.base = 0;
  for (size_t element = 0; element < taps_.size(); ++element) {
    const Tap& tap = taps_[element];
    const int64_t channel = (order_.first_element(planned_step_) + static_cast<int64_t>(element)) % command_.in_channels;
    if (element == 0 || !goes_on(static_cast<int64_t>(element))) runs.emplace_back(static_cast<size_t>(order_.pixels));
    for (int64_t pixel = 0; pixel < order_.pixels; ++pixel) {
      const int64_t offset =
          address_of(from_row, order_.lanes, tap.row, pixel * command_.stride_columns + tap.column, channel);
      std::vector<PlannedByte>& bytes = runs.back()[static_cast<size_t>(pixel)].bytes;
      for (int64_t byte = 0; byte < order_.activation_bytes; ++byte) {
        bytes.push_back(
            {offset + byte, static_cast<int16_t>(pixel), static_cast<int16_t>(element), static_cast<int16_t>(byte), 0});
      }
    }
  }
  return runs;
}

bool ConvStream::goes_on(int64_t element) const {
  const spec::MacCommand& m = command_;
  const int64_t r = order_.first_element(planned_step_) + element;
  const bool has_joined_blocks =
      m.in_channels <= order_.lanes || m.input.block_pitch_bytes == order_.lanes * order_.activation_bytes;
  const int64_t channel = r % m.in_channels;
  if (channel != 0) return has_joined_blocks || channel % order_.lanes != 0;
  const bool is_along_rows = m.kernel_columns == 1;
  const int64_t pitch_bytes = is_along_rows ? m.input.row_pitch_bytes : m.input.pixel_pitch_bytes;
  const int64_t dilation = is_along_rows ? m.dilation_rows : m.dilation_columns;
  const bool is_same_line = is_along_rows || r / m.in_channels % m.kernel_columns != 0;
  return is_same_line && has_joined_blocks && dilation == 1 && pitch_bytes == m.in_channels * order_.activation_bytes;
}

}  // namespace vernier::sequence
