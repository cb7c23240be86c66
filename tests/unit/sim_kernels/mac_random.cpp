// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/sim_kernels/mac_witness.hpp"

#include <algorithm>
#include <utility>

namespace vernier::kernels::tests {
namespace {

using base::ElementType;
using spec::MacCommand;
using spec::MacMode;
using spec::WeightOrder;

int64_t round_up(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

/// Appends `bytes` random ones and returns where they are.
int64_t allocate(MacCase& mac, Random& random, int64_t bytes) {
  const auto base = static_cast<int64_t>(mac.sram.size()) + random.range(0, 5);
  const auto more = random.bytes(static_cast<size_t>(base + bytes) - mac.sram.size());
  mac.sram.insert(mac.sram.end(), more.begin(), more.end());
  return base;
}

/// A map of rows x columns x channels whose elements do not overlap: dense NHWC or planes of N channels, with slack in every
/// pitch. Returns its bytes; its base is left alone.
int64_t random_layout(spec::FeatureMap& map, Random& random, int64_t lanes, int64_t rows, int64_t columns,
                      int64_t channels) {
  const int64_t element = base::stored_bytes(map.type);
  const auto slack = [&] { return random.chance(50) ? 0 : random.range(1, 7); };
  if (random.chance(50)) {
    map.block_pitch_bytes = lanes * element;
    map.pixel_pitch_bytes = channels * element + slack();
    map.row_pitch_bytes = columns * map.pixel_pitch_bytes + slack();
    return rows * map.row_pitch_bytes;
  }
  map.pixel_pitch_bytes = lanes * element + slack();
  if (random.chance(20)) map.pixel_pitch_bytes *= random.range(1, 3);
  map.row_pitch_bytes = columns * map.pixel_pitch_bytes + slack();
  map.block_pitch_bytes = rows * map.row_pitch_bytes + slack();
  return (channels + lanes - 1) / lanes * map.block_pitch_bytes;
}

void put_weight(MacCase& mac, int64_t offset, int64_t value) {
  mac.sram[static_cast<size_t>(offset)] = static_cast<std::byte>(value);
  if (mac.command.weight_type == ElementType::Int16) {
    mac.sram[static_cast<size_t>(offset + 1)] = static_cast<std::byte>(value >> 8);
  }
}

/// Two weights a byte, the first one in the low half.
void put_int4(MacCase& mac, int64_t half_idx, int64_t value) {
  std::byte& both = mac.sram[static_cast<size_t>(half_idx / 2)];
  const auto half = static_cast<std::byte>(value & 0xf);
  both = half_idx % 2 == 0 ? (both & std::byte{0xf0}) | half : (both & std::byte{0x0f}) | half << 4;
}

int64_t weight_at(const MacCase& mac, int64_t oc, int64_t r) {
  return mac.weights[static_cast<size_t>(oc * mac.whole_reduction() + r)];
}

/// Tiles order, as hw/spec/command.hpp has it, for the slice of the command.
void pack_tiles(MacCase& mac, Random& random) {
  MacCommand& m = mac.command;
  const int64_t element = base::stored_bytes(m.weight_type), n = mac.datapath.lanes, t = n >> m.lane_split_log2;
  const int64_t reduction = m.reduction_end - m.reduction_begin;
  const bool is_depthwise = m.mode == MacMode::Depthwise;
  const int64_t each = is_depthwise ? reduction : round_up(reduction, n);
  const bool is_int4 = m.weight_type == ElementType::Int4;
  const int64_t whole_tiles = m.out_channels / t * t, rest = m.out_channels % t;
  const int64_t int4s = each * (is_depthwise ? whole_tiles + round_up(rest, 2) : m.out_channels);
  m.weight_base = allocate(mac, random, is_int4 ? int4s / 2 : m.out_channels * each * element);
  int64_t offset = m.weight_base, half_idx = 2 * m.weight_base;
  for (int64_t tile = 0; tile < m.out_channels; tile += t) {
    for (int64_t step = 0; step < each; step += is_depthwise ? 1 : n) {
      for (int64_t oc = tile; oc < std::min(tile + t, m.out_channels); ++oc) {
        for (int64_t k = step; k < step + (is_depthwise ? 1 : n); ++k, offset += element) {
          const int64_t weight = k < reduction ? weight_at(mac, oc, m.reduction_begin + k) : 0;
          is_int4 ? put_int4(mac, half_idx++, weight) : put_weight(mac, offset, weight);
        }
      }
      half_idx = round_up(half_idx, 2);  // a tap of an odd number of lanes
    }
  }
}

void pack_pitched(MacCase& mac, Random& random) {
  MacCommand& m = mac.command;
  const int64_t element = base::stored_bytes(m.weight_type);
  const bool is_lane_major = m.weight_order == WeightOrder::LaneMajor;
  const int64_t inner = is_lane_major ? mac.whole_reduction() : m.out_channels;
  const int64_t outer = is_lane_major ? m.out_channels : mac.whole_reduction();
  m.weight_pitch_bytes = inner * element + random.range(0, 3);
  m.weight_base = allocate(mac, random, outer * m.weight_pitch_bytes);
  for (int64_t oc = 0; oc < m.out_channels; ++oc) {
    for (int64_t r = 0; r < mac.whole_reduction(); ++r) {
      const int64_t offset =
          is_lane_major ? oc * m.weight_pitch_bytes + r * element : r * m.weight_pitch_bytes + oc * element;
      put_weight(mac, m.weight_base + offset, weight_at(mac, oc, r));
    }
  }
}

void pack_weights(MacCase& mac, Random& random) {
  mac.command.weight_order == WeightOrder::Tiles ? pack_tiles(mac, random) : pack_pitched(mac, random);
}

void random_geometry(MacCommand& m, Random& random, const spec::Datapath& datapath) {
  m.mode = random.pick({MacMode::Conv, MacMode::Depthwise});
  const bool is_depthwise = m.mode == MacMode::Depthwise;
  m.kernel_rows = random.range(1, 4);
  m.kernel_columns = random.range(1, 4);
  m.stride_rows = random.range(1, 3);
  m.stride_columns = random.range(1, 3);
  m.dilation_rows = random.range(1, 2);
  m.dilation_columns = random.range(1, 2);
  m.origin_row = random.range(-4, 2);
  m.origin_column = random.range(-4, 2);
  m.in_rows = random.range(1, 8);
  m.in_columns = random.range(1, 8);
  m.out_rows = random.range(1, 5);
  m.out_columns = random.chance(20) ? random.range(30, 40) : random.range(1, 9);
  m.in_channels = random.chance(10) ? random.range(300, 700) : random.range(1, 2 * datapath.lanes + 3);
  m.out_channels = random.range(1, 2 * datapath.lanes + 3);
  if (m.in_channels > 100) {
    m.kernel_rows = m.out_rows = 1;
    m.out_channels = random.range(1, 7);
  }
  if (is_depthwise) {
    m.in_channels = m.out_channels;
    m.slide_rows = random.chance(50);
  }
  m.lane_split_log2 = random.range(0, spec::kMaxLaneSplitLog2);
}

void random_operands(MacCommand& m, Random& random) {
  m.input.type = random.chance(80) ? ElementType::Int8 : ElementType::Int16;
  m.weight_type = random.chance(90) ? ElementType::Int8 : ElementType::Int16;
  m.input_is_unsigned = random.chance(30);
  m.weight_order = random.chance(80) ? WeightOrder::Tiles : random.pick({WeightOrder::LaneMajor, WeightOrder::TapMajor});
  const bool is_int8 = m.input.type == ElementType::Int8;
  if (is_int8 || m.input_is_unsigned) {
    const int64_t range = is_int8 ? 256 : 65536;
    m.input_zero_point = (m.input_is_unsigned ? 0 : -range / 2) + random.range(0, range - 1);
  }
  m.weight_zero_point = m.weight_type == ElementType::Int16 || random.chance(50) ? 0 : random.range(-128, 127);
  if (is_int8 && m.weight_order == WeightOrder::Tiles && random.chance(25)) {
    m.weight_type = ElementType::Int4;
    m.weight_zero_point = 0;
  }
}

void random_limits(Random& random, ElementType type, bool is_unsigned, int64_t& low, int64_t& high) {
  const int bits = base::info(type).bits;
  const int64_t least = is_unsigned ? 0 : -(int64_t{1} << (bits - 1)), greatest = least + (int64_t{1} << bits) - 1;
  low = random.chance(40) ? least : random.range(least, greatest);
  high = random.chance(40) ? greatest : random.range(low, greatest);
}

spec::Scale random_scale(Random& random) { return {random.range(1 << 30, INT32_MAX), random.range(27, 36)}; }

void random_epilogue(MacCase& mac, Random& random) {
  MacCommand& m = mac.command;
  m.accumulator_is_48 = random.chance(25);
  m.rescale = random.chance(80);
  m.scale32 = random.chance(m.accumulator_is_48 ? 25 : 75);
  m.rounding =
      random.pick({spec::Rounding::Single, spec::Rounding::Double, spec::Rounding::Inexact, spec::Rounding::HalfEven});
  m.output.type = m.rescale ? random.pick({ElementType::Int8, ElementType::Int8, ElementType::Int16, ElementType::Int32})
                  : random.chance(30)   ? random.pick({ElementType::Int32, ElementType::Int48})
                  : m.accumulator_is_48 ? ElementType::Int48
                                        : ElementType::Int32;
  m.output_is_unsigned = m.rescale && m.output.type != ElementType::Int32 && random.chance(30);
  if (m.output.type != ElementType::Int32 && m.rescale) {
    const int bits = base::info(m.output.type).bits;
    m.output_zero_point = random.range(0, (int64_t{1} << bits) - 1) - (m.output_is_unsigned ? 0 : int64_t{1} << (bits - 1));
  }
  random_limits(random, m.output.type, m.output_is_unsigned, m.clamp_min, m.clamp_max);
  m.table = random.chance(25);
  m.table_slot = random.range(0, 1);
  m.parameter_base = allocate(mac, random, m.out_channels * spec::kChannelParameterBytes);
  for (int64_t oc = 0; oc < m.out_channels; ++oc) {
    const auto parameters = static_cast<size_t>(m.parameter_base + oc * spec::kChannelParameterBytes);
    const int64_t shift = m.scale32 ? random.range(20, 45) : random.range(5, 25);
    mac.sram[parameters + 8] = static_cast<std::byte>(random.chance(80) ? shift : random.range(2, 62));
    if (random.chance(70)) mac.sram[parameters + 3] = mac.sram[parameters + 2] = std::byte{0};
    if (m.scale32 || random.chance(20)) continue;
    const int64_t greatest = (int64_t{1} << 47) - 1;
    const int64_t bias = random.chance(20) ? random.pick({-greatest - 1, greatest}) : random.range(-1'000'000, 1'000'000);
    for (size_t i = 0; i < 6; ++i) mac.sram[parameters + i] = static_cast<std::byte>(bias >> (8 * i));
  }
  m.residual = random.chance(30);
  if (!m.residual) return;
  m.addend.type = random.pick({ElementType::Int8, ElementType::Int8, ElementType::Int16});
  m.addend.base =
      allocate(mac, random, random_layout(m.addend, random, mac.datapath.lanes, m.out_rows, m.out_columns, m.out_channels));
  m.residual_zero_point = random.range(-128, 127);
  m.addend_zero_point = random.range(-128, 127);
  m.sum_zero_point = random.range(-128, 127);
  m.own_scale = random_scale(random);
  m.addend_scale = random_scale(random);
  m.sum_scale = random_scale(random);
  random_limits(random, m.output.type == ElementType::Int8 ? ElementType::Int8 : ElementType::Int16, m.output_is_unsigned,
                m.sum_clamp_min, m.sum_clamp_max);
}

}  // namespace

MacCase random_mac_case(Random& random) {
  MacCase mac;
  mac.datapath = random.datapath();
  mac.tables = random.tables();
  MacCommand& m = mac.command;
  random_geometry(m, random, mac.datapath);
  random_operands(m, random);
  m.reduction_end = mac.whole_reduction();
  mac.weights.resize(static_cast<size_t>(m.out_channels * mac.whole_reduction()));
  const int64_t greatest = base::max_value(m.weight_type);
  for (int64_t& weight : mac.weights) {
    weight = random.chance(10) ? random.pick({-greatest - 1, greatest}) : random.range(-greatest - 1, greatest);
  }
  m.input.base =
      allocate(mac, random, random_layout(m.input, random, mac.datapath.lanes, m.in_rows, m.in_columns, m.in_channels));
  pack_weights(mac, random);
  random_epilogue(mac, random);
  m.output.base = random.range(0, 100);
  random_layout(m.output, random, mac.datapath.lanes, m.out_rows, m.out_columns, m.out_channels);
  return mac;
}

void take_slice(MacCase& slice, const MacCase& whole, int64_t begin, int64_t end) {
  slice = whole;
  slice.command.reduction_begin = begin;
  slice.command.reduction_end = end;
  slice.command.first = begin == 0;
  slice.command.last = end == whole.whole_reduction();
  Random random(static_cast<uint64_t>(begin));
  if (slice.command.weight_order == WeightOrder::Tiles) pack_weights(slice, random);
}

}  // namespace vernier::kernels::tests
