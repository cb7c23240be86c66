// SPDX-License-Identifier: Apache-2.0
#include "hw/base/address.hpp"
#include "hw/base/division.hpp"
#include "hw/model/elementwise.hpp"
#include "hw/model/rescale.hpp"
#include "hw/model/wrap.hpp"
#include "sim/kernels/mac_kernels.hpp"
#include "sim/kernels/table_look_up.hpp"

#include <algorithm>

namespace vernier::kernels {
namespace {

template <bool kScale32, spec::Rounding kRounding>
void rescale_values(int64_t* values, const int32_t* multipliers, const int32_t* shifts, int64_t count, int64_t zero_point) {
  for (int64_t i = 0; i < count; ++i) {
    const int32_t scaled = kScale32 ? model::apply_scale_32(model::wrap32(values[i]), multipliers[i], shifts[i], kRounding)
                                    : model::apply_scale_16(values[i], multipliers[i], shifts[i], kRounding);
    values[i] = model::wrap32(scaled + zero_point);
  }
}

using RescaleFunction = void (*)(int64_t*, const int32_t*, const int32_t*, int64_t, int64_t);

template <bool kScale32>
RescaleFunction rescale_function(spec::Rounding rounding) {
  switch (rounding) {
    case spec::Rounding::Double: return &rescale_values<kScale32, spec::Rounding::Double>;
    case spec::Rounding::HalfEven: return &rescale_values<kScale32, spec::Rounding::HalfEven>;
    default: return &rescale_values<kScale32, spec::Rounding::Single>;
  }
}

int32_t apply(const spec::Scale& scale, int32_t value, spec::Rounding rounding) {
  return model::apply_scale_32(value, static_cast<int32_t>(scale.multiplier), static_cast<int32_t>(scale.shift), rounding);
}

}  // namespace

Epilogue::Epilogue(const MacContext& context, const TableMemory& tables, WriteSet& writes)
    : context_(context), command_(context.command), tables_(tables), writes_(writes) {
  for (int64_t channel = 0; channel < command_.out_channels; ++channel) {
    const std::byte* parameters = context.sram.data() + command_.parameter_base + channel * spec::kChannelParameterBytes;
    if (command_.scale32) {
      biases_.push_back(load<int32_t>(parameters));
      multipliers_.push_back(load<int32_t>(parameters + 4));
    } else {
      const auto low = static_cast<int64_t>(load<uint32_t>(parameters));
      biases_.push_back(low | (int64_t{load<int16_t>(parameters + 4)} << 32));
      multipliers_.push_back(load<int16_t>(parameters + 6));
    }
    shifts_.push_back(load<uint8_t>(parameters + 8));
  }
}

void Epilogue::add_bias(int64_t* values) const {
  for (size_t i = 0; i < biases_.size(); ++i) {
    const int64_t sum = model::wrap48(model::wrapping_add64(values[i], biases_[i]));
    values[i] = command_.accumulator_is_48 ? sum : model::wrap32(sum);
  }
}

void Epilogue::rescale(int64_t* values) const {
  const RescaleFunction function =
      command_.scale32 ? rescale_function<true>(command_.rounding) : rescale_function<false>(command_.rounding);
  function(values, multipliers_.data(), shifts_.data(), command_.out_channels, command_.output_zero_point);
  const base::ElementType type = command_.output.type;
  const bool is_unsigned = command_.output_is_unsigned;
  const int64_t low = is_unsigned ? 0 : base::min_value(type);
  const int64_t high = is_unsigned ? (int64_t{1} << base::info(type).bits) - 1 : base::max_value(type);
  for (int64_t i = 0; i < command_.out_channels; ++i) {
    const int64_t saturated = std::min(std::max(values[i], low), high);
    values[i] = std::min(std::max(saturated, command_.clamp_min), command_.clamp_max);
  }
}

void Epilogue::look_up(int64_t* values) const {
  const TableSlot& slot = tables_[static_cast<size_t>(command_.table_slot)];
  VERNIER_CHECK(slot.type.has_value(), "table slot {} is empty", command_.table_slot);
  visit_table(slot, *slot.type, [&](auto look_up_one) {
    for (int64_t i = 0; i < command_.out_channels; ++i) values[i] = look_up_one(model::wrap32(values[i]));
  });
}

void Epilogue::add_residual(int64_t row, int64_t column, int64_t* values) const {
  const spec::FeatureMap& map = command_.addend;
  const std::byte* pixel = context_.sram.data() + map.base + row * map.row_pitch_bytes + column * map.pixel_pitch_bytes;
  const auto residual_zero_point = static_cast<int32_t>(command_.residual_zero_point);
  const auto addend_zero_point = static_cast<int32_t>(command_.addend_zero_point);
  visit_stored(map.type, false, [&](auto stored) {
    using Stored = decltype(stored);
    for (int64_t i = 0; i < command_.out_channels; ++i) {
      const int64_t offset =
          i / context_.lanes * map.block_pitch_bytes + i % context_.lanes * static_cast<int64_t>(sizeof(Stored));
      const int32_t addend = model::wrap32(static_cast<int64_t>(load<Stored>(pixel + offset)));
      const int32_t own =
          apply(command_.own_scale, model::sub(model::wrap32(values[i]), residual_zero_point), command_.rounding);
      const int32_t other = apply(command_.addend_scale, model::sub(addend, addend_zero_point), command_.rounding);
      const int32_t sum = apply(command_.sum_scale, model::add(own, other), command_.rounding);
      const int64_t biased = model::wrap32(sum + command_.sum_zero_point);
      values[i] = std::min(std::max(biased, command_.sum_clamp_min), command_.sum_clamp_max);
    }
  });
}

void Epilogue::store_block(int64_t row, int64_t column, int64_t block, const int64_t* values) {
  const spec::FeatureMap& map = command_.output;
  const int64_t channel = block * context_.lanes;
  const int64_t count = std::min(context_.lanes, command_.out_channels - channel);
  const int64_t offset =
      map.base + row * map.row_pitch_bytes + column * map.pixel_pitch_bytes + block * map.block_pitch_bytes;
  visit_stored(map.type, false, [&](auto stored) {
    using Stored = decltype(stored);
    const auto bytes = writes_.extend({base::MemorySpace::Sram, static_cast<uint64_t>(offset)},
                                      static_cast<size_t>(count) * sizeof(Stored));
    for (int64_t i = 0; i < count; ++i) {
      kernels::store(bytes.data() + i * static_cast<int64_t>(sizeof(Stored)), static_cast<Stored>(values[channel + i]));
    }
  });
}

/// Pixels of one row; block after block where the pixels of a block are contiguous (planes), so that runs merge.
void Epilogue::store_row(int64_t row, int64_t column, int64_t num_columns, const int64_t* values) {
  const int64_t num_blocks = base::ceil_div(command_.out_channels, context_.lanes);
  const int64_t pitch = context_.accumulator_pitch();
  const bool is_planes = command_.output.pixel_pitch_bytes == context_.lanes * base::stored_bytes(command_.output.type);
  if (is_planes) {
    for (int64_t block = 0; block < num_blocks; ++block) {
      for (int64_t x = 0; x < num_columns; ++x) store_block(row, column + x, block, values + x * pitch);
    }
    return;
  }
  for (int64_t x = 0; x < num_columns; ++x) {
    for (int64_t block = 0; block < num_blocks; ++block) store_block(row, column + x, block, values + x * pitch);
  }
}

void Epilogue::finish(int64_t first_pixel, int64_t num_pixels, int64_t* accumulators) {
  const int64_t pitch = context_.accumulator_pitch();
  for (int64_t p = 0; p < num_pixels; ++p) {
    int64_t* values = accumulators + p * pitch;
    add_bias(values);
    if (command_.rescale) rescale(values);
    if (command_.table) look_up(values);
    const int64_t pixel = first_pixel + p;
    if (command_.residual) add_residual(pixel / command_.out_columns, pixel % command_.out_columns, values);
  }
  for (int64_t p = 0; p < num_pixels;) {
    const int64_t row = (first_pixel + p) / command_.out_columns, column = (first_pixel + p) % command_.out_columns;
    const int64_t count = std::min(num_pixels - p, command_.out_columns - column);
    store_row(row, column, count, accumulators + p * pitch);
    p += count;
  }
}

}  // namespace vernier::kernels
