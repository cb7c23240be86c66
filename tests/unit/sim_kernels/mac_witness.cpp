// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/sim_kernels/mac_witness.hpp"

#include "hw/model/elementwise.hpp"
#include "hw/model/mac.hpp"
#include "hw/model/rescale.hpp"
#include "hw/model/table.hpp"

#include <algorithm>
#include <array>

namespace vernier::kernels::tests {
namespace {

using base::ElementType;
using spec::MacCommand;
using spec::MacMode;

int64_t element_offset(const spec::FeatureMap& map, int64_t lanes, int64_t y, int64_t x, int64_t c) {
  return map.base + y * map.row_pitch_bytes + x * map.pixel_pitch_bytes + (c / lanes) * map.block_pitch_bytes +
         (c % lanes) * base::stored_bytes(map.type);
}

int64_t accumulate_element(const MacCase& mac, int64_t y, int64_t x, int64_t oc, int64_t accumulator) {
  const MacCommand& m = mac.command;
  for (int64_t r = m.reduction_begin; r < m.reduction_end; ++r) {
    const bool is_depthwise = m.mode == MacMode::Depthwise;
    const int64_t tap = is_depthwise ? r : r / m.in_channels;
    const int64_t c = is_depthwise ? oc : r % m.in_channels;
    const int64_t row = m.origin_row + y * m.stride_rows + tap / m.kernel_columns * m.dilation_rows;
    const int64_t column = m.origin_column + x * m.stride_columns + tap % m.kernel_columns * m.dilation_columns;
    if (row < 0 || row >= m.in_rows || column < 0 || column >= m.in_columns) continue;
    const int64_t offset = element_offset(m.input, mac.datapath.lanes, row, column, c);
    const int64_t value = read_element(mac.sram, offset, m.input.type, m.input_is_unsigned);
    const int64_t weight = mac.weights[static_cast<size_t>(oc * mac.whole_reduction() + r)];
    accumulator = model::mac(accumulator, static_cast<int32_t>(value), static_cast<int32_t>(m.input_zero_point),
                             static_cast<int32_t>(weight), static_cast<int32_t>(m.weight_zero_point));
  }
  return accumulator;
}

int32_t apply(const spec::Scale& scale, int64_t value, spec::Rounding rounding) {
  return model::apply_scale_32(model::wrap32(value), static_cast<int32_t>(scale.multiplier),
                               static_cast<int32_t>(scale.shift), rounding);
}

int64_t look_up(const TableSlot& slot, int64_t value) {
  const std::span<const std::byte> bytes(slot.bytes);
  const int32_t x = model::wrap32(value);
  if (*slot.type == ElementType::Int16) {
    std::array<int16_t, model::kTable16Entries> table{};
    for (size_t i = 0; i < table.size(); ++i) {
      table[i] = static_cast<int16_t>(read_element(bytes, static_cast<int64_t>(2 * i), ElementType::Int16, false));
    }
    return model::table_16(x, table);
  }
  const int64_t entry = (value + 128) & 255;
  return read_element(bytes, entry * base::stored_bytes(*slot.type), *slot.type, false);
}

/// TOSA's RESCALE with the zero point as a tensor would hold it; the result as the number that it means.
int64_t rescaled(const MacCommand& m, int64_t value, int64_t multiplier, int64_t shift) {
  model::RescaleParams params;
  params.input_type = m.accumulator_is_48 && !m.scale32 ? ElementType::Int48 : ElementType::Int32;
  params.output_type = m.output.type;
  params.output_unsigned = m.output_is_unsigned;
  params.scale32 = m.scale32;
  params.rounding = m.rounding;
  params.output_zp = static_cast<int32_t>(m.output_zero_point);
  params.multiplier = static_cast<int32_t>(multiplier);
  params.shift = static_cast<int32_t>(shift);
  return model::extend_stored(model::rescale(value, params), m.output.type, m.output_is_unsigned);
}

int64_t finish_element(const MacCase& mac, int64_t y, int64_t x, int64_t oc, int64_t accumulator) {
  const MacCommand& m = mac.command;
  const int64_t parameters = m.parameter_base + oc * 10;
  const int bias_bytes = m.scale32 ? 4 : 6;
  int64_t bias = read_bytes(mac.sram, parameters, bias_bytes);
  bias = model::sign_extend(bias, 8 * bias_bytes);
  const int64_t multiplier =
      read_element(mac.sram, parameters + bias_bytes, m.scale32 ? ElementType::Int32 : ElementType::Int16, false);
  const int64_t shift = read_bytes(mac.sram, parameters + 8, 1);

  int64_t value = model::wrap48(accumulator + bias);
  if (!m.accumulator_is_48) value = model::wrap32(value);
  if (m.rescale) {
    value = rescaled(m, value, multiplier, shift);
    value = std::min(std::max(value, m.clamp_min), m.clamp_max);
  }
  if (m.table) value = look_up(mac.tables[static_cast<size_t>(m.table_slot)], value);
  if (m.residual) {
    const int64_t q = read_element(mac.sram, element_offset(m.addend, mac.datapath.lanes, y, x, oc), m.addend.type, false);
    const int64_t own = apply(m.own_scale, value - m.residual_zero_point, m.rounding);
    const int64_t other = apply(m.addend_scale, q - m.addend_zero_point, m.rounding);
    const int64_t sum = model::wrap32(apply(m.sum_scale, own + other, m.rounding) + m.sum_zero_point);
    value = std::min(std::max(sum, m.sum_clamp_min), m.sum_clamp_max);
  }
  return value;
}

}  // namespace

void witness_accumulate(const MacCase& mac, std::vector<int64_t>& accumulators) {
  const MacCommand& m = mac.command;
  size_t i = 0;
  for (int64_t y = 0; y < m.out_rows; ++y) {
    for (int64_t x = 0; x < m.out_columns; ++x) {
      for (int64_t oc = 0; oc < m.out_channels; ++oc, ++i)
        accumulators[i] = accumulate_element(mac, y, x, oc, accumulators[i]);
    }
  }
}

Image witness_epilogue(const MacCase& mac, const std::vector<int64_t>& accumulators) {
  const MacCommand& m = mac.command;
  Image image;
  size_t i = 0;
  for (int64_t y = 0; y < m.out_rows; ++y) {
    for (int64_t x = 0; x < m.out_columns; ++x) {
      for (int64_t oc = 0; oc < m.out_channels; ++oc, ++i) {
        write_element(image, element_offset(m.output, mac.datapath.lanes, y, x, oc), m.output.type,
                      finish_element(mac, y, x, oc, accumulators[i]));
      }
    }
  }
  return image;
}

}  // namespace vernier::kernels::tests
