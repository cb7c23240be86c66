// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/stimulus/array_vectors.hpp"

#include "hw/base/error.hpp"
#include "hw/package/command_codec.hpp"
#include "hw/spec/rescale_limits.hpp"
#include "hw/spec/rtl_ports.hpp"

#include <algorithm>
#include <array>

namespace vernier::cosim {
namespace {

using base::ElementType;
using spec::MacCommand;
using spec::Rounding;
using spec::WeightOrder;

int64_t pick(Random& random, std::initializer_list<int64_t> values) {
  return values.begin()[random.within(0, static_cast<int64_t>(values.size()) - 1)];
}

/// Appends `bytes` random bytes and returns where they are.
int64_t allocate(Work& array, Random& random, int64_t bytes, int64_t alignment) {
  int64_t base = static_cast<int64_t>(array.bytes.size()) + random.within(0, 20);
  base = base::ceil_div(base, alignment) * alignment;
  const size_t end = static_cast<size_t>(base + bytes);
  while (array.bytes.size() < end) array.bytes.push_back(static_cast<std::byte>(random.bits() >> 17));
  return base;
}

/// Elements of a map that do not overlap: dense, or planes of N channels, with slack in the pitches. Returns its bytes.
int64_t draw_layout(spec::FeatureMap& map, Random& random, int64_t lanes, int64_t rows, int64_t columns, int64_t channels) {
  const int64_t element = base::stored_bytes(map.type);
  const auto slack = [&] { return random.chance(60) ? 0 : random.within(1, 7); };
  if (random.chance(50)) {
    map.block_pitch_bytes = lanes * element;
    map.pixel_pitch_bytes = channels * element + slack();
    map.row_pitch_bytes = columns * map.pixel_pitch_bytes + slack();
    return rows * map.row_pitch_bytes;
  }
  map.pixel_pitch_bytes = lanes * element + slack();
  map.row_pitch_bytes = columns * map.pixel_pitch_bytes + slack();
  map.block_pitch_bytes = rows * map.row_pitch_bytes + slack();
  return base::ceil_div(channels, lanes) * map.block_pitch_bytes;
}

void draw_geometry(MacCommand& m, Random& random, int64_t lanes) {
  m.in_rows = random.within(1, 8);
  m.in_columns = random.within(1, 8);
  m.in_channels = random.within(1, 2 * lanes + 3);
  m.out_channels = random.within(1, 3 * lanes);
  m.lane_split_log2 = pick(random, {0, 0, 0, 1, 2});
  if (m.lane_split_log2 != 0) m.out_channels = random.within(1, 3 * lanes / 2);
  if (random.chance(25)) {  // fully connected
    m.in_rows = m.in_columns = 1;
    m.in_channels = random.within(1, 12 * lanes);
    return;
  }
  const bool is_pointwise = random.chance(40);
  m.kernel_rows = is_pointwise ? 1 : random.within(1, 3);
  m.kernel_columns = is_pointwise ? 1 : random.within(1, 3);
  m.stride_rows = random.within(1, 3);
  m.stride_columns = random.within(1, 3);
  m.dilation_rows = random.chance(80) ? 1 : 2;
  m.dilation_columns = random.chance(80) ? 1 : 2;
  m.origin_row = random.within(-3, 2);
  m.origin_column = random.within(-3, 2);
  m.out_rows = random.within(1, 5);
  m.out_columns = random.chance(20) ? random.within(20, 40) : random.within(1, 9);
  m.row_tile_rows = random.chance(30) ? spec::kAccumulatorRows : random.within(1, pick(random, {1, 2, 5, 64}));
  // A step a row tile: rows, banks and drain follow each other most closely.
  if (is_pointwise && random.chance(40)) m.in_channels = random.within(1, lanes);
}

/// Instead of a convolution: kernels of up to 5 x 5 taps, a channel of the input for each output channel.
void draw_windows(MacCommand& m, Random& random, int64_t lanes) {
  m.mode = spec::MacMode::Depthwise;
  m.slide_rows = random.chance(30);
  m.lane_split_log2 = pick(random, {0, 0, 1, 2});
  m.in_channels = m.out_channels = random.within(1, random.chance(50) ? lanes : 5 * lanes / 2);
  m.in_rows = random.within(1, 10);
  m.in_columns = random.within(1, 10);
  m.kernel_rows = random.within(1, random.chance(70) ? 3 : 5);
  m.kernel_columns = random.within(1, random.chance(70) ? 3 : 5);
  m.stride_rows = pick(random, {1, 1, 2, 3});
  m.stride_columns = pick(random, {1, 1, 2, 3});
  m.dilation_rows = random.chance(80) ? 1 : 2;
  m.dilation_columns = random.chance(80) ? 1 : 2;
  m.origin_row = random.within(-3, 1);
  m.origin_column = random.within(-3, 1);
  m.out_rows = random.within(1, 6);
  m.out_columns = random.within(1, 9);
  m.row_tile_rows = random.chance(30) ? spec::kAccumulatorRows : random.within(1, pick(random, {1, 2, 5, 64}));
}

void draw_limits(Random& random, ElementType type, bool is_unsigned, int64_t& low, int64_t& high) {
  const int bits = std::min(32, base::info(type).bits);  // as the command's fields have
  const int64_t least = is_unsigned ? 0 : -(int64_t{1} << (bits - 1)), greatest = least + (int64_t{1} << bits) - 1;
  low = random.chance(60) ? least : random.within(least, greatest);
  high = random.chance(60) ? greatest : random.within(low, greatest);
}

/// Mostly scales as those of a sum of two int8 tensors, sums inside of the limits and outside of them.
void draw_residual(MacCommand& m, Random& random) {
  m.residual = true;
  const int64_t lift = random.within(0, 20);
  const auto scale = [&](int64_t shift) {
    if (random.chance(15)) return spec::Scale{random.within(0, INT32_MAX), random.within(2, 62)};
    return spec::Scale{random.within(int64_t{1} << 30, INT32_MAX), shift + random.within(-1, 2)};
  };
  m.own_scale = scale(31 - lift);
  m.addend_scale = scale(31 - lift);
  m.sum_scale = scale(31 + lift);
  const int64_t low = m.output_is_unsigned ? 0 : -128;
  m.residual_zero_point = low + random.within(0, 255);
  m.addend_zero_point = random.within(-128, 255);
  m.sum_zero_point = low + random.within(0, 255);
  draw_limits(random, ElementType::Int8, m.output_is_unsigned, m.sum_clamp_min, m.sum_clamp_max);
}

void draw_epilogue(MacCommand& m, Random& random) {
  m.accumulator_is_48 = random.chance(25);
  m.rescale = random.chance(75);
  m.scale32 = !m.accumulator_is_48 && random.chance(70);
  m.rounding = static_cast<Rounding>(random.within(0, 3));
  m.output.type = kArrayOutTypes[static_cast<size_t>(pick(random, {0, 0, 1, 2}))];
  if (!m.rescale) m.output.type = m.accumulator_is_48 ? ElementType::Int48 : ElementType::Int32;
  m.output_is_unsigned = m.rescale && m.output.type != ElementType::Int32 && random.chance(30);
  if (m.rescale && m.output.type == ElementType::Int8) m.output_zero_point = random.within(-128, 127);
  if (m.output_is_unsigned) m.output_zero_point = m.output.type == ElementType::Int8 ? random.within(0, 255) : 32768;
  draw_limits(random, m.output.type, m.output_is_unsigned, m.clamp_min, m.clamp_max);
  m.table = m.rescale && m.output.type == ElementType::Int8 && random.chance(40);
  m.table_slot = random.within(0, 1);
  if (m.rescale && m.output.type == ElementType::Int8 && random.chance(40)) draw_residual(m, random);
}

/// The input's zero point for its type and sign.
int64_t draw_zero_point(const MacCommand& m, Random& random) {
  return m.input.type == ElementType::Int16 ? 0 : random.within(0, 255) - (m.input_is_unsigned ? 0 : 128);
}

void draw_operands(MacCommand& m, Random& random) {
  const bool is_16 = random.chance(40);
  if (is_16) m.input.type = ElementType::Int16;
  if (is_16 && random.chance(50)) m.weight_type = ElementType::Int16;
  m.input_is_unsigned = !is_16 && random.chance(40);
  m.input_zero_point = draw_zero_point(m, random);
  m.weight_order = kArrayOrders[static_cast<size_t>(pick(random, {0, 0, 0, 1, 2}))];
  m.weight_zero_point = m.weight_type == ElementType::Int16 || random.chance(50) ? 0 : random.within(-128, 127);
  // int4 weights are of int8 activations, and lie in tiles. Nothing is drawn for them: other commands of a seed stay.
  const bool may_be_int4 = !is_16 && m.weight_order == WeightOrder::Tiles && m.weight_zero_point == 0;
  if (may_be_int4 && (m.in_channels + m.out_channels) % 3 != 0) m.weight_type = ElementType::Int4;
  // int16 results are of int16 activations, and 48 bits, mostly.
  if (is_16 && random.chance(50)) {
    m.accumulator_is_48 = true;
    m.scale32 = false;
    if (!m.rescale) m.output.type = ElementType::Int48;
  }
}

/// Random bytes for all that the command reads, with multipliers and shifts that TOSA RESCALE takes.
void draw_memory(Work& array, Random& random, const spec::Datapath& datapath) {
  MacCommand& m = array.mac();
  const int64_t lanes = datapath.lanes;
  array.bytes.clear();
  const int64_t input_bytes = draw_layout(m.input, random, lanes, m.in_rows, m.in_columns, m.in_channels);
  m.input.base = allocate(array, random, input_bytes, 1);
  const int64_t reduction = m.reduction_end - m.reduction_begin;
  const int64_t weight_alignment = random.chance(70) ? lanes : 1, weight_bytes = base::stored_bytes(m.weight_type);
  if (m.weight_order == WeightOrder::Tiles) {
    const int64_t elements = base::ceil_div(reduction, lanes) * lanes;
    m.weight_base = allocate(array, random, m.out_channels * elements * weight_bytes, weight_alignment);
  } else {
    const bool is_lane_major = m.weight_order == WeightOrder::LaneMajor;
    m.weight_pitch_bytes = (is_lane_major ? m.reduction_end : m.out_channels) * weight_bytes + random.within(0, 3);
    const int64_t lines = is_lane_major ? m.out_channels : m.reduction_end;
    m.weight_base = allocate(array, random, lines * m.weight_pitch_bytes, weight_alignment);
  }
  m.parameter_base = allocate(array, random, m.out_channels * spec::kChannelParameterBytes, 1);
  for (int64_t channel = 0; channel < m.out_channels; ++channel) {
    std::byte* parameters = array.bytes.data() + m.parameter_base + channel * spec::kChannelParameterBytes;
    const int64_t shift = m.scale32 ? random.within(25, 45) : random.within(8, 25);
    parameters[8] = static_cast<std::byte>(random.chance(80) ? shift : random.within(2, 62));
    parameters[7] &= std::byte{0x7f};  // multipliers are not negative
    if (random.chance(50)) parameters[3] = parameters[2] = std::byte{0};
    if (!m.scale32 && random.chance(70)) parameters[5] = parameters[4] = parameters[3] = parameters[2] = std::byte{0};
  }
  if (m.residual) {
    const int64_t addend_bytes = draw_layout(m.addend, random, lanes, m.out_rows, m.out_columns, m.out_channels);
    m.addend.base = allocate(array, random, addend_bytes, 1);
  }
  m.output.base = random.within(0, 100);
  draw_layout(m.output, random, lanes, m.out_rows, m.out_columns, m.out_channels);
}

/// How often a longer command is drawn than what the sizes say.
constexpr int64_t kLongPercent = 2;

DrawnWork draw_command(const spec::Datapath& datapath, Random& random, const ArraySizes& sizes) {
  while (true) {
    DrawnWork array{MacCommand{}};
    MacCommand& m = array.work.mac();
    const bool is_depthwise = random.chance(30);
    if (is_depthwise) {
      draw_windows(m, random, datapath.lanes);
    } else {
      draw_geometry(m, random, datapath.lanes);
    }
    draw_epilogue(m, random);
    draw_operands(m, random);
    m.reduction_end = m.kernel_rows * m.kernel_columns * (is_depthwise ? 1 : m.in_channels);
    const sequence::MacOrder order(m, datapath);
    if (order.num_rows * order.num_steps * order.num_channel_tiles > sizes.most_rows &&
        !(sizes.has_long && random.chance(kLongPercent))) {
      continue;
    }
    array.first = draw_operand_class(random);
    array.second = draw_operand_class(random);
    draw_memory(array.work, random, datapath);
    if (!is_legal(m, datapath)) continue;
    draw_rows(array, random, datapath);
    return array;
  }
}

/// The reduction of `whole` in slices, each with memory of its own; the command alone where a slice would not be legal.
std::vector<DrawnWork> in_slices(const DrawnWork& whole, const spec::Datapath& datapath, Random& random) {
  std::vector<DrawnWork> slices;
  const int64_t reduction = whole.work.mac().reduction_end;
  for (int64_t begin = 0, end = 0; begin < reduction; begin = end) {
    end = std::min(begin + random.within(1, 3) * datapath.lanes, reduction);
    DrawnWork& slice = slices.emplace_back(whole);
    MacCommand& m = slice.work.mac();
    m.reduction_begin = begin;
    m.reduction_end = end;
    m.first = begin == 0;
    m.last = end == reduction;
    m.input_zero_point = draw_zero_point(m, random);
    draw_memory(slice.work, random, datapath);
    if (!is_legal(m, datapath)) return {whole};
    draw_rows(slice, random, datapath);
  }
  return slices;
}

}  // namespace

kernels::TableMemory draw_array_tables(Random& random) {
  kernels::TableMemory tables;
  for (kernels::TableSlot& slot : tables) {
    slot.type = ElementType::Int8;
    for (std::byte& byte : slot.bytes) byte = static_cast<std::byte>(random.bits() >> 11);
  }
  return tables;
}

Work draw_array_command(const spec::Datapath& datapath, Random& random, const ArraySizes& sizes) {
  return draw_command(datapath, random, sizes).work;
}

std::vector<DrawnWork> draw_array_slices(const spec::Datapath& datapath, Random& random, const ArraySizes& sizes) {
  const DrawnWork command = draw_command(datapath, random, sizes);
  DrawnWork narrow = command;
  const sequence::MacOrder order(command.work.mac(), datapath);
  narrow.work.mac().out_channels = std::min(command.work.mac().out_channels, order.tile_channels);
  narrow.work.mac().row_tile_rows =
      std::max(command.work.mac().row_tile_rows, std::min<int64_t>(order.num_rows, spec::kAccumulatorRows));
  draw_memory(narrow.work, random, datapath);
  if (!is_legal(narrow.work, datapath)) narrow = command;
  return in_slices(narrow, datapath, random);
}

DrawnWork draw_like(const MacCommand& like, OperandClass activations, OperandClass weights, const spec::Datapath& datapath,
                    Random& random) {
  DrawnWork array{like, activations, weights};
  MacCommand& m = array.work.mac();
  m.input_zero_point = draw_zero_point(m, random);
  if (m.weight_type == ElementType::Int8) m.weight_zero_point = random.chance(50) ? 0 : random.within(-128, 127);
  if (m.rescale && m.output.type == ElementType::Int8)
    m.output_zero_point = m.output_is_unsigned ? random.within(0, 255) : random.within(-128, 127);
  draw_limits(random, m.output.type, m.output_is_unsigned, m.clamp_min, m.clamp_max);
  if (m.residual) draw_residual(m, random);
  draw_memory(array.work, random, datapath);
  VERNIER_CHECK(is_legal(m, datapath), "a directed command is not legal: {}",
                package::check(array.work.command, datapath).detail);
  draw_rows(array, random, datapath);
  return array;
}

DrawnWork draw_operands_of(size_t mapping, size_t types, OperandClass activations, OperandClass weights,
                           const spec::Datapath& datapath, Random& random) {
  MacCommand m;
  m.input.type = kArrayOperandTypes[types].activations;
  m.weight_type = kArrayOperandTypes[types].weights;
  const bool is_16 = m.input.type == ElementType::Int16;
  m.input_is_unsigned = !is_16 && random.chance(40);
  m.in_channels = random.within(1, 2) * datapath.lanes;
  m.out_channels = random.within(datapath.lanes / 2, 2 * datapath.lanes);
  m.row_tile_rows = random.within(1, 9);
  if (mapping != 2) m.in_rows = m.in_columns = m.out_rows = m.out_columns = 3;
  if (mapping == 1) {
    m.mode = spec::MacMode::Depthwise;
    m.in_channels = m.out_channels = datapath.lanes;
    m.in_rows = m.in_columns = 5;
    m.kernel_rows = m.kernel_columns = 3;
  }
  m.reduction_end = mapping == 1 ? 9 : m.in_channels;
  m.accumulator_is_48 = random.chance(is_16 ? 70 : 10);
  m.scale32 = !m.accumulator_is_48;
  m.output.type = m.accumulator_is_48 ? ElementType::Int48 : ElementType::Int32;
  m.clamp_max = 1;
  return draw_like(m, activations, weights, datapath, random);
}

DrawnWork draw_residual_tiles(const spec::Datapath& datapath, Random& random) {
  MacCommand m;
  const bool is_any = random.chance(20);
  // Two or three steps of a row take less time than the row needs to leave: the array is ahead of the drain, and waits for
  // it.
  m.in_channels = m.reduction_end =
      is_any ? random.within(1, 6 * datapath.lanes) : random.within(datapath.lanes + 1, 3 * datapath.lanes);
  m.out_channels = random.within(1, (is_any ? 2 : 1) * datapath.lanes);
  m.in_rows = m.out_rows = random.within(is_any ? 1 : 3, is_any ? 3 : 6);
  m.in_columns = m.out_columns = random.within(is_any ? 2 : 4, is_any ? 6 : 8);
  m.row_tile_rows = random.chance(60) ? 1 : 2;
  m.rescale = m.residual = true;
  m.output.type = ElementType::Int8;
  m.table = random.chance(50);
  m.table_slot = random.within(0, 1);
  return draw_like(m, draw_operand_class(random), draw_operand_class(random), datapath, random);
}

std::vector<DrawnWork> draw_array_sequence(const spec::Datapath& datapath, Random& random, const ArraySizes& sizes) {
  std::vector<DrawnWork> sequence;
  for (int64_t left = random.within(1, 4); left > 0; --left) {
    if (!random.chance(25)) {
      sequence.push_back(draw_command(datapath, random, sizes));
      continue;
    }
    std::vector<DrawnWork> slices = draw_array_slices(datapath, random, sizes);
    // Now and then the last slice never comes, and what follows starts afresh.
    if (slices.size() > 1 && random.chance(10)) slices.pop_back();
    std::ranges::move(slices, std::back_inserter(sequence));
  }
  return sequence;
}

}  // namespace vernier::cosim
