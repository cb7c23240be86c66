// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/hw_sequence/array_model.hpp"

#include "hw/base/error.hpp"
#include "hw/model/mac.hpp"
#include "hw/model/rescale.hpp"
#include "hw/model/table.hpp"
#include "hw/model/wrap.hpp"
#include "hw/spec/windows.hpp"

#include <catch2/catch.hpp>

namespace vernier::sequence {

using base::ElementType;
using kernels::tests::read_bytes;
using kernels::tests::read_element;

ArrayModel::ArrayModel(const MacCase& mac)
    : mac_(mac),
      m_(mac.command),
      order_(mac.command, mac.datapath),
      weights_(mac.command, mac.datapath),
      parameters_(mac.command, mac.datapath),
      addends_(RowStream::of_addends(mac.command, mac.datapath)),
      results_(RowStream::of_results(mac.command, mac.datapath)),
      tile_(static_cast<size_t>(order_.lanes), std::vector<Cell>(static_cast<size_t>(order_.lanes))) {
  if (m_.mode == spec::MacMode::Conv) {
    activations_.emplace(mac.command, mac.datapath);
  } else {
    windows_.emplace(mac.command, mac.datapath);
  }
}

kernels::tests::Image ArrayModel::run(std::vector<int64_t>& kept) {
  const std::vector<int64_t> empty(static_cast<size_t>(order_.lanes), 0);
  MacPlace place;
  do {
    const bool begins_channels = place.row_tile == 0 && place.step == 0 && place.weight_byte == 0;
    if (begins_channels && m_.last) take_parameters();
    if (place.step == 0 && place.weight_byte == 0) {
      accumulators_.assign(static_cast<size_t>(order_.num_rows), empty);
      for (size_t i = 0; !m_.first && i < kept.size(); ++i) {
        accumulators_[i / static_cast<size_t>(order_.lanes)][i % static_cast<size_t>(order_.lanes)] = kept[i];
      }
    }
    if (order_.is_loaded(place)) load_weights(place);
    for (int64_t row = order_.first_row(place.row_tile); row < order_.end_row(place.row_tile); ++row) {
      if (windows_) take_windows(place, row);
      if (activations_) take_row(place, row);
      multiply(place, row);
    }
    const bool ends_tile = place.step + 1 == order_.num_steps && place.weight_byte + 1 == order_.weight_bytes;
    if (ends_tile && m_.last) drain(place);
  } while (order_.advance(place));
  kept.clear();
  for (const std::vector<int64_t>& row : accumulators_) kept.insert(kept.end(), row.begin(), row.end());
  // Nothing is left over.
  WeightBeat weight;
  ActivationBeat activation;
  ParameterBeat parameter;
  RowBeat row;
  CHECK_FALSE(weights_.next(weight));
  WindowBeat window;
  CHECK_FALSE((activations_ && activations_->next(activation)));
  CHECK_FALSE((windows_ && windows_->next(window)));
  CHECK_FALSE(parameters_.next(parameter));
  CHECK_FALSE(addends_.next(row));
  CHECK_FALSE(results_.next(row));
  return image_;
}

void ArrayModel::take_parameters() {
  ParameterBeat beat;
  REQUIRE(parameters_.next(beat));
  of_lane_.assign(static_cast<size_t>(order_.lanes), {});
  const int bias_bytes = m_.scale32 ? 4 : 6;
  for (const ParameterBeat::Channel& channel : beat.channels) {
    const int64_t bias = model::sign_extend(read_bytes(mac_.sram, channel.address, bias_bytes), 8 * bias_bytes);
    const int64_t multiplier =
        model::sign_extend(read_bytes(mac_.sram, channel.address + bias_bytes, 8 - bias_bytes), 64 - 8 * bias_bytes);
    of_lane_[static_cast<size_t>(channel.lane)] = {bias, multiplier, read_bytes(mac_.sram, channel.address + 8, 1)};
  }
}

void ArrayModel::load_weights(const MacPlace& place) {
  const bool is_signed = place.weight_byte + 1 == order_.weight_bytes;
  for (std::vector<Cell>& lane : tile_) {
    for (Cell& cell : lane) cell.is_written = false;  // its value stays
  }
  WeightBeat beat;
  std::optional<int64_t> kept_word;
  do {
    REQUIRE(weights_.next(beat));
    REQUIRE(beat.place == place);
    if (kept_word) beat.words.push_back(*kept_word);
    for (const WeightByte& byte : beat.bytes) {
      const int64_t word = byte.address / mac_.datapath.word_bytes();
      VERNIER_CHECK(std::ranges::find(beat.words, word) != beat.words.end(), "byte {} is in no word", byte.address);
      kept_word = word;
      Cell& cell = tile_[static_cast<size_t>(byte.lane)][static_cast<size_t>(byte.element)];
      VERNIER_CHECK(!cell.is_written, "lane {}, element {} comes twice", byte.lane, byte.element);
      cell = {byte_of(byte.address, is_signed), true};
      if (m_.weight_type == ElementType::Int4) cell.value = model::sign_extend(cell.value >> (4 * byte.half), 4);
    }
  } while (!beat.is_last_of_tile);
}

void ArrayModel::take_row(const MacPlace& place, int64_t row) {
  clear_operand(order_.pixels);
  int64_t num_bytes = 0;
  ActivationBeat beat;
  do {
    REQUIRE(activations_->next(beat));
    REQUIRE(beat.place == place);
    REQUIRE(beat.row == row);
    for (const ActivationByte& byte : beat.bytes) {
      const auto is_there = [&](const Segment& segment) {
        return byte.address >= segment.address && byte.address < segment.address + segment.bytes;
      };
      VERNIER_CHECK(std::ranges::any_of(beat.segments, is_there), "byte {} is in no segment", byte.address);
      ++num_bytes;
      if (byte.is_masked) continue;
      const bool is_signed = byte.byte + 1 == order_.activation_bytes && !m_.input_is_unsigned;
      Cell& cell =
          operand_[static_cast<size_t>(byte.byte)][static_cast<size_t>(byte.pixel)][static_cast<size_t>(byte.element)];
      VERNIER_CHECK(!cell.is_written, "pixel {}, element {} comes twice", byte.pixel, byte.element);
      cell = {byte_of(byte.address, is_signed), true};
    }
  } while (!beat.is_last_of_row);
  REQUIRE(num_bytes == order_.pixels * order_.num_elements(place.step) * order_.activation_bytes);
}

void ArrayModel::take_windows(const MacPlace& place, int64_t row) {
  clear_operand(order_.lanes);
  WindowBeat beat;
  std::map<int64_t, int64_t> ahead;
  do {
    REQUIRE(windows_->next(beat));
    REQUIRE(beat.place == place);
    REQUIRE(beat.row == row);
    REQUIRE(static_cast<int64_t>(beat.words.size()) <= spec::kWindowWords);
    for (const WindowWord& word : beat.words) {
      VERNIER_CHECK(!word.is_of_next_row || beat.is_last_of_row, "word {} comes before its row", word.word);
      REQUIRE(static_cast<int64_t>(word.positions.size()) <= order_.pixels);
      for (const WindowPosition& position : word.positions) {
        for (const WindowByte& byte : position.bytes) {
          VERNIER_CHECK(byte.address / mac_.datapath.word_bytes() == word.word, "byte {} is in no word", byte.address);
          const bool is_signed = byte.byte + 1 == order_.activation_bytes && !m_.input_is_unsigned;
          (word.is_of_next_row ? ahead : window_)[byte.address] = byte_of(byte.address, is_signed);
        }
      }
    }
  } while (!beat.is_last_of_row);
  // What the row does not need leaves the windows.
  std::map<int64_t, int64_t> kept;
  for (const WindowOperand& operand : beat.operands) {
    const auto found = window_.find(operand.address);
    if (found != window_.end()) kept.insert(*found);
    if (operand.is_masked) continue;
    Cell& cell = operand_[static_cast<size_t>(operand.byte)][lane_idx(operand.pixel, operand.lane)]
                         [static_cast<size_t>(operand.element)];
    VERNIER_CHECK(!cell.is_written, "pixel {}, lane {}, element {} comes twice", operand.pixel, operand.lane,
                  operand.element);
    VERNIER_CHECK(found != window_.end(), "byte {} is not in the window", operand.address);
    cell = {found->second, true};
  }
  window_ = std::move(kept);
  window_.merge(ahead);
  const int64_t operands = order_.pixels * order_.num_channels(place.channel_tile) * order_.num_elements(place.step);
  REQUIRE(static_cast<int64_t>(beat.operands.size()) == operands * order_.activation_bytes);
}

void ArrayModel::clear_operand(int64_t lanes) {
  operand_.assign(static_cast<size_t>(order_.activation_bytes),
                  std::vector(static_cast<size_t>(lanes), std::vector<Cell>(static_cast<size_t>(order_.lanes))));
}

void ArrayModel::multiply(const MacPlace& place, int64_t row) {
  // Only operands of one byte have zero points; a weight of one byte has its own in each pass.
  const auto x_zero_point = static_cast<int32_t>(m_.input_zero_point),
             w_zero_point = static_cast<int32_t>(m_.weight_zero_point);
  for (size_t byte = 0; byte < operand_.size(); ++byte) {
    const int places = 8 * static_cast<int>(byte) + 8 * static_cast<int>(place.weight_byte);
    for (int64_t pixel = 0; pixel < order_.pixels; ++pixel) {
      for (int64_t lane = 0; lane < order_.num_channels(place.channel_tile); ++lane) {
        const std::vector<Cell>& operand = operand_[byte][windows_ ? lane_idx(pixel, lane) : static_cast<size_t>(pixel)];
        int64_t& sum = accumulators_[static_cast<size_t>(row)][lane_idx(pixel, lane)];
        for (size_t element = 0; element < operand.size(); ++element) {
          if (!operand[element].is_written) continue;
          const Cell& weight = tile_[static_cast<size_t>(lane)][element];
          VERNIER_CHECK(weight.is_written, "lane {}, element {} has no weight", lane, element);
          const int64_t product = model::product(static_cast<int32_t>(operand[element].value), x_zero_point,
                                                 static_cast<int32_t>(weight.value), w_zero_point);
          sum = model::wrap48(model::wrapping_add64(sum, model::wrapping_mul64(product, int64_t{1} << places)));
        }
      }
    }
  }
}

void ArrayModel::drain(const MacPlace& place) {
  RowBeat result, addend;
  for (int64_t row = order_.first_row(place.row_tile); row < order_.end_row(place.row_tile); ++row) {
    REQUIRE(results_.next(result));
    REQUIRE(result.row == row);
    REQUIRE(result.place.channel_tile == place.channel_tile);
    REQUIRE(result.is_last_of_tile == (row + 1 == order_.end_row(place.row_tile)));
    if (m_.residual) {
      REQUIRE(addends_.next(addend));
      REQUIRE(addend.row == row);
      REQUIRE(addend.elements.size() == result.elements.size());
    }
    std::vector<bool> is_stored(static_cast<size_t>(order_.lanes), false);
    for (size_t i = 0; i < result.elements.size(); ++i) {
      const RowElement& element = result.elements[i];
      is_stored[lane_idx(element.pixel, element.lane)] = true;
      int64_t q = 0;
      if (m_.residual) {
        const bool is_same = addend.elements[i].pixel == element.pixel && addend.elements[i].lane == element.lane;
        VERNIER_CHECK(is_same, "addend {} is of another lane", i);
        q = read_element(mac_.sram, addend.elements[i].address, ElementType::Int8, false);
      }
      const int64_t sum = accumulators_[static_cast<size_t>(row)][lane_idx(element.pixel, element.lane)];
      VERNIER_CHECK(!image_.contains(element.address), "{} is written twice", element.address);
      kernels::tests::write_element(image_, element.address, m_.output.type,
                                    finish(sum, of_lane_[static_cast<size_t>(element.lane)], q));
    }
    // Pixels that fill up a group, and unused lanes, were masked.
    for (size_t lane = 0; lane < is_stored.size(); ++lane) {
      const int64_t sum = accumulators_[static_cast<size_t>(row)][lane];
      VERNIER_CHECK(is_stored[lane] || sum == 0, "lane {} of row {} is not stored and has {}", lane, row, sum);
    }
  }
}

int64_t ArrayModel::finish(int64_t accumulator, const Parameters& parameters, int64_t addend) const {
  int64_t value = model::wrap48(model::wrapping_add64(accumulator, parameters.bias));
  if (!m_.accumulator_is_48) value = model::wrap32(value);
  if (!m_.rescale) return value;
  const auto multiplier = model::wrap32(parameters.multiplier), shift = model::wrap32(parameters.shift);
  const int32_t scaled = m_.scale32 ? model::apply_scale_32(model::wrap32(value), multiplier, shift, m_.rounding)
                                    : model::apply_scale_16(value, multiplier, shift, m_.rounding);
  value = model::saturate_scaled(scaled, static_cast<int32_t>(m_.output_zero_point), m_.output.type, m_.output_is_unsigned);
  value = std::min(std::max(value, m_.clamp_min), m_.clamp_max);
  if (m_.table) {
    std::array<int8_t, model::kTable8Entries> table{};
    const std::span<const std::byte> bytes(mac_.tables[static_cast<size_t>(m_.table_slot)].bytes);
    for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<int8_t>(bytes[i]);
    value = model::table_8(model::wrap32(value), table);
  }
  if (!m_.residual) return value;
  const auto scale = [&](int64_t of, const spec::Scale& by) {
    return model::apply_scale_32(model::wrap32(of), model::wrap32(by.multiplier), model::wrap32(by.shift), m_.rounding);
  };
  const int64_t both =
      int64_t{scale(value - m_.residual_zero_point, m_.own_scale)} + scale(addend - m_.addend_zero_point, m_.addend_scale);
  const int64_t sum = model::wrap32(scale(both, m_.sum_scale) + m_.sum_zero_point);
  return std::min(std::max(sum, m_.sum_clamp_min), m_.sum_clamp_max);
}

size_t ArrayModel::lane_idx(int64_t pixel, int64_t lane) const {
  return static_cast<size_t>(pixel * order_.tile_channels + lane);
}

int64_t ArrayModel::byte_of(int64_t address, bool is_signed) const {
  return read_element(mac_.sram, address, ElementType::Int8, !is_signed);
}

}  // namespace vernier::sequence
