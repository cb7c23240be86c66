// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/stream/array_streams.hpp"

#include "hw/base/element_type.hpp"
#include "hw/base/error.hpp"
#include "hw/model/mac.hpp"
#include "sim/cosim/block/command_port.hpp"
#include "sim/cosim/stimulus/rescale_vectors.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace vernier::cosim {
namespace {

constexpr size_t kMostPartialSums = 8;

int64_t read_little_endian(const Work& array, int64_t address, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value |= uint64_t{array.byte_at(address + i)} << (8 * i);
  return static_cast<int64_t>(value);
}

}  // namespace

ArrayPins::ArrayPins(const ClockedBlock& block)
    : cmd(block.port("cmd_i")),
      wgt_word_valid(block.port("wgt_word_valid_i")),
      wgt_row(block.port("wgt_row_i")),
      wgt_data(block.port("wgt_data_i")),
      wgt_mask(block.port("wgt_mask_i")),
      wgt_last(block.port("wgt_last_i")),
      act_data(block.port("act_data_i")),
      act_offset(block.port("act_offset_i")),
      act_length(block.port("act_length_i")),
      act_to(block.port("act_to_i")),
      act_mask(block.port("act_mask_i")),
      act_last(block.port("act_last_i")),
      windows(block),
      prm(block.port("prm_i")),
      add(block.port("add_i")) {}

ArrayTraffic::ArrayTraffic(Work command, const spec::Datapath& datapath, const kernels::TableMemory& tables,
                           kernels::Accumulators& accumulators)
    : array_(std::move(command)),
      datapath_(datapath),
      order_(array_.mac(), datapath_),
      weights_(array_.mac(), datapath_),
      parameters_(array_.mac(), datapath_),
      addends_(sequence::RowStream::of_addends(array_.mac(), datapath_)),
      results_(sequence::RowStream::of_results(array_.mac(), datapath_)) {
  if (array_.mac().mode == spec::MacMode::Conv) {
    activations_.emplace(array_.mac(), datapath_);
  } else {
    windows_.emplace(array_, datapath_);
  }
  if (!array_.mac().first) kept_ = accumulators.values;
  kernels::WriteSet writes;
  kernels::run_mac(array_.mac(), datapath_, array_.bytes, tables, accumulators, writes);
  int64_t end = 0;
  for (const kernels::WriteSet::Run& run : writes.runs()) {
    const auto begin = static_cast<int64_t>(run.address.offset);
    image_base_ = end == 0 ? begin : std::min(image_base_, begin);
    end = std::max(end, begin + static_cast<int64_t>(run.bytes));
  }
  image_.resize(static_cast<size_t>(end - image_base_));
  for (const kernels::WriteSet::Run& run : writes.runs()) {
    std::ranges::copy(writes.bytes_of(run), image_.begin() + static_cast<int64_t>(run.address.offset) - image_base_);
  }
  take_weights();
  take_activations();
  take_parameters();
  take_addends();
}

void ArrayTraffic::drive_command(ArrayPins& pins) const {
  put_command(pins.cmd, array_.mac(), spec::PortFields::OfDatapath);
}

void ArrayTraffic::drive_weights(ArrayPins& pins, Random& random) const {
  const int64_t lanes = order_.lanes;
  pins.wgt_data.scramble(random);
  std::fill(pins.wgt_mask.bytes().begin(), pins.wgt_mask.bytes().end(), std::byte{0});
  std::vector<int16_t> rows;  // of the words
  const bool is_by_elements = is_element_wise();
  for (const sequence::WeightByte& byte : weight_beat_.bytes) {
    const int16_t row = is_by_elements ? byte.element : byte.lane;
    const int16_t in_row = is_by_elements ? byte.lane : byte.element;
    auto word = std::ranges::find(rows, row) - rows.begin();
    if (word == static_cast<int64_t>(rows.size())) rows.push_back(row);
    VERNIER_CHECK(word < spec::kWeightLoadWords, "a beat of weights has {} tile rows", rows.size());
    pins.wgt_data.set_field(word * lanes + in_row, 8, static_cast<uint8_t>(weight_at(byte, false)));
    pins.wgt_mask.set_field(word * lanes + in_row, 1, 1);
  }
  const int row_bits = spec::bits_to_count(static_cast<int>(lanes));
  for (int64_t word = 0; word < spec::kWeightLoadWords; ++word) {
    const bool is_there = word < static_cast<int64_t>(rows.size());
    const auto row = is_there ? static_cast<uint64_t>(rows[static_cast<size_t>(word)]) : random.bits();
    pins.wgt_word_valid.set_field(word, 1, is_there ? 1 : 0);
    pins.wgt_row.set_field(word, row_bits, row & static_cast<uint64_t>(lanes - 1));
  }
  pins.wgt_last.set(weight_beat_.is_last_of_tile ? 1 : 0);
}

