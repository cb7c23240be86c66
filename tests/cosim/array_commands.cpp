// SPDX-License-Identifier: Apache-2.0
#include "tests/cosim/array_commands.hpp"

#include <algorithm>

namespace vernier::cosim {

namespace {

/// Small biases, multipliers that are not negative, and a shift that leaves numbers of int8.
void set_scales(Work& array) {
  for (int64_t channel = 0; channel < array.mac().out_channels; ++channel) {
    std::byte* parameters = array.bytes.data() + array.mac().parameter_base + channel * spec::kChannelParameterBytes;
    parameters[2] = parameters[3] = std::byte{0};
    parameters[7] &= std::byte{0x7f};
    parameters[8] = std::byte{38};
  }
}

}  // namespace

Work pointwise(const spec::Datapath& datapath, int64_t channels, int64_t out_channels) {
  Work array(spec::MacCommand{});
  spec::MacCommand& m = array.mac();
  m.in_rows = m.in_columns = m.out_rows = m.out_columns = 3;
  m.in_channels = m.reduction_end = channels;
  m.out_channels = out_channels;
  m.input.pixel_pitch_bytes = channels;
  m.input.row_pitch_bytes = 3 * channels;
  m.input.block_pitch_bytes = datapath.lanes;
  m.output.pixel_pitch_bytes = out_channels;
  m.output.row_pitch_bytes = 3 * out_channels;
  m.output.block_pitch_bytes = datapath.lanes;
  m.rescale = true;
  m.clamp_min = -128;
  m.clamp_max = 127;
  m.input_zero_point = -3;
  m.weight_zero_point = 2;
  m.weight_base = 1024;
  m.parameter_base = 16384;
  array.bytes.resize(32768);
  Random random(5);
  for (std::byte& byte : array.bytes) byte = static_cast<std::byte>(random.bits());
  set_scales(array);
  return array;
}

Work depthwise(const spec::Datapath& datapath) {
  Work array = pointwise(datapath, datapath.lanes, datapath.lanes);
  spec::MacCommand& m = array.mac();
  m.mode = spec::MacMode::Depthwise;
  m.kernel_rows = m.kernel_columns = 2;
  m.reduction_end = 4;
  m.in_rows = m.in_columns = 4;
  m.input.pixel_pitch_bytes = m.input.block_pitch_bytes = datapath.lanes;
  m.input.row_pitch_bytes = 4 * datapath.lanes;
  return array;
}

Work with_residual(const spec::Datapath& datapath, int64_t channels, int64_t out_channels, bool has_table) {
  Work array = pointwise(datapath, channels, out_channels);
  spec::MacCommand& m = array.mac();
  m.table = has_table;
  m.residual = true;
  m.addend = m.output;
  m.addend.base = 20000;
  m.own_scale = m.addend_scale = {1 << 30, 11};
  m.sum_scale = {1 << 30, 50};
  m.residual_zero_point = 7;
  m.addend_zero_point = -9;
  m.sum_zero_point = 3;
  m.sum_clamp_min = -128;
  m.sum_clamp_max = 127;
  return array;
}

Work fully_connected(const spec::Datapath& datapath, int64_t steps, int64_t channel_tiles) {
  const int64_t channels = steps * datapath.lanes, out_channels = channel_tiles * datapath.lanes;
  Work array = pointwise(datapath, channels, out_channels);
  spec::MacCommand& m = array.mac();
  m.in_rows = m.in_columns = m.out_rows = m.out_columns = m.row_tile_rows = 1;
  m.weight_base = 0;
  m.parameter_base = channels * out_channels;
  m.input.base = m.parameter_base + out_channels * spec::kChannelParameterBytes;
  m.output.base = m.input.base + channels;
  array.bytes.assign(static_cast<size_t>(m.output.base + out_channels), std::byte{});
  for (int64_t i = 0; i < std::ssize(array.bytes); ++i)
    array.bytes[static_cast<size_t>(i)] = static_cast<std::byte>(i * 7 + i / 251);
  set_scales(array);
  return array;
}

Work full_array(const spec::Datapath& datapath) {
  const int64_t channels = 2 * datapath.lanes;
  Work array = pointwise(datapath, channels, channels);
  spec::MacCommand& m = array.mac();
  m.in_rows = m.in_columns = m.out_rows = m.out_columns = 8;
  m.input.row_pitch_bytes = 8 * channels;
  m.output.row_pitch_bytes = 8 * channels;
  m.row_tile_rows = 64;
  m.input_zero_point = 127;
  m.weight_zero_point = 127;
  m.weight_base = 4096;
  std::fill_n(array.bytes.begin(), m.parameter_base, std::byte{0x80});
  return array;
}

Work full_windows(const spec::Datapath& datapath) {
  Work array = depthwise(datapath);
  std::fill_n(array.bytes.begin(), array.mac().weight_base, std::byte{0x80});
  return array;
}

}  // namespace vernier::cosim
