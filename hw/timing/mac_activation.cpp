// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/mac_activation.hpp"

#include "hw/base/division.hpp"

#include <algorithm>

namespace vernier::timing {

namespace {

int64_t address_of_origin(const spec::MacCommand& command) {
  return command.input.base + command.origin_row * command.input.row_pitch_bytes +
         command.origin_column * command.input.pixel_pitch_bytes;
}

/// How many of `count` places first, first + stride, ... have all from `low` to `high` behind them inside [0, end).
int64_t num_inside(int64_t first, int64_t stride, int64_t count, int64_t low, int64_t high, int64_t end) {
  const int64_t begin = std::max(int64_t{0}, base::ceil_div(-(first + low), stride));
  const int64_t stop = std::min(count, base::floor_div(end - 1 - first - high, stride) + 1);
  return std::max(int64_t{0}, stop - begin);
}

}  // namespace

MacActivation::MacActivation(const spec::MacCommand& command, const spec::Datapath& datapath, const MacShape& shape)
    : command_(command),
      shape_(shape),
      word_bytes_(datapath.word_bytes()),
      period_bytes_(bank_period_bytes(datapath)),
      read_words_(datapath.sram_read_words) {
  if (command.mode == spec::MacMode::Conv) {
    prepare_conv();
  } else {
    windows_.emplace(command, datapath, shape);
  }
}

std::span<const AccessCost> MacActivation::costs(int64_t channel_tile, int64_t row_tile, int64_t step) {
  if (windows_) return windows_->costs(channel_tile, row_tile, step);
  return {&conv_[class_of_tile_[static_cast<size_t>(row_tile)]][static_cast<size_t>(step)], 1};
}

int64_t MacActivation::add_beats(int64_t row_tile, int64_t step, BankPlay* to) {
  int64_t num = 0;
  if (windows_) {
    for (const std::vector<BankBeat>* line : windows_->beats()) {
      num += std::ssize(*line);
      if (to == nullptr) continue;
      for (const BankBeat& beat : *line) to->add_row_beat(beat);
    }
    return num;
  }
  const std::vector<Run>& segments = segments_[static_cast<size_t>(step)];
  const int64_t beats_of_row = base::ceil_div(std::ssize(segments), int64_t{spec::kActivationSegments});
  const int64_t rows = shape_.rows_of(row_tile);
  if (to == nullptr) return rows * beats_of_row;
  std::vector<std::vector<BankBeat>>& of_residue = beats_[static_cast<size_t>(step)];
  of_residue.resize(static_cast<size_t>(period_bytes_));
  std::vector<int64_t> words;
  const int64_t begin = row_tile * shape_.row_tile_rows;
  for (int64_t row = begin; row < begin + rows; ++row) {
    const RowPlace place = place_of(shape_, command_, row);
    const int64_t address = address_of_origin(command_) + place.y * command_.stride_rows * command_.input.row_pitch_bytes +
                            place.group * shape_.pixels * command_.stride_columns * command_.input.pixel_pitch_bytes;
    const int64_t residue = base::floor_mod(address, period_bytes_);
    std::vector<BankBeat>& beats = of_residue[static_cast<size_t>(residue)];
    if (beats.empty()) {
      constexpr auto kWidth = static_cast<size_t>(spec::kActivationSegments);
      for (size_t at = 0; at < segments.size(); at += kWidth) {
        words_of(std::span(segments).subspan(at, std::min(kWidth, segments.size() - at)), residue, word_bytes_, words);
        beats.push_back(beat_of(words, at + kWidth >= segments.size()));
      }
    }
    for (const BankBeat& beat : beats) to->add_row_beat(beat);
  }
  return rows * beats_of_row;
}

AccessCost MacActivation::cost(int64_t channel_tile, int64_t row_tile, int64_t step) {
  AccessCost sum;
  for (const AccessCost& cost : costs(channel_tile, row_tile, step)) sum.add(cost);
  return sum;
}

int64_t MacActivation::rows_in_padding(int64_t first_step, int64_t last_step) const {
  const int64_t first = shape_.reduction_begin(first_step) / command_.in_channels;
  const int64_t last = (shape_.reduction_end(last_step) - 1) / command_.in_channels;
  const int64_t top = first / command_.kernel_columns, bottom = last / command_.kernel_columns;
  const bool is_one_row = top == bottom;  // of the kernel; more have its first and its last column among them
  const int64_t left = is_one_row ? first % command_.kernel_columns : 0;
  const int64_t right = is_one_row ? last % command_.kernel_columns : command_.kernel_columns - 1;
  const int64_t rows = num_inside(command_.origin_row, command_.stride_rows, command_.out_rows, top * command_.dilation_rows,
                                  bottom * command_.dilation_rows, command_.in_rows);
  const int64_t groups =
      num_inside(command_.origin_column, shape_.pixels * command_.stride_columns, command_.out_columns / shape_.pixels,
                 left * command_.dilation_columns,
                 (shape_.pixels - 1) * command_.stride_columns + right * command_.dilation_columns, command_.in_columns);
  return shape_.rows - rows * groups;
}

int64_t MacActivation::padding_cycles() const {
  if (windows_) return windows_->filled_words();
  if (rows_in_padding(0, shape_.steps - 1) == 0) return 0;
  int64_t slots = 0;
  for (int64_t step = 0; step < shape_.steps; ++step) {
    slots += rows_in_padding(step, step) * most_slots_[static_cast<size_t>(step)];
  }
  return base::ceil_div(slots * shape_.channel_tiles * shape_.weight_tiles, read_words_);
}

void MacActivation::prepare_conv() {
  const TileResidues tiles(shape_, command_, address_of_origin(command_),
                           command_.stride_rows * command_.input.row_pitch_bytes,
                           shape_.pixels * command_.stride_columns * command_.input.pixel_pitch_bytes, period_bytes_);
  for (int64_t tile = 0; tile < shape_.row_tiles; ++tile) class_of_tile_.push_back(tiles.class_of(tile));
  conv_.assign(tiles.classes().size(), std::vector<AccessCost>(static_cast<size_t>(shape_.steps)));
  most_slots_.assign(static_cast<size_t>(shape_.steps), 0);
  std::vector<AccessCost> of_residue(static_cast<size_t>(period_bytes_));
  std::vector<int64_t> known_for_step(static_cast<size_t>(period_bytes_), -1);
  beats_.resize(static_cast<size_t>(shape_.steps));
  std::vector<int64_t> words;
  for (int64_t step = 0; step < shape_.steps; ++step) {
    const std::vector<Run> segments = conv_segments(step);
    segments_.push_back(segments);
    if (step == 0) has_long_first_row_ = segments.size() > static_cast<size_t>(spec::kActivationSegments);
    for (size_t c = 0; c < tiles.classes().size(); ++c) {
      AccessCost& total = conv_[c][static_cast<size_t>(step)];
      for (const TileResidues::Count& count : tiles.classes()[c]) {
        const auto residue = static_cast<size_t>(count.residue);
        if (known_for_step[residue] != step) {
          known_for_step[residue] = step;
          of_residue[residue] = conv_row(segments, count.residue, words);
          const AccessCost& made = of_residue[residue];
          int64_t& most = most_slots_[static_cast<size_t>(step)];
          most = std::max({most, (made.cycles + made.conflict_cycles) * read_words_, made.words});
        }
        const AccessCost& row = of_residue[residue];
        total.add(row, count.rows);
      }
    }
  }
}

int64_t MacActivation::run_elements(int64_t r) const {
  const spec::FeatureMap& input = command_.input;
  const int64_t element_bytes = base::stored_bytes(input.type), tap_bytes = command_.in_channels * element_bytes;
  const int64_t channel = r % command_.in_channels;
  if (command_.in_channels > shape_.lanes && input.block_pitch_bytes != shape_.lanes * element_bytes)
    return std::min(command_.in_channels - channel, shape_.lanes - channel % shape_.lanes);
  const bool has_one_column = command_.kernel_columns == 1;
  const int64_t next_tap = has_one_column ? command_.dilation_rows : command_.dilation_columns;
  const int64_t pitch_bytes = has_one_column ? input.row_pitch_bytes : input.pixel_pitch_bytes;
  if (next_tap > 1 || pitch_bytes != tap_bytes) return command_.in_channels - channel;
  const int64_t line = (has_one_column ? command_.kernel_rows : command_.kernel_columns) * command_.in_channels;
  return line - r % line;
}

std::vector<MacActivation::PixelRun> MacActivation::conv_runs(int64_t step) const {
  const spec::FeatureMap& input = command_.input;
  const int64_t element_bytes = base::stored_bytes(input.type);
  std::vector<PixelRun> runs;
  for (int64_t r = shape_.reduction_begin(step); r < shape_.reduction_end(step);) {
    const int64_t tap = r / command_.in_channels, channel = r % command_.in_channels;
    const int64_t begin = tap / command_.kernel_columns * command_.dilation_rows * input.row_pitch_bytes +
                          tap % command_.kernel_columns * command_.dilation_columns * input.pixel_pitch_bytes +
                          channel / shape_.lanes * input.block_pitch_bytes + channel % shape_.lanes * element_bytes;
    const int64_t elements = std::min(run_elements(r), shape_.reduction_end(step) - r);
    runs.push_back({begin, elements * element_bytes});
    r += elements;
  }
  return runs;
}

std::vector<Run> MacActivation::conv_segments(int64_t step) const {
  const int64_t pixel_step = command_.stride_columns * command_.input.pixel_pitch_bytes;
  std::vector<Run> segments;
  for (const PixelRun& run : conv_runs(step)) {
    std::vector<PixelRun> remaining;
    for (int64_t p = 0; p < shape_.pixels; ++p) remaining.push_back({run.begin + p * pixel_step, run.bytes});
    while (!remaining.empty()) {
      int64_t begin = remaining.front().begin;
      for (const PixelRun& pixel : remaining) begin = std::min(begin, pixel.begin);
      int64_t end = begin;
      for (PixelRun& pixel : remaining) {
        if (pixel.begin >= begin + word_bytes_) continue;
        const int64_t stop = std::min(pixel.begin + pixel.bytes, begin + word_bytes_);
        end = std::max(end, stop);
        pixel = {stop, pixel.begin + pixel.bytes - stop};
      }
      std::erase_if(remaining, [](const PixelRun& pixel) { return pixel.bytes == 0; });
      segments.push_back({begin, end - begin});
    }
  }
  return segments;
}

AccessCost MacActivation::conv_row(const std::vector<Run>& segments, int64_t residue, std::vector<int64_t>& words) const {
  AccessCost row;
  constexpr auto kWidth = static_cast<size_t>(spec::kActivationSegments);
  for (size_t at = 0; at < segments.size(); at += kWidth) {
    const auto cycle = std::span(segments).subspan(at, std::min(kWidth, segments.size() - at));
    words_of(cycle, residue, word_bytes_, words);
    row.add({1, conflicts_of_cycle(words), static_cast<int64_t>(words.size())});
  }
  const int64_t with_conflicts = row.cycles + row.conflict_cycles;
  row.cycles = std::max(row.cycles, shape_.passes);
  row.conflict_cycles = std::max(int64_t{0}, with_conflicts - row.cycles);
  return row;
}

}  // namespace vernier::timing