int64_t ArrayTraffic::weight_at(const sequence::WeightByte& byte, bool is_signed) const {
  constexpr int kInt4Bits = 4;
  const int64_t stored = array_.byte_at(byte.address);
  if (array_.mac().weight_type == base::ElementType::Int4)
    return model::sign_extend(stored >> (kInt4Bits * byte.half), kInt4Bits);
  return is_signed ? model::sign_extend(stored, 8) : stored;
}

bool ArrayTraffic::is_element_wise() const {
  const spec::MacCommand& m = array_.mac();
  return m.weight_order == spec::WeightOrder::TapMajor ||
         (m.weight_order == spec::WeightOrder::Tiles && m.mode == spec::MacMode::Depthwise);
}

void ArrayTraffic::drive_activations(ArrayPins& pins, Random& random) const {
  pins.act_data.scramble(random);
  pins.act_mask.scramble(random);
  if (windows_) {
    windows_->drive(pins.windows, pins.act_data, pins.act_mask, random);
  } else {
    drive_segments(pins, random);
  }
  const bool is_last = windows_ ? windows_->beat().is_last_of_row : activation_beat_.is_last_of_row;
  pins.act_last.set(is_last ? 1 : 0);
}

void ArrayTraffic::drive_segments(ArrayPins& pins, Random& random) const {
  const int64_t lanes = order_.lanes;
  const int number_bits = spec::bits_to_count(2 * static_cast<int>(lanes));
  const int count_bits = spec::bits_to_count(static_cast<int>(lanes) + 1);
  const auto below = static_cast<uint64_t>(2 * lanes - 1);
  // The words of each segment, and of each pixel the run that it takes from them.
  std::vector<int64_t> first_bytes;
  for (const sequence::Segment& segment : activation_beat_.segments) {
    first_bytes.push_back(base::floor_div(segment.address, lanes) * lanes);
    const auto first = 2 * lanes * static_cast<int64_t>(first_bytes.size() - 1);
    put_bytes(pins.act_data, first, array_, first_bytes.back(), 2 * lanes);
  }
  std::array<uint64_t, spec::kActivationRuns> lengths{};
  for (int64_t run = 0; run < spec::kActivationRuns; ++run) {
    pins.act_offset.set_field(run, number_bits, random.bits() & below);
    pins.act_to.set_field(run, number_bits, random.bits() & below);
  }
  for (const sequence::ActivationByte& byte : activation_beat_.bytes) {
    const int64_t run = byte.pixel * spec::kActivationSegments + byte.segment;
    if (lengths[static_cast<size_t>(run)]++ == 0) {
      const int64_t offset = byte.address - first_bytes[static_cast<size_t>(byte.segment)];
      pins.act_offset.set_field(run, number_bits, static_cast<uint64_t>(offset));
      pins.act_to.set_field(run, number_bits, static_cast<uint64_t>(byte_of_step(byte, order_.activation_bytes)));
    }
    pins.act_mask.set_field(byte.pixel * lanes + byte.element, 1, byte.is_masked ? 1 : 0);
  }
  for (size_t run = 0; run < lengths.size(); ++run) {
    pins.act_length.set_field(static_cast<int64_t>(run), count_bits, lengths[run]);
  }
}

void ArrayTraffic::drive_parameters(ArrayPins& pins, Random& random) const {
  pins.prm.scramble(random);
  for (const sequence::ParameterBeat::Channel& channel : parameter_beat_.channels) {
    for (int64_t i = 0; i < spec::kChannelParameterBytes; ++i) {
      pins.prm.set_field(channel.lane * spec::kChannelParameterBytes + i, 8, array_.byte_at(channel.address + i));
    }
  }
}

void ArrayTraffic::drive_addends(ArrayPins& pins, Random& random) const {
  pins.add.scramble(random);
  for (const sequence::RowElement& element : addend_beat_.elements) {
    pins.add.set_field(lane_of(element), 8, array_.byte_at(element.address));
  }
}

