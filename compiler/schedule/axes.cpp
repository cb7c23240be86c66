// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/axes.hpp"

#include "compiler/cost/mac_cut.hpp"
#include "hw/base/error.hpp"
#include "hw/spec/packed_weights.hpp"

#include <algorithm>
#include <numeric>

namespace vernier::schedule {
namespace {

using base::ceil_div;
using passes::AddressField;
using spec::MacCommand;
using spec::MacMode;
using spec::WeightOrder;

int64_t pixels_of(const MacCommand& c) { return int64_t{1} << c.lane_split_log2; }

/// The loop of a gather whose positions the index list names.
constexpr Axis kIndexLoop = spec::kNumDmaLoops - 1;

/// Slices need their accumulators to stay: one channel tile, one bank of rows.
bool can_slice(const MacCommand& c, const spec::Datapath& datapath) {
  return c.mode == MacMode::Conv && c.out_channels <= datapath.lanes >> c.lane_split_log2 &&
         c.out_rows * ceil_div(c.out_columns, pixels_of(c)) <= spec::kAccumulatorRows;
}

int64_t extent_of(const MacCommand& c, Axis axis, const spec::Datapath& datapath) {
  switch (axis) {
    case kRows: return c.out_rows;
    case kColumns: return c.out_columns;
    case kChannels: return c.out_channels;
    case kReduction: return can_slice(c, datapath) ? c.reduction_end - c.reduction_begin : 1;
    default: return 1;
  }
}

int64_t granule_of(const MacCommand& c, Axis axis, const spec::Datapath& datapath) {
  switch (axis) {
    case kColumns: return pixels_of(c);
    case kChannels: return datapath.lanes / pixels_of(c);
    case kReduction: return datapath.lanes;
    default: return 1;
  }
}

/// Of a 1 x 1 kernel a slice reads some of the input's channels: the map then begins with these.
void cut_reduction(MacCommand& c, int64_t first, int64_t count, const spec::Datapath& datapath) {
  const int64_t begin = c.reduction_begin + first;
  c.first = c.first && first == 0;
  c.last = c.last && begin + count == c.reduction_end;
  if (c.weight_order == WeightOrder::Tiles) {  // of a convolution: a tile row for each channel and step
    c.weight_base += first / datapath.lanes * c.out_channels * spec::tile_row_bytes(c.weight_type, datapath.lanes);
  }
  c.reduction_begin = begin;
  c.reduction_end = begin + count;
  c.row_tile_rows = spec::kAccumulatorRows;  // all rows of a slice stay
  if (c.kernel_rows * c.kernel_columns != 1) return;
  if (c.weight_order == WeightOrder::TapMajor) c.weight_base += begin * c.weight_pitch_bytes;
  if (c.weight_order == WeightOrder::LaneMajor) c.weight_base += begin * base::stored_bytes(c.weight_type);
  c.input.base += begin / datapath.lanes * c.input.block_pitch_bytes;
  c.in_channels = count;
  c.reduction_begin = 0;
  c.reduction_end = count;
}

void cut(MacCommand& c, Axis axis, int64_t first, int64_t count, const spec::Datapath& datapath) {
  switch (axis) {
    case kRows: return cost::cut_rows(c, first, count);
    case kColumns: return cost::cut_columns(c, first, count);
    case kChannels: return cost::cut_channels(c, first, count, datapath);
    default: return cut_reduction(c, first, count, datapath);
  }
}

int64_t extent_of(const spec::VectorCommand& c, Axis axis, const spec::Datapath&) {
  if (axis == kInnermost) return c.lanes_reduced ? 1 : c.lanes;
  return axis < c.kept_loops && axis < spec::kNumVectorLoops ? c.counts[static_cast<size_t>(axis)] : 1;
}

int64_t granule_of(const spec::VectorCommand&, Axis axis, const spec::Datapath& datapath) {
  return axis == kInnermost ? datapath.lanes : 1;
}

void cut(spec::VectorCommand& c, Axis axis, int64_t first, int64_t count, const spec::Datapath&) {
  const auto loop = static_cast<size_t>(axis);
  (axis == kInnermost ? c.lanes : c.counts[loop]) = count;
  for (spec::VectorStream& stream : c.streams) {
    stream.base += first * (axis == kInnermost ? stream.lane_stride_bytes : stream.strides_bytes[loop]);
  }
}

/// An index list is cut between its rows, or along its only one. What a scatter writes is known when all of it is done.
bool can_cut(const spec::DmaCommand& c, Axis axis) {
  switch (c.kind) {
    case spec::DmaKind::Copy:
    case spec::DmaKind::Fill: return true;
    case spec::DmaKind::Transpose: return axis != kInnermost;
    case spec::DmaKind::Gather: return axis != kIndexLoop || c.counts[kIndexLoop - 1] == 1;
    default: return false;
  }
}

int64_t extent_of(const spec::DmaCommand& c, Axis axis, const spec::Datapath&) {
  if (!can_cut(c, axis)) return 1;
  if (axis == kInnermost) return c.run_bytes;
  return axis < spec::kNumDmaLoops ? c.counts[static_cast<size_t>(axis)] : 1;
}

/// Parts of a turned matrix are whole tiles; parts of a run are whole elements, whatever their type.
int64_t granule_of(const spec::DmaCommand& c, Axis axis, const spec::Datapath& datapath) {
  if (axis == kInnermost) return datapath.word_bytes();
  const bool is_matrix = c.kind == spec::DmaKind::Transpose && axis >= spec::kNumDmaLoops - 2;
  return is_matrix ? std::max<int64_t>(1, datapath.word_bytes() / c.run_bytes) : 1;
}

void cut(spec::DmaCommand& c, Axis axis, int64_t first, int64_t count, const spec::Datapath&) {
  const auto loop = static_cast<size_t>(axis);
  (axis == kInnermost ? c.run_bytes : c.counts[loop]) = count;
  for (spec::DmaSide* side : {&c.src, &c.dst}) {
    const bool is_indexed = c.kind == spec::DmaKind::Gather && axis == kIndexLoop && side == &c.src;
    if (is_indexed) continue;
    side->base.offset += static_cast<uint64_t>(first * (axis == kInnermost ? 1 : side->strides_bytes[loop]));
  }
  if (c.kind != spec::DmaKind::Gather) return;
  if (axis == kIndexLoop) c.index_base += first * spec::kIndexBytes;
  if (axis == kIndexLoop - 1) c.index_base += first * c.counts[kIndexLoop] * spec::kIndexBytes;
}

int64_t extent_of(const spec::EndCommand&, Axis, const spec::Datapath&) { return 1; }
int64_t granule_of(const spec::EndCommand&, Axis, const spec::Datapath&) { return 1; }
void cut(spec::EndCommand&, Axis, int64_t, int64_t, const spec::Datapath&) {}

/// Rows and channels of a step as dimensions of a production, as program.hpp has them.
void shift_box(passes::Production& production, int32_t dim, int64_t first, int64_t count) {
  if (dim < 0) return;
  const auto d = static_cast<size_t>(dim);
  production.begin[d] += first * production.step_of(d);
  production.extent[d] = count;
}

bool mac_depends(const spec::MacCommand& mac, const passes::Operand& operand, Axis axis) {
  switch (operand.field) {
    case AddressField::Input:
      if (axis == kChannels) return mac.mode == spec::MacMode::Depthwise;
      return axis != kReduction || mac.kernel_rows * mac.kernel_columns == 1;
    case AddressField::Weights: return axis == kChannels || axis == kReduction;
    case AddressField::Parameters: return axis == kChannels;
    default: return axis != kReduction;
  }
}

}  // namespace

int64_t extent_of(const passes::Step& step, Axis axis, const spec::Datapath& datapath) {
  return std::visit([&](const auto& body) { return extent_of(body, axis, datapath); }, step.command.body);
}

int64_t granule_of(const passes::Step& step, Axis axis, const spec::Datapath& datapath) {
  return std::visit([&](const auto& body) { return granule_of(body, axis, datapath); }, step.command.body);
}

passes::Step part_of(const passes::Step& step, Axis axis, int64_t first, int64_t count, const spec::Datapath& datapath) {
  const int64_t extent = extent_of(step, axis, datapath);
  VERNIER_CHECK(first % granule_of(step, axis, datapath) == 0 && first + count <= extent, "a cut of {} to {} of {}", first,
                first + count, extent);
  passes::Step part = step;
  if (first == 0 && count == extent) return part;
  std::visit([&](auto& body) { cut(body, axis, first, count, datapath); }, part.command.body);
  const bool is_mac = std::holds_alternative<MacCommand>(step.command.body);
  for (passes::Production& production : part.productions) {
    if (axis == kRows) shift_box(production, production.row_dim, first, count);
    if (is_mac && axis == kChannels) shift_box(production, production.channel_dim, first, count);
  }
  return part;
}

bool depends_on(const passes::Step& step, const passes::Operand& operand, Axis axis) {
  if (const auto* mac = std::get_if<spec::MacCommand>(&step.command.body)) return mac_depends(*mac, operand, axis);
  const auto loop = static_cast<size_t>(axis);
  if (const auto* vec = std::get_if<spec::VectorCommand>(&step.command.body)) {
    const spec::VectorStream& stream = vec->streams[static_cast<size_t>(operand.stream_idx)];
    return (axis == kInnermost ? stream.lane_stride_bytes : stream.strides_bytes[loop]) != 0;
  }
  if (const auto* dma = std::get_if<spec::DmaCommand>(&step.command.body)) {
    if (operand.field == AddressField::Indices) return axis == spec::kNumDmaLoops - 1 || axis == spec::kNumDmaLoops - 2;
    const spec::DmaSide& side = operand.field == AddressField::Source ? dma->src : dma->dst;
    return axis == kInnermost || side.strides_bytes[loop] != 0;
  }
  return true;
}

}  // namespace vernier::schedule
