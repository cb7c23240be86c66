// SPDX-License-Identifier: Apache-2.0
// npu_agu_windows: random depthwise commands, and those that a drawing seldom has.
#include "hw/sequence/mac_order.hpp"
#include "sim/cosim/stimulus/array_vectors.hpp"
#include "tests/cosim/agu_runs.hpp"
#include "tests/cosim/built_widths.hpp"

#include <functional>

using namespace vernier;
using namespace vernier::cosim;

namespace {

spec::MacCommand draw_depthwise(const spec::Datapath& datapath, Random& random) {
  while (true) {
    const Work array = draw_array_sequence(datapath, random).back().work;
    if (array.mac().mode == spec::MacMode::Depthwise) return array.mac();
  }
}

/// Kernels, strides and dilations of any size beside the lanes, maps of any pitches, a part of the taps.
spec::MacCommand draw_odd(const spec::Datapath& datapath, Random& random) {
  while (true) {
    spec::MacCommand m = draw_depthwise(datapath, random);
    const int64_t lanes = datapath.lanes;
    const auto size = [&](int64_t often, int64_t most) { return random.within(1, random.chance(70) ? often : most); };
    m.lane_split_log2 = random.within(0, 2);
    m.kernel_rows = size(4, 2 * lanes);
    m.kernel_columns = size(4, 2 * lanes);
    m.stride_rows = size(3, 2 * lanes);
    m.stride_columns = size(3, 2 * lanes);
    m.dilation_rows = size(2, 7);
    m.dilation_columns = size(2, 7);
    m.in_rows = size(10, 4 * lanes);
    m.in_columns = size(10, 4 * lanes);
    m.origin_row = random.within(-3, 1) * size(1, 2 * lanes);
    m.origin_column = random.within(-3, 1) * size(1, 2 * lanes);
    m.in_channels = m.out_channels;
    const int64_t taps = m.kernel_rows * m.kernel_columns;
    m.first = m.last = true;
    m.reduction_begin = random.chance(70) ? 0 : random.within(0, (taps - 1) / lanes) * lanes;
    m.reduction_end = taps;
    if (random.chance(30)) m.reduction_end = random.within(m.reduction_begin + 1, taps);
    if (random.chance(50)) {
      const auto pitch = [&] { return random.within(random.chance(50) ? 1 : -40, 3 * lanes); };
      m.input.base = random.within(0, 10'000);
      m.input.pixel_pitch_bytes = pitch();
      m.input.row_pitch_bytes = pitch();
      m.input.block_pitch_bytes = random.chance(50) ? lanes * base::stored_bytes(m.input.type) : pitch();
    }
    const sequence::MacOrder order(m, datapath);
    if (order.num_rows * order.num_steps * order.num_channel_tiles > 300) continue;
    if (is_legal(m, datapath)) return m;
  }
}

/// A padded layer of 3 x 3 taps in planes of N channels: 4 x 5 outputs.
spec::MacCommand layer(int lanes) {
  spec::MacCommand m;
  m.mode = spec::MacMode::Depthwise;
  m.in_rows = 4;
  m.in_columns = 5;
  m.in_channels = m.out_channels = lanes;
  m.input = {320, 6 * lanes, lanes, 40 * lanes, base::ElementType::Int8};
  m.output = m.input;
  m.kernel_rows = m.kernel_columns = 3;
  m.origin_row = m.origin_column = -1;
  m.out_rows = 4;
  m.out_columns = 5;
  m.reduction_end = 9;
  m.rescale = true;
  m.clamp_max = 127;
  return m;
}

using Change = std::function<void(spec::MacCommand&)>;

}  // namespace

TEST_CASE("beats of random depthwise commands are those of the sequence") {
  for (const int lanes : built_widths("npu_agu")) {
    Agu part(lanes);
    Random random(static_cast<uint64_t>(lanes) + 40);
    const spec::Datapath datapath{lanes, 4, 2};
    check_windows(
        part, random, 1500, [&] { return draw_depthwise(datapath, random); }, kDividedPreparation);
  }
}

TEST_CASE("beats of depthwise commands of odd shapes are those of the sequence") {
  for (const int lanes : built_widths("npu_agu")) {
    Agu part(lanes);
    Random random(static_cast<uint64_t>(lanes) + 41);
    const spec::Datapath datapath{lanes, 4, 2};
    check_windows(
        part, random, 1000, [&] { return draw_odd(datapath, random); }, kDividedPreparation);
  }
}

TEST_CASE("beats of depthwise commands with one feature each are those of the sequence") {
  const std::vector<std::pair<std::string_view, Change>> changes{
      {"nothing else", [](spec::MacCommand&) {}},
      {"a stride of 2", [](spec::MacCommand& m) { m.stride_rows = m.stride_columns = 2; }},
      {"lines along the columns of the map", [](spec::MacCommand& m) { m.slide_rows = true; }},
      {"row tiles of a row", [](spec::MacCommand& m) { m.row_tile_rows = 1; }},
      {"row tiles that end in a line", [](spec::MacCommand& m) { m.row_tile_rows = 3; }},
      {"several steps", [](spec::MacCommand& m) { m.kernel_rows = 7, m.kernel_columns = 5, m.reduction_end = 35; }},
      {"several steps of row tiles of a row",
       [](spec::MacCommand& m) { m.kernel_rows = 7, m.kernel_columns = 5, m.reduction_end = 35, m.row_tile_rows = 1; }},
      {"pixels that share a window",
       [](spec::MacCommand& m) { m.lane_split_log2 = 1, m.kernel_rows = 2, m.reduction_end = 6; }},
      {"pixels with a window each", [](spec::MacCommand& m) { m.lane_split_log2 = 2, m.stride_columns = 4; }},
      {"a dilation along the line", [](spec::MacCommand& m) { m.dilation_columns = 2; }},
      {"a dilation across the line", [](spec::MacCommand& m) { m.dilation_rows = 2, m.stride_rows = 2; }},
      {"pixels of dilated columns that meet",
       [](spec::MacCommand& m) {
         m.slide_rows = true, m.dilation_columns = 2, m.stride_columns = 2, m.lane_split_log2 = 1;
       }},
      {"int16", [](spec::MacCommand& m) { m.input.type = base::ElementType::Int16, m.input.pixel_pitch_bytes *= 2; }},
      {"int16 over three words",
       [](spec::MacCommand& m) { m.input.type = base::ElementType::Int16, m.input.pixel_pitch_bytes *= 3, ++m.input.base; }},
      {"dense pixels of a channel",
       [](spec::MacCommand& m) {
         m.in_channels = m.out_channels = 1, m.lane_split_log2 = 2;
         m.input.pixel_pitch_bytes = 1, m.input.row_pitch_bytes = 5;
       }},
      {"dense pixels of three channels, a last channel tile of one",
       [](spec::MacCommand& m) {
         m.in_channels = m.out_channels = m.out_channels / 2 + 1, m.lane_split_log2 = 1;
         m.input.pixel_pitch_bytes = m.in_channels, m.input.row_pitch_bytes = 5 * m.in_channels;
       }},
      {"several channel tiles of a block",
       [](spec::MacCommand& m) {
         m.in_channels = m.out_channels = 3 * m.out_channels, m.lane_split_log2 = 1, m.stride_columns = 3;
       }},
      {"a map that no output meets", [](spec::MacCommand& m) { m.origin_row = -100; }},
      {"a kernel wider than the map",
       [](spec::MacCommand& m) { m.kernel_columns = 9, m.reduction_end = 27, m.origin_column = -4; }},
      {"kernels of 16,383 columns",
       [](spec::MacCommand& m) { m.kernel_columns = 16383, m.reduction_begin = 16384, m.reduction_end = 16400; }},
      {"a stride of 16,383", [](spec::MacCommand& m) { m.stride_rows = m.stride_columns = 16383; }},
      {"one output", [](spec::MacCommand& m) { m.out_rows = m.out_columns = 1; }},
  };
  for (const int lanes : built_widths("npu_agu")) {
    Agu part(lanes);
    Random random(static_cast<uint64_t>(lanes) + 42);
    for (const auto& [name, change] : changes) {
      INFO(name);
      spec::MacCommand m = layer(lanes);
      change(m);
      REQUIRE(is_legal(m, spec::Datapath{lanes, 4, 2}));
      const bool is_divided = m.reduction_begin != 0;
      check_windows(
          part, random, 2, [&] { return m; }, is_divided ? kDividedPreparation : spec::kIssueCycles);
    }
  }
}