bool ArrayTraffic::next_row(ArrayRow& row) {
  sequence::RowBeat beat;
  if (!results_.next(beat)) return false;
  row.lanes.clear();
  row.values.clear();
  row.addresses.clear();
  for (const sequence::RowElement& element : beat.elements) {
    row.lanes.push_back(lane_of(element));
    row.values.push_back(result_at(element.address));
    row.addresses.push_back(element.address);
  }
  row.place = beat.place;
  row.row = beat.row;
  row.row_tile_row = beat.row - order_.first_row(beat.place.row_tile);
  row.is_last_of_tile = beat.is_last_of_tile;
  row.is_last = beat.is_last_of_tile && beat.place.row_tile + 1 == order_.num_row_tiles &&
                beat.place.channel_tile + 1 == order_.num_channel_tiles;
  return true;
}

int64_t ArrayTraffic::result_at(int64_t address) const {
  const spec::MacCommand& m = array_.mac();
  const int bits = base::info(m.output.type).bits;
  uint64_t value = 0;
  for (int64_t i = 0; i < base::stored_bytes(m.output.type); ++i) {
    const auto at = static_cast<size_t>(address - image_base_ + i);
    VERNIER_CHECK(at < image_.size(), "the kernel writes nothing at {}", address + i);
    value |= std::to_integer<uint64_t>(image_[at]) << (8 * i);
  }
  // What the table gives is signed, whatever it was looked up with; a sum is not.
  if (m.output_is_unsigned && (!m.table || m.residual)) return model::zero_extend(static_cast<int64_t>(value), bits);
  return model::sign_extend(static_cast<int64_t>(value), bits);
}

template <typename Visit>
void ArrayTraffic::for_each_operand(const ArrayRow& row, int64_t lane, Visit visit) const {
  const int64_t pixel = lane / order_.tile_channels, lane_of_pixel = lane % order_.tile_channels;
  const auto is_of_row = [&](const auto& beat) {
    return beat.place.channel_tile == row.place.channel_tile && beat.row == row.row;
  };
  if (windows_) {
    sequence::WindowStream stream(array_.mac(), datapath_);
    for (sequence::WindowBeat beat; stream.next(beat);) {
      if (!is_of_row(beat)) continue;
      for (const sequence::WindowOperand& o : beat.operands) {
        if (o.pixel == pixel && o.lane == lane_of_pixel) visit(beat.place, o.address, o.element, o.byte, o.is_masked);
      }
    }
    return;
  }
  sequence::ConvStream stream(array_.mac(), datapath_);
  for (sequence::ActivationBeat beat; stream.next(beat);) {
    if (!is_of_row(beat)) continue;
    for (const sequence::ActivationByte& b : beat.bytes) {
      if (b.pixel == pixel) visit(beat.place, b.address, b.element, b.byte, b.is_masked);
    }
  }
}

