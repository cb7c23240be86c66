// SPDX-License-Identifier: Apache-2.0
// What each command touches. Precondition throughout: check() found the command well-formed.
#include "hw/base/error.hpp"
#include "hw/package/range.hpp"
#include "hw/spec/packed_weights.hpp"

#include <algorithm>
#include <optional>

namespace vernier::package {
namespace {

using spec::FeatureMap;
using spec::MacCommand;
using spec::MacMode;

constexpr std::array<std::string_view, spec::kMaxVectorStreams> kStreamNames{"stream 0", "stream 1", "stream 2",
                                                                             "stream 3", "stream 4", "stream 5"};

/// Positions [begin, end) of one dimension.
struct Interval {
  int64_t begin, end;
  [[nodiscard]] int64_t size() const { return end - begin; }
};

void add_bytes(std::vector<Range>& ranges, Storage storage, bool is_write, int64_t base, int64_t bytes,
               std::string_view what) {
  ranges.push_back(make_range(storage, is_write, base, {1, 1, 1, 1, 1, 1}, {}, bytes, what));
}

/// `rows` x `columns` x `channels` of a map: one box when channel blocks follow each other without a gap, else one for the
/// whole blocks and one each for a first and a last part of a block.
void add_map(std::vector<Range>& ranges, bool is_write, const FeatureMap& map, Interval rows, Interval columns,
             Interval channels, int64_t lanes, std::string_view what) {
  const int64_t element = base::stored_bytes(map.type);
  const int64_t corner = map.base + rows.begin * map.row_pitch_bytes + columns.begin * map.pixel_pitch_bytes;
  const auto add = [&](int64_t first_channel, int64_t blocks, int64_t channels_each) {
    const int64_t offset = first_channel / lanes * map.block_pitch_bytes + first_channel % lanes * element;
    ranges.push_back(make_range(Storage::Sram, is_write, corner + offset, {1, 1, 1, rows.size(), columns.size(), blocks},
                                {0, 0, 0, map.row_pitch_bytes, map.pixel_pitch_bytes, map.block_pitch_bytes},
                                channels_each * element, what));
  };
  const bool is_dense = map.block_pitch_bytes == lanes * element;
  const bool is_in_one_block = channels.begin / lanes == (channels.end - 1) / lanes;
  if (is_dense || is_in_one_block) return add(channels.begin, 1, channels.size());
  const int64_t first_whole = base::round_up(channels.begin, lanes);
  const int64_t end_whole = channels.end / lanes * lanes;
  if (first_whole > channels.begin) add(channels.begin, 1, first_whole - channels.begin);
  if (end_whole > first_whole) add(first_whole, (end_whole - first_whole) / lanes, lanes);
  if (channels.end > end_whole) add(end_whole, 1, channels.end - end_whole);
}

/// Input positions of one dimension from the first tap of the first output to the last tap of the last, without padding.
/// Nothing when all of them lie in padding.
std::optional<Interval> input_interval(int64_t origin, int64_t outputs, int64_t stride, Interval taps, int64_t dilation,
                                       int64_t extent) {
  const Interval all{origin + taps.begin * dilation, origin + (outputs - 1) * stride + (taps.end - 1) * dilation + 1};
  const Interval inside{std::max<int64_t>(all.begin, 0), std::min(all.end, extent)};
  return inside.begin < inside.end ? std::optional(inside) : std::nullopt;
}

/// The kernel positions and input channels that a slice of the reduction works on: the smallest box around them.
struct Taps {
  Interval rows, columns, channels;
};
Taps taps_of(const MacCommand& c) {
  const bool is_depthwise = c.mode == MacMode::Depthwise;
  const int64_t channels = is_depthwise ? 1 : c.in_channels;
  const Interval all_channels{0, is_depthwise ? c.out_channels : c.in_channels};
  const Interval taps{c.reduction_begin / channels, base::ceil_div(c.reduction_end, channels)};
  const Interval rows{taps.begin / c.kernel_columns, base::ceil_div(taps.end, c.kernel_columns)};
  if (rows.size() > 1) return {rows, {0, c.kernel_columns}, all_channels};
  const Interval columns{taps.begin - rows.begin * c.kernel_columns, taps.end - rows.begin * c.kernel_columns};
  if (taps.size() > 1 || is_depthwise) return {rows, columns, all_channels};
  return {rows, columns, {c.reduction_begin - taps.begin * channels, c.reduction_end - taps.begin * channels}};
}

void add_input(std::vector<Range>& ranges, const MacCommand& c, int64_t lanes) {
  const Taps taps = taps_of(c);
  const auto rows = input_interval(c.origin_row, c.out_rows, c.stride_rows, taps.rows, c.dilation_rows, c.in_rows);
  const auto columns =
      input_interval(c.origin_column, c.out_columns, c.stride_columns, taps.columns, c.dilation_columns, c.in_columns);
  if (rows && columns) add_map(ranges, false, c.input, *rows, *columns, taps.channels, lanes, "input");
}

void add_weights(std::vector<Range>& ranges, const MacCommand& c, int64_t lanes) {
  const int64_t reduction = c.reduction_end - c.reduction_begin, element = base::stored_bytes(c.weight_type);
  const auto add_rows = [&](int64_t first, int64_t rows, int64_t elements) {
    ranges.push_back(make_range(Storage::Sram, false, first, {1, 1, 1, 1, 1, rows}, {0, 0, 0, 0, 0, c.weight_pitch_bytes},
                                elements * element, "weights"));
  };
  switch (c.weight_order) {
    case spec::WeightOrder::Tiles:
      return add_bytes(ranges, Storage::Sram, false, c.weight_base, spec::packed_weight_bytes(c, c.out_channels, lanes),
                       "weights");
    case spec::WeightOrder::LaneMajor:
      return add_rows(c.weight_base + c.reduction_begin * element, c.out_channels, reduction);
    case spec::WeightOrder::TapMajor:
      return add_rows(c.weight_base + c.reduction_begin * c.weight_pitch_bytes, reduction, c.out_channels);
  }
}

void add_ranges(std::vector<Range>&, const spec::EndCommand&, int64_t) {}

void add_ranges(std::vector<Range>& ranges, const MacCommand& c, int64_t lanes) {
  add_input(ranges, c, lanes);
  add_weights(ranges, c, lanes);
  if (!c.first) add_bytes(ranges, Storage::Accumulators, false, 0, 1, "accumulators");
  if (!c.last) return add_bytes(ranges, Storage::Accumulators, true, 0, 1, "accumulators");
  add_bytes(ranges, Storage::Sram, false, c.parameter_base, c.out_channels * spec::kChannelParameterBytes, "parameters");
  if (c.table) add_bytes(ranges, Storage::TableSlot, false, c.table_slot, 1, "table");
  const Interval rows{0, c.out_rows};
  const Interval columns{0, c.out_columns};
  const Interval channels{0, c.out_channels};
  if (c.residual) add_map(ranges, false, c.addend, rows, columns, channels, lanes, "addend");
  add_map(ranges, true, c.output, rows, columns, channels, lanes, "output");
}

/// What a load or store in that phase touches: kept positions only outside the body, one element when the lanes are reduced.
Range stream_range(const spec::VectorCommand& c, const spec::VectorStep& step) {
  const auto index = static_cast<size_t>(step.stream);
  const spec::VectorStream& stream = c.streams[index];
  const bool is_body = step.phase == spec::VectorPhase::Body;
  std::array<int64_t, kRangeDims> counts{1, 1, 1, 1, 1, 1};
  std::array<int64_t, kRangeDims> strides{};
  const auto loops = static_cast<size_t>(is_body ? spec::kNumVectorLoops : c.kept_loops);
  for (size_t i = 0; i < loops; ++i) {
    counts[i] = c.counts[i];
    strides[i] = stream.strides_bytes[i];
  }
  counts[kRangeDims - 1] = is_body || !c.lanes_reduced ? c.lanes : 1;
  strides[kRangeDims - 1] = stream.lane_stride_bytes;
  return make_range(Storage::Sram, step.op == spec::VectorOp::Store, stream.base, counts, strides,
                    base::stored_bytes(stream.type), kStreamNames[index]);
}

void add_once(std::vector<Range>& ranges, const Range& range) {
  if (std::find(ranges.begin(), ranges.end(), range) == ranges.end()) ranges.push_back(range);
}

void add_ranges(std::vector<Range>& ranges, const spec::VectorCommand& c, int64_t) {
  for (const spec::VectorStep& step : c.steps) {
    if (spec::has_stream(step.op)) add_once(ranges, stream_range(c, step));
    if (step.op == spec::VectorOp::Table) {
      add_once(ranges, make_range(Storage::TableSlot, false, step.slot, {1, 1, 1, 1, 1, 1}, {}, 1, "table"));
    }
  }
}

void add_side(std::vector<Range>& ranges, const spec::DmaCommand& c, bool is_write) {
  const spec::DmaSide& side = is_write ? c.dst : c.src;
  std::array<int64_t, kRangeDims> counts{1, 1, 1, 1, 1, 1};
  std::array<int64_t, kRangeDims> strides{};
  for (size_t i = 0; i < static_cast<size_t>(spec::kNumDmaLoops); ++i) {
    counts[i + 1] = c.counts[i];
    strides[i + 1] = side.strides_bytes[i];
  }
  // Indices may name any position, each as often as they like.
  if (c.kind == (is_write ? spec::DmaKind::Scatter : spec::DmaKind::Gather)) counts[spec::kNumDmaLoops] = c.index_limit;
  const Storage storage = side.base.space == base::MemorySpace::Sram ? Storage::Sram : Storage::External;
  ranges.push_back(make_range(storage, is_write, static_cast<int64_t>(side.base.offset), counts, strides, c.run_bytes,
                              is_write ? "destination" : "source"));
}

void add_ranges(std::vector<Range>& ranges, const spec::DmaCommand& c, int64_t) {
  if (c.kind == spec::DmaKind::Gather || c.kind == spec::DmaKind::Scatter) {
    add_bytes(ranges, Storage::Sram, false, c.index_base, c.counts[3] * c.counts[4] * spec::kIndexBytes, "indices");
  }
  if (c.kind != spec::DmaKind::Fill) add_side(ranges, c, false);
  if (c.kind == spec::DmaKind::TableFill) return add_bytes(ranges, Storage::TableSlot, true, c.table_slot, 1, "table");
  add_side(ranges, c, true);
}

}  // namespace

std::vector<Range> ranges_of(const spec::Command& command, const spec::Datapath& datapath) {
  std::vector<Range> ranges;
  std::visit([&](const auto& body) { add_ranges(ranges, body, datapath.lanes); }, command.body);
  return ranges;
}

}  // namespace vernier::package
