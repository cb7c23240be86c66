// SPDX-License-Identifier: Apache-2.0
#include "sim/kernels/mac_operands.hpp"

#include "hw/base/division.hpp"
#include "hw/model/wrap.hpp"
#include "hw/spec/packed_weights.hpp"

#include <algorithm>
#include <cstdlib>

namespace vernier::kernels {
namespace {

template <typename Stored, typename Operand>
void widen(const std::byte* from, int64_t count, int32_t zero_point, Operand* to) {
  for (int64_t i = 0; i < count; ++i) {
    to[i] = static_cast<Operand>(int32_t{load<Stored>(from + i * static_cast<int64_t>(sizeof(Stored)))} - zero_point);
  }
}

/// Halves of bytes with a sign, the low one of a byte first. int4 has no zero point.
template <typename Operand>
void widen_int4(const std::byte* from, int64_t count, int32_t /*zero_point*/, Operand* to) {
  for (int64_t i = 0; i < count; ++i) {
    const auto byte = std::to_integer<int32_t>(from[i / spec::kInt4sPerByte]);
    to[i] = static_cast<Operand>(model::sign_extend(i % spec::kInt4sPerByte == 0 ? byte : byte >> 4, 4));
  }
}

int64_t greatest_operand(base::ElementType type, bool is_unsigned, int64_t zero_point) {
  const int64_t low = is_unsigned ? 0 : base::min_value(type);
  const int64_t high = low + (int64_t{1} << base::info(type).bits) - 1;
  return std::max(std::abs(low - zero_point), std::abs(high - zero_point));
}

/// Where the weights of a run of one output channel (Conv) or one tap (Depthwise) lie in a pitched weight order.
int64_t pitched_offset(const spec::MacCommand& command, int64_t channel, int64_t reduction_index) {
  const int64_t element = base::stored_bytes(command.weight_type);
  const int64_t in_channel = command.weight_order == spec::WeightOrder::LaneMajor ? command.weight_pitch_bytes : element;
  const int64_t in_reduction = command.weight_order == spec::WeightOrder::LaneMajor ? element : command.weight_pitch_bytes;
  return command.weight_base + channel * in_channel + reduction_index * in_reduction;
}

/// Calls put(channel, k, offset) for every weight of a pitched order; k counts from reduction_begin, as everywhere here.
template <typename Put>
void for_each_pitched_weight(const MacContext& context, Put put) {
  for (int64_t channel = 0; channel < context.command.out_channels; ++channel) {
    for (int64_t k = 0; k < context.reduction(); ++k) {
      put(channel, k, pitched_offset(context.command, channel, context.command.reduction_begin + k));
    }
  }
}

template <typename Operand>
struct WeightSource {
  explicit WeightSource(const MacContext& context)
      : sram(context.sram.data()),
        zero_point(static_cast<int32_t>(context.command.weight_zero_point)),
        type(context.command.weight_type),
        widen(widen_function<Operand>(type, false)) {}
  void read(int64_t offset, int64_t count, Operand* to) const { widen(sram + offset, count, zero_point, to); }
  const std::byte* sram;
  int32_t zero_point;
  base::ElementType type;
  WidenFunction<Operand> widen;
};

}  // namespace

int64_t exact_partial_sum_elems(const spec::MacCommand& command) {
  const int64_t x = greatest_operand(command.input.type, command.input_is_unsigned, command.input_zero_point);
  const int64_t w = greatest_operand(command.weight_type, false, command.weight_zero_point);
  if (x > INT16_MAX + 1 || w > INT16_MAX + 1) return 0;
  // 32768 is an operand only as the least int16: a zero point that makes it +32768 needs the wide operands.
  const auto fits = [](base::ElementType type, bool is_unsigned, int64_t zero_point, int64_t greatest) {
    return greatest <= INT16_MAX || (type == base::ElementType::Int16 && !is_unsigned && zero_point == 0);
  };
  if (!fits(command.input.type, command.input_is_unsigned, command.input_zero_point, x)) return 0;
  if (!fits(command.weight_type, false, command.weight_zero_point, w)) return 0;
  return INT32_MAX / (x * w);
}

template <typename Operand>
WidenFunction<Operand> widen_function(base::ElementType type, bool is_unsigned) {
  if (type == base::ElementType::Int8) return is_unsigned ? &widen<uint8_t, Operand> : &widen<int8_t, Operand>;
  if (type == base::ElementType::Int4) return &widen_int4<Operand>;
  VERNIER_CHECK(type == base::ElementType::Int16, "the array multiplies int4, int8 and int16, not {}",
                base::to_string(type));
  return is_unsigned ? &widen<uint16_t, Operand> : &widen<int16_t, Operand>;
}

template <typename Operand>
std::vector<Operand> unpack_conv_weights(const MacContext& context) {
  const spec::MacCommand& command = context.command;
  const int64_t reduction = context.reduction();
  const int64_t pitch = base::round_up(reduction, MacContext::kReductionBlock);
  std::vector<Operand> weights(static_cast<size_t>(context.accumulator_pitch() * pitch));
  const WeightSource<Operand> source(context);
  if (command.weight_order != spec::WeightOrder::Tiles) {
    for_each_pitched_weight(context, [&](int64_t channel, int64_t k, int64_t offset) {
      source.read(offset, 1, weights.data() + channel * pitch + k);
    });
    return weights;
  }
  const int64_t tile_lanes = context.lanes >> command.lane_split_log2;
  int64_t offset = command.weight_base;
  for (int64_t tile = 0; tile < command.out_channels; tile += tile_lanes) {
    const int64_t tile_end = std::min(tile + tile_lanes, command.out_channels);
    for (int64_t k = 0; k < reduction; k += context.lanes) {
      for (int64_t channel = tile; channel < tile_end; ++channel) {
        source.read(offset, context.lanes, weights.data() + channel * pitch + k);
        offset += spec::tile_row_bytes(source.type, context.lanes);
      }
    }
  }
  return weights;
}

template <typename Operand>
std::vector<Operand> unpack_depthwise_weights(const MacContext& context) {
  const spec::MacCommand& command = context.command;
  const int64_t taps = context.reduction();
  std::vector<Operand> weights(static_cast<size_t>(taps * command.out_channels));
  const WeightSource<Operand> source(context);
  if (command.weight_order != spec::WeightOrder::Tiles) {
    for_each_pitched_weight(context, [&](int64_t channel, int64_t k, int64_t offset) {
      source.read(offset, 1, weights.data() + k * command.out_channels + channel);
    });
    return weights;
  }
  const int64_t tile_lanes = context.lanes >> command.lane_split_log2;
  int64_t offset = command.weight_base;
  for (int64_t tile = 0; tile < command.out_channels; tile += tile_lanes) {
    const int64_t count = std::min(tile_lanes, command.out_channels - tile);
    for (int64_t tap = 0; tap < taps; ++tap) {
      source.read(offset, count, weights.data() + tap * command.out_channels + tile);
      offset += spec::tile_row_bytes(source.type, count);
    }
  }
  return weights;
}

template <typename Operand>
InputReader<Operand>::InputReader(const MacContext& context)
    : command_(context.command),
      sram_(context.sram.data()),
      lanes_(context.lanes),
      element_bytes_(base::stored_bytes(command_.input.type)),
      zero_point_(static_cast<int32_t>(command_.input_zero_point)),
      is_dense_(command_.input.block_pitch_bytes == lanes_ * element_bytes_),
      widen_(widen_function<Operand>(command_.input.type, command_.input_is_unsigned)) {}

template <typename Operand>
void InputReader<Operand>::read(int64_t row, int64_t column, int64_t begin, int64_t end, Operand* to) const {
  if (!is_inside(row, column)) {
    std::fill_n(to, end - begin, Operand{0});
    return;
  }
  if (is_dense_) {
    widen_(address(row, column, 0) + begin * element_bytes_, end - begin, zero_point_, to);
    return;
  }
  for (int64_t channel = begin; channel < end;) {
    const int64_t block = channel / lanes_;
    const int64_t block_end = std::min((block + 1) * lanes_, end);
    widen_(address(row, column, block) + (channel - block * lanes_) * element_bytes_, block_end - channel, zero_point_, to);
    to += block_end - channel;
    channel = block_end;
  }
}

template WidenFunction<int16_t> widen_function<int16_t>(base::ElementType, bool);
template WidenFunction<int32_t> widen_function<int32_t>(base::ElementType, bool);
template std::vector<int16_t> unpack_conv_weights<int16_t>(const MacContext&);
template std::vector<int32_t> unpack_conv_weights<int32_t>(const MacContext&);
template std::vector<int16_t> unpack_depthwise_weights<int16_t>(const MacContext&);
template std::vector<int32_t> unpack_depthwise_weights<int32_t>(const MacContext&);
template class InputReader<int16_t>;
template class InputReader<int32_t>;

}  // namespace vernier::kernels
