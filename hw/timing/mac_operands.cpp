// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/mac_operands.hpp"

#include "hw/base/division.hpp"
#include "hw/base/element_type.hpp"
#include "hw/spec/latency.hpp"
#include "hw/spec/packed_weights.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

namespace vernier::timing {

using base::floor_div;
using base::floor_mod;

MacWeights::MacWeights(const spec::MacCommand& command, const spec::Datapath& datapath, const MacShape& shape)
    : command_(command),
      shape_(shape),
      word_bytes_(datapath.word_bytes()),
      period_bytes_(bank_period_bytes(datapath)),
      width_(std::min(spec::kWeightLoadWords, datapath.sram_read_words)) {}

std::vector<AccessCost> MacWeights::costs(int64_t channel_tile) const {
  // Tiles that lie alike cost the same, and most lie as the one before.
  const auto lie_alike = [this](const TileRows& a, const TileRows& b) {
    return a.bytes == b.bytes && a.count == b.count && floor_mod(a.begin - b.begin, period_bytes_) == 0;
  };
  std::vector<AccessCost> result;
  result.reserve(static_cast<size_t>(shape_.steps));
  TileRows before{};
  for (int64_t step = 0; step < shape_.steps; ++step) {
    const TileRows rows = rows_of(channel_tile, step);
    result.push_back(step > 0 && lie_alike(rows, before) ? result.back() : cost_of(rows));
    before = rows;
  }
  return result;
}

MacWeights::TileRows MacWeights::rows_of(int64_t channel_tile, int64_t step) const {
  const bool is_packed = command_.weight_order == spec::WeightOrder::Tiles;
  return is_packed ? packed_rows(channel_tile, step) : strided_rows(channel_tile, step);
}

void MacWeights::add_beats(int64_t channel_tile, int64_t step, BankPlay& to) const {
  std::ignore = cost_of(rows_of(channel_tile, step), &to);
}

MacWeights::TileRows MacWeights::packed_rows(int64_t channel_tile, int64_t step) const {
  const int64_t lanes = shape_.channels_of(channel_tile);
  const bool is_conv = command_.mode == spec::MacMode::Conv;
  const auto bytes_of = [&](int64_t elements) { return spec::tile_row_bytes(command_.weight_type, elements); };
  if (is_conv) {
    const int64_t rows_before = channel_tile * shape_.tile_channels * shape_.steps + step * lanes;
    const int64_t bytes = bytes_of(shape_.lanes);
    return {command_.weight_base + rows_before * bytes, bytes, bytes, lanes};
  }
  const int64_t taps = command_.reduction_end - command_.reduction_begin, bytes = bytes_of(lanes);
  const int64_t before = channel_tile * taps * bytes_of(shape_.tile_channels) + step * shape_.lanes * bytes;
  return {command_.weight_base + before, bytes, bytes, shape_.reduction_end(step) - shape_.reduction_begin(step)};
}

MacWeights::TileRows MacWeights::strided_rows(int64_t channel_tile, int64_t step) const {
  const int64_t element_bytes = base::stored_bytes(command_.weight_type), pitch = command_.weight_pitch_bytes;
  const int64_t first_lane = channel_tile * shape_.tile_channels, lanes = shape_.channels_of(channel_tile);
  const int64_t first_element = shape_.reduction_begin(step), elements = shape_.reduction_end(step) - first_element;
  if (command_.weight_order == spec::WeightOrder::LaneMajor) {
    return {command_.weight_base + first_lane * pitch + first_element * element_bytes, pitch, elements * element_bytes,
            lanes};
  }
  return {command_.weight_base + first_element * pitch + first_lane * element_bytes, pitch, lanes * element_bytes, elements};
}

AccessCost MacWeights::cost_of(const TileRows& rows, BankPlay* to) const {
  AccessCost cost;
  std::vector<int64_t> read;  // by the beat
  int64_t beat_words = 0, beat_rows = 0, last_of_beat = 0;
  std::optional<int64_t> last_read;
  const auto end_beat = [&](bool is_last = false) {
    ++cost.cycles;
    if (to != nullptr) to->add_weight_beat(beat_of(read, is_last));
    cost.conflict_cycles += read.empty() ? 0 : conflicts_of_cycle(read);
    read.clear();
    beat_words = beat_rows = 0;
  };
  for (int64_t row = 0; row < rows.count; ++row) {
    const int64_t begin = rows.begin + row * rows.pitch_bytes, last = floor_div(begin + rows.bytes - 1, word_bytes_);
    if (beat_rows == spec::kWeightLoadRows) end_beat();
    ++beat_rows;
    for (int64_t word = floor_div(begin, word_bytes_); word <= last; ++word) {
      if (beat_words > 0 && word == last_of_beat) continue;
      if (beat_words == width_) {
        end_beat();
        beat_rows = 1;
      }
      ++beat_words;
      last_of_beat = word;
      if (last_read == word) continue;
      last_read = word;
      read.push_back(word);
      ++cost.words;
    }
  }
  end_beat(true);
  return cost;
}

int64_t parameter_words(const spec::MacCommand& command, const MacShape& shape, int64_t channel_tile, int64_t word_bytes) {
  const Run run{command.parameter_base + channel_tile * shape.tile_channels * spec::kChannelParameterBytes,
                shape.channels_of(channel_tile) * spec::kChannelParameterBytes};
  return words_touched(run, word_bytes);
}

MacDrain::MacDrain(const spec::MacCommand& command, const spec::Datapath& datapath, const MacShape& shape)
    : command_(command),
      shape_(shape),
      word_bytes_(datapath.word_bytes()),
      period_bytes_(bank_period_bytes(datapath)),
      write_words_(datapath.sram_write_words),
      rescales_((command.rescale ? 1 : 0) + (command.residual ? 3 : 0)),  // own, addend, sum
      tables_(command.table ? 1 : 0),
      output_tiles_(shape, command, command.output.base, command.output.row_pitch_bytes,
                    shape.pixels * command.output.pixel_pitch_bytes, period_bytes_),
      addend_tiles_(shape, command, command.addend.base, command.addend.row_pitch_bytes,
                    shape.pixels * command.addend.pixel_pitch_bytes, period_bytes_) {}

std::vector<Run> MacDrain::row_runs(const spec::FeatureMap& map, int64_t channels) const {
  std::vector<Run> runs;
  for (int64_t p = 0; p < shape_.pixels; ++p) {
    runs.push_back({p * map.pixel_pitch_bytes, channels * base::stored_bytes(map.type)});
  }
  return union_of(std::move(runs));
}

int64_t MacDrain::offset_of(const spec::FeatureMap& map, int64_t channel_tile) const {
  const int64_t channel = channel_tile * shape_.tile_channels;
  return channel / shape_.lanes * map.block_pitch_bytes + channel % shape_.lanes * base::stored_bytes(map.type);
}

const BankBeat& MacDrain::row_beat(const spec::FeatureMap& map, const RowPlace& place, int64_t channel_tile,
                                   KnownBeats& known) const {
  const int64_t address = floor_mod(map.base + offset_of(map, channel_tile) + place.y * map.row_pitch_bytes +
                                        place.group * shape_.pixels * map.pixel_pitch_bytes,
                                    period_bytes_);
  const int64_t channels = shape_.channels_of(channel_tile);
  const auto [beat, is_new] = known.try_emplace({address, channels});
  if (is_new) {
    std::vector<int64_t> words;
    words_of(row_runs(map, channels), address, word_bytes_, words);
    beat->second = beat_of(words, true);
  }
  return beat->second;
}

void MacDrain::add_rows(int64_t channel_tile, int64_t row_tile, BankPlay& to) {
  const int64_t begin = row_tile * shape_.row_tile_rows, end = begin + shape_.rows_of(row_tile);
  for (int64_t row = begin; row < end; ++row) {
    const RowPlace place = place_of(shape_, command_, row);
    to.add_result(row_beat(command_.output, place, channel_tile, results_));
    if (command_.residual) to.add_addend(row_beat(command_.addend, place, channel_tile, addends_));
  }
}

DrainCost MacDrain::cost(int64_t channel_tile, int64_t row_tile) const {
  const int64_t rows = shape_.rows_of(row_tile);
  const int64_t channels = shape_.channels_of(channel_tile);
  DrainCost total;
  const int64_t datapath_of_row = row_cycles();
  total.datapath_cycles = datapath_of_row * rows;
  total.rescale_vectors = rescales_ * rows;
  total.table_vectors = tables_ * rows;

  std::vector<int64_t> words;
  const std::vector<Run> output = row_runs(command_.output, channels);
  for (const TileResidues::Count& count : output_tiles_.classes()[output_tiles_.class_of(row_tile)]) {
    words_of(output, count.residue + offset_of(command_.output, channel_tile), word_bytes_, words);
    const AccessCost row = cost_in_order(words, write_words_);
    total.write_words += row.words * count.rows;
    total.ported_cycles += std::max(datapath_of_row, row.cycles) * count.rows;
  }
  if (command_.residual) {
    const std::vector<Run> addend = row_runs(command_.addend, channels);
    for (const TileResidues::Count& count : addend_tiles_.classes()[addend_tiles_.class_of(row_tile)]) {
      words_of(addend, count.residue + offset_of(command_.addend, channel_tile), word_bytes_, words);
      total.addend_words += static_cast<int64_t>(words.size()) * count.rows;
    }
  }
  return total;
}

int64_t MacDrain::fill_cycles() const {
  // Rescales in sequence: the channel's; own and addend side by side; the sum.
  const int64_t rescales = (command_.rescale ? 1 : 0) + (command_.residual ? 2 : 0);
  // Accumulators that leave as they are pass one register.
  return std::max(int64_t{1}, rescales * spec::kRescalePipelineCycles + tables_ * spec::kTablePipelineCycles);
}

}  // namespace vernier::timing