std::string ArrayTraffic::explain(const ArrayRow& row, int64_t lane) const {
  const spec::MacCommand& m = array_.mac();
  const int64_t pixel = lane / order_.tile_channels, lane_of_pixel = lane % order_.tile_channels;
  const int64_t channel = order_.first_channel(row.place.channel_tile) + lane_of_pixel;
  // Weights of the lane and activations of the row, step by step and byte by byte.
  const auto is_high = [](int64_t byte, int64_t bytes) { return byte + 1 == bytes; };
  std::vector<std::vector<int64_t>> weights(static_cast<size_t>(order_.num_steps * order_.weight_bytes));
  for (auto& tile : weights) tile.resize(static_cast<size_t>(order_.lanes));
  const auto weights_of = [&](const sequence::MacPlace& place) -> std::vector<int64_t>& {
    return weights[static_cast<size_t>(place.step * order_.weight_bytes + place.weight_byte)];
  };
  sequence::WeightStream weight_stream(m, datapath_);
  for (sequence::WeightBeat beat; weight_stream.next(beat);) {
    if (beat.place.channel_tile != row.place.channel_tile) continue;
    for (const sequence::WeightByte& byte : beat.bytes) {
      if (byte.lane != lane_of_pixel) continue;
      const int64_t w = weight_at(byte, is_high(beat.place.weight_byte, order_.weight_bytes));
      weights_of(beat.place)[static_cast<size_t>(byte.element)] = w - m.weight_zero_point;
    }
  }
  std::vector<int64_t> sums(static_cast<size_t>(order_.num_steps));
  int64_t masked = 0;
  for_each_operand(
      row, lane, [&](const sequence::MacPlace& place, int64_t address, int64_t element, int64_t byte, bool is_masked) {
        masked += is_masked && byte == 0 && place.weight_byte == 0 ? 1 : 0;
        if (is_masked) return;
        const bool is_signed = !m.input_is_unsigned && is_high(byte, order_.activation_bytes);
        const int64_t x = is_signed ? array_.signed_byte_at(address) : array_.byte_at(address);
        const int64_t w = weights_of(place)[static_cast<size_t>(element)];
        sums[static_cast<size_t>(place.step)] += ((x - m.input_zero_point) * w) << (8 * (byte + place.weight_byte));
      });
  const sequence::MacRow at = order_.row(row.row);
  const auto kept_idx = static_cast<size_t>((at.y * m.out_columns + at.first_column + pixel) * m.out_channels + channel);
  int64_t accumulator = kept_idx < kept_.size() ? kept_[kept_idx] : 0;
  std::string text = fmt::format(
      "row {}, {}channel {} of {} x {} x {}; input {} x {} x {}, kernel {} x {}, stride {} x {}, dilation {} x {}, origin "
      "{}, "
      "{}; ",
      row.row, order_.pixels > 1 ? fmt::format("pixel {}, ", pixel) : "", channel, m.out_rows, m.out_columns, m.out_channels,
      m.in_rows, m.in_columns, m.in_channels, m.kernel_rows, m.kernel_columns, m.stride_rows, m.stride_columns,
      m.dilation_rows, m.dilation_columns, m.origin_row, m.origin_column);
  if (!kept_.empty()) text += fmt::format("kept {}, ", accumulator);
  for (const int64_t sum : sums) accumulator = model::wrap48(accumulator + sum);
  if (sums.size() > kMostPartialSums) sums.resize(kMostPartialSums);
  return text + fmt::format("{} taps, {} of them in padding; sums of steps {}{}; accumulator {}, {}",
                            m.reduction_end - m.reduction_begin, masked, fmt::join(sums, ", "),
                            order_.num_steps > static_cast<int64_t>(kMostPartialSums) ? " ..." : "", accumulator,
                            explain_epilogue(channel, accumulator) + explain_residual(at, pixel, channel));
}

std::string ArrayTraffic::explain_epilogue(int64_t channel, int64_t accumulator) const {
  const spec::MacCommand& m = array_.mac();
  const int64_t parameters = m.parameter_base + channel * spec::kChannelParameterBytes;
  const int bias_bytes = m.scale32 ? 4 : 6;
  const auto number = [&](int64_t address, int bytes) {
    return model::sign_extend(read_little_endian(array_, address, bytes), 8 * bytes);
  };
  const int64_t bias = number(parameters, bias_bytes), multiplier = number(parameters + bias_bytes, 8 - bias_bytes);
  const int shift = array_.byte_at(parameters + 8);
  std::string text = fmt::format("bias {}, multiplier {}, shift {}", bias, multiplier, shift);
  if (!m.rescale || shift < 2 || shift > 62) return text;
  const RescaleSteps steps =
      rescale_steps(setup_of(m), {model::wrap48(accumulator + bias), static_cast<int32_t>(multiplier), shift});
  return text + fmt::format("; rescale of {}: product {}, shifted {}, with zero point {}, clamped {}", steps.number,
                            steps.product, steps.scaled, steps.biased, steps.result);
}

std::string ArrayTraffic::explain_residual(const sequence::MacRow& at, int64_t pixel, int64_t channel) const {
  const spec::MacCommand& m = array_.mac();
  if (!m.residual) return {};
  const int64_t addend = sequence::address_of(m.addend, order_.lanes, at.y, at.first_column + pixel, channel);
  const auto scale = [](const spec::Scale& s) { return fmt::format("{} >> {}", s.multiplier, s.shift); };
  return fmt::format("; less {} by {}, addend {} less {} by {}, their sum by {}, zero point {}, {} to {}",
                     m.residual_zero_point, scale(m.own_scale), array_.signed_byte_at(addend), m.addend_zero_point,
                     scale(m.addend_scale), scale(m.sum_scale), m.sum_zero_point, m.sum_clamp_min, m.sum_clamp_max);
}

}  // namespace vernier::cosim
